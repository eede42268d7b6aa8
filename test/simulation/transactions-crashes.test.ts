/** Writers against each other while some die at any step, and others go on from what they left. See `simulate.ts`. */
import { describe } from 'vitest';
import { testSeeds } from './seeds.ts';

describe('with crashes', () => {
  testSeeds({ rates: { before: 0, after: 0, twice: 0, crash: 0.02 }, share: 1 / 6 });
});

describe('with everything at once', () => {
  testSeeds({ rates: { before: 0.05, after: 0.08, twice: 0.1, late: 0.05, crash: 0.01 }, share: 1 / 6 });
});
