/** Commits of path-based tables: `_delta_log/<version>.json` if there is none yet. */
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { FilteredEngineData } from '../engine-data.ts';
import type { CommitMetadata } from './commit-metadata.ts';
import type { CommitResponse, Committer, PublishMetadata } from './committer.ts';

/**
 * Needs nothing but a storage whose `put` without `overwrite` has one winner (a conditional PUT, `O_EXCL`).
 * Whether the version that is there already is our own is asked by the transaction.
 */
export class FileSystemCommitter implements Committer {
  async commit(
    engine: Engine,
    actions: AsyncIterable<FilteredEngineData>,
    metadata: CommitMetadata,
    { signal }: CallOptions = {},
  ): Promise<CommitResponse> {
    const location = metadata.publishedCommitPath();
    try {
      const size = await engine.jsonHandler.writeJsonFile(location, actions, { overwrite: false, signal });
      // A request for the storage's own time could fail, and the commit is made: it says when that was.
      return { kind: 'committed', fileMeta: { location, size, lastModified: metadata.inCommitTimestamp } };
    } catch (error) {
      if (!isDeltaError(error, 'FileAlreadyExists')) throw error;
      return { kind: 'conflict', version: metadata.version };
    }
  }

  isCatalogCommitter(): boolean {
    return false;
  }

  /** Commits of path-based tables are published from the start: `CommitterMismatch` where there are any to publish. */
  async publish(_engine: Engine, { commitsToPublish, tableRoot }: PublishMetadata): Promise<void> {
    if (commitsToPublish.length === 0) return;
    throw new DeltaError(
      'CommitterMismatch',
      'the file system committer has nothing to publish: staged commits belong to a catalog, use its committer',
      { table: shownUrl(tableRoot), version: commitsToPublish[0]!.version },
    );
  }
}
