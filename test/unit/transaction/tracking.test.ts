/** What depends on the version on which a commit builds: row ids, in-commit timestamps. */
import { describe, expect, it } from 'vitest';
import type { ScanFile } from '../../../src/kernel/scan/scan-files.ts';
import type { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { type Action, add, metadata } from '../../helpers/log-builder.ts';
import { committed, committer, featureTable, ID_SCHEMA, NOW, newFile, type TestTable } from './helpers.ts';

const of = (actions: readonly Action[], kind: string) => {
  return actions.flatMap((action) => (kind in action ? [action[kind] as Record<string, unknown>] : []));
};
const records = (numRecords: number) => ({ stats: JSON.stringify({ numRecords }) });
const mark = (value: number): Action => ({
  domainMetadata: {
    domain: 'delta.rowTracking',
    configuration: `{"rowIdHighWaterMark":${value}}`,
    removed: false,
  },
});

describe('row ids', () => {
  const tracked = () => featureTable({ writer: ['rowTracking', 'domainMetadata'] });
  const files = async (table: TestTable, snapshot: Snapshot) => {
    const found: ScanFile[] = [];
    for await (const file of snapshot.scan().files(table.engine)) found.push(file);
    return found;
  };

  it('follow the high watermark, which grows by the rows of the files', async () => {
    const table = tracked();
    const first = (await table.load())
      .transaction(committer)
      .addFiles([newFile('a', records(3)), newFile('b', records(4))]);
    const { postCommitSnapshot } = await committed(first, table);
    const actions = await table.read(1);
    expect(of(actions, 'add')).toMatchObject([
      { path: 'a', baseRowId: 0, defaultRowCommitVersion: 1 },
      { path: 'b', baseRowId: 3, defaultRowCommitVersion: 1 },
    ]);
    expect(of(actions, 'domainMetadata')).toEqual([
      { domain: 'delta.rowTracking', configuration: '{"rowIdHighWaterMark":6}', removed: false },
    ]);
    await committed(postCommitSnapshot.transaction(committer).addFiles([newFile('c', records(1))]), table);
    expect(of(await table.read(2), 'add')).toMatchObject([{ baseRowId: 7, defaultRowCommitVersion: 2 }]);
  });

  it('need to know the rows', async () => {
    const transaction = (await tracked().load())
      .transaction(committer)
      .addFiles([newFile('a', { stats: '{}' })]);
    await expect(transaction.commit(tracked().engine)).rejects.toMatchObject({
      code: 'StatsValidation',
      path: 'a',
    });
  });

  it('are given anew after a rebase, above those of the winners', async () => {
    const table = tracked();
    const transaction = (await table.load())
      .transaction(committer)
      .withBlindAppend()
      .addFiles([newFile('ours', records(5))]);
    table.put(1, add('theirs', { size: 1, baseRowId: 0, defaultRowCommitVersion: 1 }), mark(9));
    const result = await transaction.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await committed(await result.rebase(table.engine), table);
    const actions = await table.read(2);
    expect(of(actions, 'add')).toMatchObject([{ path: 'ours', baseRowId: 10, defaultRowCommitVersion: 2 }]);
    expect(of(actions, 'domainMetadata')).toMatchObject([{ configuration: '{"rowIdHighWaterMark":14}' }]);
  });

  it('of a file that is there already stay, in removes as well', async () => {
    const table = tracked();
    table.put(
      1,
      add('f', { size: 1, baseRowId: 2, defaultRowCommitVersion: 1, stats: { numRecords: 3 } }),
      mark(4),
    );
    const snapshot = await table.load();
    await committed(snapshot.transaction(committer).removeFiles(await files(table, snapshot)), table);
    const actions = await table.read(2);
    expect(of(actions, 'remove')).toMatchObject([{ path: 'f', baseRowId: 2, defaultRowCommitVersion: 1 }]);
    expect(of(actions, 'domainMetadata')).toEqual([]);
  });

  it('that a winner gave to a file are taken over', async () => {
    const table = tracked();
    table.put(
      1,
      add('f', { size: 1, stats: { numRecords: 3 } }),
      add('g', { size: 1, stats: { numRecords: 3 } }),
    );
    const snapshot = await table.load();
    const [f] = await files(table, snapshot);
    const transaction = snapshot.transaction(committer).withReadFiles([]).removeFiles([f!]);
    const backfilled = (path: string, baseRowId: number) => {
      return add(path, { size: 1, baseRowId, defaultRowCommitVersion: 2, dataChange: false });
    };
    table.put(2, backfilled('f', 0), backfilled('g', 3), mark(5));
    const result = await transaction.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await committed(await result.rebase(table.engine), table);
    expect(of(await table.read(3), 'remove')).toMatchObject([
      { path: 'f', baseRowId: 0, defaultRowCommitVersion: 2 },
    ]);
  });

  it('are not given while suspended', async () => {
    const table = featureTable(
      { writer: ['rowTracking', 'domainMetadata'] },
      { 'delta.rowTrackingSuspended': 'true' },
    );
    await committed(
      (await table.load()).transaction(committer).addFiles([newFile('a', { stats: '{}' })]),
      table,
    );
    expect(of(await table.read(1), 'add')[0]).not.toHaveProperty('baseRowId');
  });
});

describe('in-commit timestamps', () => {
  const timed = (inCommitTimestamp: number) => {
    const table = featureTable(
      { writer: ['inCommitTimestamp'] },
      { 'delta.enableInCommitTimestamps': 'true' },
    );
    table.put(1, { commitInfo: { inCommitTimestamp, timestamp: 5, operation: 'X' } });
    return table;
  };

  it.each([
    ['the clock, where it is ahead', NOW - 10, NOW],
    ['a millisecond after the last commit, where the clock is behind', NOW + 3_600_000, NOW + 3_600_001],
    ['a millisecond after the last commit, where the clock stands', NOW, NOW + 1],
  ])('are %s', async (_, previous, expected) => {
    const table = timed(previous);
    const { postCommitSnapshot } = await committed(
      (await table.load()).transaction(committer).addFiles([newFile('a')]),
      table,
    );
    const [first] = await table.read(2);
    expect(first!.commitInfo).toMatchObject({ inCommitTimestamp: expected, timestamp: expected });
    expect(await postCommitSnapshot.timestamp(table.engine)).toBe(expected);
    const next = await committed(postCommitSnapshot.transaction(committer).addFiles([newFile('b')]), table);
    expect(await next.postCommitSnapshot.timestamp(table.engine)).toBe(expected + 1);
  });

  it('stay monotone over a rebase', async () => {
    const table = timed(NOW - 10);
    const transaction = (await table.load())
      .transaction(committer)
      .withBlindAppend()
      .addFiles([newFile('a')]);
    table.put(2, { commitInfo: { inCommitTimestamp: NOW + 50 } });
    table.put(3, { commitInfo: { inCommitTimestamp: NOW + 100 } });
    const result = await transaction.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await committed(await result.rebase(table.engine), table);
    expect((await table.read(4))[0]!.commitInfo).toMatchObject({ inCommitTimestamp: NOW + 101 });
  });

  it('are not written where they are off', async () => {
    const table = featureTable({ writer: ['inCommitTimestamp'] });
    await committed((await table.load()).transaction(committer).addFiles([newFile('a')]), table);
    expect((await table.read(1))[0]!.commitInfo).not.toHaveProperty('inCommitTimestamp');
  });

  it('are the same in every try of one version', async () => {
    const table = timed(NOW - 10);
    const transaction = (await table.load()).transaction(committer).addFiles([newFile('a')]);
    const times: number[] = [];
    const failing = {
      isCatalogCommitter: () => false,
      publish: () => Promise.resolve(),
      commit: (...[, , commit]: Parameters<typeof committer.commit>) => {
        times.push(commit.inCommitTimestamp);
        throw Object.assign(new Error('lost'), { name: 'DeltaError', code: 'IOError' });
      },
    };
    const again = (await table.load()).transaction(failing).addFiles([newFile('a')]);
    await again.commit(table.engine);
    table.runtime.time += 1000;
    await again.commit(table.engine);
    expect(times).toEqual([NOW, NOW]);
    await committed(transaction, table);
  });

  it('begin with the version and time that the metadata says', async () => {
    const table = featureTable({ writer: ['inCommitTimestamp'] });
    const snapshot = await table.load();
    const { Transaction } = await import('../../../src/kernel/transaction/transaction.ts');
    const { Snapshot: Made } = await import('../../../src/kernel/snapshot/snapshot.ts');
    const transaction = new Transaction<Snapshot>({
      base: snapshot,
      committer,
      makeSnapshot: Made.fromParts,
      newMetadata: { ...snapshot.metadata, configuration: { 'delta.enableInCommitTimestamps': 'true' } },
    });
    const { postCommitSnapshot } = await committed(transaction, table);
    const written = of(await table.read(1), 'metaData')[0]!;
    expect(written).toEqual({
      ...(metadata(ID_SCHEMA).metaData as object),
      configuration: {
        'delta.enableInCommitTimestamps': 'true',
        'delta.inCommitTimestampEnablementVersion': '1',
        'delta.inCommitTimestampEnablementTimestamp': String(NOW),
      },
    });
    expect(await (await table.load()).timestamp(table.engine)).toBe(NOW);
    expect(await postCommitSnapshot.timestamp(table.engine)).toBe(NOW);
  });
});
