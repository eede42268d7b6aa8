/**
 * Ten writers against each other through a catalog, with faults at each step: after staging, after ratifying, before
 * the answer, in mid-publish. Whatever happens: no version is ratified twice, no ratified commit is lost or altered,
 * publishing goes in order and changes nothing, and every writer knows what became of its commits unless it could not.
 *
 * `SIMULATION_SEEDS` sets how many runs there are, `SIMULATION_SEED` runs one again.
 */
import { describe, expect, it } from 'vitest';
import { type CatalogResult, simulateCatalog } from './catalog-simulation.ts';
import type { FaultRates } from './faulty-storage.ts';

const RUNS = Number(process.env.SIMULATION_SEEDS ?? 60);
const SINGLE = process.env.SIMULATION_SEED;

async function seeded(kind: 'unity' | 'embedded', seed: number, rates: FaultRates): Promise<CatalogResult> {
  try {
    return await simulateCatalog({ kind, seed, rates });
  } catch (error) {
    throw new Error(`seed ${seed} (SIMULATION_SEED=${seed} runs it again): ${String(error)}`, {
      cause: error,
    });
  }
}

const FAULTS: Readonly<Record<string, FaultRates>> = {
  'no faults': { before: 0, after: 0, twice: 0, crash: 0 },
  'lost answers': { before: 0.03, after: 0.1, twice: 0, crash: 0 },
  'repeated requests': { before: 0, after: 0, twice: 0.3, crash: 0 },
  'everything at once': { before: 0.05, after: 0.05, twice: 0.1, crash: 0.01 },
};

const SEEDS =
  SINGLE === undefined ? Array.from({ length: Math.ceil(RUNS / 12) }, (_, seed) => seed) : [Number(SINGLE)];

describe.each(['unity', 'embedded'] as const)('through the catalog %s', (kind) => {
  it.each(Object.entries(FAULTS))(
    'with %s',
    async (name, rates) => {
      let committed = 0;
      for (const seed of SEEDS) {
        const { outcomes } = await seeded(kind, seed, rates);
        committed += outcomes.filter(({ end }) => end === 'committed').length;
        if (name === 'no faults' || name === 'repeated requests') {
          expect(outcomes.filter(({ end }) => end === 'unknown')).toEqual([]);
        }
      }
      // A simulation in which nothing happens proves nothing.
      expect(committed).toBeGreaterThan(5 * SEEDS.length);
    },
    120_000,
  );

  it('is the same run for the same seed', async () => {
    const rates = FAULTS['everything at once']!;
    const [first, second] = [await seeded(kind, 7, rates), await seeded(kind, 7, rates)];
    expect(second.outcomes).toEqual(first.outcomes);
    expect([...second.ratified]).toEqual([...first.ratified]);
  });
});
