/** What happened to a table, commit by commit (`PROTOCOL.md`, "Commit Provenance Information"). */
import { DeltaError } from '../../errors.ts';
import type { CommitInfo } from '../actions/commit-info.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { prefetchInOrder } from '../log/prefetch.ts';
import type { LogFile } from '../log/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { inCommitTimestampOf, readCommitInfo } from './commit-info.ts';
import { listCommits } from './commit-listing.ts';
import { inCommitTimestampEnablement } from './in-commit-timestamps.ts';

/** Commits requested ahead. */
const LIMITS = { sources: 16, bytes: 32 * 1024 * 1024 };

/** A commit and what its writer said of it; writers may say nothing. */
export interface HistoryEntry extends Omit<CommitInfo, 'timestamp' | 'raw'> {
  readonly version: number;
  /** In-commit timestamp, or the commit file's time, strictly ascending; ms. Undefined where nobody tells. */
  readonly timestamp: number | undefined;
  /** Bytes of the commit file. */
  readonly commitSizeInBytes: number;
  /** Whether the commit lies only in the catalog's staging area so far. */
  readonly isStaged: boolean;
  /** The whole `commitInfo`, undefined where the commit has none. */
  readonly commitInfo: CommitInfo['raw'] | undefined;
}

export interface HistoryOptions extends CallOptions {
  /** How many commits, newest first; all that the log still has by default. */
  limit?: number | undefined;
  /** The newest version wanted; the snapshot's by default. */
  end?: number | undefined;
}

/**
 * Commits from the snapshot's version backwards, as long as the log has them, also those before its checkpoint.
 * Reads the commits that it returns, and of those the `commitInfo` only.
 * Errors: `InvalidOption` for a limit that is no whole number ≥ 1, or an end that is no version up to the snapshot's;
 * `MalformedJson`; `InvalidLog`; storage's own.
 */
export async function history(
  engine: Engine,
  state: SnapshotState,
  options: HistoryOptions = {},
): Promise<HistoryEntry[]> {
  const { signal } = options;
  const limit = checkLimit(options.limit);
  const enabledFrom = inCommitTimestampEnablement(state)?.version ?? Number.POSITIVE_INFINITY;
  const end = checkEnd(options.end, state.version);
  const oldest = end - limit + 1;
  // Times of files depend on those before; in-commit timestamps do not.
  const from = oldest >= enabledFrom ? Math.max(oldest, 0) : 0;
  const { commits } = await listCommits(engine, state, { from, signal });
  const fileTimes = ascendingFileTimes(commits);
  const upToEnd = commits.slice(0, Math.max(commits.length - (state.version - end), 0));
  const wanted = upToEnd.slice(-Math.min(limit, commits.length)).reverse();

  const isInCommit = ({ version }: LogFile) => version >= enabledFrom;
  const entries: HistoryEntry[] = [];
  const sources = wanted.map((commit) => ({
    open: () => readOne(engine, state, commit, { signal }),
    bytes: commit.file.size,
  }));
  for await (const { commit, info } of prefetchInOrder(sources, LIMITS)) {
    const time = isInCommit(commit)
      ? inCommitTimestampOf(state.tableRoot, commit, info)
      : fileTimes.get(commit.version);
    entries.push(toEntry(commit, info, time ?? info?.timestamp));
  }
  return entries;
}

function checkLimit(limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new DeltaError('InvalidOption', `limit must be a whole number from 1, not ${limit}`);
}

function checkEnd(end: number | undefined, version: number): number {
  if (end === undefined) return version;
  if (Number.isSafeInteger(end) && end >= 0 && end <= version) return end;
  throw new DeltaError('InvalidOption', `end must be a version up to ${version}, not ${end}`);
}

/** Times of the files, each at least 1 ms after the one before; a file without a time is left out. */
function ascendingFileTimes(commits: readonly LogFile[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  let previous = Number.NEGATIVE_INFINITY;
  for (const { version, file } of commits) {
    if (file.lastModified === 0) continue;
    previous = Math.max(file.lastModified, previous + 1);
    times.set(version, previous);
  }
  return times;
}

interface CommitAndInfo {
  readonly commit: LogFile;
  readonly info: CommitInfo | undefined;
}

async function* readOne(
  engine: Engine,
  { tableRoot }: SnapshotState,
  commit: LogFile,
  { signal }: CallOptions,
): AsyncGenerator<CommitAndInfo> {
  const info = await readCommitInfo(engine, tableRoot, commit, { signal });
  yield { commit, info };
}

function toEntry(commit: LogFile, info: CommitInfo | undefined, timestamp: number | undefined): HistoryEntry {
  const { timestamp: _writerTime, raw, ...said } = info ?? {};
  return {
    version: commit.version,
    timestamp,
    ...said,
    commitSizeInBytes: commit.file.size,
    isStaged: commit.kind === 'stagedCommit',
    commitInfo: raw,
  };
}
