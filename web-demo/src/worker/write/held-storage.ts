/**
 * A storage that keeps what is written to it in memory until a commit is allowed: reads see both. So a change is worked
 * out to the last byte, its commit included, before anything of it is written.
 */
import {
  type CallOptions,
  DeltaError,
  type FileMeta,
  type FileSlice,
  type StorageHandler,
} from 'delta-kernel-web';

/** Files that are written at a time. */
const LANES = 6;

/** Bytes; a page that holds more may die of it. */
const MAX_HELD = 1 << 30;

/** Commits: published, or staged for a catalog. */
const COMMIT = /\/_delta_log\/(?:\d{20}\.json|_staged_commits\/[^/]+\.json)$/;
const LOG = /\/_delta_log\//;

export interface HeldFile {
  readonly location: URL;
  readonly bytes: Uint8Array;
  readonly lastModified: number;
}

/**
 * Lets a commit pass, or throws. Called for each attempt to write one, before anything is written.
 * @param failure of the attempt before, if that is known.
 */
export type Gate = (location: URL, bytes: Uint8Array, failure: unknown) => Promise<void>;

export class HeldStorage implements StorageHandler {
  readonly delete?: (path: URL, options?: CallOptions) => Promise<void>;
  readonly listRecursive?: (prefix: URL, options?: CallOptions) => AsyncIterable<FileMeta>;
  readonly #inner: StorageHandler;
  readonly #gate: Gate | undefined;
  readonly #onFile: ((written: number, of: number) => void) | undefined;
  readonly #held = new Map<string, HeldFile>();
  #bytes = 0;
  #isAllowed = false;
  #failure: unknown;

  /**
   * @param gate without one nothing but {@link HeldStorage.flush} writes.
   * @param onFile told of each file that is written before the commit.
   */
  constructor(inner: StorageHandler, gate?: Gate, onFile?: (written: number, of: number) => void) {
    this.#inner = inner;
    this.#gate = gate;
    this.#onFile = onFile;
    if (inner.delete) this.delete = (path, options) => this.#delete(path, options);
    if (inner.listRecursive) this.listRecursive = (prefix, options) => inner.listRecursive!(prefix, options);
  }

  /** In the order in which they were written. */
  get files(): HeldFile[] {
    return [...this.#held.values()];
  }

  listFrom(path: URL, options?: CallOptions): AsyncIterable<FileMeta> {
    return this.#inner.listFrom(path, options);
  }

  async *readFiles(files: readonly FileSlice[], options?: CallOptions): AsyncIterable<Uint8Array> {
    if (!files.some(({ location }) => this.#held.has(location.href))) {
      yield* this.#inner.readFiles(files, options);
      return;
    }
    for (const file of files) {
      const held = this.#held.get(file.location.href);
      if (held === undefined) yield* this.#inner.readFiles([file], options);
      else yield held.bytes.slice(file.range?.start ?? 0, file.range?.end);
    }
  }

  async head(path: URL, options?: CallOptions): Promise<FileMeta> {
    const held = this.#held.get(path.href);
    return held === undefined ? this.#inner.head(path, options) : metaOf(held);
  }

  async put(path: URL, data: Uint8Array, options: CallOptions & { overwrite: boolean }): Promise<void> {
    options.signal?.throwIfAborted();
    if (this.#gate !== undefined && COMMIT.test(path.pathname)) {
      await this.#gate(path, data, this.#failure);
      this.#isAllowed = true;
      return this.#write(() => this.#commit(path, data, options));
    }
    // What follows a commit: its checksum and its checkpoint. Data files of a change that is redone wait again.
    if (this.#isAllowed && LOG.test(path.pathname)) return this.#inner.put(path, data, options);
    this.#hold(path, data);
  }

  async copyAtomic(source: URL, destination: URL, options?: CallOptions): Promise<void> {
    return this.#inner.copyAtomic(source, destination, options);
  }

  /** Writes what is held, in order. Names of data files are new: writing one twice, after a failure, is no harm. */
  flush(options: CallOptions = {}): Promise<void> {
    return this.#writeHeld(options, 1);
  }

  async #writeHeld({ signal }: CallOptions, lanes: number): Promise<void> {
    const waiting = this.files;
    const all = waiting.length;
    const lane = async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        await this.#inner.put(file.location, file.bytes, { signal, overwrite: true });
        this.#drop(file.location);
        this.#onFile?.(all - this.#held.size, all);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #commit(path: URL, data: Uint8Array, options: CallOptions & { overwrite: boolean }): Promise<void> {
    const { signal } = options;
    await this.#writeHeld({ signal }, LANES);
    await this.#inner.put(path, data, options);
  }

  async #write(write: () => Promise<void>): Promise<void> {
    this.#failure = undefined;
    try {
      await write();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #hold(location: URL, bytes: Uint8Array): void {
    this.#drop(location);
    this.#bytes += bytes.byteLength;
    if (this.#bytes > MAX_HELD) {
      const message = `the change writes more than ${MAX_HELD >> 20} MiB, which this page cannot hold back until it is allowed`;
      throw new DeltaError('OutOfMemory', message);
    }
    // The caller may use its buffer again.
    this.#held.set(location.href, { location, bytes: bytes.slice(), lastModified: Date.now() });
  }

  #drop(location: URL): void {
    const held = this.#held.get(location.href);
    if (held === undefined) return;
    this.#bytes -= held.bytes.byteLength;
    this.#held.delete(location.href);
  }

  async #delete(path: URL, options?: CallOptions): Promise<void> {
    if (this.#held.has(path.href)) this.#drop(path);
    else await this.#inner.delete!(path, options);
  }
}

function metaOf({ location, bytes, lastModified }: HeldFile): FileMeta {
  return { location, size: bytes.byteLength, lastModified };
}
