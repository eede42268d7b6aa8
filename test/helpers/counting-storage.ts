/** A storage that keeps account of the requests that reach it: I/O plans are behaviour. */
import type { CallOptions, FileMeta, FileSlice, StorageHandler } from '../../src/kernel/engine.ts';

export interface CountedRequest {
  readonly kind: 'list' | 'read' | 'copy' | 'put' | 'head';
  /** Name of the file, without its directories. */
  readonly name: string;
  /** Bytes [start, end) of a ranged read. */
  readonly range?: readonly [number, number] | undefined;
}

export class CountingStorage implements StorageHandler {
  readonly requests: CountedRequest[] = [];
  /** Bytes of all reads. */
  bytesRead = 0;
  readonly #inner: StorageHandler;

  constructor(inner: StorageHandler) {
    this.#inner = inner;
  }

  /** What was counted since the last call. */
  take(): CountedRequest[] {
    return this.requests.splice(0);
  }

  listFrom(path: URL, options?: CallOptions): AsyncIterable<FileMeta> {
    this.#count('list', path);
    return this.#inner.listFrom(path, options);
  }

  async *readFiles(files: readonly FileSlice[], options?: CallOptions): AsyncIterable<Uint8Array> {
    for (const { location, range } of files) this.#count('read', location, range);
    for await (const bytes of this.#inner.readFiles(files, options)) {
      this.bytesRead += bytes.length;
      yield bytes;
    }
  }

  copyAtomic(source: URL, destination: URL, options?: CallOptions): Promise<void> {
    this.#count('copy', destination);
    return this.#inner.copyAtomic(source, destination, options);
  }

  put(path: URL, data: Uint8Array, options: CallOptions & { overwrite: boolean }): Promise<void> {
    this.#count('put', path);
    return this.#inner.put(path, data, options);
  }

  head(path: URL, options?: CallOptions): Promise<FileMeta> {
    this.#count('head', path);
    return this.#inner.head(path, options);
  }

  #count(kind: CountedRequest['kind'], { pathname }: URL, range?: FileSlice['range']): void {
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    this.requests.push({ kind, name, ...(range && { range: [range.start, range.end] as const }) });
  }
}
