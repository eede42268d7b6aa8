/** The last bytes of Parquet files that were read lately, so that a second read of a file asks for no footer. */
import type { FileMeta } from '../kernel/engine.ts';
import { ByteCache } from './byte-cache.ts';
import type { FileBytes } from './wasm/core.ts';

/** Data files never change, so URL, size and time name their content. */
export class FooterCache {
  readonly #tails: ByteCache<string, FileBytes>;

  constructor(maxBytes: number) {
    this.#tails = new ByteCache(maxBytes);
  }

  get(file: FileMeta): FileBytes | undefined {
    return this.#tails.get(keyOf(file));
  }

  set(file: FileMeta, tail: FileBytes): void {
    this.#tails.set(keyOf(file), tail, tail.bytes.length);
  }

  /** Forgets every version of the file at `location`. */
  forget(location: URL): void {
    for (const key of this.#tails.keys()) if (key.endsWith(` ${location.href}`)) this.#tails.delete(key);
  }
}

function keyOf({ location, size, lastModified }: FileMeta): string {
  return `${size} ${lastModified} ${location.href}`;
}
