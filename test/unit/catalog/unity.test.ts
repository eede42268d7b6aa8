/** Tables of the catalog as `DeltaTable`s, over the stub and memory. */
import { beforeEach, describe, expect, it } from 'vitest';
import '../../../src/engine/wasm/entry-node.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { UnityCatalog, type UnityCatalogOptions } from '../../../src/unity.ts';
import { UcStub } from '../../helpers/uc-stub/stub.ts';

const SCHEMA = types.struct([field('id', types.long), field('city', types.string)]);
const NAME = 'cat.sch.t';

let stub: UcStub;
let storage: MemoryStorageHandler;
let warnings: unknown[];

function unityOf(options: Partial<UnityCatalogOptions> = {}): UnityCatalog {
  return new UnityCatalog({
    url: 'http://uc',
    fetch: stub.fetch,
    sleep: async () => undefined,
    storage: () => storage,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
}

async function ids(table: DeltaTable): Promise<bigint[]> {
  const found: bigint[] = [];
  for await (const batch of table.scan({ columns: ['id'] })) {
    for (const row of batch) found.push((row as unknown as { id: bigint }).id);
  }
  return found.sort((a, b) => Number(a - b));
}

async function logNames(table: DeltaTable, directory = '_delta_log/'): Promise<string[]> {
  const names: string[] = [];
  for await (const { location } of storage.listFrom(new URL(directory, table.url))) {
    names.push(location.pathname.split('/').at(-1)!);
  }
  return names.filter((name) => name.endsWith('.json'));
}

const row = (id: number) => ({ id: BigInt(id), city: 'Berlin' });

beforeEach(() => {
  stub = new UcStub().addSchema('cat', 'sch');
  storage = new MemoryStorageHandler();
  warnings = [];
});

describe('create', () => {
  it('writes version 0 with what the catalog asks for, registers it, and it opens', async () => {
    const table = await unityOf().create(NAME, SCHEMA, { partitionBy: ['city'], description: 'trips' });
    const registered = stub.table('cat', 'sch', 't');
    expect(table.version).toBe(0);
    expect(table.protocol).toMatchObject({ minReaderVersion: 3, minWriterVersion: 7 });
    for (const feature of ['catalogManaged', 'v2Checkpoint', 'vacuumProtocolCheck', 'deletionVectors']) {
      expect(table.protocol.readerFeatures).toContain(feature);
    }
    expect(table.metadata.configuration).toMatchObject({
      'delta.checkpointPolicy': 'v2',
      'delta.enableInCommitTimestamps': 'true',
      'io.unitycatalog.tableId': registered.id,
    });
    expect(Object.fromEntries(registered.properties)).toEqual(table.metadata.configuration);
    expect(registered).toMatchObject({ partitionColumns: ['city'], comment: 'trips' });
    expect(registered.lastCommitTimestamp).toBe(await table.snapshot.timestamp(table.engine));
    expect((await unityOf().open(NAME)).schema).toEqual(SCHEMA);
  });

  it('tells the domains of row tracking', async () => {
    await unityOf().create(NAME, SCHEMA, { properties: { 'delta.enableRowTracking': 'true' } });
    const table = await unityOf().open(NAME);
    await table.append([row(1), row(2), row(3)]);
    expect(stub.table('cat', 'sch', 't').domains.get('delta.rowTracking')).toEqual({ rowIdHighWaterMark: 2 });
  });

  it('recovers from an answer that got lost, and takes no other table for its own', async () => {
    let lost = 0;
    stub.after = ({ method, segments }) => {
      if (method !== 'POST' || segments.at(-1) !== 'tables' || lost > 0) return undefined;
      lost++;
      return 'drop';
    };
    expect((await unityOf().create(NAME, SCHEMA)).version).toBe(0);
    expect(lost).toBe(1);
    await expect(unityOf().create(NAME, SCHEMA)).rejects.toMatchObject({
      code: 'CatalogError',
      type: 'AlreadyExistsException',
    });
    await expect(
      unityOf().create('cat.sch.u', SCHEMA, { properties: { 'delta.checkpointPolicy': 'classic' } }),
    ).rejects.toMatchObject({ code: 'InvalidOption' });
  });
});

describe('writes', () => {
  it('are ratified, published, told to the catalog and counted', async () => {
    const table = await unityOf().create(NAME, SCHEMA);
    expect(await table.append([row(1), row(2)])).toBe(1);
    expect(await table.append([row(3)])).toBe(2);
    await table.delete('id = 2');
    expect(table.version).toBe(3);
    const registered = stub.table('cat', 'sch', 't');
    expect(registered.rows.map(({ version }) => version)).toEqual([3]);
    expect(registered.published).toBe(3);
    expect(registered.metrics).toMatchObject([
      { 'commit-report': { 'num-files-added': 1, 'num-rows-inserted': 2 } },
      { 'commit-report': { 'num-files-added': 1, 'num-rows-inserted': 1 } },
      { 'commit-report': { 'num-rows-removed': 1 } },
    ]);
    expect(await logNames(table)).toHaveLength(4);
    expect(await ids(await unityOf().open(NAME))).toEqual([1n, 3n]);
    expect(await ids(await unityOf().open(NAME, { version: 1 }))).toEqual([1n, 2n]);
    expect(warnings).toEqual([]);
  });

  it('stand where publishing fails; the next writer publishes, readers see all of it before', async () => {
    const table = await unityOf().create(NAME, SCHEMA);
    const copy = storage.copyAtomic.bind(storage);
    storage.copyAtomic = async () => {
      throw new Error('no copies today');
    };
    const seen: string[] = [];
    const onWarning = ({ message }: Error) => seen.push(message);
    expect(await table.append([row(1)], { onWarning })).toBe(1);
    expect(await table.append([row(2)], { onWarning })).toBe(2);
    expect(seen[0]).toMatch(/^version 1 is committed, but not published: no copies today/);
    expect(await logNames(table)).toHaveLength(1);
    const reader = await unityOf().open(NAME);
    expect(await ids(reader)).toEqual([1n, 2n]);
    storage.copyAtomic = copy;
    expect(await reader.append([row(3)])).toBe(3);
    expect(await logNames(table)).toHaveLength(4);
    expect(stub.table('cat', 'sch', 't').published).toBe(3);
  });

  it('publish the backlog of others where the catalog is full', async () => {
    const table = await unityOf().create(NAME, SCHEMA);
    const copy = storage.copyAtomic.bind(storage);
    storage.copyAtomic = async () => {
      throw new Error('not yet');
    };
    const onWarning = () => undefined;
    for (let id = 1; id <= 10; id++) await table.append([row(id)], { onWarning });
    storage.copyAtomic = copy;
    expect(await table.append([row(11)])).toBe(11);
    expect(await ids(await unityOf().open(NAME))).toHaveLength(11);
    expect(await logNames(table)).toHaveLength(12);
  });

  it('rebase over commits of others, whom the catalog knows', async () => {
    await unityOf().create(NAME, SCHEMA);
    const [one, two] = [await unityOf().open(NAME), await unityOf().open(NAME)];
    expect(await one.append([row(1)])).toBe(1);
    expect(await two.append([row(2)], { pauses: { sleep: async () => undefined } })).toBe(2);
    const refreshed = await one.refresh();
    expect(refreshed.version).toBe(2);
    expect(await ids(refreshed)).toEqual([1n, 2n]);
    expect((await refreshed.history()).map(({ version }) => version)).toEqual([2, 1, 0]);
  });
});

describe('reads', () => {
  it('are refused by path, with the way to go', async () => {
    const { url } = await unityOf().create(NAME, SCHEMA);
    await expect(DeltaTable.open({ url, storage })).rejects.toMatchObject({
      code: 'MaxCatalogVersion',
      message: expect.stringContaining('catalog.schema.table'),
    });
  });

  it('do not see versions that the catalog does not know', async () => {
    const table = await unityOf().create(NAME, SCHEMA);
    await table.append([row(1)]);
    const rogue = new URL('_delta_log/00000000000000000002.json', table.url);
    storage.set(rogue, '{"commitInfo":{}}\n');
    expect((await unityOf().open(NAME)).version).toBe(1);
  });

  it('refuse a folder that holds another table', async () => {
    await unityOf().create(NAME, SCHEMA);
    stub.after = ({ segments, method }, { body, ...rest }) =>
      method === 'GET' && segments.at(-1) === 't'
        ? { ...rest, body: body!.replace(/"table-uuid":"[^"]*"/, '"table-uuid":"another"') }
        : undefined;
    await expect(unityOf().open(NAME)).rejects.toThrow(/is another in the catalog/);
  });

  it.each(['abfss://c@account.dfs.core.windows.net/t', 'gs://bucket/t'])(
    'refuse %s by name',
    async (root) => {
      stub = new UcStub({ storageRoot: root }).addSchema('cat', 'sch');
      await expect(unityOf({ storage: undefined }).create(NAME, SCHEMA)).rejects.toMatchObject({
        code: 'Unsupported',
        message: expect.stringMatching(/Azure storage|Google Cloud Storage/),
      });
    },
  );
});
