/**
 * The book's four phases of a write to a catalog-managed table, and two writers as `DeltaTable`s: cases that need no
 * test runner, for every catalog, storage and runtime. They use the package as it is published.
 */
import type * as Delta from '../../src/index.ts';
import type { Committer, Engine } from '../../src/index.ts';
import { equal, failsWith } from '../contract/contract.ts';

/** A catalog with its storage, as a program of this runtime reaches them. */
export interface ManagedTables {
  readonly delta: typeof Delta;
  create(name: string, schema: Delta.StructType): Promise<Delta.DeltaTable>;
  open(name: string): Promise<Delta.DeltaTable>;
  /** Another writer each time. */
  committer(name: string, tableId: string): Committer;
  /** Asks the catalog. */
  load(name: string): Promise<CatalogAnswer>;
  /** Until it is ended no request reaches the catalog. */
  breakCatalog(): () => void;
}

export interface CatalogAnswer {
  readonly tableId: string;
  readonly location: URL;
  readonly latestVersion: number;
  readonly commits: readonly {
    readonly version: number;
    readonly fileName: string;
    readonly timestamp: number;
    readonly fileSize: number;
  }[];
}

export interface PhasesCase {
  readonly name: string;
  run(tables: ManagedTables): Promise<void>;
}

export const phases: readonly PhasesCase[] = [
  { name: 'load, commit, each of the three results, publish, checkpoint', run: fourPhases },
  { name: 'two writers as tables: append, conflict, delete, publish, checkpoint', run: twoWriters },
];

async function fourPhases(tables: ManagedTables): Promise<void> {
  const { delta } = tables;
  const schema = delta.types.struct([delta.field('id', delta.types.long)]);
  const { engine } = await tables.create('phases', schema);

  // 1. Load a snapshot: the table's place, its commits and its newest version are the catalog's to say.
  const { tableId } = await tables.load('phases');
  const first = await snapshotOf(tables, engine);
  const second = await snapshotOf(tables, engine);
  equal([first.version, first.logSegment.maxPublishedVersion], [0, 0]);

  // 2. and 3. Commit. Committed:
  const committer = tables.committer('phases', tableId);
  const one = await appending(tables, engine, first, 1n).then((transaction) => transaction.commit(engine));
  if (one.status !== 'committed') throw new Error(`expected a commit, got ${one.status}`);
  equal([one.commitVersion, one.postCommitSnapshot.version], [1, 1]);
  equal(await published(engine, first.tableRoot), [0], 'published versions after the first commit');
  equal(
    (await tables.load('phases')).commits.map(({ version }) => version),
    [1],
  );

  // Conflict: another writer, who read version 0 as well, rebases and commits the next version.
  const two = await appending(tables, engine, second, 2n).then((transaction) => transaction.commit(engine));
  if (two.status !== 'conflicted') throw new Error(`expected a conflict, got ${two.status}`);
  equal(two.conflictVersion, 1);
  await failsWith('MaxCatalogVersion', () => two.rebase(engine));
  const rebased = await two.rebase(engine, await catalogState(tables));
  const twoAgain = await rebased.commit(engine);
  equal([twoAgain.status, twoAgain.status === 'committed' && twoAgain.commitVersion], ['committed', 2]);

  // Retryable: the catalog cannot be reached, so that nobody knows; the same transaction again finds out.
  const transaction = await appending(tables, engine, await snapshotOf(tables, engine), 3n);
  const repair = tables.breakCatalog();
  const three = await transaction.commit(engine);
  repair();
  if (three.status !== 'retryable') throw new Error(`expected a retryable failure, got ${three.status}`);
  equal(delta.isDeltaError(three.error, 'IOError'), true, 'an IOError');
  const threeAgain = await three.transaction.commit(engine);
  equal([threeAgain.status, threeAgain.status === 'committed' && threeAgain.commitVersion], ['committed', 3]);

  // 4. Publish: in order, byte for byte; nothing is left to the catalog, and nothing to do for who comes again.
  const ratified = (await tables.load('phases')).commits;
  equal(
    ratified.map(({ version }) => version),
    [1, 2, 3],
  );
  const snapshot = await snapshotOf(tables, engine);
  await failsWith('CheckpointWrite', () => snapshot.checkpoint(engine));
  const whole = await snapshot.publish(engine, committer);
  equal([whole.version, whole.logSegment.maxPublishedVersion], [3, 3]);
  equal(await published(engine, whole.tableRoot), [0, 1, 2, 3], 'published versions');
  for (const { version, fileName } of ratified) {
    const log = new URL('_delta_log/', whole.tableRoot);
    const staged = await textOf(engine, new URL(`_staged_commits/${fileName}`, log));
    equal(await textOf(engine, new URL(`${String(version).padStart(20, '0')}.json`, log)), staged);
  }
  equal((await tables.load('phases')).commits, [], 'commits that the catalog still lists');
  equal((await whole.publish(engine, committer)) === whole, true, 'publishing again is the same snapshot');

  const { result } = await whole.checkpoint(engine);
  equal(result, 'written');
  const table = await tables.open('phases');
  equal([table.version, table.snapshot.logSegment.checkpointVersion], [3, 3]);
  equal(await idsOf(table), [1n, 2n, 3n]);
  await failsWith('MaxCatalogVersion', () => delta.Snapshot.load(engine, whole.tableRoot));
}

async function twoWriters(tables: ManagedTables): Promise<void> {
  const { delta } = tables;
  const schema = delta.types.struct([
    delta.field('id', delta.types.long),
    delta.field('city', delta.types.string),
  ]);
  await tables.create('writers', schema);
  const [one, two] = [await tables.open('writers'), await tables.open('writers')];
  equal(await one.append([{ id: 1n, city: 'Oslo' }]), 1);
  // The second has read version 0: it is in conflict, and rebases.
  equal(await two.append([{ id: 2n, city: 'Rome' }]), 2);
  const both = await Promise.all([one.append([{ id: 3n }]), two.append([{ id: 4n }])]);
  equal(both.sort(), [3, 4]);
  const deleted = await one.delete("city = 'Oslo'");
  equal([deleted.deletedRows, deleted.version], [1, 5]);
  // Each commit was published by its writer.
  equal((await tables.load('writers')).commits, []);
  equal(await published(one.engine, one.url), [0, 1, 2, 3, 4, 5]);
  equal(await one.checkpoint(), 'written');
  const table = await tables.open('writers');
  equal([table.version, await table.count()], [5, 3]);
  equal(await idsOf(table), [2n, 3n, 4n]);
  const history = await table.history();
  equal(
    history.map(({ operation }) => operation),
    ['DELETE', 'WRITE', 'WRITE', 'WRITE', 'WRITE', 'CREATE TABLE'],
  );
}

/** What the catalog says, as the kernel takes it. */
async function catalogState(tables: ManagedTables): Promise<Required<Delta.CatalogState>> {
  const { location, latestVersion, commits } = await tables.load('phases');
  const logTail = commits.map(({ fileName, timestamp, fileSize }) =>
    tables.delta.LogPath.stagedCommit(location, fileName, timestamp, fileSize),
  );
  return { logTail, maxCatalogVersion: latestVersion };
}

async function snapshotOf(tables: ManagedTables, engine: Engine): Promise<Delta.Snapshot> {
  const { location } = await tables.load('phases');
  return tables.delta.Snapshot.load(engine, location, await catalogState(tables));
}

/** A transaction that appends one row, whose Parquet file it writes. */
async function appending(tables: ManagedTables, engine: Engine, snapshot: Delta.Snapshot, id: bigint) {
  const { tableId } = await tables.load('phases');
  const transaction = snapshot
    .transaction(tables.committer('phases', tableId))
    .withOperation('WRITE')
    .withBlindAppend();
  const context = transaction.unpartitionedWriteContext();
  const row = engine.evaluationHandler.createMany(context.physicalSchema, [
    [{ type: tables.delta.types.long, value: id }],
  ]);
  const { location, path } = context.newFile();
  const { size, lastModified } = await engine.parquetHandler.writeParquetFile(location, [row]);
  transaction.addFiles([
    { path, partitionValues: {}, size, modificationTime: lastModified, stats: '{"numRecords":1}' },
  ]);
  return transaction;
}

async function published({ storageHandler }: Engine, tableRoot: URL): Promise<number[]> {
  const versions: number[] = [];
  for await (const { location } of storageHandler.listFrom(new URL('_delta_log/', tableRoot))) {
    const [, version] = /\/(\d{20})\.json$/.exec(location.pathname) ?? [];
    if (version !== undefined) versions.push(Number(version));
  }
  return versions;
}

async function textOf({ storageHandler }: Engine, location: URL): Promise<string> {
  for await (const bytes of storageHandler.readFiles([{ location }])) return new TextDecoder().decode(bytes);
  throw new Error(`nothing at ${location}`);
}

async function idsOf(table: Delta.DeltaTable): Promise<bigint[]> {
  const ids: bigint[] = [];
  for await (const batch of table.scan({ columns: ['id'] })) {
    for (const id of batch.getChildAt(0) ?? []) ids.push(BigInt(id));
  }
  return ids.sort((a, b) => Number(a - b));
}
