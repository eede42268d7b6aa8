/** Writers against each other while answers get lost, requests arrive late, and writers die. See `simulate.ts`. */
import { describe } from 'vitest';
import { testSeeds } from './seeds.ts';

describe('with lost answers', () => {
  testSeeds({ rates: { before: 0.05, after: 0.2, twice: 0, crash: 0 }, share: 1 / 6 });
});

describe('with late requests', () => {
  testSeeds({ rates: { before: 0, after: 0, twice: 0, late: 0.25, crash: 0 }, share: 1 / 6 });
});
