/** When commits happened (`PROTOCOL.md`, "In-Commit Timestamps"). */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { LogFile } from '../log/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { readCommitInfo, readInCommitTimestamp } from './commit-info.ts';
import { inCommitTimestampEnablement } from './in-commit-timestamps.ts';

/**
 * The time of a snapshot's version in ms: its in-commit timestamp where those are enabled, else its commit file's.
 *
 * @param known the in-commit timestamp, where a checksum said it.
 * Throws `MissingData` where a cleaned-up log no longer says it.
 */
export async function versionTimestamp(
  engine: Engine,
  state: SnapshotState,
  known: number | undefined,
  options: CallOptions,
): Promise<number> {
  const { tableRoot, version, logSegment } = state;
  const enablement = inCommitTimestampEnablement(state);
  if (enablement !== undefined && known !== undefined) return known;
  const commit = logSegment.latestCommit;
  if (commit === undefined) {
    const message = `the time of version ${version} is unknown: its commit is no longer in the log`;
    throw new DeltaError('MissingData', message, { table: shownUrl(tableRoot), version });
  }
  return enablement === undefined
    ? fileTimestamp(engine, tableRoot, commit, options)
    : readInCommitTimestamp(engine, tableRoot, commit, options);
}

/** A commit file's modification time; what its writer said where the storage does not tell. */
export async function fileTimestamp(
  engine: Engine,
  tableRoot: URL,
  commit: LogFile,
  options: CallOptions,
): Promise<number> {
  if (commit.file.lastModified > 0) return commit.file.lastModified;
  const info = await readCommitInfo(engine, tableRoot, commit, options);
  if (info?.timestamp !== undefined) return info.timestamp;
  throw new DeltaError(
    'MissingData',
    `the time of version ${commit.version} is unknown: the storage does not tell it, nor does the commit`,
    { table: shownUrl(tableRoot), version: commit.version },
  );
}
