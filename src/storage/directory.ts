/**
 * A folder that the user dropped on a page or picked: what `showDirectoryPicker()`, `DataTransferItem` and
 * `<input type="file" webkitdirectory>` give.
 *
 * ```ts
 * const storage = await DirectoryStorageHandler.fromDrop(event.dataTransfer.items[0]);
 * await DeltaTable.open({ storage, url: storage.root });
 * ```
 */
import { DeltaError, shownUrl } from '../errors.ts';
import {
  type CallOptions,
  type FileMeta,
  type FileSlice,
  locationOf,
  type StorageHandler,
} from '../kernel/engine.ts';
import { copyIfAbsent } from './copy.ts';
import { checkFilePath, checkScheme } from './failures.ts';
import { type Folder, FolderReader, namesIn } from './folder.ts';
import { handleFolder } from './handle-folder.ts';
import { fileSystemError, findDirectory, removeName, writeFile } from './handles.ts';
import { entryFolder, fileListFolder } from './legacy-folders.ts';

/** A picked folder; a dropped one (`webkitGetAsEntry()`); the files of a directory input. */
export type DirectorySource =
  | FileSystemDirectoryHandle
  | FileSystemDirectoryEntry
  | FileList
  | readonly File[];

export interface DirectoryStorageOptions {
  /**
   * Allow writing into a picked folder (a `FileSystemDirectoryHandle` with the `readwrite` permission). Put if absent
   * is then safe among the pages and workers of this origin, not against other programs. Default false.
   */
  writable?: boolean;
}

export class DirectoryStorageHandler implements StorageHandler {
  /** The folder itself: `directory:///<name>/`. */
  readonly root: URL;
  readonly #handle: FileSystemDirectoryHandle | undefined;
  readonly #reader: FolderReader;

  constructor(source: DirectorySource, { writable = false }: DirectoryStorageOptions = {}) {
    const { name, folder } = folderOf(source);
    this.root = locationOf(new URL('directory:///'), `/${name}/`);
    this.#handle = writable && isHandle(source) ? source : undefined;
    this.#reader = new FolderReader(
      async () => folder,
      (location) => this.#namesIn(location),
    );
  }

  /** For a drop event: take the item before the event ends. `InvalidOption` where it is no folder. */
  static async fromDrop(item: DataTransferItem): Promise<DirectoryStorageHandler> {
    const entry = item.webkitGetAsEntry();
    if (entry?.isDirectory) return new DirectoryStorageHandler(entry as FileSystemDirectoryEntry);
    throw new DeltaError(
      'InvalidOption',
      'what was dropped is no folder: drop the folder that holds _delta_log',
    );
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

  async put(
    path: URL,
    data: Uint8Array,
    { overwrite, signal }: CallOptions & { overwrite: boolean },
  ): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    const names = this.#namesIn(path);
    const handle = this.#writableHandle(path);
    try {
      const lockName = `delta-kernel-web ${shownUrl(path)}`;
      await writeFile(handle, path, names, data, { overwrite, lockName });
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
    const names = this.#namesIn(path);
    const handle = this.#writableHandle(path);
    try {
      const directory = await findDirectory(handle, names.slice(0, -1));
      if (directory !== undefined) await removeName(directory, names.at(-1) ?? '');
    } catch (error) {
      throw fileSystemError(path, 'deleting', error);
    }
  }

  listRecursive(prefix: URL, options: CallOptions = {}): AsyncIterable<FileMeta> {
    return this.#reader.listRecursive(prefix, options);
  }

  #namesIn(location: URL): string[] {
    checkScheme(location, 'directory:');
    const [top] = namesIn(this.root);
    const [first, ...names] = namesIn(location);
    if (first === top) return names;
    const message = `${shownUrl(location)} lies outside the folder ${shownUrl(this.root)}`;
    throw new DeltaError('Unsupported', message, { path: shownUrl(location) });
  }

  #writableHandle(path: URL): FileSystemDirectoryHandle {
    if (this.#handle !== undefined) return this.#handle;
    const message = `the folder of ${shownUrl(path)} was opened for reading only`;
    throw new DeltaError('Unsupported', message, { path: shownUrl(path) });
  }
}

function folderOf(source: DirectorySource): { name: string; folder: Folder } {
  if (isHandle(source)) return { name: source.name || 'folder', folder: handleFolder(source) };
  if ('createReader' in source) return { name: source.name || 'folder', folder: entryFolder(source) };
  return fileListFolder([...source]);
}

function isHandle(source: DirectorySource): source is FileSystemDirectoryHandle {
  return 'getDirectoryHandle' in source;
}
