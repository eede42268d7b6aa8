/** The embedded catalog: what its record says, and tables in it. */
import { beforeEach, describe, expect, it } from 'vitest';
import '../../../src/engine/wasm/entry-node.ts';
import { EmbeddedCatalog } from '../../../src/catalog/embedded/embedded-catalog.ts';
import { MemoryRecordStore } from '../../../src/catalog/embedded/memory-records.ts';
import { StorageCatalog } from '../../../src/catalog.ts';
import type { CommitMetadata } from '../../../src/kernel/committer/commit-metadata.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';

const ROOT = new URL('memory:///t/');
const KEY = 'tables/t.json';
const SCHEMA = types.struct([field('id', types.long)]);
const metadata = {} as CommitMetadata;

const commit = (version: number, name = 'a') => ({
  version,
  fileName: `${version}.${name}.json`,
  timestamp: 1000 + version,
  fileSize: 10,
  fileModificationTimestamp: 5,
});

let records: MemoryRecordStore;
let catalog: EmbeddedCatalog;

beforeEach(async () => {
  records = new MemoryRecordStore();
  catalog = new EmbeddedCatalog(records, { maxUnpublished: 3 });
  await catalog.register('t', 'id', ROOT);
});

describe('the record of a table', () => {
  it('has the newest version and what is not published; the version never goes back', async () => {
    const table = catalog.table('t', 'id');
    expect(await table.ratify(commit(1), metadata)).toEqual({ kind: 'ratified' });
    expect(await table.ratify(commit(2), metadata)).toEqual({ kind: 'ratified' });
    expect(await table.load()).toMatchObject({ latestVersion: 2, commits: [commit(1), commit(2)] });
    await table.notifyPublished(1);
    expect(await table.load()).toMatchObject({ latestVersion: 2, commits: [commit(2)] });
    await table.notifyPublished(2);
    await table.notifyPublished(1);
    expect(await table.load()).toMatchObject({ latestVersion: 2, commits: [] });
    // Purged, and still taken.
    for (const version of [1, 2]) {
      expect(await table.ratify(commit(version, 'b'), metadata)).toEqual({ kind: 'conflict' });
    }
    await expect(table.ratify(commit(4), metadata)).rejects.toMatchObject({
      code: 'CatalogError',
      version: 4,
    });
    await expect(table.notifyPublished(3)).rejects.toMatchObject({ code: 'CatalogError', version: 3 });
  });

  it('holds a bounded number of commits', async () => {
    const table = catalog.table('t', 'id');
    for (const version of [1, 2, 3]) await table.ratify(commit(version), metadata);
    expect(await table.ratify(commit(4), metadata)).toMatchObject({
      kind: 'tooMany',
      error: { code: 'TooManyUnpublishedCommits' },
    });
    await table.notifyPublished(2);
    expect(await table.ratify(commit(4), metadata)).toEqual({ kind: 'ratified' });
    expect(() => new EmbeddedCatalog(records, { maxUnpublished: 0 })).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
  });

  it('is another table’s once it was dropped and made again', async () => {
    const table = catalog.table('t', 'id');
    await catalog.drop('t');
    await expect(table.load()).rejects.toMatchObject({ code: 'TableNotFound' });
    await catalog.register('t', 'other', ROOT);
    await expect(table.ratify(commit(1), metadata)).rejects.toMatchObject({ code: 'CatalogError' });
    await expect(catalog.register('t', 'id', ROOT)).rejects.toMatchObject({ code: 'CatalogError' });
    await catalog.register('t', 'other', ROOT);
  });

  it.each([
    '',
    'no JSON',
    '{"tableId":"id","location":"memory:///t/","latestVersion":-0.5,"unpublished":[]}',
    '{"tableId":"id","location":"memory:///t/","latestVersion":2,"unpublished":[{"version":1}]}',
    `{"tableId":"id","location":"memory:///t/","latestVersion":3,"unpublished":[${JSON.stringify(commit(1))}]}`,
  ])('is refused where it is damaged: %s', async (text) => {
    await records.replace(KEY, text, (await records.read(KEY))!.tag);
    await expect(catalog.load('t')).rejects.toMatchObject({ code: 'CatalogError', path: KEY });
  });

  it('is asked again after a swap whose answer got lost', async () => {
    const replace = records.replace.bind(records);
    records.replace = async (...call) => {
      await replace(...call);
      throw Object.assign(new Error('lost'), { name: 'DeltaError', code: 'IOError' });
    };
    expect(await catalog.table('t', 'id').ratify(commit(1), metadata)).toMatchObject({ kind: 'unknown' });
    await catalog.register('u', 'id-u', ROOT);
    records.replace = replace;
    expect(await catalog.table('t', 'id').ratify(commit(1), metadata)).toEqual({ kind: 'conflict' });
  });
});

describe('tables', () => {
  const make = (storage: MemoryStorageHandler) => {
    return new StorageCatalog({ records, storage, root: 'memory:///lake/' });
  };

  it('are made, written by several, read at every version, listed and dropped', async () => {
    const storage = new MemoryStorageHandler();
    const created = await make(storage).create('orders & more', SCHEMA, { partitionBy: [] });
    expect(created.protocol.writerFeatures).toEqual(
      expect.arrayContaining(['catalogManaged', 'inCommitTimestamp', 'vacuumProtocolCheck']),
    );
    const [one, two] = [await make(storage).open('orders & more'), await make(storage).open('orders & more')];
    const pauses = { sleep: async () => undefined };
    await Promise.all([one.append([{ id: 1n }], { pauses }), two.append([{ id: 2n }], { pauses })]);
    expect(await (await make(storage).open('orders & more')).count()).toBe(2);
    expect(await (await make(storage).open('orders & more', { version: 1 })).count()).toBe(1);
    await expect(DeltaTable.open({ storage, url: created.url })).rejects.toMatchObject({
      code: 'MaxCatalogVersion',
    });
    const names: string[] = [];
    for await (const name of make(storage).list()) names.push(name);
    expect(names.sort()).toEqual(['orders & more', 't']);
    await make(storage).drop('orders & more');
    await expect(make(storage).open('orders & more')).rejects.toMatchObject({ code: 'TableNotFound' });
  });

  it('have one name each', async () => {
    const storage = new MemoryStorageHandler();
    await make(storage).create('a', SCHEMA);
    await expect(make(storage).create('a', SCHEMA)).rejects.toMatchObject({ code: 'CatalogError' });
    await expect(make(storage).create('', SCHEMA)).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('give their change feed through the catalog, staged commits among it', async () => {
    const storage = new MemoryStorageHandler();
    const table = await make(storage).create('c', SCHEMA, {
      properties: { 'delta.enableChangeDataFeed': 'true' },
    });
    await table.append([{ id: 1n }]);
    storage.copyAtomic = async () => {
      throw new Error('not published');
    };
    await table.append([{ id: 2n }], { onWarning: () => undefined });
    const changes: unknown[] = [];
    for await (const batch of table.changes({ start: 1, columns: ['id', '_commit_version'] })) {
      for (const row of batch) changes.push({ ...row });
    }
    expect(changes).toEqual([
      { id: 1n, _commit_version: 1n },
      { id: 2n, _commit_version: 2n },
    ]);
  });
});
