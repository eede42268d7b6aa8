/** Each check on both sides: a commit of another writer that must not be passed, and the nearest one that may be. */
import { describe, expect, it } from 'vitest';
import type { DeltaErrorCode } from '../../../src/errors.ts';
import { col } from '../../../src/kernel/expressions/builders.ts';
import type { ScanFile } from '../../../src/kernel/scan/scan-files.ts';
import { field, METADATA_KEYS, types } from '../../../src/kernel/schema/types.ts';
import type { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import type { Transaction } from '../../../src/kernel/transaction/transaction.ts';
import { type Action, add, metadata, protocol, remove } from '../../helpers/log-builder.ts';
import {
  committer,
  featureTable,
  livePaths,
  newFile,
  PARTITIONED_SCHEMA,
  simpleTable,
  type TestTable,
} from './helpers.ts';

type Txn = Transaction<Snapshot>;

const stats = (min: number, max: number) => ({
  numRecords: 2,
  minValues: { id: min },
  maxValues: { id: max },
  nullCount: { id: 0 },
});
const info = (fields: object = {}): Action => ({
  commitInfo: { timestamp: 1, operation: 'WRITE', ...fields },
});

/** A table with the files old (ids 0 to 9, p = a) and other (ids 10 to 19, p = b) at version 1. */
function table(): TestTable {
  const created = simpleTable(PARTITIONED_SCHEMA, { partitionColumns: ['p'] });
  created.put(
    1,
    add('old', { size: 1, partitionValues: { p: 'a' }, stats: stats(0, 9) }),
    add('other', { size: 1, partitionValues: { p: 'b' }, stats: stats(10, 19) }),
  );
  return created;
}

const ours = newFile('ours', { partitionValues: { p: 'z' } });
const theirs = (fields: object = {}) =>
  add('theirs', { size: 1, partitionValues: { p: 'a' }, stats: stats(0, 9), ...fields });
const fileNamed = async (of: TestTable, snapshot: Snapshot, name: string): Promise<ScanFile[]> => {
  const files: ScanFile[] = [];
  for await (const file of snapshot.scan().files(of.engine)) if (file.path === name) files.push(file);
  return files;
};

interface Case {
  readonly ours: (transaction: Txn, of: TestTable, snapshot: Snapshot) => Txn | Promise<Txn>;
  readonly winner: readonly Action[];
  readonly of?: () => TestTable;
}

/** The code of the conflict, or `passes` where the transaction commits after the winner. */
async function outcome({ ours: change, winner, of = table }: Case): Promise<DeltaErrorCode | 'passes'> {
  const target = of();
  const snapshot = await target.load();
  const transaction = await change(snapshot.transaction(committer), target, snapshot);
  const version = snapshot.version + 1;
  target.put(version, ...winner);
  const result = await transaction.commit(target.engine);
  if (result.status !== 'conflicted') throw new Error(`expected a conflict, not ${result.status}`);
  expect(result.conflictVersion).toBe(version);
  let rebased: Txn;
  try {
    rebased = await result.rebase(target.engine);
  } catch (error) {
    expect(error).toMatchObject({ table: 'memory:///t/', version });
    return (error as { code: DeltaErrorCode }).code;
  }
  const again = await rebased.commit(target.engine);
  if (again.status !== 'committed') throw new Error(`expected a commit, not ${again.status}`);
  expect(again.commitVersion).toBe(version + 1);
  expect(await livePaths(again.postCommitSnapshot, target)).toEqual(
    await livePaths(await target.load(), target),
  );
  return 'passes';
}

const blind = (transaction: Txn) => transaction.withBlindAppend().addFiles([ours]);

describe('protocol and metadata', () => {
  it('a changed protocol stops everything, blind appends too', async () => {
    expect(await outcome({ ours: blind, winner: [protocol(1, 2)] })).toBe('ProtocolChanged');
  });

  it('changed metadata too', async () => {
    const changed = metadata(PARTITIONED_SCHEMA, { partitionColumns: ['p'], configuration: { k: 'v' } });
    expect(await outcome({ ours: blind, winner: [changed] })).toBe('MetadataChanged');
  });

  it('a commit of nothing but commitInfo stops nothing', async () => {
    expect(await outcome({ ours: (t) => t.addFiles([ours]), winner: [info()] })).toBe('passes');
    expect(await outcome({ ours: (t) => t.addFiles([ours]), winner: [] })).toBe('passes');
  });
});

describe('domains', () => {
  const of = () => featureTable({ writer: ['domainMetadata', 'clustering', 'rowTracking'] });
  const domain = (name: string, configuration = '{}'): Action => ({
    domainMetadata: { domain: name, configuration, removed: false },
  });
  const append = (t: Txn) => t.withBlindAppend().addFiles([newFile('ours')]);

  it('the same domain in both', async () => {
    const set = (t: Txn) => append(t).withDomainMetadata('app', 'x');
    expect(await outcome({ of, ours: set, winner: [domain('app')] })).toBe('ConcurrentDomainMetadata');
    expect(await outcome({ of, ours: set, winner: [domain('other')] })).toBe('passes');
  });

  it('new clustering columns, where files are added', async () => {
    const clustered = domain('delta.clustering', '{"clusteringColumns":[["id"]]}');
    expect(await outcome({ of, ours: append, winner: [clustered] })).toBe('ConcurrentDomainMetadata');
    const noFiles = (t: Txn) => t.withReadFiles([]).withDomainMetadata('app', 'x');
    expect(await outcome({ of, ours: noFiles, winner: [clustered] })).toBe('passes');
  });

  it('the high watermark of row ids is merged', async () => {
    const marked = domain('delta.rowTracking', '{"rowIdHighWaterMark":41}');
    expect(await outcome({ of, ours: append, winner: [marked] })).toBe('passes');
  });
});

describe('application transactions', () => {
  const winner = (appId: string): Action[] => [{ txn: { appId, version: 7 } }];

  it('an application that is set or read, whatever the version', async () => {
    const sets = (t: Txn) => blind(t).withTransactionId('app', 3);
    expect(await outcome({ ours: sets, winner: winner('app') })).toBe('ConcurrentTransaction');
    expect(await outcome({ ours: sets, winner: winner('other') })).toBe('passes');
    const reads = (t: Txn) => blind(t).withReadAppId('app');
    expect(await outcome({ ours: reads, winner: winner('app') })).toBe('ConcurrentTransaction');
    expect(await outcome({ ours: reads, winner: winner('other') })).toBe('passes');
  });
});

describe('concurrent appends', () => {
  const read = (predicate: ReturnType<typeof col.prototype.eq>) => (t: Txn) => {
    return t.withReadPredicate(predicate).addFiles([ours]);
  };

  it.each([
    ['a partition that was read', col('p').eq('a'), 'ConcurrentAppend'],
    ['another partition', col('p').eq('c'), 'passes'],
    ['statistics within what was read', col('id').lt(5), 'ConcurrentAppend'],
    ['statistics beyond it', col('id').gt(9), 'passes'],
  ] as const)('%s', async (_, predicate, expected) => {
    expect(await outcome({ ours: read(predicate), winner: [theirs()] })).toBe(expected);
  });

  it('no statistics, or statistics that are none: it may match', async () => {
    for (const unknown of [undefined, '{', { minValues: {} }]) {
      const winner = [theirs({ stats: unknown })];
      expect(await outcome({ ours: read(col('id').gt(1000)), winner })).toBe('ConcurrentAppend');
    }
  });

  it('files of which a scan of the transaction would have read', async () => {
    const scans = (predicate?: ReturnType<typeof col.prototype.eq>) => (t: Txn) => {
      t.scan(predicate === undefined ? {} : { predicate: predicate.predicate });
      return t.addFiles([ours]);
    };
    expect(await outcome({ ours: scans(col('p').eq('a')), winner: [theirs()] })).toBe('ConcurrentAppend');
    expect(await outcome({ ours: scans(col('p').eq('c')), winner: [theirs()] })).toBe('passes');
    expect(await outcome({ ours: scans(), winner: [theirs()] })).toBe('ConcurrentAppend');
  });

  it('nothing declared counts as everything read; a blind append reads nothing', async () => {
    expect(await outcome({ ours: (t) => t.addFiles([ours]), winner: [theirs()] })).toBe('ConcurrentAppend');
    expect(await outcome({ ours: blind, winner: [theirs()] })).toBe('passes');
    const none = (t: Txn) => t.withReadFiles([]).addFiles([ours]);
    expect(await outcome({ ours: none, winner: [theirs()] })).toBe('passes');
    const whole = (t: Txn) => none(t).withReadWholeTable();
    expect(await outcome({ ours: whole, winner: [theirs()] })).toBe('ConcurrentAppend');
  });

  it('rows that only move do not count', async () => {
    const moved = [theirs({ dataChange: false })];
    expect(await outcome({ ours: (t) => t.addFiles([ours]), winner: moved })).toBe('passes');
  });

  it('a predicate is judged on the schema at the time of the read', async () => {
    const mapped = () => {
      const id = { [METADATA_KEYS.columnMappingId]: 1, [METADATA_KEYS.columnMappingPhysicalName]: 'x1' };
      return featureTable(
        { reader: ['columnMapping'] },
        { 'delta.columnMapping.mode': 'name' },
        types.struct([field('id', types.long, { metadata: id })]),
      );
    };
    const winner = (max: number) => [
      add('theirs', {
        size: 1,
        stats: { numRecords: 1, minValues: { x1: 0 }, maxValues: { x1: max }, nullCount: { x1: 0 } },
      }),
    ];
    const reads = (t: Txn) => t.withReadPredicate(col('id').gt(5)).addFiles([newFile('ours')]);
    expect(await outcome({ of: mapped, ours: reads, winner: winner(9) })).toBe('ConcurrentAppend');
    expect(await outcome({ of: mapped, ours: reads, winner: winner(5) })).toBe('passes');
  });
});

describe('isolation levels', () => {
  const blindWinner = [info({ isBlindAppend: true }), theirs()];
  const ordinaryWinner = [info({ isBlindAppend: false }), theirs()];
  const append = (level: 'Serializable' | 'WriteSerializable' | 'SnapshotIsolation') => (t: Txn) => {
    return t.withIsolationLevel(level).addFiles([ours]);
  };

  it('Serializable checks every append', async () => {
    expect(await outcome({ ours: append('Serializable'), winner: blindWinner })).toBe('ConcurrentAppend');
  });

  it('WriteSerializable passes blind appends, and only those that say so', async () => {
    const level = append('WriteSerializable');
    expect(await outcome({ ours: level, winner: blindWinner })).toBe('passes');
    expect(await outcome({ ours: level, winner: ordinaryWinner })).toBe('ConcurrentAppend');
    expect(await outcome({ ours: level, winner: [info(), theirs()] })).toBe('ConcurrentAppend');
    expect(await outcome({ ours: level, winner: [theirs()] })).toBe('ConcurrentAppend');
  });

  it('SnapshotIsolation is for moving rows only', async () => {
    const moves = (t: Txn) => append('SnapshotIsolation')(t).withDataChange(false);
    expect(await outcome({ ours: moves, winner: ordinaryWinner })).toBe('passes');
    expect(await outcome({ ours: append('SnapshotIsolation'), winner: ordinaryWinner })).toBe(
      'ConcurrentAppend',
    );
    const withTxn = (t: Txn) => moves(t).withTransactionId('a', 1);
    expect(await outcome({ ours: withTxn, winner: ordinaryWinner })).toBe('ConcurrentAppend');
  });

  it('come from the table where the transaction says none', async () => {
    const of = (level: string) => () => {
      const created = simpleTable(PARTITIONED_SCHEMA, {
        partitionColumns: ['p'],
        configuration: { 'delta.isolationLevel': level },
      });
      created.put(1, info());
      return created;
    };
    const plain = (t: Txn) => t.addFiles([ours]);
    expect(await outcome({ of: of('WriteSerializable'), ours: plain, winner: blindWinner })).toBe('passes');
    expect(await outcome({ of: of('Serializable'), ours: plain, winner: blindWinner })).toBe(
      'ConcurrentAppend',
    );
    const unknown = of('Chaos')();
    const transaction = plain((await unknown.load()).transaction(committer));
    await expect(transaction.commit(unknown.engine)).rejects.toMatchObject({ code: 'ParseError' });
  });
});

describe('concurrent removals', () => {
  const removesOld = [remove('old', { partitionValues: { p: 'a' }, stats: JSON.stringify(stats(0, 9)) })];

  it('of a file that was read, of data change or not', async () => {
    const reads = (path: string) => (t: Txn) => t.withReadFiles([path]).addFiles([ours]);
    expect(await outcome({ ours: reads('old'), winner: removesOld })).toBe('ConcurrentDeleteRead');
    expect(await outcome({ ours: reads('./o%6Cd'), winner: removesOld })).toBe('ConcurrentDeleteRead');
    const moved = [remove('old', { dataChange: false })];
    expect(await outcome({ ours: reads('old'), winner: moved })).toBe('ConcurrentDeleteRead');
    expect(await outcome({ ours: reads('other'), winner: removesOld })).toBe('passes');
  });

  it('of anything, where the whole table was read', async () => {
    expect(await outcome({ ours: (t) => t.addFiles([ours]), winner: removesOld })).toBe(
      'ConcurrentDeleteRead',
    );
    expect(await outcome({ ours: blind, winner: removesOld })).toBe('passes');
  });

  it('of a file that a predicate has read', async () => {
    const reads = (p: string) => (t: Txn) => t.withReadPredicate(col('p').eq(p)).addFiles([ours]);
    expect(await outcome({ ours: reads('a'), winner: removesOld })).toBe('ConcurrentDeleteRead');
    expect(await outcome({ ours: reads('b'), winner: removesOld })).toBe('passes');
    // A removal that does not say what it removes.
    expect(await outcome({ ours: reads('b'), winner: [remove('old')] })).toBe('ConcurrentDeleteRead');
  });

  const removes = (name: string) => async (t: Txn, of: TestTable, snapshot: Snapshot) => {
    return t.withReadFiles([]).removeFiles(await fileNamed(of, snapshot, name));
  };

  it('of the file that this transaction removes', async () => {
    expect(await outcome({ ours: removes('old'), winner: removesOld })).toBe('ConcurrentDeleteDelete');
    expect(await outcome({ ours: removes('other'), winner: removesOld })).toBe('passes');
  });

  it('a deletion vector of another writer on the same file counts, whatever the vector', async () => {
    const dv = (name: string) =>
      ({ storageType: 'p', pathOrInlineDv: `file:///${name}`, sizeInBytes: 1, cardinality: 1 }) as const;
    const of = () => {
      const created = featureTable(
        { reader: ['deletionVectors'] },
        { 'delta.enableDeletionVectors': 'true' },
      );
      created.put(
        1,
        add('old', { size: 1, stats: stats(0, 9) }),
        add('other', { size: 1, stats: stats(0, 9) }),
      );
      return created;
    };
    const winner = [remove('old'), add('old', { size: 1, stats: stats(0, 9), deletionVector: dv('theirs') })];
    const updates = (name: string) => async (t: Txn, target: TestTable, snapshot: Snapshot) => {
      const files = await fileNamed(target, snapshot, name);
      return t.withReadFiles([]).updateDeletionVectors(new Map([[name, dv('ours')]]), files);
    };
    expect(await outcome({ of, ours: updates('old'), winner })).toBe('ConcurrentDeleteDelete');
    expect(await outcome({ of, ours: updates('other'), winner })).toBe('passes');
  });

  it('of a file that this transaction adds again', async () => {
    const again = (t: Txn) => {
      const file = newFile('old', { partitionValues: { p: 'a' }, tags: { t: '1' } });
      return t.withReadFiles([]).withDataChange(false).addFiles([file]);
    };
    expect(await outcome({ ours: again, winner: removesOld })).toBe('ConcurrentDeleteRead');
    expect(await outcome({ ours: again, winner: [remove('other')] })).toBe('passes');
  });
});

describe('the winners', () => {
  it('are all asked, first one first', async () => {
    const target = table();
    const transaction = (await target.load()).transaction(committer).withReadFiles(['old']).addFiles([ours]);
    target.put(2, theirs());
    target.put(3, remove('old'));
    target.put(4, protocol(1, 2));
    const result = await transaction.commit(target.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await expect(result.rebase(target.engine)).rejects.toMatchObject({
      code: 'ConcurrentDeleteRead',
      version: 3,
    });
  });

  it('are found where a checkpoint has taken their place', async () => {
    const target = table();
    const transaction = (await target.load()).transaction(committer).withBlindAppend().addFiles([ours]);
    target.put(2, theirs());
    target.put(3, add('more', { size: 1, partitionValues: { p: 'a' } }));
    target.storage.set('memory:///t/_delta_log/00000000000000000003.checkpoint.parquet', 'not read here');
    const result = await transaction.commit(target.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    const rebased = await result.rebase(target.engine);
    expect(rebased.readVersion).toBe(3);
    expect(await rebased.commit(target.engine)).toMatchObject({ status: 'committed', commitVersion: 4 });
  });

  it('that were cleaned up cannot be passed', async () => {
    const target = table();
    const transaction = (await target.load()).transaction(committer).withBlindAppend().addFiles([ours]);
    target.put(2, theirs());
    target.put(3, theirs());
    target.storage.set('memory:///t/_delta_log/00000000000000000003.checkpoint.parquet', 'not read here');
    const result = await transaction.commit(target.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    for (const version of [0, 1, 2]) {
      await target.storage.delete(new URL(`memory:///t/_delta_log/0000000000000000000${version}.json`));
    }
    await expect(result.rebase(target.engine)).rejects.toMatchObject({ code: 'MissingData', version: 2 });
  });

  it('that cannot be read are an error', async () => {
    const target = table();
    const transaction = (await target.load()).transaction(committer).withBlindAppend().addFiles([ours]);
    target.put(2, theirs());
    const result = await transaction.commit(target.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    target.storage.set('memory:///t/_delta_log/00000000000000000002.json', '{"add":{"path":"x');
    await expect(result.rebase(target.engine)).rejects.toMatchObject({ code: 'MalformedJson', version: 2 });
  });
});
