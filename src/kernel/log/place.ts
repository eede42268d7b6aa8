/** Where a file of a log is, as errors say it. */
import { type DeltaErrorContext, isDeltaError, shownUrl, withContext } from '../../errors.ts';
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

/**
 * The same error with the place of the file that was read. A storage, which does not know of tables, has said the
 * file's whole location: it becomes a path in the table.
 */
export function inFile(
  error: unknown,
  segment: { readonly tableRoot: URL },
  file: FileMeta,
  version: number,
): unknown {
  const place = placeOf(segment, file, version);
  if (isDeltaError(error) && error.path === shownUrl(file.location))
    Object.assign(error, { path: place.path });
  return withContext(error, place);
}
