/** {@link Folder}s of older browser interfaces: dropped entries, and the file list of a directory input. */
import { DeltaError } from '../errors.ts';
import type { Folder, FolderEntries } from './folder.ts';

/** What `webkitGetAsEntry()` gives. */
export function entryFolder(root: FileSystemDirectoryEntry): Folder {
  return {
    async file(segments) {
      const entry = await find(root, segments, 'getFile');
      return (
        entry && new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
      );
    },
    async entries(segments) {
      const directory = segments.length === 0 ? root : await find(root, segments, 'getDirectory');
      return directory && namesOf(await readAll(directory as FileSystemDirectoryEntry));
    },
  };
}

async function find(
  root: FileSystemDirectoryEntry,
  segments: readonly string[],
  method: 'getFile' | 'getDirectory',
): Promise<FileSystemEntry | undefined> {
  try {
    return await new Promise((resolve, reject) => root[method](segments.join('/'), {}, resolve, reject));
  } catch (error) {
    if (['NotFoundError', 'TypeMismatchError'].includes((error as DOMException).name)) return undefined;
    throw error;
  }
}

/** A reader gives its entries in batches; the empty one is the last. */
async function readAll(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return entries;
    entries.push(...batch);
  }
}

function namesOf(entries: readonly FileSystemEntry[]): FolderEntries {
  const names = (isFile: boolean) =>
    entries.filter((entry) => entry.isFile === isFile).map(({ name }) => name);
  return { files: names(true), directories: names(false) };
}

interface Directory {
  readonly files: Map<string, File>;
  readonly directories: Map<string, Directory>;
}

/** The files of one folder, each with its `webkitRelativePath` (`folder/sub/name`). */
export function fileListFolder(files: readonly File[]): { name: string; folder: Folder } {
  const root: Directory = { files: new Map(), directories: new Map() };
  const tops = new Set<string>();
  for (const file of files) {
    const [top, ...rest] = file.webkitRelativePath.split('/');
    const name = rest.pop();
    if (top === undefined || name === undefined) {
      throw new DeltaError(
        'InvalidOption',
        `${file.name} was picked as a file: pick the folder that holds _delta_log`,
      );
    }
    tops.add(top);
    directoryAt(root, rest).files.set(name, file);
  }
  if (tops.size !== 1) throw new DeltaError('InvalidOption', `one folder is needed, not ${tops.size}`);
  const folder: Folder = {
    file: async (segments) => lookUp(root, segments.slice(0, -1))?.files.get(segments.at(-1) ?? ''),
    async entries(segments) {
      const directory = lookUp(root, segments);
      return (
        directory && { files: [...directory.files.keys()], directories: [...directory.directories.keys()] }
      );
    },
  };
  return { name: [...tops][0]!, folder };
}

function directoryAt(root: Directory, segments: readonly string[]): Directory {
  let directory = root;
  for (const segment of segments) {
    let next = directory.directories.get(segment);
    if (next === undefined) {
      next = { files: new Map(), directories: new Map() };
      directory.directories.set(segment, next);
    }
    directory = next;
  }
  return directory;
}

function lookUp(root: Directory, segments: readonly string[]): Directory | undefined {
  let directory: Directory | undefined = root;
  for (const segment of segments) directory = directory?.directories.get(segment);
  return directory;
}
