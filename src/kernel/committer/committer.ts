/**
 * How commits become part of a table: the contract between transactions and whoever decides on versions, the file
 * system or a catalog (Delta Kernel, "Implementing a catalog committer").
 *
 * The kernel checks the pairing in both directions (`CommitterMismatch`): a catalog-managed table takes catalog
 * committers only, any other table none of them.
 */
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import type { FilteredEngineData } from '../engine-data.ts';
import type { CommitMetadata } from './commit-metadata.ts';

export type { CommitType } from './commit-metadata.ts';

export type CommitResponse =
  /** `fileMeta` is the commit as it was written: a staged file, or the published one. */
  | { readonly kind: 'committed'; readonly fileMeta: FileMeta }
  /** Another writer has the version that was tried. */
  | { readonly kind: 'conflict'; readonly version: number };

/** A ratified commit that is still staged, and where it is to be published. */
export interface CatalogCommit {
  readonly version: number;
  /** `_delta_log/_staged_commits/<version>.<uuid>.json`. */
  readonly location: URL;
  /** Bytes of the staged file: a copy of another length is not that commit. */
  readonly size: number;
  /** `_delta_log/<version>.json`. */
  readonly publishedLocation: URL;
}

export interface PublishMetadata {
  readonly tableRoot: URL;
  /** Ascending, without gaps, ending at `publishVersion`; to be published in this order. */
  readonly commitsToPublish: readonly CatalogCommit[];
  /** The version up to which the table is published afterwards. */
  readonly publishVersion: number;
}

export interface Committer {
  /**
   * Commits `actions` (all of them, in order) at `metadata.version`, atomically.
   *
   * A version that another writer has is the answer `conflict`, not an error. Errors: `IOError` for what may be
   * repeated, and nothing else as `IOError`. Whether an unknown outcome was a success must be found out before it is
   * called anything; for path-based tables the kernel does that itself (it reads the version back).
   */
  commit(
    engine: Engine,
    actions: AsyncIterable<FilteredEngineData>,
    metadata: CommitMetadata,
    options?: CallOptions,
  ): Promise<CommitResponse>;
  /** Whether commits go through a catalog. */
  isCatalogCommitter(): boolean;
  /**
   * Makes staged commits ordinary ones. Must be idempotent: a commit that is there already is success
   * (`FileAlreadyExists` of `copyAtomic`).
   */
  publish(engine: Engine, metadata: PublishMetadata, options?: CallOptions): Promise<void>;
}
