/** From listed log files and a catalog's log tail to the files that make one version of a table. */
import { DeltaError, type DeltaErrorCode, shownUrl } from '../../errors.ts';
import { newestCompleteCheckpoint } from './checkpoint-choice.ts';
import type { LogFile, LogSegment } from './types.ts';

export interface SegmentInput {
  readonly tableRoot: URL;
  readonly logRoot: URL;
  /** Files of `_delta_log`, in any order; those above `target` do not count. */
  readonly files: readonly LogFile[];
  /** Commits that the catalog ratified: checked, ascending (`snapshot/catalog-options.ts`). */
  readonly logTail?: readonly LogFile[] | undefined;
  readonly target?: number | undefined;
  /** Whether versions above `target` exist: for the message only. */
  readonly newerExist?: boolean | undefined;
}

/**
 * Throws `TableNotFound` where there is no log at all, `InvalidLog` where versions are missing from it,
 * `InvalidCheckpoint` where versions are missing after its checkpoint, `MissingVersion` where `target` is not there.
 */
export function buildLogSegment(input: SegmentInput): LogSegment {
  const { tableRoot, logRoot, logTail = [], target = Number.MAX_SAFE_INTEGER } = input;
  const files = input.files.filter(({ version }) => version <= target);
  const tail = logTail.filter(({ version }) => version <= target);
  const checkpoint = newestCompleteCheckpoint(files);
  const allCommits = mergeCommits(files, tail);
  const commits = allCommits.filter(({ version }) => version > (checkpoint?.version ?? -1));
  checkContiguous(input, commits, checkpoint?.version);

  const version = commits.at(-1)?.version ?? checkpoint?.version;
  if (version === undefined) throw noLog(input);
  if (input.target !== undefined && version !== input.target) throw missingTarget(input, version);
  const checksum = newestChecksum(files, checkpoint?.version ?? 0);
  const latestCommit = commits.at(-1) ?? allCommits.find((commit) => commit.version === version);
  const maxPublishedVersion = endOfPublishedRun(files, tail, checkpoint?.version);
  return {
    tableRoot,
    logRoot,
    version,
    commits,
    checkpoint: checkpoint?.files ?? [],
    ...(checkpoint && { checkpointVersion: checkpoint.version }),
    compactions: usableCompactions(files, commits, tail),
    ...(checksum && { checksum }),
    ...(latestCommit && { latestCommit }),
    ...(maxPublishedVersion !== undefined && { maxPublishedVersion }),
  };
}

/** Published commits below the log tail, then the tail: the catalog's entry wins over a published file. */
function mergeCommits(files: readonly LogFile[], tail: readonly LogFile[]): LogFile[] {
  const tailStart = tail[0]?.version ?? Number.POSITIVE_INFINITY;
  const published = files.filter(({ kind, version }) => kind === 'commit' && version < tailStart);
  published.sort((a, b) => a.version - b.version);
  return [...published, ...tail];
}

function checkContiguous(
  input: SegmentInput,
  commits: readonly LogFile[],
  checkpointVersion: number | undefined,
): void {
  let expected = checkpointVersion === undefined ? 0 : checkpointVersion + 1;
  for (const [index, { version }] of commits.entries()) {
    if (version !== expected) {
      const afterCheckpoint = index === 0 && checkpointVersion !== undefined;
      throw gap(input, expected, version - 1, afterCheckpoint ? 'InvalidCheckpoint' : 'InvalidLog');
    }
    expected++;
  }
}

function gap(input: SegmentInput, first: number, last: number, code: DeltaErrorCode): DeltaError {
  const missing = first === last ? `version ${first} is missing` : `versions ${first} to ${last} are missing`;
  const incomplete = input.files.find(({ kind }) => kind === 'multipartCheckpoint');
  const checkpoint =
    incomplete !== undefined && first === 0
      ? `, and the multi-part checkpoint of version ${incomplete.version} is incomplete`
      : '';
  const truncated = first === 0 ? 'the log is truncated' : 'the log has a gap';
  return new DeltaError(
    code,
    `${truncated}: ${missing} and no complete checkpoint covers them${checkpoint}. Restore the files; if the table ` +
      'is catalog-managed, open it through its catalog, which knows the commits that are not published yet',
    { table: shownUrl(input.tableRoot), version: first },
  );
}

function noLog({ tableRoot, target, newerExist }: SegmentInput): DeltaError {
  const table = shownUrl(tableRoot);
  if (target !== undefined && newerExist) {
    const message = `version ${target} is no longer there: the log starts later`;
    return new DeltaError('MissingVersion', message, { table, version: target });
  }
  return new DeltaError(
    'TableNotFound',
    `no Delta table at ${table}: it has no commit or checkpoint in _delta_log/`,
    { table },
  );
}

function missingTarget({ tableRoot, target, logTail }: SegmentInput, latest: number): DeltaError {
  const advice =
    logTail === undefined ? '' : '; the log tail must hold every commit that is not published yet';
  return new DeltaError(
    'MissingVersion',
    `version ${target} does not exist: the latest is ${latest}${advice}`,
    {
      table: shownUrl(tableRoot),
      version: target!,
    },
  );
}

function newestChecksum(files: readonly LogFile[], least: number): LogFile | undefined {
  let newest: LogFile | undefined;
  for (const file of files) {
    if (file.kind !== 'checksum' || file.file.size === 0 || file.version < least) continue;
    if (newest === undefined || file.version > newest.version) newest = file;
  }
  return newest;
}

function usableCompactions(
  files: readonly LogFile[],
  commits: readonly LogFile[],
  tail: readonly LogFile[],
): LogFile[] {
  const first = commits[0]?.version ?? Number.POSITIVE_INFINITY;
  const last = (tail[0]?.version ?? (commits.at(-1)?.version ?? -1) + 1) - 1;
  return files.filter(
    ({ kind, version, endVersion, file }) =>
      kind === 'compactedCommit' && file.size > 0 && version >= first && endVersion! <= last,
  );
}

/** A checkpoint proves that everything up to its version is published; from there commits must follow on. */
function endOfPublishedRun(
  files: readonly LogFile[],
  tail: readonly LogFile[],
  checkpointVersion: number | undefined,
): number | undefined {
  const published = new Set<number>();
  for (const { kind, version } of [...files, ...tail]) if (kind === 'commit') published.add(version);
  let end = checkpointVersion ?? -1;
  while (published.has(end + 1)) end++;
  return end < 0 ? undefined : end;
}
