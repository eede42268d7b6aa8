/** Committing until it is decided: repeats, rebases over other writers' commits, and what follows a commit. */
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { Committer } from '../../kernel/committer/committer.ts';
import { FileSystemCommitter } from '../../kernel/committer/file-system-committer.ts';
import type { CallOptions, Engine } from '../../kernel/engine.ts';
import type { LogPath } from '../../kernel/log/log-path.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import type { Transaction } from '../../kernel/transaction/transaction.ts';
import { jitteredMs, type Pauses, sleepFor } from '../../storage/pause.ts';
import { afterCommit, type WarningListener } from './after-commit.ts';
import type { NewFiles } from './new-files.ts';
import { type CommitCounts, publishRatified } from './publish.ts';

/** What a catalog knows of a table beyond its files. */
export interface CatalogState {
  readonly logTail?: readonly LogPath[] | undefined;
  readonly maxCatalogVersion?: number | undefined;
}

/** How commits of a table are made. */
export interface TableWriter {
  readonly committer: Committer;
  /** What the table's catalog says now; nothing for tables without one. */
  readonly catalogState: (options: CallOptions) => Promise<CatalogState>;
  /** Whether the table's catalog lets its clients vacuum the table and clean up its log. Default false. */
  readonly grantsMaintenance?: boolean | undefined;
  /** Told what a commit did, where the table's catalog keeps such counts. */
  readonly reportCommit?: ((counts: CommitCounts, options: CallOptions) => Promise<void>) | undefined;
}

/** Commits by put-if-absent in the log. */
export const fileSystemWriter: TableWriter = {
  committer: new FileSystemCommitter(),
  catalogState: async () => ({}),
};

/** A table to write to. */
export interface WriteTarget extends TableWriter {
  readonly engine: Engine;
  readonly snapshot: Snapshot;
}

export interface WriteOptions extends CallOptions {
  /** Attempts to commit, and repeats of the whole operation, at most. Default 20. */
  readonly maxAttempts?: number | undefined;
  /** `commitInfo.engineInfo`. */
  readonly engineInfo?: string | undefined;
  /** More of `commitInfo`: JSON values. */
  readonly commitInfo?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Told of what failed after the commit (checksum, checkpoint, log cleanup) or of cleaning up after a failure, in
   * spite of which the result stands. By default a warning on the console.
   */
  readonly onWarning?: WarningListener | undefined;
  /** Waiting and chance, for tests. */
  readonly pauses?: Pauses | undefined;
}

const MAX_ATTEMPTS = 20;
const BASE_MS = 50;
const MAX_MS = 5000;

/** Where a write happens, for errors. */
export function place({ tableRoot }: Pick<Snapshot, 'tableRoot'>): { table: string } {
  return { table: shownUrl(tableRoot) };
}

/** Codes of conflicts after which the operation may be done anew on the newer version. */
const REPEATABLE = [
  'ConcurrentAppend',
  'ConcurrentDeleteRead',
  'ConcurrentDeleteDelete',
  'MetadataChanged',
  'ProtocolChanged',
  'ConcurrentDomainMetadata',
] as const;

export interface DecidingOptions extends WriteOptions {
  readonly counts?: CommitCounts | undefined;
  /** What the transaction adds: after a failure it is told whether a commit may have it. */
  readonly newFiles?: NewFiles | undefined;
}

/**
 * Commits, rebasing over commits of others and repeating after I/O errors, with jittered pauses; then publishes what a
 * catalog ratified and tells it the counts, where a failure is no failure of the commit.
 * Errors: the conflict's code where a rebase is not allowed; the last `IOError`; `Generic` where every attempt lost.
 */
export async function commitUntilDecided(
  target: WriteTarget,
  first: Transaction<Snapshot>,
  options: DecidingOptions,
): Promise<Snapshot> {
  const { engine } = target;
  const { signal, newFiles } = options;
  let transaction = first;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const result = await transaction.commit(engine, { signal });
      if (result.status === 'committed') {
        return afterCommit(
          engine,
          await publishRatified(target, result.postCommitSnapshot, options),
          options,
        );
      }
      if (attempt >= attemptsOf(options)) throw givenUp(target, attempt, result);
      await pause(attempt, options);
      if (result.status === 'retryable') transaction = result.transaction;
      else transaction = await result.rebase(engine, { signal, ...(await target.catalogState({ signal })) });
    }
  } catch (error) {
    if (newFiles) newFiles.mayBeCommitted = transaction.mayBeCommitted;
    throw error;
  }
}

function givenUp(
  { snapshot }: WriteTarget,
  attempts: number,
  last: Exclude<Awaited<ReturnType<Transaction<Snapshot>['commit']>>, { status: 'committed' }>,
): unknown {
  if (last.status === 'retryable') return last.error;
  const message = `${attempts} attempts to commit lost against other writers: try again later`;
  return new DeltaError('Generic', message, { ...place(snapshot), version: last.conflictVersion });
}

/**
 * Runs an operation, anew on the newest version after a conflict that no rebase may pass.
 * @param run throws the conflict's `DeltaError`.
 */
export async function repeatOnConflict<T>(
  target: WriteTarget,
  options: WriteOptions,
  run: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  const maxAttempts = attemptsOf(options);
  let { snapshot } = target;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(snapshot);
    } catch (error) {
      if (attempt >= maxAttempts || !isDeltaError(error, ...REPEATABLE)) throw error;
    }
    await pause(attempt, options);
    snapshot = await snapshot.refresh(target.engine, { signal, ...(await target.catalogState({ signal })) });
  }
}

/** Attempts that a write may take. */
export function attemptsOf({ maxAttempts = MAX_ATTEMPTS }: WriteOptions): number {
  return maxAttempts;
}

/** Waits before the next attempt. */
export async function pause(attempt: number, { pauses = {}, signal }: WriteOptions): Promise<void> {
  const { random = Math.random, sleep = sleepFor } = pauses;
  await sleep(jitteredMs(attempt - 1, BASE_MS, MAX_MS, random), signal);
}
