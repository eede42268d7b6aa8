/** What follows a commit that a catalog ratified: publishing it, and telling the catalog what it did. */
import type { Committer } from '../../kernel/committer/committer.ts';
import type { CallOptions, Engine } from '../../kernel/engine.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import { type WarningListener, warn } from './after-commit.ts';

/** What a commit did to files and rows. */
export interface CommitCounts {
  readonly numFilesAdded?: number | undefined;
  readonly numBytesAdded?: number | undefined;
  readonly numFilesRemoved?: number | undefined;
  readonly numRowsInserted?: number | undefined;
  readonly numRowsRemoved?: number | undefined;
}

/** Whom to publish with. */
interface Publisher {
  readonly engine: Engine;
  readonly committer: Committer;
  readonly reportCommit?: ((counts: CommitCounts, options: CallOptions) => Promise<void>) | undefined;
}

interface PublishOptions extends CallOptions {
  readonly onWarning?: WarningListener | undefined;
  readonly counts?: CommitCounts | undefined;
}

/**
 * Publishing makes a commit visible to readers without the catalog, and keeps the catalog's list short. Never throws:
 * whoever publishes next publishes this version, too.
 * @returns the same version, published where that went well.
 */
export async function publishRatified(
  { engine, committer, reportCommit }: Publisher,
  snapshot: Snapshot,
  { signal, onWarning, counts }: PublishOptions,
): Promise<Snapshot> {
  if (!committer.isCatalogCommitter()) return snapshot;
  const { version } = snapshot;
  let published = snapshot;
  try {
    published = await snapshot.publish(engine, committer, { signal });
  } catch (error) {
    warn(onWarning, `version ${version} is committed, but not published`, snapshot, error);
  }
  try {
    if (counts !== undefined) await reportCommit?.(counts, { signal });
  } catch (error) {
    warn(onWarning, `version ${version} is committed, but its counts were not reported`, snapshot, error);
  }
  return published;
}
