/** Fresh row ids (`PROTOCOL.md`, "Row Tracking"). */
import { DeltaError } from '../../errors.ts';
import type { DomainMetadata } from '../actions/types.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { parseJsonObject } from '../log/json.ts';
import { findDomainMetadata } from '../snapshot/app-state.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import type { AddFile } from './file-actions.ts';
import { requireNumRecords } from './file-stats.ts';

export const ROW_TRACKING_DOMAIN = 'delta.rowTracking';

/** Whether writers give row ids: where the feature is supported, enabled or not, unless suspended. */
export function assignsRowIds({ protocol, tableProperties }: SnapshotState): boolean {
  return isFeatureSupported(protocol, 'rowTracking') && !tableProperties.rowTrackingSuspended;
}

/** The highest row id that was ever given; −1 before any. */
export async function rowIdHighWaterMark(
  engine: Engine,
  state: SnapshotState,
  options: CallOptions,
): Promise<bigint> {
  if (state.version < 0) return -1n;
  const { logSegment, checksum } = state;
  const found = await findDomainMetadata(engine, logSegment, checksum, ROW_TRACKING_DOMAIN, options);
  return found === undefined ? -1n : parseHighWaterMark(found.configuration);
}

function parseHighWaterMark(configuration: string): bigint {
  const text = String(parseJsonObject(configuration)?.rowIdHighWaterMark);
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw new DeltaError('MalformedJson', `the domain ${ROW_TRACKING_DOMAIN} holds no rowIdHighWaterMark`, {
    feature: 'rowTracking',
  });
}

/**
 * Files with ids: those that are in the table already keep theirs, the others get the next ones.
 *
 * @param highWaterMark of the version before the commit.
 * @param version of the commit.
 */
export function assignRowIds<T extends AddFile>(
  adds: readonly T[],
  highWaterMark: bigint,
  version: number,
): { readonly adds: readonly T[]; readonly highWaterMark: bigint } {
  let next = highWaterMark + 1n;
  const assigned = adds.map((add) => {
    if (add.baseRowId !== undefined) return add;
    const baseRowId = next;
    next += BigInt(requireNumRecords(add.stats, add.path, 'row tracking gives ids by it'));
    return { ...add, baseRowId, defaultRowCommitVersion: version };
  });
  return { adds: assigned, highWaterMark: next - 1n };
}

export function highWaterMarkDomain(highWaterMark: bigint): DomainMetadata {
  const configuration = `{"rowIdHighWaterMark":${highWaterMark}}`;
  return { domain: ROW_TRACKING_DOMAIN, configuration, removed: false };
}
