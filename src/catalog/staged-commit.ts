/** What a catalog is told of a commit, and what it tells of those that it has ratified. */
import type { CommitMetadata } from '../kernel/committer/commit-metadata.ts';
import type { CallOptions } from '../kernel/engine.ts';
import { LogPath } from '../kernel/log/log-path.ts';

/** A commit that a catalog ratified and that may not be published yet. Times in ms since the Unix epoch. */
export interface RatifiedCommit {
  readonly version: number;
  /** In `_delta_log/_staged_commits/`. */
  readonly fileName: string;
  /** Its in-commit timestamp. */
  readonly timestamp: number;
  /** Bytes. */
  readonly fileSize: number;
  readonly fileModificationTimestamp: number;
}

/** What a catalog says of a table now. */
export interface CatalogTableState {
  /** The newest version that was ratified. */
  readonly latestVersion: number;
  /** Ascending and contiguous; ends at `latestVersion` where there are any. */
  readonly commits: readonly RatifiedCommit[];
}

/** What came of asking a catalog to ratify a commit. Everything that is a plain refusal is thrown. */
export type Ratification =
  | { readonly kind: 'ratified' }
  /** The catalog has this version, from whomever. */
  | { readonly kind: 'conflict' }
  /** It holds as many unpublished commits as it may. */
  | { readonly kind: 'tooMany'; readonly error: unknown }
  /** It was certainly not done, and may be tried again. */
  | { readonly kind: 'notDone'; readonly error: unknown }
  /** It may have been done. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** One table of a catalog, as its committer needs it. A catalog of your own implements these three. */
export interface CatalogTable {
  load(options?: CallOptions): Promise<CatalogTableState>;
  /**
   * Asks for `commit` to be version `commit.version`, in one attempt, with whatever else of `metadata` the catalog
   * keeps. Asked again with the same file, it must not ratify twice. Not to be cancelled: the answer must be known.
   */
  ratify(commit: RatifiedCommit, metadata: CommitMetadata): Promise<Ratification>;
  /** Tells that all commits up to a version are published. */
  notifyPublished(version: number, options?: CallOptions): Promise<void>;
}

/** The log tail of a snapshot: what a catalog lists, as the kernel takes it. Throws `InvalidLogPath`. */
export function logTailOf(tableRoot: URL, { commits }: CatalogTableState): LogPath[] {
  return commits.map(({ fileName, timestamp, fileSize }) =>
    LogPath.stagedCommit(tableRoot, fileName, timestamp, fileSize),
  );
}
