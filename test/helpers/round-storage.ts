/** A storage in which requests that are made side by side form a round: what takes a round trip on the network. */
import type { CallOptions, FileMeta, FileSlice, StorageHandler } from '../../src/kernel/engine.ts';

/** How long no further request must come, in ms, for a round to be complete. */
const QUIET = 20;

export class RoundStorage implements StorageHandler {
  readonly #inner: StorageHandler;
  #rounds: string[][] = [];
  #current: { readonly names: string[]; readonly waiting: (() => void)[] } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(inner: StorageHandler) {
    this.#inner = inner;
  }

  /** The rounds since the last call, each with its requests by name: `list`, `head NAME`, `NAME`, `NAME start-end`. */
  take(): string[][] {
    return this.#rounds.splice(0).map((names) => names.sort());
  }

  async *listFrom(path: URL, options?: CallOptions): AsyncIterable<FileMeta> {
    await this.#inRound('list');
    yield* this.#inner.listFrom(path, options);
  }

  async *readFiles(files: readonly FileSlice[], options?: CallOptions): AsyncIterable<Uint8Array> {
    await Promise.all(
      files.map(({ location, range }) =>
        this.#inRound(`${nameOf(location)}${range ? ` ${range.start}-${range.end}` : ''}`),
      ),
    );
    yield* this.#inner.readFiles(files, options);
  }

  async copyAtomic(source: URL, destination: URL, options?: CallOptions): Promise<void> {
    await this.#inRound(`copy ${nameOf(destination)}`);
    return this.#inner.copyAtomic(source, destination, options);
  }

  async put(path: URL, data: Uint8Array, options: CallOptions & { overwrite: boolean }): Promise<void> {
    await this.#inRound(`put ${nameOf(path)}`);
    return this.#inner.put(path, data, options);
  }

  async head(path: URL, options?: CallOptions): Promise<FileMeta> {
    await this.#inRound(`head ${nameOf(path)}`);
    return this.#inner.head(path, options);
  }

  /** Waits until all requests of the round have been made. */
  #inRound(name: string): Promise<void> {
    this.#current ??= { names: [], waiting: [] };
    const { names, waiting } = this.#current;
    names.push(name);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), QUIET);
    return new Promise((resolve) => waiting.push(resolve));
  }

  #end(): void {
    const { names, waiting } = this.#current!;
    this.#current = undefined;
    this.#rounds.push(names);
    for (const resolve of waiting) resolve();
  }
}

function nameOf({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1);
}
