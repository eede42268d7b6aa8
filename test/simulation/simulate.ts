/**
 * A run: writers against each other over a storage that fails in every way a storage can. Whatever happens: versions
 * are dense, every transaction's effect is there exactly once or not at all, every writer knows which unless it could
 * not, and what checkpoints and checksums say is what a replay of the commits gives.
 */
import type { Committer } from '../../src/kernel/committer/committer.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { createTable } from '../../src/kernel/transaction/create-table.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { type FaultRates, faultyStorage, Life } from './faulty-storage.ts';
import { checkLog } from './log-checks.ts';
import { type Model, replay } from './model.ts';
import { fileSystemCommitter } from './operations.ts';
import { DecodedFiles, rememberingEngine } from './remembering-engine.ts';
import { Chance, Scheduler, SimulatedRuntime } from './scheduler.ts';
import { checkState, type Written } from './state-checks.ts';
import { type Outcome, SimulatedWriter } from './writer.ts';

const ROOT = new URL('memory:///t/');
const SCHEMA = types.struct([field('id', types.long)]);
const DOMAINS = { 'delta.feature.domainMetadata': 'supported' };
const PROPERTIES: readonly Readonly<Record<string, string>>[] = [
  DOMAINS,
  {
    'delta.enableRowTracking': 'true',
    'delta.enableInCommitTimestamps': 'true',
    'delta.enableDeletionVectors': 'true',
  },
  {
    ...DOMAINS,
    'delta.isolationLevel': 'WriteSerializable',
    'delta.enableDeletionVectors': 'true',
    'delta.checkpointPolicy': 'v2',
  },
];
const OPERATIONS = 2;
/** Processes that take a crashed one's place, at most. */
const MAX_PROCESSES = 5;

export interface Run {
  readonly model: Model;
  readonly outcomes: readonly Outcome[];
  readonly written: Written;
  readonly crashes: number;
}

export async function simulate(
  seed: number,
  rates: FaultRates,
  committer: Committer = fileSystemCommitter,
): Promise<Run> {
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
  const decoded = new DecodedFiles();
  const clean = rememberingEngine(storage, decoded);
  const creation = createTable(ROOT, SCHEMA, { properties: chance.pick(PROPERTIES), runtime });
  await (await creation.build(clean, fileSystemCommitter)).commit(clean);
  const outcomes: Outcome[] = [];
  let crashes = 0;
  /** One process after the other, until all operations are done. */
  const writer = async (id: number): Promise<void> => {
    let left = OPERATIONS;
    for (let process = 0; process < MAX_PROCESSES && left > 0; process++) {
      const own = faultyStorage(storage, scheduler, chance, rates, new Life());
      const engine = rememberingEngine(own, decoded);
      const appId = `app-${id % 2}`;
      const one = new SimulatedWriter({ appId, engine, clean, root: ROOT, committer, runtime, chance });
      try {
        if (!(await one.run(left))) crashes += 1;
      } finally {
        outcomes.push(...one.outcomes);
      }
      // What the crash was in the middle of is given up.
      left -= one.done + 1;
    }
  };
  const tasks = Array.from({ length: 2 + chance.whole(3) }, (_, id) => writer(id));
  await scheduler.run(tasks);
  await Promise.all(tasks);
  const model = await replay(storage, ROOT);
  checkLog(model, outcomes);
  const written = await checkState(clean, storage, ROOT, model);
  return { model, outcomes, written, crashes };
}
