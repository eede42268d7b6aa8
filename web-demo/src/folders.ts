/** Dropped and picked folders as table sources. */
import type { Source } from './worker/protocol.ts';

type Mode = 'read' | 'readwrite';

/** What only some browsers have. */
interface DirectoryPicker {
  showDirectoryPicker?: (options: { mode: Mode }) => Promise<FileSystemDirectoryHandle>;
}

interface HandleItem {
  getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
}

interface Permissions {
  queryPermission?: (options: { mode: Mode }) => Promise<PermissionState>;
  requestPermission?: (options: { mode: Mode }) => Promise<PermissionState>;
}

const NO_FOLDER = 'Drop the folder of a table: the one that holds _delta_log.';

/** Whether folders can be picked so that they may be written to. */
export const canWriteFolders = 'showDirectoryPicker' in globalThis;

/** Asks for a folder; undefined where the person cancels. */
export async function pickFolder(mode: Mode = 'read'): Promise<Source | undefined> {
  const { showDirectoryPicker } = globalThis as DirectoryPicker;
  if (showDirectoryPicker === undefined) return pickFiles();
  try {
    return await openFolder(await showDirectoryPicker.call(globalThis, { mode }));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

/** A folder as a source. Asks for leave to read it where the browser wants that. Throws where it is refused. */
export async function openFolder(handle: FileSystemDirectoryHandle): Promise<Source> {
  const permissions = handle as Permissions;
  const may = async (mode: Mode) => (await permissions.queryPermission?.({ mode })) === 'granted';
  const isAsked = permissions.requestPermission !== undefined && !(await may('read'));
  if (isAsked && (await permissions.requestPermission?.({ mode: 'read' })) !== 'granted')
    throw new Error(
      `The browser may not read the folder ${handle.name}: allow it, or choose the folder again.`,
    );
  return { kind: 'directory', handle, writable: await may('readwrite') };
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
    return openFolder(handle as FileSystemDirectoryHandle);
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
