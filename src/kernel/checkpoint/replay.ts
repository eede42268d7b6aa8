/** Everything that a checkpoint holds of a version, from its log. */
import { shownUrl, withContext } from '../../errors.ts';
import { actionsSchema } from '../actions/schemas.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { inFile } from '../log/place.ts';
import { readActions } from '../log/read-actions.ts';
import { type AddColumns, checkpointColumns, textColumns } from '../scan/checkpoint-columns.ts';
import { type StructField, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import type { AppState } from './app-state.ts';
import { FileReplay, type SelectedActions } from './reconcile.ts';

export interface ReplayOptions extends CallOptions {
  /** `add` and `remove` with the fields wanted, without statistics. */
  readonly fileActions: readonly StructField[];
  /** Whether `add` comes with its statistics, as text and parsed, as far as the log has them. */
  readonly stats: boolean;
  /** Removes after this time (ms since the epoch) are wanted; undefined: none are. */
  readonly removesAfter?: number | undefined;
}

/**
 * File actions of the whole log, newest first; `appState` is complete once all have been read. The log is read anew:
 * what a snapshot was loaded with plays no part, so that no file can be missed.
 */
export async function* replayFileActions(
  engine: Engine,
  snapshot: SnapshotState,
  appState: AppState,
  { fileActions, stats, removesAfter, signal }: ReplayOptions,
): AsyncGenerator<SelectedActions, void, undefined> {
  const base = types.struct([...fileActions, ...actionsSchema('txn', 'domainMetadata').fields]);
  // Text and parsed statistics are both read: a checkpoint may have either, row by row.
  const columns: AddColumns = { base, statsText: stats, textIsWritten: false, skipping: undefined };
  const { logSegment, tableRoot, version } = snapshot;
  const actions = readActions(engine, logSegment, textColumns(columns), {
    signal,
    v2Checkpoint: isFeatureSupported(snapshot.protocol, 'v2Checkpoint'),
    checkpointFile: (file) => checkpointColumns(engine, file, columns, { signal }),
  });
  const replay = new FileReplay(removesAfter);
  for await (const batch of actions) {
    signal?.throwIfAborted();
    try {
      appState.collect(batch.data);
      yield* replay.select(batch);
    } catch (error) {
      throw inFile(error, logSegment, batch.file, batch.version);
    }
  }
  try {
    yield* replay.finish();
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot), version });
  }
}
