/** Which committers fit which tables. */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { Protocol } from '../actions/types.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import type { CommitType } from './commit-metadata.ts';
import type { Committer } from './committer.ts';

/** Whether a protocol gives the say over versions to a catalog. */
export function isCatalogManaged(protocol: Protocol | undefined): boolean {
  return protocol !== undefined && isFeatureSupported(protocol, 'catalogManaged');
}

/** @param read undefined for a new table. */
export function commitTypeOf(read: Protocol | undefined, after: Protocol): CommitType {
  const managed = isCatalogManaged(after);
  if (read === undefined) return managed ? 'catalogManagedCreate' : 'pathBasedCreate';
  const wasManaged = isCatalogManaged(read);
  if (wasManaged === managed) return managed ? 'catalogManagedWrite' : 'pathBasedWrite';
  return managed ? 'upgradeToCatalogManaged' : 'downgradeToPathBased';
}

/** Throws `CommitterMismatch` where a table and a committer do not belong together. */
export function checkPairing(committer: Committer, managed: boolean, tableRoot: URL): void {
  if (committer.isCatalogCommitter() === managed) return;
  throw new DeltaError(
    'CommitterMismatch',
    managed
      ? 'the table is catalog-managed: commit through its catalog, with the committer of that catalog'
      : 'the table is not catalog-managed: commit with the file system committer, not with one of a catalog',
    { table: shownUrl(tableRoot), feature: 'catalogManaged' },
  );
}
