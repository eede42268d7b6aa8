/** Which isolation a transaction has (Delta Lake, "Isolation levels"). */
import { DeltaError, shownUrl } from '../../../errors.ts';
import type { SnapshotState } from '../../snapshot/state.ts';
import { type Changes, ISOLATION_LEVELS, type IsolationLevel } from '../changes.ts';

/**
 * The level of a transaction: its own, else the table's. Snapshot isolation is for those that only rearrange files;
 * with any other action the default holds.
 * `ParseError` for a table property that is no level.
 */
export function isolationLevel(changes: Readonly<Changes>, base: SnapshotState): IsolationLevel {
  const wanted = changes.isolationLevel ?? tableIsolationLevel(base);
  if (wanted !== 'SnapshotIsolation') return wanted;
  const rearrangesOnly =
    !changes.dataChange &&
    changes.newMetadata === undefined &&
    changes.newProtocol === undefined &&
    changes.transactionIds.size === 0 &&
    changes.domains.size === 0 &&
    changes.systemDomains.length === 0;
  return rearrangesOnly ? 'SnapshotIsolation' : 'Serializable';
}

function tableIsolationLevel({ tableProperties, tableRoot }: SnapshotState): IsolationLevel {
  const stored = tableProperties.isolationLevel;
  const known = ISOLATION_LEVELS.find((level) => level.toLowerCase() === stored.toLowerCase());
  if (known !== undefined) return known;
  throw new DeltaError(
    'ParseError',
    `the table property delta.isolationLevel is ${JSON.stringify(stored)}, expected ${ISOLATION_LEVELS.join(', ')}`,
    { table: shownUrl(tableRoot) },
  );
}
