/** From which version on commits carry their own time (`PROTOCOL.md`, "In-Commit Timestamps"). */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureEnabled } from '../table-features/protocol-support.ts';

export interface Enablement {
  /** First version with in-commit timestamps. */
  readonly version: number;
  /** Its time in ms; −∞ where they were enabled from the start. */
  readonly timestamp: number;
}

/**
 * Undefined where in-commit timestamps are not enabled.
 * Throws `InvalidLog` where only one of the two enablement properties is set or the version lies in the future.
 */
export function inCommitTimestampEnablement(state: SnapshotState): Enablement | undefined {
  const { protocol, metadata, tableProperties } = state;
  if (!isFeatureEnabled(protocol, metadata.configuration, 'inCommitTimestamp')) return undefined;
  const version = tableProperties.inCommitTimestampEnablementVersion;
  const timestamp = tableProperties.inCommitTimestampEnablementTimestamp;
  if (version === undefined && timestamp === undefined)
    return { version: 0, timestamp: Number.NEGATIVE_INFINITY };
  if (version === undefined || timestamp === undefined) {
    throw invalid(state, 'only one of the two properties delta.inCommitTimestampEnablement* is set');
  }
  if (version > state.version) {
    throw invalid(state, `in-commit timestamps are said to start at version ${version}, after this version`);
  }
  return { version, timestamp };
}

function invalid({ tableRoot, version }: SnapshotState, message: string): DeltaError {
  return new DeltaError('InvalidLog', message, { table: shownUrl(tableRoot), version });
}
