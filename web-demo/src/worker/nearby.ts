/** Where nothing is found, there may be a table above, as of a file of it, or below, as of a folder of tables. */
import { DeltaTable, type StorageHandler } from 'delta-kernel-web';
import type { Failure, Source } from './protocol.ts';
import { locate } from './sources.ts';

type Nearby = NonNullable<Failure['nearby']>;
type Placed = Exclude<Source, { kind: 'unity' | 'catalog' }>;

/** Steps up, and tables below, that are looked for. */
const MAX_STEPS = 3;
const MAX_TABLES = 5;
/** Files that are listed for it: a bucket may hold billions. */
const MAX_FILES = 5000;

/** What fails on the way is not told: the failure that led here is what matters. */
export async function tablesNearby(source: Source, signal: AbortSignal): Promise<Nearby> {
  if (source.kind === 'unity' || source.kind === 'catalog') return [];
  const found = await tablesAbove(source, signal);
  return found.length > 0 ? found : tablesBelow(source, signal).catch(() => []);
}

async function tablesAbove(source: Placed, signal: AbortSignal): Promise<Nearby> {
  let above = parentOf(source);
  for (let step = 0; step < MAX_STEPS && above !== undefined; step += 1) {
    if (await isTable(above, signal)) return [{ name: nameOf(above), source: above }];
    above = parentOf(above);
  }
  return [];
}

async function isTable(source: Placed, signal: AbortSignal): Promise<boolean> {
  const { url, storage } = await locate(source);
  return DeltaTable.open({ url, ...(storage && { storage }) }, { signal }).then(
    () => true,
    () => false,
  );
}

async function tablesBelow(source: Placed, signal: AbortSignal): Promise<Nearby> {
  const { url, storage } = await locate(source);
  if (storage?.listRecursive === undefined) return [];
  const paths = new Set<string>();
  for await (const path of logFolders(storage, folderUrl(url), signal)) {
    paths.add(path);
    if (paths.size === MAX_TABLES) break;
  }
  const tables: Nearby = [];
  for (const path of paths) {
    const below = await childOf(source, path);
    if (below !== undefined) tables.push({ name: path, source: below });
  }
  return tables;
}

/** Paths of tables below a folder, again for each file of their logs. */
async function* logFolders(storage: StorageHandler, root: URL, signal: AbortSignal): AsyncGenerator<string> {
  let seen = 0;
  for await (const { location } of storage.listRecursive!(root, { signal })) {
    const path = decodeURIComponent(location.pathname.slice(root.pathname.length));
    const end = path.indexOf('/_delta_log/');
    if (end > 0) yield path.slice(0, end);
    seen += 1;
    if (seen === MAX_FILES) return;
  }
}

function parentOf(source: Placed): Placed | undefined {
  if (source.kind === 'opfs') {
    const [, path] = /^(.+)\/[^/]+$/s.exec(source.path) ?? [];
    return path === undefined ? undefined : { ...source, path };
  }
  if (source.kind !== 'url' && source.kind !== 's3') return undefined;
  // A host, or a bucket, stays.
  const [, parent, query = ''] =
    /^([^?#]+:\/\/[^/?#]+\/.*?[^/?#]+)\/+[^/?#]+\/*([?#].*)?$/s.exec(source.url) ?? [];
  return parent === undefined ? undefined : { ...source, url: parent + query };
}

async function childOf(source: Placed, path: string): Promise<Placed | undefined> {
  switch (source.kind) {
    case 'opfs':
      return { ...source, path: `${source.path}/${path}` };
    case 's3':
      return { ...source, url: `${source.url.replace(/\/+$/, '')}/${path}` };
    case 'directory': {
      let { handle } = source;
      for (const name of path.split('/')) handle = await handle.getDirectoryHandle(name);
      return { ...source, handle };
    }
    case 'files': {
      const inside = source.files.filter((file) => file.path.startsWith(`${path}/`));
      const files = inside.map((file) => ({ ...file, path: file.path.slice(path.length + 1) }));
      return { kind: 'files', name: path.split('/').at(-1) ?? path, files };
    }
    default:
      return undefined;
  }
}

function nameOf(source: Placed): string {
  const path =
    source.kind === 'opfs' ? source.path : 'url' in source ? source.url.replace(/[?#].*$/s, '') : '';
  return path.split('/').findLast((part) => part !== '') ?? path;
}

function folderUrl(url: string | URL): URL {
  const text = String(url);
  return new URL(text.endsWith('/') ? text : `${text}/`);
}
