/** Deleting files of a catalog-managed table: for its catalog to allow (`PROTOCOL.md`, "Catalog-managed tables"). */
import { DeltaError, shownUrl } from '../../errors.ts';
import { isCatalogManaged } from '../committer/pairing.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { LogPath } from '../log/log-path.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotState } from '../snapshot/state.ts';

/** A catalog's leave to delete files of a table that it manages, with what it says of the table at that time. */
export interface CatalogGrant {
  /** All commits that it lists, published or not: their staged files stay. */
  readonly logTail: readonly LogPath[];
  /** The newest version that it ratified. */
  readonly maxCatalogVersion: number;
}

export interface GrantOptions extends CallOptions {
  /** Only of a catalog-managed table, which is refused without it. */
  readonly grant?: CatalogGrant | undefined;
}

/** Throws `Unsupported` for a catalog-managed table without its catalog's leave. */
export function checkGrant(
  { protocol, tableRoot }: SnapshotState,
  what: string,
  grant: CatalogGrant | undefined,
): void {
  if (!isCatalogManaged(protocol) || grant !== undefined) return;
  throw new DeltaError(
    'Unsupported',
    `${what} of a catalog-managed table (feature catalogManaged) is for its catalog to do: nothing was deleted`,
    { table: shownUrl(tableRoot), feature: 'catalogManaged' },
  );
}

/**
 * The table at its newest version, where files of it may be deleted. One that a catalog manages must be published as
 * far as it is ratified, so that the log alone tells what is needed; else `Unsupported`.
 */
export async function newestToMaintain(
  engine: Engine,
  snapshot: Snapshot,
  what: string,
  { grant, signal }: GrantOptions,
): Promise<Snapshot> {
  checkGrant(snapshot, what, grant);
  const state = isCatalogManaged(snapshot.protocol) ? grant : undefined;
  const newest = await snapshot.refresh(engine, { signal, ...state });
  checkGrant(newest, what, grant);
  const { version, logSegment, tableRoot } = newest;
  if (!isCatalogManaged(newest.protocol) || logSegment.maxPublishedVersion === version) return newest;
  throw new DeltaError(
    'Unsupported',
    `${what} is not possible while version ${version} is not published: publish it first`,
    { table: shownUrl(tableRoot), version },
  );
}
