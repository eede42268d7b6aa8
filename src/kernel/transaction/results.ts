/** How a commit ends. Everything else is thrown. */
import type { Engine } from '../engine.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import type { RebaseOptions } from './conflict/rebase.ts';
import type { PostCommitStats } from './post-commit.ts';

/** The commit is made. */
export interface CommittedTransaction<S extends SnapshotState = SnapshotState> {
  readonly status: 'committed';
  readonly commitVersion: number;
  /** The table at that version, made without reading anything. */
  readonly postCommitSnapshot: S;
  readonly postCommitStats: PostCommitStats;
}

/** Another writer has the version that was tried. The transaction itself cannot be committed any more. */
export interface ConflictedTransaction<T> {
  readonly status: 'conflicted';
  readonly conflictVersion: number;
  /**
   * The same transaction on top of what was committed meanwhile, ready to be committed.
   *
   * Errors: `ConcurrentAppend`, `ConcurrentDeleteRead`, `ConcurrentDeleteDelete`, `MetadataChanged`,
   * `ProtocolChanged`, `ConcurrentTransaction`, `ConcurrentDomainMetadata` where both cannot be: the operation must be
   * redone on a newer snapshot. `MaxCatalogVersion` where a catalog-managed table is rebased without what its catalog
   * says now.
   */
  rebase(engine: Engine, options?: RebaseOptions): Promise<T>;
}

/**
 * A transient failure (`IOError`). The commit may or may not have been made: committing the same transaction again
 * finds out, and makes it if it was not.
 */
export interface RetryableTransaction<T> {
  readonly status: 'retryable';
  readonly error: unknown;
  readonly transaction: T;
}

export type CommitResult<S extends SnapshotState, T> =
  | CommittedTransaction<S>
  | ConflictedTransaction<T>
  | RetryableTransaction<T>;
