/** From storage to a log segment, for a first load and for a refresh. */
import { isDeltaError, shownUrl, withContext } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { listLog } from '../log/listing.ts';
import type { LogPath } from '../log/log-path.ts';
import { logRootOf } from '../log/log-path.ts';
import { buildLogSegment } from '../log/log-segment.ts';
import type { LogFile, LogSegment } from '../log/types.ts';

export interface SegmentOptions extends CallOptions {
  readonly target?: number | undefined;
  readonly logTail?: readonly LogPath[] | undefined;
}

/** The segment of `target`, or of the latest version. See `buildLogSegment` for what it throws. */
export async function loadSegment(
  engine: Engine,
  tableRoot: URL,
  options: SegmentOptions,
  start?: number,
): Promise<LogSegment> {
  const { target, logTail, signal } = options;
  const logRoot = logRootOf(tableRoot);
  try {
    const { files, newerExist } = await listLog(engine, logRoot, { target, start, signal });
    return buildLogSegment({ tableRoot, logRoot, files, logTail, target, newerExist });
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot) });
  }
}

/**
 * The segment as a first load would find it, listing only what lies at or after the checkpoint of `existing`.
 * A log that no longer fits what was known of it (cleaned up, replaced) is listed anew.
 */
export async function refreshSegment(
  engine: Engine,
  existing: LogSegment,
  options: SegmentOptions,
): Promise<LogSegment> {
  const { tableRoot } = existing;
  try {
    const segment = await loadSegment(engine, tableRoot, options, existing.checkpointVersion ?? 0);
    if (segment.version >= existing.version) return withKnownFiles(segment, existing);
  } catch (error) {
    if (!isDeltaError(error, 'InvalidLog', 'InvalidCheckpoint', 'Unsupported', 'TableNotFound')) throw error;
  }
  return loadSegment(engine, tableRoot, options);
}

/** The same segment with the objects of `existing` for files that have not changed, for engines that keep content by them. */
function withKnownFiles(segment: LogSegment, existing: LogSegment): LogSegment {
  const known = new Map<string, LogFile>();
  for (const file of [...existing.checkpoint, ...existing.commits, ...existing.compactions]) {
    known.set(identity(file), file);
  }
  const same = (files: readonly LogFile[]) => files.map((file) => known.get(identity(file)) ?? file);
  const { checkpoint, commits, compactions } = segment;
  return {
    ...segment,
    checkpoint: same(checkpoint),
    commits: same(commits),
    compactions: same(compactions),
  };
}

function identity({ file }: LogFile): string {
  return `${file.size} ${file.lastModified} ${file.location.href}`;
}

/** Whether two segments hold the same files. */
export function sameSegment(a: LogSegment, b: LogSegment): boolean {
  return (
    a.version === b.version &&
    a.maxPublishedVersion === b.maxPublishedVersion &&
    fingerprint(a) === fingerprint(b)
  );
}

function fingerprint(segment: LogSegment): string {
  const { checkpoint, commits, compactions, checksum, latestCommit } = segment;
  const names = (files: readonly (LogFile | undefined)[]) =>
    files.map((file) => file?.file.location.pathname);
  return JSON.stringify([checkpoint, commits, compactions, [checksum, latestCommit]].map(names));
}
