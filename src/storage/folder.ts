/** A tree of files as browsers give them out, and reading it as a storage. */
import { isDeltaError } from '../errors.ts';
import {
  type CallOptions,
  type FileMeta,
  type FileSlice,
  locationOf,
  pathOf,
  type StorageHandler,
} from '../kernel/engine.ts';
import { checkFilePath, fileNotFound } from './failures.ts';
import { fileSystemError, segmentsOf } from './handles.ts';
import { listingStart, sortedNames } from './listing.ts';
import { abortable, checkLength, readAhead, shortRead } from './reading.ts';

/** How often a file that changes while it is read is opened again. */
const OPEN_ATTEMPTS = 5;

export interface FolderEntries {
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

/** Names are plain. Missing files and directories are undefined. */
export interface Folder {
  file(segments: readonly string[]): Promise<File | undefined>;
  entries(segments: readonly string[]): Promise<FolderEntries | undefined>;
}

/** The reading half of a storage over a folder. `segments` says where in it a location lies, or throws. */
export class FolderReader
  implements Pick<StorageHandler, 'listFrom' | 'readFiles' | 'head' | 'listRecursive'>
{
  readonly #folder: () => Promise<Folder>;
  readonly #segments: (location: URL) => string[];

  constructor(folder: () => Promise<Folder>, segments: (location: URL) => string[]) {
    this.#folder = folder;
    this.#segments = segments;
  }

  async *listFrom(path: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory, after } = listingStart(path);
    const { files } = await this.#entries(locationOf(path, directory), signal);
    yield* this.#metas(path, directory, sortedNames(files, after), signal);
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return readAhead(files, (slice) => this.#read(slice), options);
  }

  async head(path: URL, { signal }: CallOptions = {}): Promise<FileMeta> {
    checkFilePath(path);
    signal?.throwIfAborted();
    const file = await abortable(this.#file(path), signal);
    if (file === undefined) throw fileNotFound(path);
    return metaOf(path, file);
  }

  async *listRecursive(prefix: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory } = listingStart(prefix);
    const { files, directories } = await this.#entries(locationOf(prefix, directory), signal);
    yield* this.#metas(prefix, directory, sortedNames(files, ''), signal);
    for (const name of sortedNames(directories, '')) {
      yield* this.listRecursive(locationOf(prefix, `${directory}${name}/`), { signal });
    }
  }

  async *#metas(
    base: URL,
    directory: string,
    names: readonly string[],
    signal: AbortSignal | undefined,
  ): AsyncIterable<FileMeta> {
    for (const name of names) {
      signal?.throwIfAborted();
      const location = locationOf(base, directory + name);
      const file = await abortable(this.#file(location), signal);
      // Deleted since.
      if (file !== undefined) yield metaOf(location, file);
    }
  }

  async #entries(directory: URL, signal: AbortSignal | undefined): Promise<FolderEntries> {
    signal?.throwIfAborted();
    const segments = this.#segments(directory);
    const list = async () => (await this.#folder()).entries(segments);
    const entries = await abortable(this.#call(directory, 'listing', list), signal);
    return entries ?? { files: [], directories: [] };
  }

  #file(location: URL): Promise<File | undefined> {
    const segments = this.#segments(location);
    return this.#call(location, 'opening', async () => (await this.#folder()).file(segments));
  }

  async #read(slice: FileSlice): Promise<Uint8Array> {
    checkFilePath(slice.location);
    for (let attempt = 1; ; attempt++) {
      const file = await this.#file(slice.location);
      if (file === undefined) throw fileNotFound(slice.location);
      try {
        return await readSlice(file, slice);
      } catch (error) {
        // A `File` becomes unreadable when its file is replaced; opened again, it is the new one.
        if (isDeltaError(error) || attempt === OPEN_ATTEMPTS)
          throw fileSystemError(slice.location, 'reading', error);
      }
    }
  }

  async #call<T>(location: URL, what: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw fileSystemError(location, what, error);
    }
  }
}

async function readSlice(file: File, { location, range }: FileSlice): Promise<Uint8Array> {
  const { start, end } = range ?? { start: 0, end: file.size };
  if (end > file.size) throw shortRead(location, { start, end }, Math.max(0, file.size - start));
  checkLength(location, end - start);
  return new Uint8Array(await file.slice(start, end).arrayBuffer());
}

/** The names in a location's path; dot names are left to the file system, which refuses them. */
export function namesIn(location: URL): string[] {
  return segmentsOf(pathOf(location));
}

function metaOf(location: URL, { size, lastModified }: File): FileMeta {
  return { location, lastModified, size };
}
