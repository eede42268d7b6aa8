/** Writers against each other while every request is served, now and then twice. See `simulate.ts`. */
import { describe, expect, it } from 'vitest';
import { seeded, testSeeds } from './seeds.ts';

describe('without faults', () => {
  testSeeds({ rates: { before: 0, after: 0, twice: 0, crash: 0 }, share: 1 / 6, isCertain: true });
});

describe('with repeated requests', () => {
  testSeeds({ rates: { before: 0, after: 0, twice: 0.4, crash: 0 }, share: 1 / 6, isCertain: true });
});

it('is the same run for the same seed', async () => {
  const rates = { before: 0.05, after: 0.05, twice: 0.1, late: 0.05, crash: 0.01 };
  const [first, second] = [await seeded(7, rates), await seeded(7, rates)];
  expect(second).toEqual(first);
});
