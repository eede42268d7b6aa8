/** Appending rows. */
import type { ArrowEngineData } from '../../engine/arrow-engine-data.ts';
import { isArrow } from '../../engine/arrow-input.ts';
import { type DeltaError, isDeltaError, withContext } from '../../errors.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import type { AddFile } from '../../kernel/transaction/file-actions.ts';
import type { Transaction } from '../../kernel/transaction/transaction.ts';
import {
  commitUntilDecided,
  place,
  repeatOnConflict,
  type WriteOptions,
  type WriteTarget,
} from './commit.ts';
import { ENFORCED_FEATURES } from './constraints.ts';
import { DataFileWriter } from './data-files.ts';
import { checkedBatches, type RowInput } from './input.ts';
import { targetFileSizeOf } from './settings.ts';
import { dataFileTable } from './table.ts';

/** The newest write of an application, so that the same one is not done twice. */
export interface AppVersion {
  readonly appId: string;
  readonly version: number;
}

export interface AppendOptions extends WriteOptions {
  /** Makes the append idempotent: where the table has this application's version or a later one, it does nothing. */
  readonly transactionId?: AppVersion | undefined;
  /** Bytes of a data file, about; `delta.targetFileSize`, or 128 MiB, by default. */
  readonly targetFileSize?: number | undefined;
}

/**
 * Appends rows. Nothing is committed without any rows, or where the table has the transaction already.
 * @returns the table after the append.
 */
export async function append(
  target: WriteTarget,
  input: RowInput,
  options: AppendOptions,
): Promise<Snapshot> {
  // What can be iterated only once cannot be written again for a changed table.
  const attempts = isInMemory(input) ? options.maxAttempts : 1;
  return repeatOnConflict(target, { ...options, maxAttempts: attempts }, async (snapshot) => {
    try {
      return await appendOnce({ ...target, snapshot }, input, options);
    } catch (error) {
      throw withContext(error, place(snapshot));
    }
  });
}

async function appendOnce(target: WriteTarget, input: RowInput, options: AppendOptions): Promise<Snapshot> {
  const { snapshot, committer } = target;
  const { transactionId, engineInfo, commitInfo } = options;
  if (transactionId && (await hasTransaction(target, transactionId, options))) return snapshot;
  const transaction = snapshot
    .transaction(committer, { enforcedFeatures: ENFORCED_FEATURES })
    .withOperation('WRITE', {
      mode: 'Append',
      partitionBy: JSON.stringify(snapshot.metadata.partitionColumns),
    });
  const { files, rows } = await writeRows(target, transaction, input, options);
  if (files.length === 0 && transactionId === undefined) return snapshot;
  if (files.length > 0) transaction.addFiles(files).withBlindAppend();
  if (transactionId) transaction.withTransactionId(transactionId.appId, transactionId.version);
  if (engineInfo !== undefined) transaction.withEngineInfo(engineInfo);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const metrics = new Map([
    ['numFiles', String(files.length)],
    ['numOutputRows', String(rows)],
    ['numOutputBytes', String(bytes)],
  ]);
  transaction.withCommitInfo({ operationMetrics: metrics, ...commitInfo });
  try {
    const counts = { numFilesAdded: files.length, numBytesAdded: bytes, numRowsInserted: rows };
    return await commitUntilDecided(target, transaction, { ...options, counts });
  } catch (error) {
    if (!transactionId || !isDeltaError(error, 'ConcurrentTransaction')) throw error;
    return alreadyWritten(target, transactionId, options, error);
  }
}

/** Another writer of the same application was faster, perhaps with the same version. */
async function alreadyWritten(
  target: WriteTarget,
  transaction: AppVersion,
  options: AppendOptions,
  conflict: DeltaError,
): Promise<Snapshot> {
  const { signal } = options;
  const snapshot = await target.snapshot.refresh(target.engine, {
    signal,
    ...(await target.catalogState({ signal })),
  });
  if (await hasTransaction({ ...target, snapshot }, transaction, options)) return snapshot;
  throw conflict;
}

async function hasTransaction(
  { engine, snapshot }: WriteTarget,
  { appId, version }: AppVersion,
  { signal }: AppendOptions,
): Promise<boolean> {
  const newest = await snapshot.getAppIdVersion(engine, appId, { signal });
  return newest !== undefined && newest >= version;
}

async function writeRows(
  { engine, snapshot }: WriteTarget,
  transaction: Transaction<Snapshot>,
  input: RowInput,
  { signal, targetFileSize = targetFileSizeOf(snapshot.tableProperties), onWarning }: AppendOptions,
): Promise<{ files: readonly AddFile[]; rows: number }> {
  const batches = checkedBatches(engine, snapshot, input, signal);
  // Rows in memory are all checked before the first file is written.
  const checked = isInMemory(input) ? await collected(batches) : batches;
  const table = await dataFileTable(engine, snapshot, transaction, { signal });
  const writer = new DataFileWriter(engine, table, { signal, targetFileSize });
  let rows = 0;
  try {
    for await (const batch of checked) {
      rows += batch.length;
      await writer.add(batch);
    }
    return { files: await writer.finish(), rows };
  } catch (error) {
    await writer.discard(onWarning);
    throw error;
  }
}

async function collected(batches: AsyncIterable<ArrowEngineData>): Promise<ArrowEngineData[]> {
  const all: ArrowEngineData[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

function isInMemory(input: RowInput): boolean {
  return Array.isArray(input) || isArrow(input);
}
