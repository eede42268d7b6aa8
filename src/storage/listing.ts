/** What listing has in common: which directory a path means, and what comes after it. */
import { compareUtf8, type FileMeta, pathOf } from '../kernel/engine.ts';

export interface ListingStart {
  /** Decoded, ends in `/`. */
  readonly directory: string;
  /** Names greater than this one are listed; empty for all. */
  readonly after: string;
}

/** A path that ends in `/` is a directory, any other a name in its directory after which listing starts. */
export function listingStart(path: URL): ListingStart {
  const decoded = pathOf(path);
  const cut = decoded.lastIndexOf('/') + 1;
  return { directory: decoded.slice(0, cut), after: decoded.slice(cut) };
}

/** The names of one directory that a listing gives, in its order. */
export function sortedNames(names: Iterable<string>, after: string): string[] {
  return [...names].filter((name) => name !== '' && compareUtf8(name, after) > 0).sort(compareUtf8);
}

/** The order of listings. */
export function compareFiles(a: FileMeta, b: FileMeta): number {
  return compareUtf8(pathOf(a.location), pathOf(b.location));
}
