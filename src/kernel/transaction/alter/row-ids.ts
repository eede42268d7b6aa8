/**
 * Row ids for files that are in the table already (`PROTOCOL.md`, "Row Tracking"): all of them are added again, as they
 * are but with ids, in the commit that turns row tracking on. Nobody sees the property without the ids.
 */
import type { CallOptions, Engine } from '../../engine.ts';
import { Scan } from '../../scan/scan.ts';
import type { SnapshotState } from '../../snapshot/state.ts';
import type { AddFile } from '../file-actions.ts';

/** The live files without row ids, one object for each. */
export async function filesWithoutRowIds(
  engine: Engine,
  base: SnapshotState,
  { signal }: CallOptions,
): Promise<AddFile[]> {
  const files: AddFile[] = [];
  for await (const file of new Scan(base).files(engine, { signal })) {
    if (file.baseRowId === undefined) files.push(file);
  }
  return files;
}
