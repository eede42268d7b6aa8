/** What checkpoints hold, by hand: logs of a few actions, and the rows of the files that we write of them. */
import { describe, expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import type { EngineData } from '../../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { LogPath } from '../../../src/kernel/log/log-path.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol, remove } from '../../helpers/log-builder.ts';
import { stateOf } from '../../helpers/table-state.ts';

const schema = types.struct([
  field('id', types.long),
  field('p', types.string),
  field('at', types.timestamp),
]);
const NOW = Date.UTC(2024, 0, 31);
const DAY = 86_400_000;
let nextId = 0;
const runtime = {
  now: () => NOW,
  uuid: () => `00000000-0000-4000-8000-${String(nextId++).padStart(12, '0')}`,
};

const load = (log: LogBuilder) => Snapshot.load(log.engine, log.root, { runtime });

/** The table as `open` of the builder would write it, at its newest version. */
async function snapshotOf(log: LogBuilder): Promise<Snapshot> {
  await log.open();
  return load(log);
}

const name = (version: number) => `_delta_log/${String(version).padStart(20, '0')}.checkpoint.parquet`;

/** Rows of a Parquet file as objects without nulls, one per action. */
async function rowsOf(log: LogBuilder, path: string): Promise<Record<string, unknown>[]> {
  const { parquetHandler, storageHandler } = log.engine;
  const file = await storageHandler.head(log.url(path));
  const { schema: stored } = await parquetHandler.readParquetFooter(file);
  const rows: Record<string, unknown>[] = [];
  for await (const batch of parquetHandler.readParquetFiles([file], stored)) rows.push(...objectsOf(batch));
  return rows;
}

function objectsOf(batch: EngineData): Record<string, unknown>[] {
  return Array.from({ length: batch.length }, (_, row) =>
    Object.fromEntries(
      batch.schema.fields.flatMap(({ name, type }) => {
        const value = plain(batch.column([name])!.getValue(row), type);
        return value === null ? [] : [[name, value]];
      }),
    ),
  );
}

function plain(value: ScalarValue, type: DataType): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (type.kind === 'map' && value !== null) return Object.fromEntries(value as [string, string][]);
  if (type.kind !== 'struct' || value === null) return value;
  const items = value as readonly ScalarValue[];
  const entries = type.fields.map((each, i) => [each.name, plain(items[i]!, each.type)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== null));
}

async function columnsOf(log: LogBuilder, path: string): Promise<string[]> {
  const file = await log.engine.storageHandler.head(log.url(path));
  const { schema: stored } = await log.engine.parquetHandler.readParquetFooter(file);
  return stored.fields.map((each) => each.name);
}

async function hintOf(log: LogBuilder): Promise<unknown> {
  const location = log.url('_delta_log/_last_checkpoint');
  for await (const bytes of log.storage.readFiles([{ location }]))
    return JSON.parse(new TextDecoder().decode(bytes));
}

const txn = (appId: string, version: number, lastUpdated?: number) => ({
  txn: { appId, version, lastUpdated },
});
const domain = (each: string, configuration: string, removed = false) => ({
  domainMetadata: { domain: each, configuration, removed },
});

describe('the content of a classic checkpoint', () => {
  const log = new LogBuilder()
    .commit(
      protocol(1, 7, { writer: ['domainMetadata'] }),
      metadata(schema, {
        partitionColumns: ['p'],
        configuration: { 'delta.setTransactionRetentionDuration': 'interval 2 days' },
      }),
      add('p=a/1.parquet', { partitionValues: { p: 'a' }, stats: { numRecords: 1 }, tags: { k: 'v' } }),
      add('p=a/2.parquet', { partitionValues: { p: 'a' } }),
      add('p=__HIVE_DEFAULT_PARTITION__/3.parquet', { partitionValues: { p: null } }),
      domain('kept', '{"a":1}'),
      domain('gone', 'x'),
      txn('app', 1, NOW - DAY),
      txn('old', 7, NOW - 2 * DAY),
      txn('timeless', 3),
    )
    .commit(
      { commitInfo: { operation: 'WRITE' } },
      { cdc: { path: '_change_data/c.parquet', partitionValues: { p: 'a' }, size: 1, dataChange: false } },
      remove('p=a/2.parquet', { deletionTimestamp: NOW - 7 * DAY, size: 1000 }),
      remove('p=__HIVE_DEFAULT_PARTITION__/3.parquet', {
        deletionTimestamp: NOW - 7 * DAY + 1,
        extendedFileMetadata: true,
        partitionValues: { p: null },
        size: 1000,
        stats: '{"numRecords":1}',
        tags: { k: 'v' },
      }),
      remove('never-seen.parquet', { deletionTimestamp: undefined }),
      domain('gone', 'x', true),
      txn('app', 2, NOW - DAY),
    );

  it('is the reconciled state, without what has expired', async () => {
    const snapshot = await snapshotOf(log);
    expect((await snapshot.checkpoint(log.engine)).result).toBe('written');
    const rows = await rowsOf(log, name(1));
    expect(rows).toHaveLength(7);
    expect(rows).toEqual(
      expect.arrayContaining([
        { protocol: { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['domainMetadata'] } },
        { metaData: expect.objectContaining({ partitionColumns: ['p'], createdTime: 1_700_000_000_000 }) },
        {
          add: {
            path: 'p=a/1.parquet',
            partitionValues: { p: 'a' },
            size: 1000,
            modificationTime: 1_700_000_000_000,
            dataChange: false,
            stats: '{"numRecords":1}',
            tags: { k: 'v' },
          },
        },
        {
          remove: {
            path: 'p=__HIVE_DEFAULT_PARTITION__/3.parquet',
            deletionTimestamp: NOW - 7 * DAY + 1,
            dataChange: false,
            extendedFileMetadata: true,
            partitionValues: { p: null },
            size: 1000,
          },
        },
        { txn: { appId: 'app', version: 2, lastUpdated: NOW - DAY } },
        { txn: { appId: 'timeless', version: 3 } },
        { domainMetadata: { domain: 'kept', configuration: '{"a":1}', removed: false } },
      ]),
    );
    expect(await columnsOf(log, name(1))).toEqual([
      'txn',
      'add',
      'remove',
      'metaData',
      'protocol',
      'domainMetadata',
    ]);
    const { size } = await log.engine.storageHandler.head(log.url(name(1)));
    expect(await hintOf(log)).toEqual({ version: 1, size: 7, sizeInBytes: size, numOfAddFiles: 1 });
  });

  it('gives the snapshot that a load gives', async () => {
    const { result, snapshot } = await (await load(log)).checkpoint(log.engine);
    expect(result).toBe('alreadyExists');
    const { commits, compactions, checkpointVersion } = snapshot.logSegment;
    expect({ commits, compactions, checkpointVersion }).toEqual({
      commits: [],
      compactions: [],
      checkpointVersion: 1,
    });
  });

  it('is built upon by the next one: tombstones and adds of a checkpoint go on until they expire', async () => {
    log.commit(remove('p=a/1.parquet', { deletionTimestamp: NOW - DAY }), add('p=a/4.parquet'));
    const snapshot = await snapshotOf(log);
    expect(snapshot.logSegment.checkpointVersion).toBe(1);
    await snapshot.checkpoint(log.engine);
    const rows = await rowsOf(log, name(2));
    const paths = (action: string) =>
      rows.flatMap((row) => (row[action] as { path: string })?.path ?? []).sort();
    expect(paths('add')).toEqual(['p=a/4.parquet']);
    expect(paths('remove')).toEqual(['p=__HIVE_DEFAULT_PARTITION__/3.parquet', 'p=a/1.parquet']);
  });
});

it('lets an add win over a remove of its own commit, and decides by deletion vector', async () => {
  const dv = (text: string) => ({
    deletionVector: { storageType: 'u', pathOrInlineDv: text, offset: 1, sizeInBytes: 40, cardinality: 1 },
  });
  const first = 'ab^-aqEH.-t@S}K{vb[*k^';
  const log = new LogBuilder()
    .commit(featureProtocol('deletionVectors'), metadata(schema), add('a'), add('b'))
    .commit(
      remove('a', { deletionTimestamp: NOW }),
      add('a', dv(first)),
      add('b'),
      remove('b', { deletionTimestamp: NOW }),
      remove('b', { deletionTimestamp: NOW }),
    );
  await (await snapshotOf(log)).checkpoint(log.engine);
  const files = (await rowsOf(log, name(1))).flatMap(({ add: a, remove: r }) => {
    const file = (a ?? r) as { path: string; deletionVector?: object } | undefined;
    return file ? [`${a ? '+' : '-'}${file.path}${file.deletionVector ? ' dv' : ''}`] : [];
  });
  expect(files.sort()).toEqual(['+a dv', '+b', '-a']);
});

describe('statistics', () => {
  const stats = {
    numRecords: 2,
    minValues: { id: 9007199254740993n, at: '2024-01-01T00:00:00.123Z' },
    nullCount: { id: 0, at: 1 },
  };
  const text =
    '{"numRecords":2,"minValues":{"id":9007199254740993,"at":"2024-01-01T00:00:00.123Z"},"nullCount":{"id":0,"at":1}}';
  const tableWith = (configuration: Record<string, string>) =>
    new LogBuilder().commit(
      protocol(),
      metadata(schema, { partitionColumns: ['p'], configuration }),
      add('p=1/a', { partitionValues: { p: '1' }, stats: text }),
      add('p=/b', { partitionValues: { p: '' } }),
    );
  const parsedAt = BigInt(Date.UTC(2024, 0, 1, 0, 0, 0, 123)) * 1000n;

  async function addOf(log: LogBuilder, version: number, path: string) {
    const file = await log.engine.storageHandler.head(log.url(name(version)));
    const { schema: stored } = await log.engine.parquetHandler.readParquetFooter(file);
    for await (const batch of log.engine.parquetHandler.readParquetFiles([file], stored)) {
      for (let row = 0; row < batch.length; row += 1) {
        if (batch.column(['add', 'path'])?.getString(row) !== path) continue;
        const value = (...names: string[]) => batch.column(['add', ...names])?.getValue(row);
        return {
          stats: value('stats'),
          records: value('stats_parsed', 'numRecords'),
          id: value('stats_parsed', 'minValues', 'id'),
          at: value('stats_parsed', 'minValues', 'at'),
          nulls: value('stats_parsed', 'nullCount', 'at'),
          hasParsed: batch.column(['add', 'stats_parsed'])?.isNull(row) === false,
          p: value('partitionValues_parsed', 'p'),
        };
      }
    }
    throw new Error(`no ${path}`);
  }

  it('are text by default', async () => {
    const log = tableWith({});
    await (await snapshotOf(log)).checkpoint(log.engine);
    expect(await addOf(log, 0, 'p=1/a')).toEqual({ stats: text, hasParsed: false });
  });

  it('are parsed, and partition values with them, where the table asks', async () => {
    const log = tableWith({ 'delta.checkpoint.writeStatsAsStruct': 'true' });
    await (await snapshotOf(log)).checkpoint(log.engine);
    expect(await addOf(log, 0, 'p=1/a')).toEqual({
      stats: text,
      records: 2n,
      id: stats.minValues.id,
      at: parsedAt,
      nulls: 1n,
      hasParsed: true,
      p: '1',
    });
    expect(await addOf(log, 0, 'p=/b')).toMatchObject({ stats: null, hasParsed: false, p: '' });
  });

  it('are parsed only, and text again when the table changes its mind', async () => {
    const configuration = {
      'delta.checkpoint.writeStatsAsStruct': 'true',
      'delta.checkpoint.writeStatsAsJson': 'false',
    };
    const log = tableWith(configuration);
    const before = await snapshotOf(log);
    const state = await stateOf(log.engine, before);
    const { snapshot } = await before.checkpoint(log.engine);
    expect(await addOf(log, 0, 'p=1/a')).toMatchObject({ stats: undefined, id: stats.minValues.id });
    expect(await stateOf(log.engine, snapshot)).toEqual(state);

    log.commit(metadata(schema, { partitionColumns: ['p'] }));
    await (await snapshotOf(log)).checkpoint(log.engine);
    const { stats: again } = await addOf(log, 1, 'p=1/a');
    expect(again).toContain('"id":9007199254740993');
    expect(again).toContain('"at":"2024-01-01T00:00:00.123Z"');
    expect((await addOf(log, 1, 'p=/b')).stats).toBeNull();
  });

  it('use physical names, also of partition columns', async () => {
    const mapped = types.struct(
      schema.fields.map((each, i) =>
        field(each.name, each.type, {
          metadata: {
            'delta.columnMapping.id': i + 1,
            'delta.columnMapping.physicalName': `col-${each.name}`,
          },
        }),
      ),
    );
    const log = new LogBuilder().commit(
      protocol(2, 5),
      metadata(mapped, {
        partitionColumns: ['p'],
        configuration: {
          'delta.columnMapping.mode': 'name',
          'delta.checkpoint.writeStatsAsStruct': 'true',
        },
      }),
      add('f', { partitionValues: { 'col-p': 'x' }, stats: { numRecords: 1, minValues: { 'col-id': 5 } } }),
    );
    await (await snapshotOf(log)).checkpoint(log.engine);
    const file = (await rowsOf(log, name(0))).find((row) => row.add)!.add;
    expect(file).toMatchObject({
      partitionValues_parsed: { 'col-p': 'x' },
      stats_parsed: { numRecords: 1, minValues: { 'col-id': 5 } },
    });
  });
});

describe('a V2 checkpoint', () => {
  const tableOf = (files: number) =>
    new LogBuilder().commit(
      featureProtocol('v2Checkpoint'),
      metadata(schema),
      txn('app', 1),
      ...Array.from({ length: files }, (_, i) => add(`f${i}`, { stats: { numRecords: i } })),
    );

  it('keeps its files while they are few', async () => {
    const log = tableOf(3);
    const before = await snapshotOf(log);
    const { snapshot } = await before.checkpoint(log.engine, { sidecarRows: 3 });
    const rows = await rowsOf(log, name(0));
    expect(rows.filter((row) => row.add)).toHaveLength(3);
    expect(rows.filter((row) => row.checkpointMetadata)).toEqual([{ checkpointMetadata: { version: 0 } }]);
    expect(rows.filter((row) => row.sidecar)).toEqual([]);
    expect(await stateOf(log.engine, snapshot)).toEqual(await stateOf(log.engine, before));
  });

  it('has sidecars for more, and nothing of them in the checkpoint itself', async () => {
    const log = tableOf(5);
    const before = await snapshotOf(log);
    const { snapshot } = await before.checkpoint(log.engine, { sidecarRows: 2 });
    const rows = await rowsOf(log, name(0));
    expect(rows.some((row) => row.add ?? row.remove)).toBe(false);
    const sidecars = rows.flatMap((row) =>
      row.sidecar ? [row.sidecar as { path: string; sizeInBytes: number }] : [],
    );
    const counts: number[] = [];
    let bytes = (await log.engine.storageHandler.head(log.url(name(0)))).size;
    for (const { path, sizeInBytes } of sidecars) {
      expect(path).toMatch(/^[0-9a-f-]{36}\.parquet$/);
      counts.push((await rowsOf(log, `_delta_log/_sidecars/${path}`)).filter((row) => row.add).length);
      expect((await log.engine.storageHandler.head(log.url(`_delta_log/_sidecars/${path}`))).size).toBe(
        sizeInBytes,
      );
      bytes += sizeInBytes;
    }
    expect(counts).toEqual([2, 2, 1]);
    // protocol, metaData, checkpointMetadata, txn, 3 sidecars; 5 adds in those.
    expect(await hintOf(log)).toEqual({ version: 0, size: 12, sizeInBytes: bytes, numOfAddFiles: 5 });
    expect(await stateOf(log.engine, snapshot)).toEqual(await stateOf(log.engine, before));
    expect(await stateOf(log.engine, await load(log))).toEqual(await stateOf(log.engine, before));
  });

  it('of a table without the feature is not written: the checkpoint is classic', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('a'), add('b'));
    await (await snapshotOf(log)).checkpoint(log.engine, { sidecarRows: 1 });
    expect(await columnsOf(log, name(0))).not.toContain('sidecar');
  });
});

describe('_last_checkpoint', () => {
  const three = () =>
    new LogBuilder().commit(protocol(), metadata(schema), add('a')).commit(add('b')).commit(add('c'));

  it('never goes back', async () => {
    const log = three();
    await (await snapshotOf(log)).checkpoint(log.engine);
    const hint = await hintOf(log);
    const older = await Snapshot.load(log.engine, log.root, { version: 1, runtime });
    expect((await older.checkpoint(log.engine)).result).toBe('written');
    expect(await hintOf(log)).toEqual(hint);
  });

  it.each(['', '{', '{"version":"9"}'])('is replaced where it is broken: %j', async (broken) => {
    const log = three().text('_delta_log/_last_checkpoint', broken);
    await (await snapshotOf(log)).checkpoint(log.engine);
    expect(await hintOf(log)).toMatchObject({ version: 2, numOfAddFiles: 3 });
  });

  it('is written last: a checkpoint that fails leaves it alone', async () => {
    const log = three();
    const snapshot = await snapshotOf(log);
    const { storage } = log;
    const put = storage.put.bind(storage);
    const order: string[] = [];
    storage.put = async (path, ...rest) => {
      order.push(path.pathname);
      if (path.pathname.endsWith('.parquet')) throw new DeltaError('IOError', 'no');
      return put(path, ...rest);
    };
    await expect(snapshot.checkpoint(log.engine)).rejects.toMatchObject({ code: 'IOError', version: 2 });
    expect(order).toEqual([`/t/${name(2)}`]);
    storage.put = async (path, ...rest) => {
      order.push(path.pathname);
      return put(path, ...rest);
    };
    await snapshot.checkpoint(log.engine);
    expect(order.slice(1)).toEqual([`/t/${name(2)}`, '/t/_delta_log/_last_checkpoint']);
  });
});

it('replaces an empty file that a writer which died left, and no other', async () => {
  const log = new LogBuilder().commit(protocol(), metadata(schema), add('a'));
  log.text(name(0), '');
  const snapshot = await snapshotOf(log);
  expect((await snapshot.checkpoint(log.engine)).result).toBe('written');
  expect(await rowsOf(log, name(0))).toHaveLength(3);
  // Another writer was faster: the snapshot does not know of it.
  expect((await snapshot.checkpoint(log.engine)).result).toBe('alreadyExists');
});

it('refuses a version that is only staged, and writes once it is published', async () => {
  const log = new LogBuilder();
  log.text(
    '_delta_log/00000000000000000000.json',
    [
      { commitInfo: { inCommitTimestamp: 1 } },
      {
        protocol: {
          minReaderVersion: 3,
          minWriterVersion: 7,
          readerFeatures: ['catalogManaged'],
          writerFeatures: ['catalogManaged', 'inCommitTimestamp'],
        },
      },
      metadata(schema, { configuration: { 'delta.enableInCommitTimestamps': 'true' } }),
    ]
      .map((action) => JSON.stringify(action))
      .join('\n'),
  );
  const staged = '00000000000000000001.5fba94ed-9794-4965-ba6e-6ee3c0d22af9.json';
  const commit = [{ commitInfo: { inCommitTimestamp: 2, txnId: 't' } }, add('a', { size: 1 })]
    .map((action) => JSON.stringify(action))
    .join('\n');
  log.text(`_delta_log/_staged_commits/${staged}`, commit);
  const logTail = [LogPath.stagedCommit(log.root, staged, 1, commit.length)];
  const options = { logTail, maxCatalogVersion: 1, runtime };
  const snapshot = await Snapshot.load(log.engine, log.root, options);
  await expect(snapshot.checkpoint(log.engine)).rejects.toMatchObject({
    code: 'CheckpointWrite',
    version: 1,
  });
  // A checksum is no gap to anybody.
  expect((await snapshot.writeChecksum(log.engine)).result).toBe('written');
  log.text('_delta_log/00000000000000000001.json', commit);
  const published = await Snapshot.load(log.engine, log.root, options);
  expect((await published.checkpoint(log.engine)).result).toBe('written');
});

it.each([
  [
    'icebergCompatV2',
    protocol(2, 7, { writer: ['icebergCompatV2', 'columnMapping'] }),
    { 'delta.enableIcebergCompatV2': 'true' },
  ],
  ['someday', protocol(1, 7, { writer: ['someday'] }), {}],
])('refuses a table with %s by name', async (feature, theProtocol, configuration) => {
  const log = new LogBuilder().commit(theProtocol, metadata(schema, { configuration }), add('a'));
  const snapshot = await snapshotOf(log);
  const paths = log.storage.paths();
  await expect(snapshot.checkpoint(log.engine)).rejects.toMatchObject({ code: 'Unsupported', feature });
  await expect(snapshot.writeChecksum(log.engine)).rejects.toMatchObject({ code: 'Unsupported', feature });
  expect(log.storage.paths()).toEqual(paths);
});

it('of a table opened for its metadata alone has all its files (CP-20)', async () => {
  const log = new LogBuilder().commit(protocol(), metadata(schema), add('a'), add('b'));
  const table = await log.open();
  await table.append([{ id: 1n, p: 'x' }], { onWarning: fail });
  expect(await table.checkpoint()).toBe('written');
  const files = (await rowsOf(log, name(1))).flatMap((row) => (row.add as { path: string })?.path ?? []);
  expect(files).toHaveLength(3);
  expect(files).toEqual(expect.arrayContaining(['a', 'b']));
  const reopened = await DeltaTable.open(log.root, { engine: log.engine });
  expect((await reopened.files()).map(({ path }) => path).sort()).toEqual(files.sort());
});

function fail(warning: DeltaError): never {
  throw warning;
}

it('pairs columns by name where another writer has them in another order (CP-21)', async () => {
  const shuffled = types.struct([
    field('remove', types.struct([field('deletionTimestamp', types.long), field('path', types.string)])),
    field(
      'add',
      types.struct([
        field('size', types.long),
        field('dataChange', types.boolean),
        field('stats', types.string),
        field('modificationTime', types.long),
        field('partitionValues', types.map(types.string, types.string)),
        field('path', types.string),
      ]),
    ),
    field('metaData', types.struct([field('schemaString', types.string), field('id', types.string)])),
    field(
      'protocol',
      types.struct([field('minWriterVersion', types.integer), field('minReaderVersion', types.integer)]),
    ),
  ]);
  const schemaString = '{"type":"struct","fields":[]}';
  const log = new LogBuilder();
  await log.parquet(name(0), shuffled, [
    [null, null, null, [2, 1]],
    [null, null, [schemaString, 'some-id'], null],
    [null, [11n, true, '{"numRecords":5}', 22n, [['k', 'v']], 'first'], null, null],
    [[BigInt(NOW), 'second'], null, null, null],
  ]);
  log.text('_delta_log/00000000000000000001.json', '{"commitInfo":{}}\n');
  const { snapshot } = await (await load(log)).checkpoint(log.engine);
  const rows = await rowsOf(log, name(1));
  expect(rows.find((row) => row.add)!.add).toEqual({
    path: 'first',
    partitionValues: { k: 'v' },
    size: 11,
    modificationTime: 22,
    dataChange: false,
    stats: '{"numRecords":5}',
  });
  expect(rows.find((row) => row.remove)!.remove).toMatchObject({ path: 'second', deletionTimestamp: NOW });
  expect(snapshot.protocol).toEqual({ minReaderVersion: 1, minWriterVersion: 2 });
});
