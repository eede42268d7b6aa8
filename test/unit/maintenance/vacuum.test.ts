/** What vacuum deletes and, above all, what it does not. */
import { beforeEach, describe, expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import { encodeVectorPath } from '../../../src/kernel/deletion-vector/descriptor.ts';
import type { FileMeta, StorageHandler } from '../../../src/kernel/engine.ts';
import { type VacuumOptions, vacuum } from '../../../src/kernel/maintenance/vacuum.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { type Action, add, featureProtocol, metadata, protocol, remove } from '../../helpers/log-builder.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2024, 5, 1);
const runtime = { now: () => NOW, uuid: () => crypto.randomUUID() };
const schema = types.struct([field('id', types.long), field('_p', types.string)]);
const DV_UUID = 'd2c639aa-8816-431a-aaf6-d3fe2512ff61';

let time = 0;
let storage: MemoryStorageHandler;
let root: URL;
beforeEach(() => {
  storage = new MemoryStorageHandler({ now: () => time });
  root = new URL('memory:///t/');
});

/** Stores a file, so many hours ago. */
function put(path: string, hoursAgo: number, content: string | Uint8Array = 'data'): void {
  time = NOW - hoursAgo * HOUR;
  storage.set(new URL(path.split('/').map(encodeURIComponent).join('/'), root), content);
}

function commit(version: number, hoursAgo: number, ...actions: readonly Action[]): void {
  const lines = actions.map((action) => JSON.stringify(withSize(action))).join('\n');
  put(`_delta_log/${String(version).padStart(20, '0')}.json`, hoursAgo, lines);
}

function withSize(action: Action): Action {
  const file = action.add as object | undefined;
  return file === undefined ? action : { add: { size: 4, ...file } };
}

async function run(options: VacuumOptions = {}, over: StorageHandler = storage) {
  const engine = testEngine(over);
  return vacuum(engine, await Snapshot.load(engine, root, { runtime }), options);
}

const exists = (path: string) => storage.paths().includes(`/t/${path}`);
const dv = (uuid: string) => ({
  deletionVector: {
    storageType: 'u',
    pathOrInlineDv: encodeVectorPath(uuid),
    offset: 1,
    sizeInBytes: 4,
    cardinality: 1,
  },
});

describe('files of the table', () => {
  beforeEach(() => {
    commit(0, 1000, protocol(), metadata(schema), add('live'), add('old'), add('recent'), add('edge'));
    commit(
      1,
      100,
      remove('old', { deletionTimestamp: NOW - 169 * HOUR }),
      remove('recent', { deletionTimestamp: NOW - 167 * HOUR }),
      remove('edge', { deletionTimestamp: NOW - 168 * HOUR }),
    );
    for (const path of ['live', 'old', 'recent', 'edge', 'orphan']) put(path, 1000, path);
    put('young-orphan', 167);
    put('just-old-orphan', 168.001);
  });

  it('go where they were removed, or never known, before the retention began', async () => {
    const dry = await run({ dryRun: true });
    expect(dry).toEqual({
      version: 1,
      dryRun: true,
      retainHours: 168,
      files: ['just-old-orphan', 'old', 'orphan'],
      sizeInBytes: 4 + 3 + 6,
    });
    expect(exists('old')).toBe(true);
    expect(await run()).toEqual({ ...dry, dryRun: false });
    expect(storage.paths().filter((path) => !path.includes('_delta_log'))).toEqual(
      ['edge', 'live', 'recent', 'young-orphan'].map((path) => `/t/${path}`),
    );
    expect((await run()).files).toEqual([]);
  });

  it('stay as long as is asked', async () => {
    expect((await run({ retainHours: 169, dryRun: true })).files).toEqual(['orphan']);
    expect((await run({ retainHours: 1001, dryRun: true })).files).toEqual([]);
  });

  it('stay for as long as the table asks, unless that is set aside in so many words', async () => {
    await expect(run({ retainHours: 167 })).rejects.toMatchObject({ code: 'InvalidOption' });
    await expect(run({ retainHours: -1, allowShortRetention: true })).rejects.toMatchObject({
      code: 'InvalidOption',
    });
    await expect(run({ retainHours: Number.NaN })).rejects.toMatchObject({ code: 'InvalidOption' });
    expect(exists('orphan')).toBe(true);
    const { files } = await run({ retainHours: 0, allowShortRetention: true });
    expect(files).toEqual(['edge', 'just-old-orphan', 'old', 'orphan', 'recent', 'young-orphan']);
  });

  it('of the newest version count, whatever version the snapshot is of', async () => {
    const engine = testEngine(storage);
    const old = await Snapshot.load(engine, root, { version: 0, runtime });
    commit(2, 1, add('orphan'));
    expect(await vacuum(engine, old, { dryRun: true })).toMatchObject({
      version: 2,
      files: ['just-old-orphan', 'old'],
    });
  });

  it('that commits still in the log removed stay, though a checkpoint has forgotten them', async () => {
    const engine = testEngine(storage);
    // The table forgets sooner now, then asks for more again.
    commit(
      2,
      90,
      metadata(schema, { configuration: { 'delta.deletedFileRetentionDuration': 'interval 1 hour' } }),
    );
    await (await Snapshot.load(engine, root, { runtime })).checkpoint(engine);
    commit(3, 80, metadata(schema));
    expect((await run({ dryRun: true })).files).toEqual(['just-old-orphan', 'old', 'orphan']);
  });

  it('that a checkpoint remembers stay, though their commits are gone', async () => {
    const engine = testEngine(storage);
    await (await Snapshot.load(engine, root, { runtime })).checkpoint(engine);
    for (const version of [0, 1])
      await storage.delete(new URL(`_delta_log/${String(version).padStart(20, '0')}.json`, root));
    // A checkpoint forgets removes of the very time at which the retention begins.
    expect((await run({ dryRun: true })).files).toEqual(['edge', 'just-old-orphan', 'old', 'orphan']);
  });
});

describe('paths', () => {
  const gone = async () => (await run({ dryRun: true })).files;

  it('are compared decoded and canonical', async () => {
    commit(
      0,
      1000,
      protocol(),
      metadata(schema),
      add('a%20b%2Bc/%C3%BC.parquet'),
      add('./x/../y.parquet'),
      add('memory:///t/absolute%20one'),
      add('/t/rooted'),
    );
    for (const path of ['a b+c/ü.parquet', 'y.parquet', 'absolute one', 'rooted']) put(path, 1000);
    for (const path of ['a%20b%2Bc/%C3%BC.parquet', 'x/y.parquet', 'rooted2']) put(path, 1000);
    expect(await gone()).toEqual(['a%20b%2Bc/%C3%BC.parquet', 'rooted2', 'x/y.parquet']);
  });

  it('under another name of the same place keep their files', async () => {
    commit(
      0,
      1000,
      protocol(),
      metadata(schema),
      add('s3a://bucket/deep/t/dir/f.parquet'),
      add('other:///u/g'),
    );
    for (const path of ['dir/f.parquet', 'g', 'h']) put(path, 1000);
    expect(await gone()).toEqual(['h']);
  });

  it.each(['../outside', 'x/../../outside', '%2E%2E/outside'])(
    'that lead out (%s) end it before anything is deleted',
    async (path) => {
      commit(0, 1000, protocol(), metadata(schema), add(path));
      put('orphan', 1000);
      await expect(run()).rejects.toMatchObject({ code: 'InvalidPath', table: 'memory:///t/' });
      expect(exists('orphan')).toBe(true);
    },
  );

  it('with names of no data are left alone, but for change files and partitions that are called so', async () => {
    commit(
      0,
      1000,
      protocol(),
      metadata(schema, { partitionColumns: ['_p'] }),
      add('_p=1/live', { partitionValues: { _p: '1' } }),
    );
    const hidden = [
      '_delta_index/x',
      '.hidden',
      '_SUCCESS',
      'dir/_temporary/x',
      'dir/.part.crc',
      '_q=1/x',
      '_delta_log/x.tmp',
    ];
    for (const path of [...hidden, '_p=1/live', '_p=1/dead', '_change_data/c.parquet', 'deep/er/orphan'])
      put(path, 1000);
    expect(await gone()).toEqual(['_change_data/c.parquet', '_p=1/dead', 'deep/er/orphan']);
  });

  it('of a table within the table are left alone', async () => {
    commit(0, 1000, protocol(), metadata(schema));
    for (const path of [
      'sub/_delta_log/00000000000000000000.json',
      'sub/data',
      'sub/p=1/data',
      'subway/data',
      'a',
    ])
      put(path, 1000);
    expect(await gone()).toEqual(['a', 'subway/data']);
  });
});

it('keeps deletion vectors of live files and of those removed lately, and change files of late commits', async () => {
  const [live, lately, long] = [DV_UUID, DV_UUID.replace('d', 'e'), DV_UUID.replace('d', 'f')];
  const file = (uuid: string) => `deletion_vector_${uuid}.bin`;
  commit(
    0,
    1000,
    featureProtocol('deletionVectors'),
    metadata(schema),
    add('a'),
    add('b', dv(lately)),
    add('c', dv(long)),
  );
  commit(1, 1, remove('a'), add('a', dv(live)), {
    cdc: { path: '_change_data/new', partitionValues: {}, size: 4, dataChange: false },
  });
  commit(
    2,
    1,
    remove('b', { deletionTimestamp: NOW - HOUR, ...dv(lately) }),
    remove('c', { deletionTimestamp: NOW - 1000 * HOUR, ...dv(long) }),
  );
  for (const path of [
    'a',
    'b',
    'c',
    file(live),
    file(lately),
    file(long),
    '_change_data/new',
    '_change_data/old',
  ])
    put(path, 1000);
  expect((await run()).files).toEqual(['_change_data/old', 'c', file(long)]);
});

it('keeps what a commit within the retention added, though it is removed without a time', async () => {
  commit(0, 1000, protocol(), metadata(schema));
  commit(1, 2, add('a'));
  commit(2, 1, { remove: { path: 'a', dataChange: true } });
  put('a', 1000);
  expect((await run({ dryRun: true })).files).toEqual([]);
});

describe('is refused', () => {
  beforeEach(() => {
    commit(0, 1000, protocol(), metadata(schema));
    put('orphan', 1000);
  });
  const without = (name: 'delete' | 'listRecursive'): StorageHandler => {
    const copy: StorageHandler = Object.create(storage);
    for (const key of ['listFrom', 'readFiles', 'head', 'put', 'delete', 'listRecursive'] as const) {
      Object.assign(copy, { [key]: key === name ? undefined : storage[key].bind(storage) });
    }
    return copy;
  };

  it.each(['delete', 'listRecursive'] as const)('over a storage without %s', async (name) => {
    await expect(run({}, without(name))).rejects.toMatchObject({
      code: 'Unsupported',
      table: 'memory:///t/',
    });
  });

  it('over a storage that does not tell times', async () => {
    time = 0;
    storage.set(new URL('timeless', root), 'x');
    await expect(run()).rejects.toMatchObject({ code: 'Unsupported' });
    expect(exists('orphan')).toBe(true);
  });

  it('of a table with a writer feature that nobody knows', async () => {
    commit(1, 10, protocol(1, 7, { writer: ['someday'] }));
    await expect(run()).rejects.toMatchObject({ code: 'Unsupported', feature: 'someday' });
  });

  it('of a catalog-managed table', async () => {
    const theProtocol = protocol(3, 7, {
      reader: ['catalogManaged'],
      writer: ['catalogManaged', 'inCommitTimestamp'],
    });
    const configuration = { 'delta.enableInCommitTimestamps': 'true' };
    commit(0, 10, { commitInfo: { inCommitTimestamp: 1 } }, theProtocol, metadata(schema, { configuration }));
    const engine = testEngine(storage);
    const snapshot = await Snapshot.load(engine, root, { maxCatalogVersion: 0, runtime });
    await expect(vacuum(engine, snapshot)).rejects.toMatchObject({
      code: 'Unsupported',
      feature: 'catalogManaged',
    });
  });

  it('before the first deletion where a listing fails half way, or an old commit cannot be read', async () => {
    const list = storage.listRecursive.bind(storage);
    storage.listRecursive = async function* (prefix: URL): AsyncIterable<FileMeta> {
      for await (const file of list(prefix)) {
        yield file;
        if (file.location.pathname.endsWith('orphan')) throw new DeltaError('IOError', 'lost');
      }
    };
    await expect(run()).rejects.toMatchObject({ code: 'IOError' });
    storage.listRecursive = list;
    const engine = testEngine(storage);
    commit(1, 10, add('a'));
    await (await Snapshot.load(engine, root, { runtime })).checkpoint(engine);
    put('_delta_log/00000000000000000000.json', 1000, 'no json');
    await expect(run()).rejects.toMatchObject({ code: 'MalformedJson', version: 0 });
    expect(exists('orphan')).toBe(true);
  });
});

it('ends at the first file that cannot be deleted', async () => {
  commit(0, 1000, protocol(), metadata(schema));
  for (let i = 0; i < 40; i += 1) put(`f${String(i).padStart(2, '0')}`, 1000);
  const remove = storage.delete.bind(storage);
  storage.delete = async (path) => {
    if (path.pathname === '/t/f20') throw new DeltaError('PermissionDenied', 'no', { path: 'f20' });
    return remove(path);
  };
  await expect(run()).rejects.toMatchObject({ code: 'PermissionDenied', path: 'f20' });
  expect(exists('f39')).toBe(true);
});
