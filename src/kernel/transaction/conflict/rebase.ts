/** From the version on which a transaction was built to the newest one, over the commits in between. */
import { DeltaError, shownUrl, withContext } from '../../../errors.ts';
import { isCatalogManaged } from '../../committer/pairing.ts';
import type { CallOptions, Engine, FileMeta } from '../../engine.ts';
import { listCommits } from '../../history/commit-listing.ts';
import type { LogFile, LogSegment } from '../../log/types.ts';
import { canonicalPath } from '../../paths.ts';
import { checkCatalogManaged, targetVersion, type VersionOptions } from '../../snapshot/catalog-options.ts';
import { refreshSegment } from '../../snapshot/load-segment.ts';
import type { SnapshotFactory, SnapshotState } from '../../snapshot/state.ts';
import type { Backfill } from '../attempt.ts';
import type { ResolvedChanges } from '../changes.ts';
import { hasInCommitTimestamps } from '../commit-time.ts';
import { checkWinner } from './checks.ts';
import { readWinner, type Winner } from './winner.ts';

/** For catalog-managed tables both are needed, as the catalog gives them now. */
export type RebaseOptions = Pick<VersionOptions, 'logTail' | 'maxCatalogVersion'> & CallOptions;

export type Rebased<S> =
  /** Nobody has the next version: the same attempt may be made again. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'onto'; readonly base: S; readonly backfill: Backfill }
  /** The commit that had won was this transaction's own. */
  | { readonly kind: 'ours'; readonly version: number; readonly fileMeta: FileMeta };

export interface RebaseInput<S extends SnapshotState> {
  readonly base: S;
  readonly changes: ResolvedChanges;
  readonly txnId: string;
  readonly backfill: Backfill;
  readonly makeSnapshot: SnapshotFactory<S>;
}

/** Winners that are read side by side. */
const READ_AHEAD = 16;

/** Throws the conflict (see `checkWinner`) where a winner and the transaction cannot both be. */
export async function rebase<S extends SnapshotState>(
  engine: Engine,
  input: RebaseInput<S>,
  options: RebaseOptions,
): Promise<Rebased<S>> {
  const { base, changes, txnId } = input;
  try {
    const segment = await newerSegment(engine, base, options);
    if (segment.version <= base.version) return { kind: 'unchanged' };
    const files = await winnerFiles(engine, input, segment, options);
    const backfill = new Map(input.backfill);
    let last: Winner | undefined;
    for await (const winner of readWinners(engine, segment, files, options)) {
      if (winner.commitInfo?.txnId === txnId) {
        return { kind: 'ours', version: winner.version, fileMeta: winner.file.file };
      }
      await checkWinner(engine, winner, changes, base);
      collectBackfill(winner, changes, backfill);
      last = winner;
    }
    return { kind: 'onto', base: rebased(input, segment, last), backfill };
  } catch (error) {
    throw withContext(error, { table: shownUrl(base.tableRoot) });
  }
}

async function newerSegment(
  engine: Engine,
  base: SnapshotState,
  options: RebaseOptions,
): Promise<LogSegment> {
  const { logTail, maxCatalogVersion, signal } = options;
  const { protocol, tableRoot, logSegment } = base;
  if (isCatalogManaged(protocol) && maxCatalogVersion === undefined) {
    throw new DeltaError(
      'MaxCatalogVersion',
      'the table is catalog-managed: only its catalog knows what was committed meanwhile. Refresh from the catalog ' +
        'and pass the logTail and maxCatalogVersion that it gives',
      { table: shownUrl(tableRoot), feature: 'catalogManaged' },
    );
  }
  const target = targetVersion({ logTail, maxCatalogVersion }, tableRoot);
  checkCatalogManaged(protocol, maxCatalogVersion, tableRoot);
  return refreshSegment(engine, logSegment, { target, logTail, signal });
}

/** The commits after the base, also where a checkpoint has taken their place in the newer segment. */
async function winnerFiles<S extends SnapshotState>(
  engine: Engine,
  { base, makeSnapshot }: RebaseInput<S>,
  segment: LogSegment,
  { signal }: CallOptions,
): Promise<readonly LogFile[]> {
  const first = base.version + 1;
  const isComplete = (segment.checkpointVersion ?? -1) <= base.version;
  const newest = makeSnapshot({ ...base, logSegment: segment });
  const commits = isComplete
    ? segment.commits
    : (await listCommits(engine, newest, { from: first, signal })).commits;
  const winners = commits.filter(({ version }) => version >= first);
  if (winners[0]?.version === first) return winners;
  throw new DeltaError(
    'MissingData',
    `version ${first} is no longer in the log, so nobody knows whether this transaction may follow it: redo the ` +
      `operation on version ${segment.version}`,
    { table: shownUrl(base.tableRoot), version: first },
  );
}

async function* readWinners(
  engine: Engine,
  segment: LogSegment,
  files: readonly LogFile[],
  options: CallOptions,
): AsyncGenerator<Winner, void, undefined> {
  for (let start = 0; start < files.length; start += READ_AHEAD) {
    const window = files.slice(start, start + READ_AHEAD);
    yield* await Promise.all(window.map((file) => readWinner(engine, segment, file, options)));
  }
}

/** Row ids that a winner gave to files which were there before: later actions on those files must keep them. */
function collectBackfill(winner: Winner, changes: ResolvedChanges, backfill: Map<string, object>): void {
  const touched = new Set(
    [...changes.removes, ...changes.vectorUpdates.map(({ file }) => file), ...changes.adds].map(({ path }) =>
      canonicalPath(path),
    ),
  );
  for (const batch of winner.batches) {
    const paths = batch.column(['add', 'path'])!;
    const baseRowId = batch.column(['add', 'baseRowId'])!;
    const version = batch.column(['add', 'defaultRowCommitVersion'])!;
    for (let row = 0; row < batch.length; row++) {
      if (baseRowId.isNull(row)) continue;
      const path = canonicalPath(paths.getString(row)!);
      if (!touched.has(path)) continue;
      backfill.set(path, {
        baseRowId: baseRowId.getBigInt(row)!,
        defaultRowCommitVersion: version.getNumber(row) ?? undefined,
      });
    }
  }
}

/** No winner changed protocol or metadata, or it would have been a conflict: they are those of the base. */
function rebased<S extends SnapshotState>(
  { base, makeSnapshot }: RebaseInput<S>,
  logSegment: LogSegment,
  last: Winner | undefined,
): S {
  const { protocol, metadata, runtime } = base;
  const inCommitTimestamp = hasInCommitTimestamps(protocol, metadata)
    ? last?.commitInfo?.inCommitTimestamp
    : undefined;
  return makeSnapshot({ logSegment, protocol, metadata, runtime, inCommitTimestamp });
}
