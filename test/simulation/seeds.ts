/** Running seeds: `SIMULATION_SEEDS` sets how many there are in all, `SIMULATION_SEED` runs one again. */
import { expect, it } from 'vitest';
import type { FaultRates } from './faulty-storage.ts';
import { type Run, simulate } from './simulate.ts';

const RUNS = Number(process.env.SIMULATION_SEEDS ?? 2000);
const SINGLE = process.env.SIMULATION_SEED;
/** Runs of one test. */
const BLOCK = 25;

export interface FaultMode {
  readonly rates: FaultRates;
  /** Of all runs. */
  readonly share: number;
  /** Whether every writer knows what became of each of its commits. */
  readonly isCertain?: boolean;
}

/** A failure names its seed. */
export async function seeded(seed: number, rates: FaultRates): Promise<Run> {
  try {
    return await simulate(seed, rates);
  } catch (error) {
    throw new Error(`seed ${seed} (SIMULATION_SEED=${seed} runs it again): ${String(error)}`, {
      cause: error,
    });
  }
}

/** Defines the tests of a mode, a block of seeds each. */
export function testSeeds({ rates, share, isCertain = false }: FaultMode): void {
  const count = SINGLE === undefined ? Math.ceil(RUNS * share) : 1;
  for (let first = 0; first < count; first += BLOCK) {
    const seeds = Array.from({ length: Math.min(BLOCK, count - first) }, (_, index) => {
      return SINGLE === undefined ? first + index : Number(SINGLE);
    });
    it(`seeds ${seeds[0]} to ${seeds.at(-1)}`, () => testBlock(seeds, rates, isCertain), 300_000);
  }
}

async function testBlock(seeds: readonly number[], rates: FaultRates, isCertain: boolean): Promise<void> {
  const sums = { committed: 0, never: 0, unknown: 0, crashes: 0, checkpoints: 0, checksums: 0 };
  for (const seed of seeds) {
    const { outcomes, written, crashes } = await seeded(seed, rates);
    for (const { end } of outcomes) sums[end] += 1;
    sums.crashes += crashes;
    sums.checkpoints += written.checkpoints;
    sums.checksums += written.checksums;
  }
  if (isCertain) expect(sums.unknown, 'unknown outcomes').toBe(0);
  // A simulation in which nothing happens proves nothing.
  if (seeds.length < BLOCK) return;
  expect(sums.committed).toBeGreaterThan(seeds.length);
  expect(sums.never).toBeGreaterThan(0);
  expect(sums.checkpoints).toBeGreaterThan(0);
  expect(sums.checksums).toBeGreaterThan(seeds.length / 4);
  if (rates.crash > 0) expect(sums.crashes).toBeGreaterThan(0);
}
