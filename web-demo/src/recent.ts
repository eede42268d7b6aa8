/**
 * Tables that were open before: their places in `localStorage`, folders as handles in IndexedDB. No keys, tokens or
 * signatures. Where a browser keeps neither, there are none.
 */
import { isSamePlace, type Place, placeOf } from './places.ts';
import type { Source } from './worker/protocol.ts';

export interface RecentTable {
  name: string;
  place: Place;
}

export interface RecentFolder {
  id: string;
  name: string;
  handle: FileSystemDirectoryHandle;
}

const KEY = 'delta-table-inspector.recent';
const DATABASE = 'delta-table-inspector';
const STORE = 'folders';
const MAX_TABLES = 8;
const MAX_FOLDERS = 4;

/** Newest first. */
export function recentTables(): RecentTable[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecentTable) : [];
  } catch {
    return []; // no storage in this browser, or something else's text in it
  }
}

/** Puts a table that has opened first in the lists. */
export async function addRecent(source: Source, name: string): Promise<void> {
  if (source.kind === 'directory') return addFolder(source.handle);
  const place = placeOf(source);
  if (Object.keys(place).length === 0) return;
  const others = recentTables().filter((table) => !isSamePlace(table.place, place));
  store([{ name, place }, ...others].slice(0, MAX_TABLES));
}

export async function recentFolders(): Promise<RecentFolder[]> {
  const all = await inStore<(RecentFolder & { at: number })[]>('readonly', (folders) => folders.getAll());
  return (all ?? []).sort((a, b) => b.at - a.at);
}

export async function clearRecent(): Promise<void> {
  store([]);
  await inStore('readwrite', (folders) => folders.clear());
}

async function addFolder(handle: FileSystemDirectoryHandle): Promise<void> {
  const folders = await recentFolders();
  for (const { id, handle: other } of folders) {
    if (await other.isSameEntry(handle)) await inStore('readwrite', (all) => all.delete(id));
  }
  const folder = { id: crypto.randomUUID(), name: handle.name, handle, at: Date.now() };
  await inStore('readwrite', (all) => all.put(folder));
  for (const { id } of (await recentFolders()).slice(MAX_FOLDERS))
    await inStore('readwrite', (all) => all.delete(id));
}

function store(tables: RecentTable[]): void {
  try {
    if (tables.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(tables));
  } catch {
    // no storage, or no room in it: the list is a convenience
  }
}

function isRecentTable(value: unknown): value is RecentTable {
  const { name, place } = (value ?? {}) as Partial<RecentTable>;
  return (
    typeof name === 'string' &&
    typeof place === 'object' &&
    place !== null &&
    Object.values(place).every((part) => typeof part === 'string')
  );
}

/** Undefined where this browser, or a private window of it, keeps no database or no handles in it. */
async function inStore<T>(
  mode: IDBTransactionMode,
  request: (folders: IDBObjectStore) => IDBRequest,
): Promise<T | undefined> {
  try {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'id' });
    const database = await resultOf<IDBDatabase>(opening);
    try {
      return await resultOf<T>(request(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function resultOf<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error);
  });
}
