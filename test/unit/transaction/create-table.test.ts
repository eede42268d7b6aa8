import { describe, expect, it } from 'vitest';
import { parseSchema } from '../../../src/kernel/schema/schema-json.ts';
import { field, METADATA_KEYS, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { type CreateTableOptions, createTable } from '../../../src/kernel/transaction/create-table.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import type { Action } from '../../helpers/log-builder.ts';
import { testEngine } from '../../helpers/test-engine.ts';
import {
  committer,
  ID_SCHEMA,
  livePaths,
  NOW,
  newFile,
  ROOT,
  readActions,
  TestRuntime,
  type TestTable,
} from './helpers.ts';

const schema = types.struct([field('id', types.long), field('city', types.string), field('day', types.date)]);

function emptyTable() {
  const storage = new MemoryStorageHandler({ now: () => NOW });
  const runtime = new TestRuntime();
  const engine = testEngine(storage);
  return { storage, runtime, engine, load: () => Snapshot.load(engine, ROOT, { runtime }) };
}

async function create(of: StructType, options: CreateTableOptions = {}, table = emptyTable()) {
  const { engine, runtime, storage } = table;
  const transaction = await createTable(ROOT, of, { runtime, ...options }).build(engine, committer);
  const result = await transaction.commit(engine);
  if (result.status !== 'committed') throw new Error(result.status);
  const actions = await readActions(storage, 0);
  const one = (kind: string) =>
    actions.find((action) => kind in action)?.[kind] as Record<string, never> | undefined;
  return { ...table, result, actions, metaData: one('metaData')!, protocol: one('protocol')!, one };
}

const configurationOf = ({ metaData }: { metaData: Action }) =>
  metaData.configuration as Record<string, string>;

describe('createTable', () => {
  it('writes commitInfo, protocol and metadata', async () => {
    const { actions, result, load } = await create(schema, {
      partitionBy: ['CITY'],
      engineInfo: 'me',
      description: 'd',
    });
    expect(actions).toEqual([
      {
        commitInfo: {
          timestamp: NOW,
          operation: 'CREATE TABLE',
          operationParameters: {
            isManaged: 'false',
            partitionBy: '["city"]',
            clusterBy: '[]',
            properties: '{}',
          },
          kernelVersion: 'delta-kernel-web/0.1.0',
          engineInfo: 'me',
          txnId: expect.any(String),
        },
      },
      { protocol: { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: [], writerFeatures: [] } },
      {
        metaData: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          description: 'd',
          format: { provider: 'parquet', options: {} },
          schemaString: JSON.stringify({
            type: 'struct',
            fields: [
              { name: 'id', type: 'long', nullable: true, metadata: {} },
              { name: 'city', type: 'string', nullable: true, metadata: {} },
              { name: 'day', type: 'date', nullable: true, metadata: {} },
            ],
          }),
          partitionColumns: ['city'],
          createdTime: NOW,
          configuration: {},
        },
      },
    ]);
    expect(result.commitVersion).toBe(0);
    const loaded = await load();
    expect(loaded.metadata.partitionColumns).toEqual(['city']);
    expect(result.postCommitSnapshot.metadata).toEqual(loaded.metadata);
    expect(result.postCommitSnapshot.protocol).toEqual(loaded.protocol);
  });

  it('may hold data from the start', async () => {
    const table = emptyTable();
    const transaction = await createTable(ROOT, schema, { runtime: table.runtime }).build(
      table.engine,
      committer,
    );
    const context = transaction.unpartitionedWriteContext();
    await transaction.addFiles([newFile(context.newFile().path)]).commit(table.engine);
    expect(await livePaths(await table.load(), table as never as TestTable)).toHaveLength(1);
  });

  it('refuses a folder with a log, whatever is in it', async () => {
    const table = await create(schema);
    const again = createTable(ROOT, schema, { runtime: table.runtime });
    await expect(again.build(table.engine, committer)).rejects.toMatchObject({ code: 'FileAlreadyExists' });
    const other = emptyTable();
    other.storage.set('memory:///t/_delta_log/anything.txt', 'x');
    await expect(again.build(other.engine, committer)).rejects.toMatchObject({
      code: 'FileAlreadyExists',
      path: '_delta_log/anything.txt',
    });
  });

  it('of two that create at the same time one wins, and the other cannot follow', async () => {
    const table = emptyTable();
    const build = () => createTable(ROOT, schema, { runtime: table.runtime }).build(table.engine, committer);
    const [first, second] = await Promise.all([build(), build()]);
    expect((await first.commit(table.engine)).status).toBe('committed');
    const lost = await second.commit(table.engine);
    if (lost.status !== 'conflicted') throw new Error(lost.status);
    await expect(lost.rebase(table.engine)).rejects.toMatchObject({ code: 'ProtocolChanged', version: 0 });
  });
});

describe('features', () => {
  const wide = types.struct([
    field('ntz', types.array(types.timestampNtz)),
    field('v', types.map(types.string, types.struct([field('x', types.variant)]))),
    field('n', types.long, { nullable: false }),
  ]);

  it.each([
    ['delta.appendOnly', 'true', [], ['appendOnly']],
    ['delta.appendOnly', 'false', [], []],
    ['delta.enableChangeDataFeed', 'true', [], ['changeDataFeed']],
    ['delta.enableDeletionVectors', 'true', ['deletionVectors'], ['deletionVectors']],
    ['delta.enableInCommitTimestamps', 'true', [], ['inCommitTimestamp']],
    ['delta.enableTypeWidening', 'true', ['typeWidening'], ['typeWidening']],
    ['delta.checkpointPolicy', 'v2', ['v2Checkpoint'], ['v2Checkpoint']],
    ['delta.columnMapping.mode', 'name', ['columnMapping'], ['columnMapping']],
    ['delta.enableRowTracking', 'true', [], ['domainMetadata', 'rowTracking']],
    ['delta.feature.vacuumProtocolCheck', 'supported', ['vacuumProtocolCheck'], ['vacuumProtocolCheck']],
    ['delta.feature.timestampNtz', 'supported', ['timestampNtz'], ['timestampNtz']],
  ])('of the property %s = %s', async (key, value, readerFeatures, writerFeatures) => {
    const { protocol } = await create(ID_SCHEMA, { properties: { [key]: value } });
    expect(protocol).toEqual({ minReaderVersion: 3, minWriterVersion: 7, readerFeatures, writerFeatures });
  });

  it('of columns, at any depth', async () => {
    const { protocol } = await create(wide);
    expect(protocol.readerFeatures).toEqual(['timestampNtz', 'variantType']);
    expect(protocol.writerFeatures).toEqual(['invariants', 'timestampNtz', 'variantType']);
  });

  it('stores properties, not signals', async () => {
    const properties = {
      'delta.feature.deletionVectors': 'supported',
      'delta.minReaderVersion': '3',
      'DELTA.logretentionDuration': 'interval 3 days',
      mine: 'x',
    };
    const created = await create(ID_SCHEMA, { properties });
    expect(configurationOf(created)).toEqual({ 'delta.logRetentionDuration': 'interval 3 days', mine: 'x' });
  });

  it('row tracking has hidden columns and a high watermark from the start', async () => {
    const created = await create(ID_SCHEMA, { properties: { 'delta.enableRowTracking': 'true' } });
    expect(configurationOf(created)).toEqual({
      'delta.enableRowTracking': 'true',
      'delta.rowTracking.materializedRowIdColumnName': expect.stringMatching(/^_row-id-col-[0-9a-f-]{36}$/),
      'delta.rowTracking.materializedRowCommitVersionColumnName': expect.stringMatching(
        /^_row-commit-version-col-[0-9a-f-]{36}$/,
      ),
    });
    expect(created.one('domainMetadata')).toEqual({
      domain: 'delta.rowTracking',
      configuration: '{"rowIdHighWaterMark":-1}',
      removed: false,
    });
  });

  it('in-commit timestamps begin with version 0, without properties of enablement', async () => {
    const created = await create(ID_SCHEMA, { properties: { 'delta.enableInCommitTimestamps': 'true' } });
    expect(configurationOf(created)).toEqual({ 'delta.enableInCommitTimestamps': 'true' });
    expect(created.one('commitInfo')).toMatchObject({ inCommitTimestamp: NOW });
  });

  it('catalog-managed tables carry commit times and need a catalog', async () => {
    const table = emptyTable();
    const properties = { 'delta.feature.catalogManaged': 'supported' };
    const creation = createTable(ROOT, ID_SCHEMA, { properties, runtime: table.runtime });
    const transaction = await creation.build(table.engine, committer);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'CommitterMismatch' });
    const off = { ...properties, 'delta.enableInCommitTimestamps': 'false' };
    expect(() => createTable(ROOT, ID_SCHEMA, { properties: off })).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
  });

  it.each(['name', 'id'])('mapped columns (%s) have ids and names that no other column has', async (mode) => {
    const nested = types.struct([
      field('a', types.struct([field('b', types.long)])),
      field('c', types.array(types.struct([field('d', types.long)]))),
      field('x y', types.long, { metadata: { [METADATA_KEYS.columnMappingId]: 900 } }),
    ]);
    const created = await create(nested, { properties: { 'delta.columnMapping.mode': mode } });
    expect(configurationOf(created)['delta.columnMapping.maxColumnId']).toBe('5');
    const stored = parseSchema(created.metaData.schemaString!);
    const [a, c, x] = stored.fields;
    const b = (a!.type as StructType).fields[0]!;
    const d = ((c!.type as { elementType: StructType }).elementType as StructType).fields[0]!;
    const all = [a, b, c, d, x].map((each) => each!.metadata);
    expect(all.map((metadata) => Number(metadata[METADATA_KEYS.columnMappingId])).sort()).toEqual([
      1, 2, 3, 4, 5,
    ]);
    const names = all.map((metadata) => String(metadata[METADATA_KEYS.columnMappingPhysicalName]));
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^col-[0-9a-f-]{36}$/);
  });

  it('columns that were mapped in another table are not here', async () => {
    const stale = types.struct([
      field('a', types.long, {
        metadata: {
          comment: 'kept',
          [METADATA_KEYS.columnMappingId]: 3,
          [METADATA_KEYS.columnMappingPhysicalName]: 'z',
        },
      }),
    ]);
    const { metaData } = await create(stale);
    expect(parseSchema(metaData.schemaString!).fields[0]!.metadata).toEqual({ comment: 'kept' });
  });
});

describe('clustering', () => {
  it('is a domain of physical paths', async () => {
    const nested = types.struct([field('s', types.struct([field('x', types.long)])), field('y', types.long)]);
    const created = await create(nested, { clusterBy: ['S.x', ['y']] });
    expect(created.protocol.writerFeatures).toEqual(['clustering', 'domainMetadata']);
    expect(created.one('domainMetadata')).toMatchObject({
      domain: 'delta.clustering',
      configuration: '{"clusteringColumns":[["s","x"],["y"]]}',
    });
    expect(await (await created.load()).clusteringColumns(created.engine)).toEqual([['s', 'x'], ['y']]);
  });

  it('asks for statistics of its columns in every file', async () => {
    const created = await create(ID_SCHEMA, { clusterBy: ['id'] });
    const commit = async (stats: string) => {
      return (await created.load())
        .transaction(committer)
        .addFiles([newFile('f', { stats })])
        .commit(created.engine);
    };
    for (const stats of ['{"numRecords":1}', '{"numRecords":2,"nullCount":{"id":1},"minValues":{"id":1}}']) {
      await expect(commit(stats)).rejects.toMatchObject({ code: 'StatsValidation', column: 'id' });
    }
    await commit('{"numRecords":2,"nullCount":{"id":2}}');
  });

  it.each([
    [{ clusterBy: ['nope'] }, 'Schema'],
    [{ clusterBy: ['id', 'id'] }, 'Schema'],
    [{ clusterBy: ['id'], partitionBy: ['city'] }, 'InvalidOption'],
  ])('is refused: %j', (options, code) => {
    expect(() => createTable(ROOT, schema, options)).toThrow(expect.objectContaining({ code }));
  });
});

describe('what no table may be', () => {
  it.each([
    [schema, { partitionBy: ['nope'] }, 'Schema'],
    [schema, { partitionBy: ['id', 'ID'] }, 'Schema'],
    [schema, { partitionBy: ['id', 'city', 'day'] }, 'Schema'],
    [
      types.struct([field('a', types.array(types.long)), field('b', types.long)]),
      { partitionBy: ['a'] },
      'Schema',
    ],
    [types.struct([field('a', types.variant), field('b', types.long)]), { partitionBy: ['a'] }, 'Schema'],
    [types.struct([field('a b', types.long)]), {}, 'Schema'],
    [types.struct([field('a', types.long), field('A', types.long)]), {}, 'Schema'],
    [schema, { properties: { 'delta.enableIcebergCompatV2': 'true' } }, 'InvalidOption'],
    [schema, { properties: { 'delta.feature.identityColumns': 'supported' } }, 'InvalidOption'],
    [schema, { properties: { 'delta.feature.deletionVectors': 'enabled' } }, 'InvalidOption'],
    [schema, { properties: { 'delta.minWriterVersion': '2' } }, 'InvalidOption'],
    [schema, { properties: { 'delta.columnMapping.maxColumnId': '7' } }, 'InvalidOption'],
  ] as const)('%#', (of, options, code) => {
    expect(() => createTable(ROOT, of, options)).toThrow(
      expect.objectContaining({ code, table: 'memory:///t/' }),
    );
  });

  it.each([
    ['delta.checkpointInterval', '0'],
    ['delta.enableDeletionVectors', 'yes'],
    ['delta.logRetentionDuration', '2 months'],
    ['delta.columnMapping.mode', 'index'],
    ['delta.isolationLevel', 'Chaos'],
  ])('the property %s = %s', async (key, value) => {
    await expect(create(schema, { properties: { [key]: value } })).rejects.toMatchObject({
      code: 'ParseError',
    });
  });

  it('columns with the names of the change data feed', async () => {
    const of = types.struct([field('_Commit_Version', types.long)]);
    const properties = { 'delta.enableChangeDataFeed': 'true' };
    await expect(create(of, { properties })).rejects.toMatchObject({
      code: 'ChangeDataFeedIncompatibleSchema',
    });
    await create(of);
  });

  it('a constraint that nobody enforces', async () => {
    const properties = { 'delta.constraints.positive': 'id > 0' };
    await expect(create(schema, { properties })).rejects.toMatchObject({
      code: 'Unsupported',
      feature: 'checkConstraints',
    });
    const created = await create(schema, { properties, enforcedFeatures: new Set(['checkConstraints']) });
    expect(created.protocol.writerFeatures).toEqual(['checkConstraints']);
    expect(configurationOf(created)).toEqual(properties);
  });
});
