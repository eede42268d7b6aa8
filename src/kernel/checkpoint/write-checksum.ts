/**
 * Writing version checksums (`PROTOCOL.md`, "Version Checksum File"): a small file beside a commit that saves readers
 * the log, and tells them when it was misread.
 */
import { DeltaError, isDeltaError, shownUrl, withContext } from '../../errors.ts';
import type { CommitInfo } from '../actions/commit-info.ts';
import type { Metadata } from '../actions/types.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { readCommitInfo } from '../history/commit-info.ts';
import { parseChecksum, readChecksum } from '../log/checksum.ts';
import { checksumFileName } from '../log/log-path.ts';
import type { LogFile } from '../log/types.ts';
import { joinPath } from '../paths.ts';
import type { SnapshotFactory, SnapshotState } from '../snapshot/state.ts';
import { isFeatureEnabled } from '../table-features/protocol-support.ts';
import type { WriteOutcome } from './outcome.ts';
import { summaryOfCommit, summaryOfLog, type VersionSummary } from './summary.ts';
import { checkRowlessWriteSupport } from './support.ts';

export interface ChecksumOptions extends CallOptions {
  /**
   * Whether the whole log may be replayed where the checksum of the version before does not help. Default true;
   * false: `ChecksumWriteUnsupported` then.
   */
  readonly recompute?: boolean | undefined;
}

/**
 * Writes the checksum of a snapshot's version, published or not; one that is there is never replaced.
 *
 * Errors: `Unsupported` with the `feature`, `InvalidProtocol`; `ChecksumWriteUnsupported` where the log does not say
 * what a checksum must (sizes of files, the in-commit timestamp of a commit that is gone); those of reading the log;
 * storage's own.
 */
export async function writeChecksum<S extends SnapshotState>(
  engine: Engine,
  snapshot: S,
  makeSnapshot: SnapshotFactory<S>,
  options: ChecksumOptions = {},
): Promise<WriteOutcome<S>> {
  const { logSegment, version, tableRoot } = snapshot;
  checkRowlessWriteSupport(snapshot);
  if (logSegment.checksum?.version === version) return { result: 'alreadyExists', snapshot };
  try {
    const text = await checksumText(engine, snapshot, options);
    const location = joinPath(logSegment.logRoot, checksumFileName(version));
    const bytes = new TextEncoder().encode(text);
    const { signal } = options;
    if (!(await putIfAbsent(engine, location, bytes, { signal })))
      return { result: 'alreadyExists', snapshot };
    const file = { location, size: bytes.length, lastModified: snapshot.runtime.now() };
    const checksum: LogFile = { kind: 'checksum', version, file };
    const parts = {
      ...snapshot,
      logSegment: { ...logSegment, checksum },
      checksum: parseChecksum(text, version),
    };
    return { result: 'written', snapshot: makeSnapshot(parts) };
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot), version });
  }
}

async function putIfAbsent(
  engine: Engine,
  location: URL,
  bytes: Uint8Array,
  options: CallOptions,
): Promise<boolean> {
  try {
    await engine.storageHandler.put(location, bytes, { ...options, overwrite: false });
    return true;
  } catch (error) {
    if (isDeltaError(error, 'FileAlreadyExists')) return false;
    throw error;
  }
}

async function checksumText(
  engine: Engine,
  snapshot: SnapshotState,
  options: ChecksumOptions,
): Promise<string> {
  const { signal } = options;
  const { latestCommit } = snapshot.logSegment;
  const info = latestCommit && (await readCommitInfo(engine, snapshot.tableRoot, latestCommit, { signal }));
  const summary = await summarize(engine, snapshot, options);
  return JSON.stringify(checksumJson(snapshot, summary, info));
}

async function summarize(
  engine: Engine,
  snapshot: SnapshotState,
  { signal, recompute = true }: ChecksumOptions,
): Promise<VersionSummary> {
  const { checksum, latestCommit } = snapshot.logSegment;
  if (latestCommit !== undefined && checksum?.version === snapshot.version - 1) {
    const before = await readChecksum(engine, checksum, { signal });
    const summary = before && (await summaryOfCommit(engine, snapshot, latestCommit, before, { signal }));
    if (summary !== undefined) return summary;
  }
  if (recompute) return summaryOfLog(engine, snapshot, { signal });
  throw new DeltaError(
    'ChecksumWriteUnsupported',
    `the checksum of version ${snapshot.version} does not follow from the one before, and the log is not to be replayed`,
  );
}

/** Unknown fields are left out: `JSON.stringify` drops `undefined`. */
function checksumJson(
  snapshot: SnapshotState,
  { totals, transactions, domains }: VersionSummary,
  info: CommitInfo | undefined,
): object {
  return {
    txnId: info?.txnId,
    tableSizeBytes: totals.sizeInBytes,
    numFiles: totals.numFiles,
    numDeletedRecordsOpt: totals.numDeletedRecords,
    numDeletionVectorsOpt: totals.numDeletionVectors,
    numMetadata: 1,
    numProtocol: 1,
    inCommitTimestampOpt: inCommitTimestamp(snapshot, info),
    setTransactions: transactions,
    domainMetadata: domains,
    metadata: metadataJson(snapshot.metadata),
    protocol: snapshot.protocol,
    fileSizeHistogram: totals.histogram,
  };
}

/** Present exactly where in-commit timestamps are enabled. */
function inCommitTimestamp(
  { protocol, metadata, inCommitTimestamp: known }: SnapshotState,
  info: CommitInfo | undefined,
): number | undefined {
  if (!isFeatureEnabled(protocol, metadata.configuration, 'inCommitTimestamp')) return undefined;
  const time = info?.inCommitTimestamp ?? known;
  if (time !== undefined) return time;
  throw new DeltaError(
    'ChecksumWriteUnsupported',
    'the in-commit timestamp of the version is unknown, since its commit is no longer in the log',
  );
}

/** As the `metaData` action has it. */
function metadataJson(metadata: Metadata): object {
  const { id, name, description, format, schemaString, partitionColumns, createdTime, configuration } =
    metadata;
  const stored = metadata.storedPartitionNames ?? {};
  return {
    id,
    name,
    description,
    format,
    schemaString,
    partitionColumns: partitionColumns.map((column) => stored[column] ?? column),
    createdTime,
    configuration,
  };
}
