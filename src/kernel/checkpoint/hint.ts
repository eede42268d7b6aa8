/** Writing `_last_checkpoint` (`PROTOCOL.md`, "Last Checkpoint File"). */
import type { CallOptions, Engine } from '../engine.ts';
import { readLastCheckpointHint } from '../log/last-checkpoint-hint.ts';
import { LAST_CHECKPOINT_FILE_NAME } from '../log/log-path.ts';
import { joinPath } from '../paths.ts';

export interface CheckpointSize {
  readonly version: number;
  /** Actions, those in sidecars among them. */
  readonly size: number;
  /** Bytes, those of sidecars among them. */
  readonly sizeInBytes: number;
  readonly numOfAddFiles: number;
}

/** To be called once the checkpoint is durable. A hint at a newer checkpoint stays: it never goes backwards. */
export async function writeLastCheckpointHint(
  engine: Engine,
  logRoot: URL,
  checkpoint: CheckpointSize,
  options: CallOptions,
): Promise<void> {
  const known = await readLastCheckpointHint(engine, logRoot, options);
  if (known !== undefined && known.version > checkpoint.version) return;
  const { version, size, sizeInBytes, numOfAddFiles } = checkpoint;
  const text = JSON.stringify({ version, size, sizeInBytes, numOfAddFiles });
  const location = joinPath(logRoot, LAST_CHECKPOINT_FILE_NAME);
  await engine.storageHandler.put(location, new TextEncoder().encode(text), { ...options, overwrite: true });
}
