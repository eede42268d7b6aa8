/** Tables of catalogs as `DeltaTable`s: what is the same whichever catalog it is. */
import type { CatalogTableState } from '../catalog/staged-commit.ts';
import { logTailOf } from '../catalog/staged-commit.ts';
import { DeltaError, shownUrl } from '../errors.ts';
import type { Committer } from '../kernel/committer/committer.ts';
import { isCatalogManaged } from '../kernel/committer/pairing.ts';
import type { CallOptions, Engine } from '../kernel/engine.ts';
import type { LogPath } from '../kernel/log/log-path.ts';
import type { StructType } from '../kernel/schema/types.ts';
import type { Snapshot } from '../kernel/snapshot/snapshot.ts';
import { type CreateTableOptions, createTable } from '../kernel/transaction/create-table.ts';
import type { CatalogState } from './write/commit.ts';

/** What a catalog says, as a snapshot is loaded with it. */
export function catalogState(tableRoot: URL, state: CatalogTableState): Required<CatalogState> {
  return { logTail: logTailOf(tableRoot, state), maxCatalogVersion: state.latestVersion };
}

/** What a snapshot knows of its catalog, for reading the same table again. */
export function catalogOptions({ protocol, logSegment, version }: Snapshot): CatalogState {
  if (!isCatalogManaged(protocol)) return {};
  const { maxPublishedVersion = -1 } = logSegment;
  const logTail = logSegment.commits.filter((commit): commit is LogPath => {
    return commit.kind === 'stagedCommit' && commit.version > maxPublishedVersion;
  });
  return { logTail, maxCatalogVersion: version };
}

/** Attempts to write version 0. */
const MAX_ATTEMPTS = 5;

/**
 * Writes version 0 of a table in a folder of its own; the catalog is to be told of it then.
 * Errors: those of `createTable`; `FileAlreadyExists` where another writer has made a table there.
 */
export async function writeVersion0(
  engine: Engine,
  tableRoot: URL,
  schema: StructType,
  committer: Committer,
  { signal, ...options }: CreateTableOptions & CallOptions,
): Promise<Snapshot> {
  let transaction = await createTable(tableRoot, schema, options).build(engine, committer, { signal });
  for (let attempt = 1; ; attempt++) {
    const result = await transaction.commit(engine, { signal });
    if (result.status === 'committed') return result.postCommitSnapshot;
    if (result.status === 'conflicted') {
      throw new DeltaError(
        'FileAlreadyExists',
        'another writer has made a table in the folder of the new one',
        {
          table: shownUrl(tableRoot),
        },
      );
    }
    if (attempt === MAX_ATTEMPTS) throw result.error;
    transaction = result.transaction;
  }
}
