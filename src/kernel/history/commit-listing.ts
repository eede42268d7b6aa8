/** The commits of a table's past, also those at or before its checkpoint: a listing of its own. */
import { isDeltaError, shownUrl, withContext } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { completeCheckpointVersions } from '../log/checkpoint-choice.ts';
import { listLog } from '../log/listing.ts';
import { probeCommitsBackwards } from '../log/probing.ts';
import type { LogFile } from '../log/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';

export interface CommitListing {
  /** Ascending and contiguous, up to the snapshot's version; empty where that version's commit is gone. */
  readonly commits: readonly LogFile[];
  /** Versions with a complete checkpoint, as far as the storage can list. */
  readonly checkpoints: ReadonlySet<number>;
}

/** Every commit up to the snapshot's version, back to the first that is missing; staged ones among them. */
export async function listCommits(
  engine: Engine,
  state: SnapshotState,
  options: CallOptions & { from?: number } = {},
): Promise<CommitListing> {
  const files = await listFiles(engine, state, options);
  const byVersion = new Map<number, LogFile>();
  const { commits, latestCommit, version } = state.logSegment;
  const own = latestCommit === undefined ? commits : [...commits, latestCommit];
  // The snapshot's own entries win: they are the catalog's where there is one.
  for (const file of [...files, ...own]) {
    if (file.kind === 'commit' || file.kind === 'stagedCommit') byVersion.set(file.version, file);
  }
  const run: LogFile[] = [];
  for (let next = byVersion.get(version); next !== undefined; next = byVersion.get(next.version - 1))
    run.push(next);
  return { commits: run.reverse(), checkpoints: completeCheckpointVersions(files) };
}

async function listFiles(
  engine: Engine,
  { logSegment, tableRoot, version }: SnapshotState,
  { from = 0, signal }: CallOptions & { from?: number },
): Promise<readonly LogFile[]> {
  try {
    const { files } = await listLog(engine, logSegment.logRoot, { start: from, target: version, signal });
    return files;
  } catch (error) {
    if (!isDeltaError(error, 'Unsupported')) throw withContext(error, { table: shownUrl(tableRoot) });
  }
  const first = logSegment.commits[0]?.version ?? version + 1;
  const earlier = await probeCommitsBackwards(engine, logSegment.logRoot, first - 1, { signal });
  return [...logSegment.checkpoint, ...earlier];
}
