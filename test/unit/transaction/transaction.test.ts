import { describe, expect, it } from 'vitest';
import type { ScanFile } from '../../../src/kernel/scan/scan-files.ts';
import { types } from '../../../src/kernel/schema/types.ts';
import type { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { type Action, add } from '../../helpers/log-builder.ts';
import {
  committed,
  committer,
  featureTable,
  ID_SCHEMA,
  livePaths,
  NOW,
  newFile,
  PARTITIONED_SCHEMA,
  simpleTable,
  type TestTable,
} from './helpers.ts';

const kinds = (actions: readonly Action[]) => actions.map((action) => Object.keys(action).join());
const actionsOf = (actions: readonly Action[], kind: string) => {
  return actions.filter((action) => kind in action).map((action) => action[kind] as Record<string, unknown>);
};

async function filesOf(table: TestTable, snapshot: Snapshot): Promise<ScanFile[]> {
  const files: ScanFile[] = [];
  for await (const file of snapshot.scan().files(table.engine)) files.push(file);
  return files;
}

describe('an append', () => {
  it('writes commitInfo first, then the files, exactly as given', async () => {
    const table = simpleTable();
    const snapshot = await table.load();
    const transaction = snapshot
      .transaction(committer)
      .withOperation('WRITE', { mode: '"Append"' })
      .withEngineInfo('test/1')
      .withCommitInfo({
        userName: 'ann',
        txnId: 'mine',
        nested: { a: [1, 2], b: 1.5, c: null, d: 2n ** 60n },
      })
      .withBlindAppend()
      .addFiles([newFile('a%20b.parquet', { tags: { k: 'v', n: null } })]);
    const result = await committed(transaction, table);
    expect(result.commitVersion).toBe(1);
    expect(await table.read(1)).toEqual([
      {
        commitInfo: {
          timestamp: NOW,
          operation: 'WRITE',
          operationParameters: { mode: '"Append"' },
          kernelVersion: 'delta-kernel-web/0.1.0',
          isBlindAppend: true,
          engineInfo: 'test/1',
          txnId: transaction.txnId,
          userName: 'ann',
          nested: { a: [1, 2], b: 1.5, d: Number(2n ** 60n) },
        },
      },
      {
        add: {
          path: 'a%20b.parquet',
          partitionValues: {},
          size: 100,
          modificationTime: NOW,
          dataChange: true,
          stats: '{"numRecords":10}',
          tags: { k: 'v', n: null },
        },
      },
    ]);
  });

  it('gives a snapshot of the new version without reading anything', async () => {
    const table = simpleTable();
    const transaction = (await table.load()).transaction(committer).addFiles([newFile('f')]);
    const { postCommitSnapshot, postCommitStats } = await committed(transaction, table);
    expect(postCommitSnapshot.version).toBe(1);
    expect(postCommitSnapshot.logSegment.maxPublishedVersion).toBe(1);
    expect(postCommitStats).toEqual({ commitsSinceCheckpoint: 2, commitsSinceLogCompaction: 2 });
    expect(await livePaths(postCommitSnapshot, table)).toEqual(['f']);
    expect(await postCommitSnapshot.refresh(table.engine)).toBe(postCommitSnapshot);
    const next = await committed(postCommitSnapshot.transaction(committer).addFiles([newFile('g')]), table);
    expect(next.commitVersion).toBe(2);
    expect(await livePaths(await table.load(), table)).toEqual(['f', 'g']);
  });

  it('takes batches, with statistics as text or as a struct', async () => {
    const table = simpleTable();
    const map = types.map(types.string, types.string);
    const stats = types.struct([
      { name: 'numRecords', type: types.long, nullable: true, metadata: {} },
      {
        name: 'minValues',
        type: types.struct([{ name: 'id', type: types.long, nullable: true, metadata: {} }]),
        nullable: true,
        metadata: {},
      },
    ]);
    const schema = types.struct(
      Object.entries({
        path: types.string,
        partitionValues: map,
        size: types.long,
        modificationTime: types.long,
        stats,
      }).map(([name, type]) => ({ name, type, nullable: true, metadata: {} })),
    );
    await table.engine.ready();
    const batch = table.engine.evaluationHandler.createMany(schema, [
      [
        { type: types.string, value: 'f' },
        { type: map, value: [] },
        { type: types.long, value: 7n },
        { type: types.long, value: 8n },
        { type: stats, value: [3n, [-1n]] },
      ],
    ]);
    await committed((await table.load()).transaction(committer).addFiles(batch), table);
    const [added] = actionsOf(await table.read(1), 'add');
    expect(added).toMatchObject({ path: 'f', size: 7, modificationTime: 8 });
    expect(JSON.parse(added!.stats as string)).toEqual({ numRecords: 3, minValues: { id: -1 } });
  });

  it('is the only thing written: no metadata, no protocol', async () => {
    const table = simpleTable();
    await committed((await table.load()).transaction(committer).addFiles([newFile('f')]), table);
    expect(kinds(await table.read(1))).toEqual(['commitInfo', 'add']);
  });
});

describe('removing and changing', () => {
  const withVectors = () =>
    featureTable({ reader: ['deletionVectors'] }, { 'delta.enableDeletionVectors': 'true' });
  const vector = {
    storageType: 'u',
    pathOrInlineDv: 'ab^-aqEH.-t@S}K{vb[*k^',
    sizeInBytes: 36,
    cardinality: 2,
  } as const;

  it('copies what the log knows of a removed file', async () => {
    const table = simpleTable(PARTITIONED_SCHEMA, { partitionColumns: ['p'] });
    table.put(
      1,
      add('p=x/f', { size: 5, partitionValues: { p: 'x' }, stats: { numRecords: 3 }, tags: { t: '1' } }),
    );
    const snapshot = await table.load();
    const files = await filesOf(table, snapshot);
    await committed(snapshot.transaction(committer).withDataChange(false).removeFiles(files), table);
    expect(actionsOf(await table.read(2), 'remove')).toEqual([
      {
        path: 'p=x/f',
        deletionTimestamp: NOW,
        dataChange: false,
        extendedFileMetadata: true,
        partitionValues: { p: 'x' },
        size: 5,
        stats: '{"numRecords":3}',
        tags: { t: '1' },
      },
    ]);
    expect(await livePaths(await table.load(), table)).toEqual([]);
  });

  it('takes batches of planning', async () => {
    const table = simpleTable();
    table.put(1, add('f', { size: 1 }), add('g', { size: 1 }));
    const snapshot = await table.load();
    const transaction = snapshot.transaction(committer);
    for await (const { scanFiles } of snapshot.scan().scanMetadata(table.engine))
      transaction.removeFiles(scanFiles);
    await committed(transaction, table);
    expect(actionsOf(await table.read(2), 'remove').map(({ path }) => path)).toEqual(['f', 'g']);
  });

  it('pairs the old and the new deletion vector, and keeps the rest of the file', async () => {
    const table = withVectors();
    const old = {
      storageType: 'i',
      pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
      sizeInBytes: 40,
      cardinality: 1,
    };
    table.put(
      1,
      add('f', {
        size: 5,
        stats: { numRecords: 9, minValues: { id: 1 } },
        tags: { t: '1' },
        deletionVector: old,
      }),
      add('g', { size: 6 }),
    );
    const snapshot = await table.load();
    const transaction = snapshot
      .transaction(committer)
      .updateDeletionVectors(new Map([['f', vector]]), await filesOf(table, snapshot));
    const { postCommitSnapshot } = await committed(transaction, table);
    const actions = await table.read(2);
    expect(kinds(actions)).toEqual(['commitInfo', 'remove', 'add']);
    expect(actionsOf(actions, 'remove')[0]).toMatchObject({ path: 'f', deletionVector: old, size: 5 });
    const [added] = actionsOf(actions, 'add');
    expect(added).toMatchObject({
      path: 'f',
      deletionVector: vector,
      size: 5,
      tags: { t: '1' },
      dataChange: true,
    });
    expect(JSON.parse(added!.stats as string)).toEqual({
      numRecords: 9,
      minValues: { id: 1 },
      tightBounds: false,
    });
    expect(await livePaths(postCommitSnapshot, table)).toEqual(['f', 'g']);
  });

  it.each([
    ['a path that is not there', 'h', {}, 'InvalidTransactionState'],
    ['more rows deleted than there are', 'f', { cardinality: 10 }, 'DeletionVector'],
    ['no vector at all', 'f', { pathOrInlineDv: '' }, 'DeletionVector'],
    ['unknown numbers of rows', 'g', {}, 'StatsValidation'],
  ])('refuses %s', async (_, path, fields, code) => {
    const table = withVectors();
    table.put(1, add('f', { size: 5, stats: { numRecords: 9 } }), add('g', { size: 6 }));
    const snapshot = await table.load();
    const files = await filesOf(table, snapshot);
    const update = async () => {
      const vectors = new Map([[path, { ...vector, ...fields }]]);
      await snapshot.transaction(committer).updateDeletionVectors(vectors, files).commit(table.engine);
    };
    await expect(update()).rejects.toMatchObject({ code });
    expect(table.storage.paths()).toHaveLength(2);
  });

  it('refuses vectors where the table has none', async () => {
    const table = featureTable({ reader: ['deletionVectors'] });
    table.put(1, add('f', { size: 5, stats: { numRecords: 9 } }));
    const snapshot = await table.load();
    const transaction = snapshot
      .transaction(committer)
      .updateDeletionVectors(new Map([['f', vector]]), await filesOf(table, snapshot));
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({
      code: 'Unsupported',
      feature: 'deletionVectors',
    });
  });
});

describe('the order of actions', () => {
  it('is that of the protocol', async () => {
    const table = featureTable(
      { reader: ['deletionVectors'], writer: ['domainMetadata', 'changeDataFeed'] },
      { 'delta.enableDeletionVectors': 'true', 'delta.enableChangeDataFeed': 'true' },
    );
    table.put(
      1,
      add('f', { size: 5, stats: { numRecords: 9 } }),
      add('g', { size: 5, stats: { numRecords: 9 } }),
    );
    const snapshot = await table.load();
    const [f, g] = await filesOf(table, snapshot);
    const vector = {
      storageType: 'p',
      pathOrInlineDv: 'file:///v.bin',
      sizeInBytes: 36,
      cardinality: 2,
    } as const;
    const transaction = snapshot
      .transaction(committer)
      .updateDeletionVectors(new Map([['g', vector]]), [g!])
      .removeFiles([f!])
      .withDomainMetadata('app', 'conf')
      .withTransactionId('a', 3)
      .addCdcFiles([{ path: '_change_data/c', partitionValues: {}, size: 3 }])
      .addFiles([newFile('h')]);
    await committed(transaction, table);
    const actions = await table.read(2);
    expect(kinds(actions)).toEqual([
      'commitInfo',
      'add',
      'cdc',
      'txn',
      'domainMetadata',
      'remove',
      'remove',
      'add',
    ]);
    expect(actionsOf(actions, 'cdc')).toEqual([
      { path: '_change_data/c', partitionValues: {}, size: 3, dataChange: false },
    ]);
    expect(actionsOf(actions, 'txn')).toEqual([{ appId: 'a', version: 3, lastUpdated: NOW }]);
    expect(actionsOf(actions, 'domainMetadata')).toEqual([
      { domain: 'app', configuration: 'conf', removed: false },
    ]);
  });
});

describe('domains', () => {
  const table = () => featureTable({ writer: ['domainMetadata'] });

  it('are removed with their last configuration, and not at all where they are not there', async () => {
    const { engine, read, load, put } = table();
    put(1, { domainMetadata: { domain: 'app', configuration: 'last', removed: false } });
    const transaction = (await load())
      .transaction(committer)
      .withDomainMetadataRemoved('app')
      .withDomainMetadataRemoved('other');
    await transaction.commit(engine);
    expect(actionsOf(await read(2), 'domainMetadata')).toEqual([
      { domain: 'app', configuration: 'last', removed: true },
    ]);
    expect(await (await load()).getDomainMetadata(engine, 'app')).toBeUndefined();
  });

  it.each(['delta.clustering', 'delta.', ''])('of the protocol are refused: %j', async (domain) => {
    const transaction = (await table().load()).transaction(committer);
    expect(() => transaction.withDomainMetadata(domain, 'x')).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
    expect(() => transaction.withDomainMetadataRemoved(domain)).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
  });

  it('are set once', async () => {
    const transaction = (await table().load()).transaction(committer).withDomainMetadata('a', 'x');
    expect(() => transaction.withDomainMetadataRemoved('a')).toThrow('two changes of the domain a');
  });

  it('need the feature', async () => {
    const plain = simpleTable();
    const transaction = (await plain.load()).transaction(committer).withDomainMetadata('a', 'x');
    await expect(transaction.commit(plain.engine)).rejects.toMatchObject({
      code: 'Unsupported',
      feature: 'domainMetadata',
    });
  });
});

describe('what is refused before anything is written', () => {
  const partitioned = () => simpleTable(PARTITIONED_SCHEMA, { partitionColumns: ['p'] });

  it.each([
    ['an empty path', [newFile('')], 'InvalidTransactionState'],
    ['a negative size', [newFile('f', { size: -1 })], 'InvalidTransactionState'],
    ['a broken size', [newFile('f', { size: 1.5 })], 'InvalidTransactionState'],
    ['a time that is none', [newFile('f', { modificationTime: Number.NaN })], 'InvalidTransactionState'],
    ['statistics that are no JSON', [newFile('f', { stats: '{' })], 'StatsValidation'],
    ['a path twice', [newFile('f'), newFile('f')], 'InvalidTransactionState'],
    ['one file in two spellings', [newFile('f%20g'), newFile('./f%20g')], 'InvalidTransactionState'],
    ['a partition value too many', [newFile('f', { partitionValues: { p: 'x' } })], 'InvalidPartitionValues'],
    [
      'a vector of a table without',
      [
        newFile('f', {
          deletionVector: { storageType: 'p', pathOrInlineDv: 'file:///v', sizeInBytes: 1, cardinality: 1 },
        }),
      ],
      'Unsupported',
    ],
  ])('%s', async (_, files, code) => {
    const table = simpleTable();
    const transaction = (await table.load()).transaction(committer).addFiles(files);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code, table: 'memory:///t/' });
    expect(table.storage.paths()).toHaveLength(1);
  });

  it('a partition value too few, or under a name that is not physical', async () => {
    const table = partitioned();
    for (const partitionValues of [{}, { P: 'x' }]) {
      const transaction = (await table.load())
        .transaction(committer)
        .addFiles([newFile('f', { partitionValues })]);
      await expect(transaction.commit(table.engine)).rejects.toMatchObject({
        code: 'InvalidPartitionValues',
      });
    }
  });

  it('a partition value that its type cannot hold', async () => {
    const schema = types.struct([
      ...ID_SCHEMA.fields,
      { name: 'd', type: types.date, nullable: false, metadata: {} },
    ]);
    const table = simpleTable(schema, { partitionColumns: ['d'] });
    const commit = async (d: string | null) => {
      const file = newFile('f', { partitionValues: { d } });
      await (await table.load()).transaction(committer).addFiles([file]).commit(table.engine);
    };
    await expect(commit('tomorrow')).rejects.toMatchObject({ code: 'ParseError', path: 'f', column: 'd' });
    await expect(commit(null)).rejects.toMatchObject({ code: 'ConstraintViolation', path: 'f', column: 'd' });
    await commit('2024-02-29');
  });

  it('files for a table without columns', async () => {
    const table = simpleTable(types.struct([]));
    const transaction = (await table.load()).transaction(committer).addFiles([newFile('f')]);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'Schema' });
    expect(() => transaction.unpartitionedWriteContext()).toThrow(
      expect.objectContaining({ code: 'Schema' }),
    );
  });

  it('removals from an append-only table, unless they only move rows', async () => {
    const table = simpleTable(ID_SCHEMA, { configuration: { 'delta.appendOnly': 'true' } });
    table.put(1, add('f', { size: 5 }));
    const snapshot = await table.load();
    const files = await filesOf(table, snapshot);
    await expect(
      snapshot.transaction(committer).removeFiles(files).commit(table.engine),
    ).rejects.toMatchObject({ code: 'Unsupported', feature: 'appendOnly' });
    const compaction = snapshot.transaction(committer).withDataChange(false).removeFiles(files);
    expect((await compaction.addFiles([newFile('g')]).commit(table.engine)).status).toBe('committed');
  });

  it('a file that is removed twice, or added and removed', async () => {
    const table = simpleTable();
    table.put(1, add('f', { size: 5 }));
    const snapshot = await table.load();
    const files = await filesOf(table, snapshot);
    for (const transaction of [
      snapshot.transaction(committer).removeFiles(files).removeFiles(files),
      snapshot
        .transaction(committer)
        .removeFiles(files)
        .addFiles([newFile('f')]),
    ]) {
      await expect(transaction.commit(table.engine)).rejects.toMatchObject({
        code: 'InvalidTransactionState',
        path: 'f',
      });
    }
  });

  it('adding and removing without change files where there is a change data feed', async () => {
    const table = featureTable({ writer: ['changeDataFeed'] }, { 'delta.enableChangeDataFeed': 'true' });
    table.put(1, add('f', { size: 5 }));
    const snapshot = await table.load();
    const files = await filesOf(table, snapshot);
    const rewrite = () =>
      snapshot
        .transaction(committer)
        .removeFiles(files)
        .addFiles([newFile('g')]);
    await expect(rewrite().commit(table.engine)).rejects.toMatchObject({ code: 'ChangeDataFeedUnsupported' });
    const changes = [{ path: '_change_data/c', partitionValues: {}, size: 1 }];
    await committed(rewrite().addCdcFiles(changes), table);
    const newest = await table.load();
    await committed(newest.transaction(committer).removeFiles(await filesOf(table, newest)), table);
  });

  it('change files where there is no feed', async () => {
    const table = simpleTable();
    const transaction = (await table.load())
      .transaction(committer)
      .addCdcFiles([{ path: 'c', partitionValues: {}, size: 1 }]);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'InvalidTransactionState' });
  });

  it.each([
    ['adds nothing', (t: ReturnType<Snapshot['transaction']>) => t],
    [
      'changes no data',
      (t: ReturnType<Snapshot['transaction']>) => t.addFiles([newFile('g')]).withDataChange(false),
    ],
  ])('a blind append that %s', async (_, change) => {
    const table = simpleTable();
    const transaction = change((await table.load()).transaction(committer).withBlindAppend());
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'InvalidTransactionState' });
  });

  it('a blind append that removes', async () => {
    const table = simpleTable();
    table.put(1, add('f', { size: 5 }));
    const snapshot = await table.load();
    const transaction = snapshot
      .transaction(committer)
      .withBlindAppend()
      .addFiles([newFile('g')])
      .removeFiles(await filesOf(table, snapshot));
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'InvalidTransactionState' });
  });

  it('two versions of one application, and versions that are none', async () => {
    const transaction = (await simpleTable().load()).transaction(committer).withTransactionId('a', 1);
    expect(() => transaction.withTransactionId('a', 2)).toThrow('two versions of the application a');
    expect(() => transaction.withTransactionId('b', -1)).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
  });

  it('commit info that is no JSON', async () => {
    const table = simpleTable();
    for (const value of [() => 1, Number.NaN, [1, 'a'], new Date(0), 2n ** 64n]) {
      const transaction = (await table.load()).transaction(committer).withCommitInfo({ value });
      await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'InvalidOption' });
    }
    expect(table.storage.paths()).toHaveLength(1);
  });

  it('a table that asks for what is not enforced, unless the caller does', async () => {
    const table = simpleTable(ID_SCHEMA, { configuration: { 'delta.constraints.c': 'id > 0' } });
    table.put(
      0,
      { protocol: { minReaderVersion: 1, minWriterVersion: 3 } },
      ...(await table.read(0)).slice(1),
    );
    const snapshot = await table.load();
    expect(() => snapshot.transaction(committer)).toThrow(
      expect.objectContaining({ code: 'Unsupported', feature: 'checkConstraints' }),
    );
    const enforcedFeatures = new Set(['checkConstraints']);
    await committed(snapshot.transaction(committer, { enforcedFeatures }).addFiles([newFile('f')]), table);
  });

  it('a committer of the other kind', async () => {
    const table = simpleTable();
    const catalog = { ...committer, isCatalogCommitter: () => true } as never;
    const transaction = (await table.load()).transaction(catalog).addFiles([newFile('f')]);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'CommitterMismatch' });
  });
});

describe('a transaction', () => {
  it('can be corrected after it was refused', async () => {
    const table = simpleTable();
    const transaction = (await table.load()).transaction(committer).withBlindAppend();
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'InvalidTransactionState' });
    await committed(transaction.addFiles([newFile('f')]), table);
    expect(kinds(await table.read(1))).toEqual(['commitInfo', 'add']);
  });

  it('is committed once', async () => {
    const table = simpleTable();
    const transaction = (await table.load()).transaction(committer).addFiles([newFile('f')]);
    const both = await Promise.allSettled([
      transaction.commit(table.engine),
      transaction.commit(table.engine),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({ code: 'InvalidTransactionState' });
    expect(() => transaction.addFiles([])).toThrow(
      expect.objectContaining({ code: 'InvalidTransactionState' }),
    );
    expect(table.storage.paths()).toHaveLength(2);
  });
});
