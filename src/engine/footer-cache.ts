/** The last bytes of Parquet files that were read lately, so that a second read of a file asks for no footer. */
import type { FileMeta } from '../kernel/engine.ts';
import type { FileBytes } from './wasm/core.ts';

/** Least recently used first out, by bytes. Data files never change, so URL, size and time name their content. */
export class FooterCache {
  readonly #entries = new Map<string, FileBytes>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(file: FileMeta): FileBytes | undefined {
    const key = keyOf(file);
    const tail = this.#entries.get(key);
    if (tail) {
      this.#entries.delete(key);
      this.#entries.set(key, tail);
    }
    return tail;
  }

  set(file: FileMeta, tail: FileBytes): void {
    const key = keyOf(file);
    this.#remove(key);
    if (tail.bytes.length > this.#maxBytes) return;
    this.#entries.set(key, tail);
    this.#bytes += tail.bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  /** Forgets every version of the file at `location`. */
  forget(location: URL): void {
    for (const key of [...this.#entries.keys()]) {
      if (key.endsWith(` ${location.href}`)) this.#remove(key);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes.length ?? 0;
    this.#entries.delete(key);
  }
}

function keyOf({ location, size, lastModified }: FileMeta): string {
  return `${size} ${lastModified} ${location.href}`;
}
