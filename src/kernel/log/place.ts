/** Where a file of a log is, as errors say it. */
import { type DeltaErrorContext, shownUrl } from '../../errors.ts';
import type { FileMeta } from '../engine.ts';
import { relativePath } from '../paths.ts';

/** The place of a file for an error: relative to the table root where it lies under it. */
export function placeOf(
  { tableRoot }: { readonly tableRoot: URL },
  { location }: FileMeta,
  version: number,
): DeltaErrorContext {
  return {
    table: shownUrl(tableRoot),
    version,
    path: relativePath(tableRoot, location) ?? shownUrl(location),
  };
}
