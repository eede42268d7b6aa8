/** What the last write did: it outlives the panel, which comes anew with the table's new version. */
import type { Overview } from '../../worker/protocol.ts';
import type { Outcome } from '../../worker/protocol-write.ts';

let last: { outcome: Outcome; location: string | undefined } | undefined;

/** @param location of the table; undefined for one that was just made, wherever it is. */
export function keepOutcome(outcome: Outcome | undefined, location?: string): void {
  last = outcome === undefined ? undefined : { outcome, location };
}

/** The one that led to what is open. */
export function outcomeOf({ location, version }: Overview): Outcome | undefined {
  if (last === undefined || last.outcome.version !== version) return undefined;
  last.location ??= location;
  return last.location === location ? last.outcome : undefined;
}
