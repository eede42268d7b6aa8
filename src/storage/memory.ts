/** Files in memory: for tests, and for tables made on the fly. */
import { DeltaError, shownUrl } from '../errors.ts';
import {
  type CallOptions,
  compareUtf8,
  type FileMeta,
  type FileSlice,
  locationOf,
  pathOf,
  type StorageHandler,
} from '../kernel/engine.ts';
import { copyIfAbsent } from './copy.ts';
import { checkFilePath, checkScheme, fileAlreadyExists, fileNotFound } from './failures.ts';
import { listingStart, sortedNames } from './listing.ts';
import { readAhead, sliceOf } from './reading.ts';

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly lastModified: number;
}

export interface MemoryStorageOptions {
  /** Milliseconds since the Unix epoch, for `lastModified`. */
  now?: () => number;
  /** Files to begin with, by URL. */
  files?: Readonly<Record<string, Uint8Array | string>>;
}

/** Locations are `memory:///name/…`; each handler is a world of its own. */
export class MemoryStorageHandler implements StorageHandler {
  readonly #files = new Map<string, StoredFile>();
  readonly #now: () => number;

  constructor({ now = Date.now, files = {} }: MemoryStorageOptions = {}) {
    this.#now = now;
    for (const [url, content] of Object.entries(files)) this.set(url, content);
  }

  /** Stores a file at once, over whatever is there. */
  set(url: URL | string, content: Uint8Array | string): void {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
    this.#files.set(keyOf(new URL(url)), { bytes, lastModified: this.#now() });
  }

  /** Decoded paths of all files, in listing order. */
  paths(): string[] {
    return [...this.#files.keys()].sort(compareUtf8);
  }

  /** An independent handler with the same files and times. */
  clone(): MemoryStorageHandler {
    const copy = new MemoryStorageHandler({ now: this.#now });
    for (const [key, file] of this.#files) copy.#files.set(key, file);
    return copy;
  }

  async *listFrom(path: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    signal?.throwIfAborted();
    keyOf(path);
    const { directory, after } = listingStart(path);
    for (const name of sortedNames(this.#namesIn(directory), after)) {
      signal?.throwIfAborted();
      const file = this.#files.get(directory + name);
      if (file !== undefined) yield metaOf(path, directory + name, file);
    }
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return readAhead(files, async (slice) => sliceOf(this.#get(slice.location).bytes, slice), options);
  }

  async copyAtomic(source: URL, destination: URL, options: CallOptions = {}): Promise<void> {
    return copyIfAbsent(this, source, destination, options);
  }

  async put(
    path: URL,
    data: Uint8Array,
    { overwrite, signal }: CallOptions & { overwrite: boolean },
  ): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    if (!overwrite && this.#files.has(keyOf(path))) throw fileAlreadyExists(path);
    this.set(path, data);
  }

  async head(path: URL, { signal }: CallOptions = {}): Promise<FileMeta> {
    signal?.throwIfAborted();
    return metaOf(path, keyOf(path), this.#get(path));
  }

  async delete(path: URL, { signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#files.delete(keyOf(path));
  }

  async *listRecursive(prefix: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory } = listingStart(prefix);
    for (const path of this.paths().filter((path) => path.startsWith(directory))) {
      signal?.throwIfAborted();
      const file = this.#files.get(path);
      if (file !== undefined) yield metaOf(prefix, path, file);
    }
  }

  *#namesIn(directory: string): Iterable<string> {
    for (const path of this.#files.keys()) {
      if (path.startsWith(directory) && !path.includes('/', directory.length))
        yield path.slice(directory.length);
    }
  }

  #get(location: URL): StoredFile {
    const file = this.#files.get(keyOf(location));
    if (file === undefined) throw fileNotFound(location);
    return file;
  }
}

function keyOf(location: URL): string {
  checkScheme(location, 'memory:');
  if (location.host !== '') {
    const message = `${shownUrl(location)} should be memory:///${location.host}${location.pathname}`;
    throw new DeltaError('InvalidUrl', message);
  }
  return pathOf(location);
}

function metaOf(base: URL, path: string, { bytes, lastModified }: StoredFile): FileMeta {
  return { location: locationOf(base, path), lastModified, size: bytes.byteLength };
}
