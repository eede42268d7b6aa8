/** Dropped and picked folders as table sources. */
import type { Source } from './worker/protocol.ts';

/** What only some browsers have. */
interface DirectoryPicker {
  showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle>;
}

interface HandleItem {
  getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
}

const NO_FOLDER = 'Drop the folder of a table: the one that holds _delta_log.';

/** Asks for a folder; undefined where the person cancels. */
export async function pickFolder(): Promise<Source | undefined> {
  const { showDirectoryPicker } = globalThis as DirectoryPicker;
  if (showDirectoryPicker === undefined) return pickFiles();
  try {
    return { kind: 'directory', handle: await showDirectoryPicker.call(globalThis) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

/** The same through a file input, for browsers without a directory picker. */
function pickFiles(): Promise<Source | undefined> {
  const input = Object.assign(document.createElement('input'), { type: 'file', webkitdirectory: true });
  return new Promise((resolve) => {
    input.addEventListener('cancel', () => resolve(undefined));
    input.addEventListener('change', () => resolve(filesSource([...(input.files ?? [])])));
    input.click();
  });
}

function filesSource(files: File[]): Source {
  const entries = files.map((file) => {
    const [folder = '', ...rest] = file.webkitRelativePath.split('/');
    return { folder, path: rest.join('/'), file };
  });
  return { kind: 'files', name: entries[0]?.folder ?? 'folder', files: entries };
}

/** The folder that was dropped; throws where something else was. Call it while the event is handled. */
export async function droppedSource(transfer: DataTransfer): Promise<Source> {
  const item: (DataTransferItem & HandleItem) | undefined = transfer.items[0];
  // A handle reads only what is asked for; an entry must be walked as a whole, for workers cannot take it.
  if (item?.getAsFileSystemHandle !== undefined) {
    const handle = await item.getAsFileSystemHandle();
    if (handle?.kind !== 'directory') throw new Error(NO_FOLDER);
    return { kind: 'directory', handle: handle as FileSystemDirectoryHandle };
  }
  const entry = item?.webkitGetAsEntry();
  if (!entry?.isDirectory) throw new Error(NO_FOLDER);
  const files: { path: string; file: File }[] = [];
  await collect(entry as FileSystemDirectoryEntry, '', files);
  return { kind: 'files', name: entry.name, files };
}

async function collect(
  directory: FileSystemDirectoryEntry,
  prefix: string,
  into: { path: string; file: File }[],
): Promise<void> {
  for (const entry of await readEntries(directory)) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory) await collect(entry as FileSystemDirectoryEntry, `${path}/`, into);
    else into.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
  }
}

/** All entries: a reader gives at most 100 at a time. */
async function readEntries(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}
