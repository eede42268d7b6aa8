/**
 * Where an embedded catalog keeps its records: small texts by key, replaced by compare-and-swap. The one thing that
 * makes a catalog of a storage: of writers that read the same record, one replaces it.
 */

/** A record as it was read. */
export interface StoredRecord {
  readonly text: string;
  /** Changes with every replacement: what `replace` compares. */
  readonly tag: string;
}

export interface RecordStore {
  /** Undefined where there is none. Must see every replacement that was answered before. */
  read(key: string): Promise<StoredRecord | undefined>;
  /**
   * Replaces the record that has this tag; `tag` undefined: makes one where there is none.
   * @returns false where it has another tag by now (or is there already). An `IOError` leaves open whether it was done.
   */
  replace(key: string, text: string, tag: string | undefined): Promise<boolean>;
  /** Idempotent. */
  remove(key: string): Promise<void>;
  /** Keys that start with `prefix`, in any order. */
  keys(prefix: string): AsyncIterable<string>;
}
