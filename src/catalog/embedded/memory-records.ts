/** Records of one process, for tests and demonstrations. */
import type { RecordStore, StoredRecord } from './record-store.ts';

export class MemoryRecordStore implements RecordStore {
  readonly #records = new Map<string, StoredRecord>();
  #replacements = 0;

  async read(key: string): Promise<StoredRecord | undefined> {
    return this.#records.get(key);
  }

  async replace(key: string, text: string, tag: string | undefined): Promise<boolean> {
    if (this.#records.get(key)?.tag !== tag) return false;
    this.#replacements += 1;
    this.#records.set(key, { text, tag: String(this.#replacements) });
    return true;
  }

  async remove(key: string): Promise<void> {
    this.#records.delete(key);
  }

  async *keys(prefix: string): AsyncIterable<string> {
    for (const key of this.#records.keys()) if (key.startsWith(prefix)) yield key;
  }
}
