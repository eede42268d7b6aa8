/**
 * The browser's own storage (the origin private file system): tables that live in a tab. Locations are
 * `opfs:///name/…`; all pages and workers of an origin see the same files.
 */
import { DeltaError, shownUrl } from '../errors.ts';
import type { CallOptions, FileMeta, FileSlice, StorageHandler } from '../kernel/engine.ts';
import { copyIfAbsent } from './copy.ts';
import { checkFilePath, checkScheme } from './failures.ts';
import { FolderReader, namesIn } from './folder.ts';
import { handleFolder } from './handle-folder.ts';
import { fileSystemError, findDirectory, removeName, writeFile } from './handles.ts';

export interface OpfsStorageOptions {
  /** The directory that `opfs:///` stands for; default `navigator.storage.getDirectory()`. */
  root?: FileSystemDirectoryHandle;
}

export class OpfsStorageHandler implements StorageHandler {
  readonly #given: FileSystemDirectoryHandle | undefined;
  #root: Promise<FileSystemDirectoryHandle> | undefined;
  readonly #reader: FolderReader;

  constructor({ root }: OpfsStorageOptions = {}) {
    this.#given = root;
    this.#reader = new FolderReader(async () => handleFolder(await this.#directory()), opfsNames);
  }

  listFrom(path: URL, options: CallOptions = {}): AsyncIterable<FileMeta> {
    return this.#reader.listFrom(path, options);
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return this.#reader.readFiles(files, options);
  }

  async copyAtomic(source: URL, destination: URL, options: CallOptions = {}): Promise<void> {
    return copyIfAbsent(this, source, destination, options);
  }

  /** `Unsupported` in browsers that cannot move files, or, for `overwrite: false`, have no Web Locks. */
  async put(
    path: URL,
    data: Uint8Array,
    { overwrite, signal }: CallOptions & { overwrite: boolean },
  ): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    const names = opfsNames(path);
    try {
      const lockName = `delta-kernel-web ${path.pathname}`;
      await writeFile(await this.#directory(), path, names, data, { overwrite, lockName });
    } catch (error) {
      throw fileSystemError(path, 'writing', error);
    }
  }

  head(path: URL, options: CallOptions = {}): Promise<FileMeta> {
    return this.#reader.head(path, options);
  }

  async delete(path: URL, { signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    const names = opfsNames(path);
    try {
      const directory = await findDirectory(await this.#directory(), names.slice(0, -1));
      if (directory !== undefined) await removeName(directory, names.at(-1) ?? '');
    } catch (error) {
      throw fileSystemError(path, 'deleting', error);
    }
  }

  listRecursive(prefix: URL, options: CallOptions = {}): AsyncIterable<FileMeta> {
    return this.#reader.listRecursive(prefix, options);
  }

  #directory(): Promise<FileSystemDirectoryHandle> {
    this.#root ??= this.#given === undefined ? openOpfs() : Promise.resolve(this.#given);
    return this.#root;
  }
}

async function openOpfs(): Promise<FileSystemDirectoryHandle> {
  const storage = globalThis.navigator?.storage as StorageManager | undefined;
  if (storage?.getDirectory !== undefined) return storage.getDirectory();
  throw new DeltaError(
    'Unsupported',
    'this browser has no origin private file system (pages need https for it)',
  );
}

function opfsNames(location: URL): string[] {
  checkScheme(location, 'opfs:');
  if (location.host === '') return namesIn(location);
  throw new DeltaError(
    'InvalidUrl',
    `${shownUrl(location)} should be opfs:///${location.host}${location.pathname}`,
  );
}
