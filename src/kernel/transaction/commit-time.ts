/** When a commit happens (`PROTOCOL.md`, "In-Commit Timestamps"). */
import { isDeltaError } from '../../errors.ts';
import type { Metadata, Protocol } from '../actions/types.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { versionTimestamp } from '../history/commit-times.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureEnabled } from '../table-features/protocol-support.ts';
import type { CommitTimes } from './commit-info.ts';

/** Whether commits carry their own time under a protocol and its metadata. */
export function hasInCommitTimestamps(protocol: Protocol, { configuration }: Metadata): boolean {
  return isFeatureEnabled(protocol, configuration, 'inCommitTimestamp');
}

/**
 * The times of a commit on top of `base`. In-commit timestamps grow with every version: never before the one of
 * `base` plus a millisecond, whatever the clock says.
 */
export async function commitTimes(
  engine: Engine,
  base: SnapshotState,
  after: { readonly protocol: Protocol; readonly metadata: Metadata },
  options: CallOptions,
): Promise<CommitTimes> {
  const now = base.runtime.now();
  if (!hasInCommitTimestamps(after.protocol, after.metadata)) {
    return { timestamp: now, inCommitTimestamp: undefined };
  }
  const earliest = base.version < 0 ? now : (await baseTimestamp(engine, base, options)) + 1;
  const timestamp = Math.max(now, earliest);
  return { timestamp, inCommitTimestamp: timestamp };
}

/** Where the base has no in-commit timestamp: its file's time, and where that is unknown no bound. */
async function baseTimestamp(engine: Engine, base: SnapshotState, options: CallOptions): Promise<number> {
  try {
    return await versionTimestamp(engine, base, base.inCommitTimestamp, options);
  } catch (error) {
    const isRequired = hasInCommitTimestamps(base.protocol, base.metadata);
    if (isRequired || !isDeltaError(error, 'MissingData')) throw error;
    return Number.NEGATIVE_INFINITY;
  }
}

/** The metadata with the properties that say since when commits carry their time, where this commit begins it. */
export function withEnablement(
  base: SnapshotState,
  after: { readonly protocol: Protocol; readonly metadata: Metadata },
  { inCommitTimestamp }: CommitTimes,
): Metadata {
  const { metadata } = after;
  const begins = inCommitTimestamp !== undefined && !hasInCommitTimestamps(base.protocol, base.metadata);
  if (base.version < 0 || !begins) return metadata;
  return {
    ...metadata,
    configuration: {
      ...metadata.configuration,
      'delta.inCommitTimestampEnablementVersion': String(base.version + 1),
      'delta.inCommitTimestampEnablementTimestamp': String(inCommitTimestamp),
    },
  };
}
