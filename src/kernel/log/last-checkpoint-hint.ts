/**
 * `_last_checkpoint` (`PROTOCOL.md`, "Last Checkpoint File"): where a listing may start. It is only ever a hint: it
 * may be absent, broken, old, or name a checkpoint that is gone, and it never decides which checkpoint is read.
 */
import type { CallOptions, Engine } from '../engine.ts';
import { joinPath } from '../paths.ts';
import { asSafeInteger, asString, isObject, parseJsonObject } from './json.ts';
import { LAST_CHECKPOINT_FILE_NAME } from './log-path.ts';
import { readTextIfExists } from './read-bytes.ts';

export interface LastCheckpointHint {
  readonly version: number;
  /** Number of files of a multi-part checkpoint, more than one. */
  readonly parts?: number;
  /** File name of a V2 checkpoint. */
  readonly v2Path?: string;
}

/** The hint, undefined where there is none or it makes no sense. Failures other than absence are thrown. */
export async function readLastCheckpointHint(
  engine: Engine,
  logRoot: URL,
  options: CallOptions = {},
): Promise<LastCheckpointHint | undefined> {
  const text = await readTextIfExists(engine, joinPath(logRoot, LAST_CHECKPOINT_FILE_NAME), options);
  return text === undefined ? undefined : parseLastCheckpointHint(text);
}

/** Some writers say `parts: 1` for a checkpoint in a single file: the same as without `parts`. */
export function parseLastCheckpointHint(text: string): LastCheckpointHint | undefined {
  const hint = parseJsonObject(text);
  const version = asSafeInteger(hint?.version);
  if (hint === undefined || version === undefined || version < 0) return undefined;
  const parts = asSafeInteger(hint.parts);
  const v2Path = isObject(hint.v2Checkpoint) ? asString(hint.v2Checkpoint.path) : undefined;
  return {
    version,
    ...(parts !== undefined && parts > 1 ? { parts } : {}),
    ...(v2Path !== undefined ? { v2Path } : {}),
  };
}
