/**
 * What one commit must not hold (`PROTOCOL.md`, "Delta Log Entries" and the requirements of each action): two
 * `metaData`, two `protocol`, two `txn` of one application, two `domainMetadata` of one domain, two `add` of one
 * path. A reader that took either of two would show a table that depends on its own habits.
 *
 * A file that is removed twice, or removed and added under the same key, is legal here: writers do it when they
 * replace a table by itself, and the outcome does not depend on the order (an add beats a remove of its own commit).
 */
import { DeltaError } from '../../errors.ts';
import type { Column, EngineData } from '../engine-data.ts';
import { KeySet } from '../key-set.ts';

/** The two columns that say of an action whether a row holds it, and what identifies it. */
interface Keyed {
  readonly action: 'add' | 'remove' | 'cdc' | 'txn' | 'domainMetadata';
  readonly key: 'path' | 'appId' | 'domain';
  readonly unique: boolean;
}

const KEYED: readonly Keyed[] = [
  { action: 'add', key: 'path', unique: true },
  { action: 'remove', key: 'path', unique: false },
  { action: 'cdc', key: 'path', unique: false },
  { action: 'txn', key: 'appId', unique: true },
  { action: 'domainMetadata', key: 'domain', unique: true },
];

/** Checks the batches of one commit, as far as their columns allow. */
export class CommitCheck {
  readonly #seen = new Map<string, KeySet>();
  readonly #counts = new Map<string, number>();

  /** Throws `InvalidLog`. */
  check(data: EngineData): void {
    for (const action of ['metaData', 'protocol']) this.#checkSingle(action, data.column([action]));
    for (const keyed of KEYED) {
      const column = data.column([keyed.action]);
      const keys = data.column([keyed.action, keyed.key]);
      if (column !== undefined && keys !== undefined) this.#checkKeys(keyed, column, keys);
    }
  }

  #checkSingle(action: string, column: Column | undefined): void {
    if (column === undefined) return;
    let count = this.#counts.get(action) ?? 0;
    for (let row = 0; row < column.length; row++) if (!column.isNull(row)) count++;
    if (count > 1)
      throw new DeltaError('InvalidLog', `the commit holds ${count} ${action} actions instead of one`);
    this.#counts.set(action, count);
  }

  #checkKeys({ action, key, unique }: Keyed, column: Column, keys: Column): void {
    const seen = this.#seen.get(action) ?? new KeySet();
    this.#seen.set(action, seen);
    for (let row = 0; row < column.length; row++) {
      if (column.isNull(row)) continue;
      const value = keys.getString(row);
      if (value === null) {
        throw new DeltaError('InvalidLog', `the commit holds a ${action} action without ${key}`);
      }
      if (unique && !seen.add(value)) {
        throw new DeltaError('InvalidLog', `the commit holds two ${action} actions with the ${key} ${value}`);
      }
    }
  }
}
