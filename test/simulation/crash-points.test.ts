/**
 * A process dies between any two steps: before a request of a write, after its effect, for every request that there
 * is, those of checksum, checkpoint, log cleanup and publishing among them. Another one opens the table, finds the
 * write whole or not at all, and goes on.
 */
import { describe, expect, it } from 'vitest';
import { EmbeddedCatalog } from '../../src/catalog/embedded/embedded-catalog.ts';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import type { RecordStore } from '../../src/catalog/embedded/record-store.ts';
import type { Runtime, StorageHandler } from '../../src/kernel/engine.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { copyIfAbsent } from '../../src/storage/copy.ts';
import { forward } from '../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { catalogState } from '../../src/table/managed-table.ts';
import { putVersion0 } from '../helpers/managed-table.ts';
import { rowTexts } from '../helpers/rows.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { Life } from './faulty-storage.ts';
import { replay } from './model.ts';
import { checkState } from './state-checks.ts';

const ROOT = new URL('memory:///t/');
const DAY = 86_400_000;

/** Counts what a process does to the outside, and ends it at one point: twice as many as it has requests. */
class Process {
  points = 0;
  readonly #end: number;
  readonly #life = new Life();

  constructor(end = Number.POSITIVE_INFINITY) {
    this.#end = end;
  }

  async request<T>(serve: () => Promise<T>): Promise<T> {
    this.#pass();
    const answer = await serve();
    this.#pass();
    return answer;
  }

  #pass(): void {
    this.#life.check();
    if (this.points++ === this.#end) this.#life.end(`at point ${this.#end}`);
  }

  storage(inner: StorageHandler): StorageHandler {
    const request = <T>(serve: () => Promise<T>) => this.request(serve);
    const storage: StorageHandler = forward(inner, {
      put: (path, data, options) => request(() => inner.put(path, data, options)),
      head: (path, options) => request(() => inner.head(path, options)),
      delete: (path, options) => request(() => inner.delete!(path, options)),
      copyAtomic: (source, destination, options) => copyIfAbsent(storage, source, destination, options),
      async *listFrom(path, options) {
        await request(async () => undefined);
        yield* inner.listFrom(path, options);
      },
      async *readFiles(files, options) {
        await request(async () => undefined);
        yield* inner.readFiles(files, options);
      },
    });
    return storage;
  }

  records(inner: RecordStore): RecordStore {
    return {
      read: (key) => this.request(() => inner.read(key)),
      replace: (key, text, tag) => this.request(() => inner.replace(key, text, tag)),
      remove: (key) => this.request(() => inner.remove(key)),
      keys: (prefix) => inner.keys(prefix),
    };
  }
}

/** A table in a world of its own, which any number of processes open. */
interface World {
  readonly storage: MemoryStorageHandler;
  open(process: Process): Promise<DeltaTable>;
}

type NewWorld = () => Promise<World>;

class Clock {
  now = Date.UTC(2024, 0, 1);
  #uuids = 0;
  readonly runtime: Runtime = {
    now: () => this.now,
    uuid: () => `00000000-0000-4000-8000-${String(this.#uuids++).padStart(12, '0')}`,
  };
}

const QUIET = { onWarning: () => undefined };

/** Checkpoints every second version, files of a month ago, and a log that is due for cleaning up. */
async function pathBased(properties: Readonly<Record<string, string>>): Promise<NewWorld> {
  const clock = new Clock();
  const storage = new MemoryStorageHandler({ now: () => clock.now });
  const engine = testEngine(storage);
  const table = await DeltaTable.create({ storage, url: ROOT }, types.struct([field('id', types.long)]), {
    engine,
    properties: {
      ...properties,
      'delta.checkpointInterval': '2',
      'delta.logRetentionDuration': 'interval 1 day',
    },
    runtime: clock.runtime,
    ...QUIET,
  });
  for (const id of [1, 2]) await table.append([{ id }, { id: id + 10 }], QUIET);
  clock.now += 3 * DAY;
  await table.append([{ id: 3 }], QUIET);
  return async () => {
    const own = storage.clone();
    const open = (process: Process) => {
      const engine = testEngine(process.storage(own));
      return DeltaTable.open({ storage: own, url: ROOT }, { engine, runtime: clock.runtime });
    };
    return { storage: own, open };
  };
}

async function catalogManaged(): Promise<World> {
  const { runtime } = new Clock();
  const storage = new MemoryStorageHandler();
  await putVersion0(testEngine(storage), ROOT);
  const records = new MemoryRecordStore();
  await new EmbeddedCatalog(records).register('t', 'id', ROOT);
  const open = async (process: Process) => {
    const catalog = new EmbeddedCatalog(process.records(records));
    const engine = testEngine(process.storage(storage));
    const state = async () => catalogState(ROOT, await catalog.load('t'));
    const snapshot = await Snapshot.load(engine, ROOT, { runtime, ...(await state()) });
    return new DeltaTable(engine, snapshot, { committer: catalog.committer('t', 'id'), catalogState: state });
  };
  const table = await open(new Process());
  await table.append([{ id: 1 }, { id: 11 }], QUIET);
  return { storage, open };
}

type Write = (table: DeltaTable) => Promise<unknown>;

const APPEND: Write = (table) => table.append([{ id: 100 }, { id: 101 }], QUIET);
const DELETE: Write = (table) => table.delete('id = 1', QUIET);
const DELETE_AND_CHECKPOINT: Write = async (table) => {
  await DELETE(table);
  await table.checkpoint();
};

const KEPT = { 'delta.enableExpiredLogCleanup': 'false' };
const TRACKED = { 'delta.enableRowTracking': 'true', 'delta.enableInCommitTimestamps': 'true' };
const VECTORS = { ...KEPT, 'delta.enableDeletionVectors': 'true', 'delta.checkpointPolicy': 'v2' };

describe.each<[string, () => Promise<NewWorld>, Write, number]>([
  ['an append, its checkpoint and log cleanup', () => pathBased(TRACKED), APPEND, 20],
  ['a deletion that rewrites a file', () => pathBased({ ...TRACKED, ...KEPT }), DELETE, 20],
  ['a deletion with vectors and V2 checkpoints', () => pathBased(VECTORS), DELETE, 20],
  ['an append through a catalog, published', async () => catalogManaged, APPEND, 20],
  ['a deletion and a checkpoint through a catalog', async () => catalogManaged, DELETE_AND_CHECKPOINT, 20],
])('%s', (_what, prepare, write, atLeast) => {
  it('is whole or not at all, wherever it ends', async () => {
    const newWorld = await prepare();
    const whole = await newWorld();
    const before = await rowsOf(whole);
    const process = new Process();
    await write(await whole.open(process));
    const after = await rowsOf(whole);
    expect(after).not.toEqual(before);
    expect(process.points).toBeGreaterThan(atLeast);
    const ends = new Set<string>();
    for (let point = 0; point < process.points; point++) {
      try {
        ends.add(await endsAt(point, newWorld, write, { before, after }));
      } catch (error) {
        throw new Error(`ended at point ${point}: ${String(error)}`, { cause: error });
      }
    }
    expect([...ends].sort()).toEqual(['after', 'before']);
  }, 300_000);
});

async function endsAt(
  point: number,
  newWorld: NewWorld,
  write: Write,
  { before, after }: { before: readonly string[]; after: readonly string[] },
): Promise<'before' | 'after'> {
  const world = await newWorld();
  const dying = new Process(point);
  // What it says in the end, nobody hears.
  await world
    .open(dying)
    .then(write)
    .catch(() => undefined);
  expect(dying.points).toBeGreaterThan(point);

  const found = await rowsOf(world);
  const isAfter = JSON.stringify(found) === JSON.stringify(after);
  expect(found).toEqual(isAfter ? after : before);
  const next = await world.open(new Process());
  const { version } = next;
  await next.append([{ id: 1000 }], QUIET);
  expect(next.version).toBe(version + 1);
  await next.checkpoint();
  expect(await rowsOf(world)).toEqual([...found, '{"id":1000}'].sort());
  await checkLogState(world);
  return isAfter ? 'after' : 'before';
}

async function rowsOf(world: World): Promise<string[]> {
  return (await rowTexts(await world.open(new Process()))).sort();
}

/** Checkpoints and checksums against the commits, where these are all in the log. */
async function checkLogState({ storage, open }: World): Promise<void> {
  const { protocol } = await open(new Process());
  const hasFirst = storage.paths().some((path) => path.endsWith('/_delta_log/00000000000000000000.json'));
  if (!hasFirst || protocol.writerFeatures?.includes('catalogManaged')) return;
  await checkState(testEngine(storage), storage, ROOT, await replay(storage, ROOT));
}
