/** Tables in this browser's own storage: what there is, copies of samples, deleting. */
import { DeltaError } from 'delta-kernel-web';
import type { Work } from './context.ts';
import type { BrowserTable } from './protocol-open.ts';
import { browserCatalog, CATALOG_FOLDER } from './sources.ts';

/** Folders in folders that are looked through. */
const MAX_DEPTH = 4;
/** Files that are fetched at the same time. */
const AT_ONCE = 6;

export async function listBrowserTables(signal: AbortSignal): Promise<BrowserTable[]> {
  const root = await navigator.storage.getDirectory();
  const tables: BrowserTable[] = [];
  for await (const path of tableFolders(root, '', MAX_DEPTH)) {
    signal.throwIfAborted();
    tables.push({ kind: 'opfs', path });
  }
  for await (const table of catalogTables(root)) tables.push({ kind: 'catalog', table });
  return tables.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/**
 * @param samples URL of the folder of all samples, with the list of their files (`files.json`, made by the build).
 * @returns the copy.
 */
export async function copySample(
  samples: string,
  name: string,
  { signal, report }: Pick<Work, 'signal' | 'report'>,
): Promise<BrowserTable> {
  const list = (await (await get(new URL('files.json', samples), signal)).json()) as Record<string, string[]>;
  const paths = list[name] ?? [];
  const root = await navigator.storage.getDirectory();
  const folder = await freeName(root, name);
  const target = await root.getDirectoryHandle(folder, { create: true });
  try {
    // The log comes last: what is half there is no table.
    const [log, data] = partition(paths, (path) => path.startsWith('_delta_log/'));
    let done = 0;
    await eachOf([...data, ...log], AT_ONCE, async (path) => {
      const response = await get(new URL(`${name}/${path}`, samples), signal);
      await writeFile(target, path.split('/').map(decodeURIComponent), await response.blob());
      done += 1;
      report({ done, total: paths.length, unit: 'files' });
    });
  } catch (error) {
    await root.removeEntry(folder, { recursive: true });
    throw error;
  }
  return { kind: 'opfs', path: folder };
}

export async function deleteBrowserTable(table: BrowserTable): Promise<void> {
  if (table.kind === 'opfs') return removeFolder(table.path);
  const catalog = await browserCatalog();
  const { location } = await catalog.catalog.load(table.table);
  await catalog.drop(table.table);
  await removeFolder(decodeURIComponent(new URL(location).pathname.replace(/^\/+|\/+$/g, '')));
}

function nameOf(table: BrowserTable): string {
  return table.kind === 'opfs' ? table.path : table.table;
}

/** Paths of all folders that hold a log. Names that begin with a dot or an underscore are no tables of people. */
async function* tableFolders(
  folder: FileSystemDirectoryHandle,
  prefix: string,
  depth: number,
): AsyncGenerator<string> {
  for await (const handle of folder.values()) {
    const path = `${prefix}${handle.name}`;
    if (handle.kind !== 'directory' || /^[._]/.test(handle.name) || path === CATALOG_FOLDER) continue;
    const child = handle as FileSystemDirectoryHandle;
    if (await hasFolder(child, '_delta_log')) yield path;
    else if (depth > 1) yield* tableFolders(child, `${path}/`, depth - 1);
  }
}

async function* catalogTables(root: FileSystemDirectoryHandle): AsyncGenerator<string> {
  // A browser that has no such tables need not load the catalog.
  if (await hasFolder(root, CATALOG_FOLDER)) yield* (await browserCatalog()).list();
}

async function hasFolder(folder: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  try {
    await folder.getDirectoryHandle(name);
    return true;
  } catch (error) {
    if (error instanceof DOMException && ['NotFoundError', 'TypeMismatchError'].includes(error.name))
      return false;
    throw error;
  }
}

async function freeName(root: FileSystemDirectoryHandle, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!(await hasFolder(root, candidate))) return candidate;
  }
}

async function removeFolder(path: string): Promise<void> {
  const names = path.split('/');
  let folder = await navigator.storage.getDirectory();
  for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
  await folder.removeEntry(names.at(-1) ?? '', { recursive: true });
}

async function writeFile(root: FileSystemDirectoryHandle, names: string[], content: Blob): Promise<void> {
  let folder = root;
  for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
  const file = await folder.getFileHandle(names.at(-1) ?? '', { create: true });
  const writable = await file.createWritable();
  await writable.write(content);
  await writable.close();
}

async function get(url: URL, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal });
  if (response.ok) return response;
  throw new DeltaError('IOError', `${url.pathname} answered ${response.status}`, { path: url.pathname });
}

/** In order, so many at the same time. */
async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const iterator = items.values();
  const run = async () => {
    for (const item of iterator) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
