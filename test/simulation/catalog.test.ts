/**
 * Ten writers against each other through a catalog, with faults at each step: after staging, after ratifying, before
 * the answer, in mid-publish. Whatever happens: no version is ratified twice, no ratified commit is lost or altered,
 * publishing goes in order and changes nothing, and every writer knows what became of its commits unless it could not.
 *
 * `SIMULATION_SEEDS` sets how many runs there are, `SIMULATION_SEED` runs one again.
 */
import { describe, expect, it } from 'vitest';
import { EmbeddedCatalog } from '../../src/catalog/embedded/embedded-catalog.ts';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import type { RecordStore } from '../../src/catalog/embedded/record-store.ts';
import { UnityRestClient } from '../../src/catalog/unity/rest-client.ts';
import { UCCommitter } from '../../src/catalog/unity/uc-committer.ts';
import { DeltaError } from '../../src/errors.ts';
import type { StorageHandler } from '../../src/kernel/engine.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { copyIfAbsent } from '../../src/storage/copy.ts';
import { forward } from '../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { catalogState } from '../../src/table/managed-table.ts';
import { putVersion0 } from '../helpers/managed-table.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { unityTable } from '../helpers/uc-stub/table.ts';
import { type CatalogOutcome, type CatalogSide, CatalogWriter } from './catalog-writer.ts';
import { Crash, type FaultRates, faultyStorage } from './faulty-storage.ts';
import { Chance, Scheduler, SimulatedRuntime } from './scheduler.ts';

const WRITERS = 10;
const COMMITS = 3;
const RUNS = Number(process.env.SIMULATION_SEEDS ?? 60);
const SINGLE = process.env.SIMULATION_SEED;

interface World {
  readonly chance: Chance;
  readonly scheduler: Scheduler;
  readonly rates: FaultRates;
  readonly storage: MemoryStorageHandler;
}

/** A catalog with one table, as its writers reach it and as it is. */
interface Catalog {
  side(): CatalogSide;
  /** The file that is each version, as the catalog has it now, without faults. */
  listed(): readonly { readonly version: number; readonly fileName: string }[];
  latestVersion(): number;
  publishedVersion(): number;
}

/** One request: late, failed, answered to nobody, or served twice. */
async function faulty<T>(
  { chance, scheduler, rates }: World,
  what: string,
  serve: () => Promise<T>,
): Promise<T> {
  const lost = () => new TypeError(`simulated: ${what}`);
  await scheduler.step();
  if (chance.happens(rates.crash)) throw new Crash(what);
  if (chance.happens(rates.before)) throw lost();
  let answer = await serve();
  if (chance.happens(rates.twice)) {
    await scheduler.step();
    answer = await serve();
  }
  await scheduler.step();
  if (chance.happens(rates.crash)) throw new Crash(what);
  if (chance.happens(rates.after)) throw lost();
  return answer;
}

async function unityCatalog(world: World, runtime: SimulatedRuntime): Promise<Catalog & { root: URL }> {
  const options = { now: () => 1_700_000_000_000, uuid: () => runtime.uuid() };
  const { stub, name, tableId, tableRoot } = await unityTable(options, world.storage);
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { method = 'GET', headers, body } = init ?? {};
    const answer = await faulty(world, method, () => {
      return stub.answer(method, new URL(input.toString()), new Headers(headers), String(body ?? ''));
    });
    if (answer === 'drop') throw new TypeError('dropped');
    const { status, body: text = '' } = answer;
    // As much of a response as the client looks at, without a stream, whose steps are not the scheduler's.
    return { status, ok: status < 300, type: 'basic', text: async () => text } as Response;
  };
  const table = () => stub.table('cat', 'sch', 't');
  return {
    root: tableRoot,
    side: () => {
      const client = new UnityRestClient({
        url: 'http://uc',
        fetch: send,
        random: () => 0,
        sleep: () => world.scheduler.step(),
      });
      return {
        root: tableRoot,
        committer: () => new UCCommitter({ client, name, tableId }),
        state: async () => catalogState(tableRoot, await client.loadTable(name)),
      };
    },
    listed: () => table().rows.map((row) => ({ version: row.version, fileName: row['file-name'] })),
    latestVersion: () => table().rows.at(-1)?.version ?? 0,
    publishedVersion: () => table().published,
  };
}

async function embeddedCatalog(world: World): Promise<Catalog & { root: URL }> {
  const root = new URL('memory:///t/');
  const engine = testEngine(world.storage);
  await putVersion0(engine, root);
  const records = new MemoryRecordStore();
  await new EmbeddedCatalog(records).register('t', 'id', root);
  let record = { latestVersion: 0, unpublished: [] as { version: number; fileName: string }[] };
  const io = async <T>(what: string, serve: () => Promise<T>): Promise<T> => {
    try {
      return await faulty(world, what, serve);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new DeltaError('IOError', cause.message, { cause });
    }
  };
  const failing: RecordStore = {
    read: (key) => io('read', () => records.read(key)),
    replace: (key, text, tag) =>
      io('replace', async () => {
        const replaced = await records.replace(key, text, tag);
        if (replaced) record = JSON.parse(text);
        return replaced;
      }),
    remove: (key) => records.remove(key),
    keys: (prefix) => records.keys(prefix),
  };
  return {
    root,
    side: () => {
      const catalog = new EmbeddedCatalog(failing);
      return {
        root,
        committer: () => catalog.committer('t', 'id'),
        state: async () => catalogState(root, await catalog.load('t')),
      };
    },
    listed: () => record.unpublished,
    latestVersion: () => record.latestVersion,
    publishedVersion: () => record.latestVersion - record.unpublished.length,
  };
}

/** What was ratified, noted the moment it is seen, and never again looked up in the catalog. */
class Witness {
  readonly ratified = new Map<number, { readonly fileName: string; readonly text: string }>();
  readonly #storage: MemoryStorageHandler;
  readonly #catalog: Catalog;
  readonly #root: URL;
  #latest = 0;

  constructor(storage: MemoryStorageHandler, catalog: Catalog, root: URL) {
    this.#storage = storage;
    this.#catalog = catalog;
    this.#root = root;
  }

  async look(): Promise<void> {
    expect(this.#catalog.latestVersion(), 'the newest version').toBeGreaterThanOrEqual(this.#latest);
    this.#latest = this.#catalog.latestVersion();
    for (const { version, fileName } of this.#catalog.listed()) {
      const known = this.ratified.get(version);
      if (known !== undefined) expect(fileName, `version ${version} is ratified once`).toBe(known.fileName);
      else this.ratified.set(version, { fileName, text: await this.staged(fileName) });
    }
    const published = await this.published();
    expect(published, 'published versions have no gap').toEqual(published.map((_, index) => index));
    expect(this.#catalog.publishedVersion(), 'the catalog is told of what is there').toBeLessThan(
      published.length,
    );
  }

  staged(fileName: string): Promise<string> {
    return textOf(this.#storage, new URL(`_delta_log/_staged_commits/${fileName}`, this.#root));
  }

  async published(): Promise<number[]> {
    const versions: number[] = [];
    for await (const { location } of this.#storage.listFrom(new URL('_delta_log/', this.#root))) {
      const found = /(\d{20})\.json$/.exec(location.pathname);
      if (found !== null) versions.push(Number(found[1]));
    }
    return versions;
  }
}

async function textOf(storage: StorageHandler, location: URL): Promise<string> {
  for await (const bytes of storage.readFiles([{ location }])) return new TextDecoder().decode(bytes);
  throw new Error('nothing');
}

interface Line {
  readonly commitInfo?: { readonly txnId: string; readonly inCommitTimestamp: number };
  readonly add?: { readonly path: string };
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

interface Run {
  readonly ratified: ReadonlyMap<number, { readonly text: string }>;
  readonly outcomes: readonly CatalogOutcome[];
}

async function simulate(kind: 'unity' | 'embedded', seed: number, rates: FaultRates): Promise<Run> {
  const chance = new Chance(seed);
  const scheduler = new Scheduler(chance);
  const runtime = new SimulatedRuntime(chance);
  const storage = new MemoryStorageHandler({ now: () => 1_700_000_000_000 });
  const world: World = { chance, scheduler, rates, storage };
  const clean = testEngine(storage);
  await clean.ready();
  const catalog = kind === 'unity' ? await unityCatalog(world, runtime) : await embeddedCatalog(world);
  const { root } = catalog;
  const witness = new Witness(storage, catalog, root);
  const failing = faultyStorage(storage, scheduler, chance, rates);
  const engine = testEngine(
    forward(failing, {
      copyAtomic: (source, destination, options) => copyIfAbsent(failing, source, destination, options),
    }),
  );
  await engine.ready();
  const writers = Array.from({ length: WRITERS }, () => {
    return new CatalogWriter(engine, catalog.side(), runtime, chance);
  });
  const tasks = writers.map((writer) => writer.run(COMMITS));
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      await scheduler.step();
      await witness.look();
    }
  })();
  const done = Promise.allSettled(tasks).then(() => {
    isRunning = false;
  });
  await scheduler.run([...tasks, done, watching]);
  await Promise.all([...tasks, watching]);
  await witness.look();
  const outcomes = writers.flatMap((writer) => writer.outcomes);
  await checkEnd({ storage, catalog, witness, root, outcomes });
  await publishAndRead({ storage, catalog, witness, root });
  return { ratified: witness.ratified, outcomes };
}

interface End {
  readonly storage: MemoryStorageHandler;
  readonly catalog: Catalog;
  readonly witness: Witness;
  readonly root: URL;
}

async function checkEnd({
  catalog,
  witness,
  storage,
  root,
  outcomes,
}: End & { outcomes: readonly CatalogOutcome[] }): Promise<void> {
  const versions = [...witness.ratified.keys()].sort((a, b) => a - b);
  expect(versions, 'every version was seen').toEqual(versions.map((_, index) => index + 1));
  expect(versions.length).toBe(catalog.latestVersion());
  const madeBy = new Map<string, number>();
  let time = 0;
  for (const version of versions) {
    const { text, fileName } = witness.ratified.get(version)!;
    expect(await witness.staged(fileName), `the staged file of version ${version}`).toBe(text);
    const { txnId, inCommitTimestamp } = linesOf(text)[0]!.commitInfo!;
    expect(madeBy.has(txnId), `the transaction of version ${version} was committed before`).toBe(false);
    expect(inCommitTimestamp, `the time of version ${version}`).toBeGreaterThan(time);
    time = inCommitTimestamp;
    madeBy.set(txnId, version);
  }
  for (const version of await witness.published()) {
    if (version === 0) continue;
    const location = new URL(`_delta_log/${String(version).padStart(20, '0')}.json`, root);
    expect(await textOf(storage, location), `published version ${version}`).toBe(
      witness.ratified.get(version)!.text,
    );
  }
  for (const { txnId, end, version } of outcomes) {
    if (end === 'committed') expect(madeBy.get(txnId), `${txnId} is said to be made`).toBe(version);
    if (end === 'never') expect(madeBy.get(txnId), `${txnId} is said not to be made`).toBeUndefined();
  }
  const known = new Set(outcomes.map(({ txnId }) => txnId));
  expect(
    [...madeBy.keys()].filter((txnId) => !known.has(txnId)),
    'every commit has a writer',
  ).toEqual([]);
}

/** Orphans harm nobody: the table reads, publishes whole, and reads the same. */
async function publishAndRead({ storage, catalog, witness, root }: End): Promise<void> {
  const clean = testEngine(storage);
  const commits = catalog
    .listed()
    .filter(({ version }) => version > catalog.publishedVersion())
    .map(({ version, fileName }) => {
      const { text } = witness.ratified.get(version)!;
      return { version, fileName, timestamp: 1, fileSize: text.length, fileModificationTimestamp: 1 };
    });
  const state = catalogState(root, { latestVersion: catalog.latestVersion(), commits });
  const snapshot = await Snapshot.load(clean, root, state);
  const expected = [...witness.ratified.values()]
    .flatMap(({ text }) => linesOf(text).flatMap(({ add }) => (add ? [add.path] : [])))
    .sort();
  const live = async (table: Snapshot) => {
    const paths: string[] = [];
    for await (const { path } of table.scan().files(clean)) paths.push(path);
    return paths.sort();
  };
  expect(await live(snapshot)).toEqual(expected);
}

async function seeded(kind: 'unity' | 'embedded', seed: number, rates: FaultRates): Promise<Run> {
  try {
    return await simulate(kind, seed, rates);
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
