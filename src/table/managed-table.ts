/** Tables of catalogs as `DeltaTable`s: what is the same whichever catalog it is. */
import { type CatalogTableState, logTailOf } from '../catalog/staged-commit.ts';
import { isCatalogManaged } from '../kernel/committer/pairing.ts';
import type { LogPath } from '../kernel/log/log-path.ts';
import type { Snapshot } from '../kernel/snapshot/snapshot.ts';
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
