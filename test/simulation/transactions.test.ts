/**
 * Writers against each other over a storage that fails in every way a storage can. Whatever happens: versions are
 * dense, every transaction's effect is there exactly once or not at all, and every writer knows which unless it
 * could not.
 *
 * `SIMULATION_SEEDS` sets how many runs there are, `SIMULATION_SEED` runs one again.
 */
import { describe, expect, it } from 'vitest';
import { FileSystemCommitter } from '../../src/kernel/committer/file-system-committer.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { createTable } from '../../src/kernel/transaction/create-table.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { type FaultRates, faultyStorage } from './faulty-storage.ts';
import { checkLog, type Model, replay } from './model.ts';
import { Chance, Scheduler, SimulatedRuntime } from './scheduler.ts';
import { SimulatedWriter } from './writer.ts';

const ROOT = new URL('memory:///t/');
const SCHEMA = types.struct([field('id', types.long)]);
const RUNS = Number(process.env.SIMULATION_SEEDS ?? 60);
const SINGLE = process.env.SIMULATION_SEED;
/** Runs of one test: a failure names its seed. */
const BLOCK = 20;

const PROPERTIES = [
  {},
  { 'delta.enableRowTracking': 'true', 'delta.enableInCommitTimestamps': 'true' },
  { 'delta.isolationLevel': 'WriteSerializable', 'delta.enableInCommitTimestamps': 'true' },
];

interface Run {
  readonly model: Model;
  readonly writers: readonly SimulatedWriter[];
}

async function simulate(seed: number, rates: FaultRates): Promise<Run> {
  const chance = new Chance(seed);
  const scheduler = new Scheduler(chance);
  const runtime = new SimulatedRuntime(chance);
  let time = 0;
  const storage = new MemoryStorageHandler({
    now: () => {
      time += 1000;
      return time;
    },
  });
  const clean = testEngine(storage);
  await clean.ready();
  const properties = chance.pick(PROPERTIES);
  const creation = await createTable(ROOT, SCHEMA, { properties, runtime }).build(
    clean,
    new FileSystemCommitter(),
  );
  await creation.commit(clean);
  const engine = testEngine(faultyStorage(storage, scheduler, chance, rates));
  await engine.ready();
  const writers = Array.from({ length: 2 + chance.whole(4) }, (_, id) => {
    return new SimulatedWriter(id, engine, clean, ROOT, runtime, chance);
  });
  const tasks = writers.map((writer) => writer.run(4));
  await scheduler.run(tasks);
  await Promise.all(tasks);
  const model = await replay(storage, ROOT);
  checkLog(
    model,
    writers.flatMap(({ outcomes }) => outcomes),
  );
  await checkSnapshots(clean, model);
  return { model, writers };
}

/** What the kernel reads at every version is what a plain replay gives. */
async function checkSnapshots(engine: ReturnType<typeof testEngine>, { versions }: Model): Promise<void> {
  for (const { version, live } of versions) {
    const snapshot = await Snapshot.load(engine, ROOT, { version });
    const paths: string[] = [];
    for await (const { path } of snapshot.scan().files(engine)) paths.push(path);
    expect(paths.sort()).toEqual(live);
  }
}

async function seeded(seed: number, rates: FaultRates): Promise<Run> {
  try {
    return await simulate(seed, rates);
  } catch (error) {
    throw new Error(`seed ${seed} (SIMULATION_SEED=${seed} runs it again): ${String(error)}`, {
      cause: error,
    });
  }
}

const FAULTS: Readonly<Record<string, FaultRates>> = {
  'no faults': { before: 0, after: 0, twice: 0, crash: 0 },
  'lost answers': { before: 0.05, after: 0.2, twice: 0, crash: 0 },
  'repeated requests': { before: 0, after: 0, twice: 0.4, crash: 0 },
  'everything at once': { before: 0.1, after: 0.1, twice: 0.1, crash: 0.01 },
};

describe.each(Object.entries(FAULTS))('with %s', (name, rates) => {
  const seeds =
    SINGLE === undefined ? Array.from({ length: Math.ceil(RUNS / 4) }, (_, seed) => seed) : [Number(SINGLE)];
  const blocks = Array.from({ length: Math.ceil(seeds.length / BLOCK) }, (_, index) => {
    return seeds.slice(index * BLOCK, (index + 1) * BLOCK);
  });

  it.each(blocks.map((block) => [block[0], block.at(-1), block] as const))(
    'seeds %i to %i',
    async (_first, _last, block) => {
      let [committed, conflicts] = [0, 0];
      for (const seed of block) {
        const { writers } = await seeded(seed, rates);
        const outcomes = writers.flatMap((writer) => writer.outcomes);
        committed += outcomes.filter(({ end }) => end === 'committed').length;
        conflicts += outcomes.filter(({ end }) => end === 'never').length;
        if (name === 'no faults' || name === 'repeated requests') {
          expect(outcomes.filter(({ end }) => end === 'unknown')).toEqual([]);
        }
      }
      // A simulation in which nothing happens proves nothing.
      expect(committed).toBeGreaterThan(block.length);
      if (block.length === BLOCK) expect(conflicts).toBeGreaterThan(0);
    },
    120_000,
  );
});

it('is the same run for the same seed', async () => {
  const rates = FAULTS['everything at once']!;
  const [first, second] = [await seeded(7, rates), await seeded(7, rates)];
  expect(second.model).toEqual(first.model);
});
