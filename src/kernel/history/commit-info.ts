/** Reading the `commitInfo` of single commits. */
import { DeltaError } from '../../errors.ts';
import { type CommitInfo, findCommitInfoText, parseCommitInfo } from '../actions/commit-info.ts';
import { actionsSchema } from '../actions/schemas.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { inFile, placeOf } from '../log/place.ts';
import type { LogFile } from '../log/types.ts';

/** The commit's `commitInfo`, undefined where it has none. No other action is looked at. */
export async function readCommitInfo(
  engine: Engine,
  tableRoot: URL,
  { file, version }: LogFile,
  { signal }: CallOptions,
): Promise<CommitInfo | undefined> {
  try {
    const schema = actionsSchema('commitInfo');
    for await (const data of engine.jsonHandler.readJsonFiles([file], schema, { signal })) {
      const text = findCommitInfoText(data);
      if (text !== undefined) return parseCommitInfo(text);
    }
    return undefined;
  } catch (error) {
    throw inFile(error, { tableRoot }, file, version);
  }
}

/** The in-commit timestamp of a commit in ms; see {@link inCommitTimestampOf}. */
export async function readInCommitTimestamp(
  engine: Engine,
  tableRoot: URL,
  commit: LogFile,
  options: CallOptions,
): Promise<number> {
  return inCommitTimestampOf(tableRoot, commit, await readCommitInfo(engine, tableRoot, commit, options));
}

/** A commit that must have an in-commit timestamp and has none is `InvalidLog`. */
export function inCommitTimestampOf(
  tableRoot: URL,
  { file, version }: LogFile,
  info: CommitInfo | undefined,
): number {
  if (info?.inCommitTimestamp !== undefined) return info.inCommitTimestamp;
  throw new DeltaError(
    'InvalidLog',
    `version ${version} has no inCommitTimestamp, although in-commit timestamps are enabled`,
    placeOf({ tableRoot }, file, version),
  );
}
