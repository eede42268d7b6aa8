/** Writers against each other through a catalog, and what must be true all the time and at the end. */
import { expect } from 'vitest';
import type { StorageHandler } from '../../src/kernel/engine.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { copyIfAbsent } from '../../src/storage/copy.ts';
import { forward } from '../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { catalogState } from '../../src/table/managed-table.ts';
import { testEngine } from '../helpers/test-engine.ts';
import {
  type Catalog,
  type CatalogMutant,
  embeddedCatalog,
  unityCatalog,
  type World,
} from './catalog-sides.ts';
import { type CatalogOutcome, CatalogWriter } from './catalog-writer.ts';
import { type FaultRates, faultyStorage } from './faulty-storage.ts';
import { Chance, Scheduler, SimulatedRuntime } from './scheduler.ts';

export interface CatalogRun {
  readonly kind: 'unity' | 'embedded';
  readonly seed: number;
  readonly rates: FaultRates;
  readonly writers?: number;
  /** Of each writer. */
  readonly commits?: number;
  readonly mutant?: CatalogMutant;
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

export interface CatalogResult {
  readonly ratified: ReadonlyMap<number, { readonly text: string }>;
  readonly outcomes: readonly CatalogOutcome[];
}

export async function simulateCatalog({
  kind,
  seed,
  rates,
  writers: count = 10,
  commits = 3,
  mutant = {},
}: CatalogRun): Promise<CatalogResult> {
  const chance = new Chance(seed);
  const scheduler = new Scheduler(chance);
  const runtime = new SimulatedRuntime(chance);
  const storage = new MemoryStorageHandler({ now: () => 1_700_000_000_000 });
  const world: World = { mutant, chance, scheduler, rates, storage };
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
  const writers = Array.from({ length: count }, () => {
    return new CatalogWriter(engine, catalog.side(), runtime, chance);
  });
  const tasks = writers.map((writer) => writer.run(commits));
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
