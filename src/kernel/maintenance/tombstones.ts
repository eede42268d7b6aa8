/** Removed files that the log still remembers (`PROTOCOL.md`, "Add File and Remove File"). */
import { actionField } from '../actions/schemas.ts';
import { AppState } from '../checkpoint/app-state.ts';
import { replayFileActions } from '../checkpoint/replay.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { isSelected } from '../engine-data.ts';
import type { SnapshotState } from '../snapshot/state.ts';

export interface Tombstones {
  /** Removes that the log holds, of files that are not live. */
  readonly count: number;
  /** Those older than the table's `delta.deletedFileRetentionDuration`, which the next checkpoint leaves out. */
  readonly expired: number;
  /** Bytes of the files, as far as the removes tell their size. */
  readonly sizeInBytes: number;
}

const REMOVE = actionField('remove', 'path', 'deletionVector', 'deletionTimestamp', 'size');
const ADD = actionField('add', 'path', 'deletionVector');

/**
 * Counts the tombstones of a version by reading its whole log. Errors are those of reading it.
 */
export async function countTombstones(
  engine: Engine,
  snapshot: SnapshotState,
  options: CallOptions = {},
): Promise<Tombstones> {
  const cutoff = snapshot.runtime.now() - snapshot.tableProperties.deletedFileRetentionDuration;
  let [count, expired, sizeInBytes] = [0, 0, 0];
  const actions = replayFileActions(engine, snapshot, new AppState(), {
    ...options,
    fileActions: [ADD, REMOVE],
    stats: false,
    removesAfter: Number.NEGATIVE_INFINITY,
  });
  for await (const { action, data, selection } of actions) {
    if (action !== 'remove') continue;
    const time = data.column(['remove', 'deletionTimestamp']);
    const size = data.column(['remove', 'size']);
    for (let row = 0; row < data.length; row += 1) {
      if (!isSelected(selection, row)) continue;
      count += 1;
      if ((time?.getNumber(row) ?? 0) < cutoff) expired += 1;
      sizeInBytes += size?.getNumber(row) ?? 0;
    }
  }
  return { count, expired, sizeInBytes };
}
