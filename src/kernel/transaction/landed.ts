/** Whose commit a version is: the question on which no commit may be lost or doubled (protocol rules for `txnId`). */
import { isDeltaError } from '../../errors.ts';
import type { CommitInfo } from '../actions/commit-info.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import { readCommitInfo } from '../history/commit-info.ts';
import { commitFileName, logRootOf } from '../log/log-path.ts';
import type { LogFile } from '../log/types.ts';
import { joinPath } from '../paths.ts';

export type Landing =
  | { readonly kind: 'ours'; readonly fileMeta: FileMeta }
  | { readonly kind: 'others' }
  | { readonly kind: 'absent' };

/**
 * Reads the published commit of a version back and compares its `txnId`: a storage may have answered our own PUT,
 * repeated by something on the way, with "exists".
 */
export async function whoseCommit(
  engine: Engine,
  tableRoot: URL,
  version: number,
  txnId: string,
  options: CallOptions,
): Promise<Landing> {
  const location = joinPath(logRootOf(tableRoot), commitFileName(version));
  let fileMeta: FileMeta;
  let info: CommitInfo | undefined;
  try {
    fileMeta = await engine.storageHandler.head(location, options);
    const file: LogFile = { kind: 'commit', version, file: fileMeta };
    info = await readCommitInfo(engine, tableRoot, file, options);
  } catch (error) {
    if (isDeltaError(error, 'FileNotFound')) return { kind: 'absent' };
    throw error;
  }
  return info?.txnId === txnId ? { kind: 'ours', fileMeta } : { kind: 'others' };
}
