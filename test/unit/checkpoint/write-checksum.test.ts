/** What checksums say, counted by hand from logs of a few actions. */
import { describe, expect, it } from 'vitest';
import { checksumFileName } from '../../../src/kernel/log/log-path.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { add, LogBuilder, metadata, protocol, remove } from '../../helpers/log-builder.ts';

const schema = types.struct([field('id', types.long)]);
const info = (operation: string, txnId?: string) => ({ commitInfo: { operation, txnId } });
const txn = (appId: string, version: number) => ({ txn: { appId, version } });
const domain = (each: string, configuration: string, removed = false) => ({
  domainMetadata: { domain: each, configuration, removed },
});
const vector = (cardinality: number) => ({
  deletionVector: {
    storageType: 'u',
    pathOrInlineDv: `ab^-aqEH.-t@S}K{vb[*k${cardinality}`,
    offset: 1,
    sizeInBytes: 40,
    cardinality,
  },
});

async function snapshotOf(log: LogBuilder, version?: number): Promise<Snapshot> {
  await log.open();
  return Snapshot.load(log.engine, log.root, { version });
}

async function checksumOf(log: LogBuilder, version: number): Promise<Record<string, unknown>> {
  const location = log.url(`_delta_log/${checksumFileName(version)}`);
  for await (const bytes of log.storage.readFiles([{ location }]))
    return JSON.parse(new TextDecoder().decode(bytes));
  throw new Error('no checksum');
}

const first = () =>
  new LogBuilder().commit(
    info('WRITE', 'first'),
    protocol(3, 7, { reader: ['deletionVectors'], writer: ['deletionVectors', 'domainMetadata'] }),
    metadata(schema),
    add('a', { size: 5 }),
    add('b', { size: 8192, ...vector(3) }),
    add('c', { size: 100 }),
    txn('app', 1),
    txn('other', 1),
    domain('d', '1'),
    domain('e', '1'),
  );

const second = () =>
  first().commit(
    info('DELETE', 'second'),
    remove('a', { size: 5 }),
    remove('a', { size: 5 }),
    remove('b', { size: 8192, ...vector(3) }),
    add('b', { size: 8192, ...vector(7) }),
    add('d', { size: 9000 }),
    txn('app', 2),
    domain('d', '2'),
    domain('e', '1', true),
  );

/** Of version 1: files b (with 7 rows deleted), c, d. */
const SECOND = {
  txnId: 'second',
  tableSizeBytes: 8192 + 100 + 9000,
  numFiles: 3,
  numDeletedRecordsOpt: 7,
  numDeletionVectorsOpt: 1,
  numMetadata: 1,
  numProtocol: 1,
  setTransactions: [
    { appId: 'app', version: 2 },
    { appId: 'other', version: 1 },
  ],
  domainMetadata: [{ domain: 'd', configuration: '2', removed: false }],
  protocol: {
    minReaderVersion: 3,
    minWriterVersion: 7,
    readerFeatures: ['deletionVectors'],
    writerFeatures: ['deletionVectors', 'domainMetadata'],
  },
  metadata: metadata(schema).metaData,
};

/** Counts and bytes of the bins that hold any files, by their lower boundary. */
function bins(checksum: Record<string, unknown>): Record<number, readonly [number, number]> {
  const { sortedBinBoundaries, fileCounts, totalBytes } = checksum.fileSizeHistogram as Record<
    string,
    number[]
  >;
  expect(sortedBinBoundaries![0]).toBe(0);
  expect([fileCounts!.length, totalBytes!.length]).toEqual(Array(2).fill(sortedBinBoundaries!.length));
  const entries = sortedBinBoundaries!.map((low, i) => [low, [fileCounts![i]!, totalBytes![i]!]] as const);
  return Object.fromEntries(entries.filter(([, [count, bytes]]) => count !== 0 || bytes !== 0));
}
const SECOND_BINS = { 0: [1, 100], 8192: [2, 17_192] };

describe('from the whole log', () => {
  it('counts live files, their deletion vectors and sizes, transactions and domains', async () => {
    const log = second();
    const { result, snapshot } = await (await snapshotOf(log)).writeChecksum(log.engine);
    expect(result).toBe('written');
    const { fileSizeHistogram: _bins, ...rest } = await checksumOf(log, 1);
    expect(rest).toEqual(SECOND);
    expect(bins(await checksumOf(log, 1))).toEqual(SECOND_BINS);
    expect(snapshot.checksum).toMatchObject({ version: 1, numFiles: 3, tableSizeBytes: 17_292 });
    expect(snapshot.logSegment.checksum).toMatchObject({ kind: 'checksum', version: 1 });
  });

  it('does not speak of what the table cannot have, nor of in-commit timestamps that are off', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(schema));
    await (await snapshotOf(log)).writeChecksum(log.engine);
    const written = await checksumOf(log, 0);
    expect(Object.keys(written)).toEqual([
      'tableSizeBytes',
      'numFiles',
      'numMetadata',
      'numProtocol',
      'setTransactions',
      'domainMetadata',
      'metadata',
      'protocol',
      'fileSizeHistogram',
    ]);
    expect(written).toMatchObject({
      tableSizeBytes: 0,
      numFiles: 0,
      setTransactions: [],
      domainMetadata: [],
    });
  });

  it('refuses files without a size', async () => {
    const log = new LogBuilder().text(
      '_delta_log/00000000000000000000.json',
      [protocol(), metadata(schema), { add: { path: 'x', partitionValues: {} } }]
        .map((each) => JSON.stringify(each))
        .join('\n'),
    );
    await expect((await snapshotOf(log)).writeChecksum(log.engine)).rejects.toMatchObject({
      code: 'ChecksumWriteUnsupported',
      path: 'x',
    });
  });
});

describe('from the checksum before', () => {
  const follow = async (log: LogBuilder, before: object, version = 1) => {
    const snapshot = await snapshotOf(log, version - 1);
    await snapshot.writeChecksum(log.engine);
    const known = { ...(await checksumOf(log, version - 1)), ...before };
    log.text(`_delta_log/${checksumFileName(version - 1)}`, JSON.stringify(known));
    return snapshotOf(log, version);
  };

  it('says the same as from the log', async () => {
    const log = second();
    const snapshot = await follow(log, {});
    expect((await snapshot.writeChecksum(log.engine, { recompute: false })).result).toBe('written');
    const { fileSizeHistogram: _bins, ...rest } = await checksumOf(log, 1);
    expect(rest).toEqual(SECOND);
    expect(bins(await checksumOf(log, 1))).toEqual(SECOND_BINS);
  });

  it('counts on, rather than anew', async () => {
    const log = second();
    const snapshot = await follow(log, { numFiles: 10, tableSizeBytes: 100_000 });
    await snapshot.writeChecksum(log.engine, { recompute: false });
    expect(await checksumOf(log, 1)).toMatchObject({
      numFiles: 10,
      tableSizeBytes: 100_000 - 5 + 9000,
    });
  });

  it('leaves out what the one before did not say, and what it cannot follow', async () => {
    const log = second();
    const snapshot = await follow(log, {
      setTransactions: undefined,
      domainMetadata: undefined,
      numDeletedRecordsOpt: undefined,
      numDeletionVectorsOpt: undefined,
      fileSizeHistogram: { sortedBinBoundaries: [0, 10], fileCounts: [1], totalBytes: [1, 2] },
      allFiles: [],
      deletedRecordCountsHistogramOpt: { deletedRecordCounts: [1] },
    });
    await snapshot.writeChecksum(log.engine, { recompute: false });
    expect(Object.keys(await checksumOf(log, 1))).toEqual([
      'txnId',
      'tableSizeBytes',
      'numFiles',
      'numMetadata',
      'numProtocol',
      'metadata',
      'protocol',
    ]);
  });

  it.each([
    ['an operation that may do more', [info('RESTORE'), remove('a', { size: 5 })]],
    ['no operation', [remove('a', { size: 5 })]],
    ['a remove without a size', [info('DELETE'), remove('a')]],
    ['counts below zero', [info('DELETE'), ...'uvwxyz'.split('').map((path) => remove(path, { size: 1 }))]],
  ])('is not taken over %s: the log is replayed, where it may be', async (_what, actions) => {
    const log = first().commit(...actions);
    const snapshot = await follow(log, {});
    await expect(snapshot.writeChecksum(log.engine, { recompute: false })).rejects.toMatchObject({
      code: 'ChecksumWriteUnsupported',
    });
    await snapshot.writeChecksum(log.engine);
    const gone = actions.some((action) => JSON.stringify(action).includes('"path":"a"'));
    expect(await checksumOf(log, 1)).toMatchObject({ numFiles: gone ? 2 : 3 });
  });

  it('is not taken from a version further back, nor from one that cannot be read', async () => {
    const log = second().commit(info('WRITE'), add('e', { size: 1 }));
    await (await snapshotOf(log, 0)).writeChecksum(log.engine);
    const recompute = { recompute: false };
    await expect((await snapshotOf(log)).writeChecksum(log.engine, recompute)).rejects.toMatchObject({
      code: 'ChecksumWriteUnsupported',
      version: 2,
    });
    log.text(`_delta_log/${checksumFileName(1)}`, '{"numFiles":');
    await expect((await snapshotOf(log)).writeChecksum(log.engine, recompute)).rejects.toMatchObject({
      code: 'ChecksumWriteUnsupported',
    });
    await (await snapshotOf(log)).writeChecksum(log.engine);
    expect(await checksumOf(log, 2)).toMatchObject({ numFiles: 4 });
  });
});

it('never replaces a checksum, not even a broken one, nor one that appeared meanwhile', async () => {
  const log = second();
  const snapshot = await snapshotOf(log);
  log.text(`_delta_log/${checksumFileName(1)}`, 'not json');
  expect((await snapshot.writeChecksum(log.engine)).result).toBe('alreadyExists');
  expect((await (await snapshotOf(log)).writeChecksum(log.engine)).result).toBe('alreadyExists');
  await expect(checksumOf(log, 1)).rejects.toThrow(SyntaxError);
});

it('says the in-commit timestamp exactly where those are enabled', async () => {
  const log = new LogBuilder().commit(
    { commitInfo: { operation: 'CREATE TABLE', inCommitTimestamp: 1234 } },
    protocol(1, 7, { writer: ['inCommitTimestamp'] }),
    metadata(schema, { configuration: { 'delta.enableInCommitTimestamps': 'true' } }),
  );
  const { snapshot } = await (await snapshotOf(log)).writeChecksum(log.engine);
  expect(await checksumOf(log, 0)).toMatchObject({ inCommitTimestampOpt: 1234 });
  expect(snapshot.inCommitTimestamp).toBe(1234);
});
