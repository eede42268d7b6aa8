/** Whether this kernel may write checkpoints and checksums of a table, and maintain it. */
import { shownUrl, withContext } from '../../errors.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { checkWriteSupport } from '../table-features/write-support.ts';

/** Features that ask something of rows and columns that are written: who adds neither keeps them. */
const ROW_RULES: ReadonlySet<string> = new Set([
  'invariants',
  'checkConstraints',
  'generatedColumns',
  'identityColumns',
  'allowColumnDefaults',
]);

/**
 * For writes that add no rows. Throws `InvalidProtocol`, or `Unsupported` with the name of the feature that stands in
 * the way.
 */
export function checkRowlessWriteSupport({ protocol, metadata, tableRoot, version }: SnapshotState): void {
  try {
    checkWriteSupport(protocol, metadata, { enforced: ROW_RULES });
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot), version });
  }
}
