/** Appending rows. */
import { type DeltaError, isDeltaError, withContext } from '../../errors.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import {
  commitUntilDecided,
  place,
  repeatOnConflict,
  type WriteOptions,
  type WriteTarget,
} from './commit.ts';
import { ENFORCED_FEATURES } from './constraints.ts';
import type { RowInput } from './input.ts';
import { RowFiles } from './row-files.ts';

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
  const rows = new RowFiles(target, input, options);
  try {
    return await repeatOnConflict(target, options, async (snapshot) => {
      try {
        return await appendOnce({ ...target, snapshot }, rows, options);
      } catch (error) {
        throw withContext(error, place(snapshot));
      }
    });
  } catch (error) {
    await rows.newFiles.discard(options.onWarning);
    throw error;
  }
}

async function appendOnce(target: WriteTarget, input: RowFiles, options: AppendOptions): Promise<Snapshot> {
  const { snapshot, committer } = target;
  const { transactionId, engineInfo, commitInfo } = options;
  if (transactionId && (await hasTransaction(target, transactionId, options))) {
    await input.newFiles.discard(options.onWarning);
    return snapshot;
  }
  const transaction = snapshot
    .transaction(committer, { enforcedFeatures: ENFORCED_FEATURES })
    .withOperation('WRITE', {
      mode: 'Append',
      partitionBy: JSON.stringify(snapshot.metadata.partitionColumns),
    });
  const { files, rows } = await input.filesFor(target, transaction);
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
    const { newFiles } = input;
    return await commitUntilDecided(target, transaction, { ...options, counts, newFiles });
  } catch (error) {
    if (!transactionId || !isDeltaError(error, 'ConcurrentTransaction')) throw error;
    const snapshot = await alreadyWritten(target, transactionId, options, error);
    await input.newFiles.discard(options.onWarning);
    return snapshot;
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
