/** Compacted files in place of the commits that they hold (`PROTOCOL.md`, "Log Compaction Files"). */
import type { LogFile } from './types.ts';

/**
 * The files to read for `commits` (ascending, contiguous): a compacted file stands for its whole range where it
 * saves reads; of two that start alike the wider one is taken. Ascending.
 */
export function coverWithCompactions(
  commits: readonly LogFile[],
  compactions: readonly LogFile[],
): LogFile[] {
  const files: LogFile[] = [];
  const last = commits.at(-1)?.version ?? -1;
  for (let index = 0; index < commits.length; ) {
    const commit = commits[index]!;
    const widest = widestFrom(commit.version, last, compactions);
    files.push(widest ?? commit);
    index += widest === undefined ? 1 : widest.endVersion! - widest.version + 1;
  }
  return files;
}

function widestFrom(start: number, last: number, compactions: readonly LogFile[]): LogFile | undefined {
  let widest: LogFile | undefined;
  for (const compaction of compactions) {
    const end = compaction.endVersion!;
    if (compaction.version !== start || end === start || end > last) continue;
    if (widest === undefined || end > widest.endVersion!) widest = compaction;
  }
  return widest;
}
