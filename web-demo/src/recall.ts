/**
 * What was opened in this tab, with its signatures, keys and tokens: in memory only, so that steps back and forth in the
 * browser's history need not ask for them again. A reload forgets it.
 */
import { isSamePlace, placeOf } from './places.ts';
import type { Source } from './worker/protocol.ts';

const opened: Source[] = [];

export function remember(source: Source): void {
  const place = placeOf(source);
  // What waits for its keys is no better than what is here already.
  if (Object.keys(place).length === 0 || ('isLocked' in source && source.isLocked)) return;
  const at = opened.findIndex((other) => isSamePlace(placeOf(other), place));
  if (at === -1) opened.push(source);
  else opened[at] = source;
}

/** The source as it was opened before, else as given. */
export function recalled(source: Source): Source {
  const place = placeOf(source);
  return opened.find((other) => isSamePlace(placeOf(other), place)) ?? source;
}
