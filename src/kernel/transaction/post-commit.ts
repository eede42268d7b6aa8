/** The table right after a commit, without any I/O: nothing may fail once a commit is made. */
import type { FileMeta } from '../engine.ts';
import { fileNameOf, padVersion } from '../log/log-path.ts';
import type { LogFile, LogSegment } from '../log/types.ts';

/** A commit as the log has it: published under its version's name, staged under any other. */
export function commitFile(version: number, file: FileMeta): LogFile {
  const isPublished = fileNameOf(file.location) === `${padVersion(version)}.json`;
  return { kind: isPublished ? 'commit' : 'stagedCommit', version, file };
}

/** A segment with the next versions after its own. Commits are ascending and contiguous. */
export function extendSegment(segment: LogSegment, commits: readonly LogFile[]): LogSegment {
  const last = commits.at(-1);
  if (last === undefined) return segment;
  let published = segment.maxPublishedVersion ?? -1;
  for (const { kind, version } of commits) {
    if (kind === 'commit' && version === published + 1) published = version;
  }
  return {
    ...segment,
    version: last.version,
    commits: [...segment.commits, ...commits],
    latestCommit: last,
    ...(published >= 0 && { maxPublishedVersion: published }),
  };
}

/** The segment of a table that does not exist yet: version −1. */
export function emptySegment(tableRoot: URL, logRoot: URL): LogSegment {
  return { tableRoot, logRoot, version: -1, commits: [], checkpoint: [], compactions: [] };
}

export interface PostCommitStats {
  /** Commits on top of the newest checkpoint that was known, the new one among them. */
  readonly commitsSinceCheckpoint: number;
  readonly commitsSinceLogCompaction: number;
}

export function postCommitStats({ version, checkpointVersion, compactions }: LogSegment): PostCommitStats {
  const compacted = Math.max(-1, ...compactions.map(({ endVersion }) => endVersion ?? -1));
  return {
    commitsSinceCheckpoint: version - (checkpointVersion ?? -1),
    commitsSinceLogCompaction: version - Math.max(compacted, checkpointVersion ?? -1),
  };
}
