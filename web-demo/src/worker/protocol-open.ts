/** What the start and the header ask of the worker: what there is to open, and which versions a table has. */
import type { Result, Source, Task } from './protocol.ts';

export type UnitySource = Extract<Source, { kind: 'unity' }>;

/** A catalog, a schema or a table of a Unity Catalog. */
export interface CatalogEntry {
  name: string;
  /** Of a table: `DELTA`, or what cannot be opened here; undefined where the server does not say. */
  format?: string;
}

/** A table in this browser's own storage. */
export type BrowserTable = Extract<Source, { kind: 'opfs' | 'catalog' }>;

/** The versions that may be opened. */
export interface VersionRange {
  /** 0 where the storage cannot list: whether it is there, opening it tells. */
  first: number;
  last: number;
}

export interface OpenCalls {
  /** What lies at a path of names: catalogs, a catalog's schemas, or a schema's tables. */
  browseUnity(
    task: Task,
    at: Omit<UnitySource, 'kind' | 'table'>,
    path: string[],
  ): Promise<Result<CatalogEntry[]>>;
  browserTables(task: Task): Promise<Result<BrowserTable[]>>;
  /** Copies a sample's files into this browser's own storage, under a name that is free. */
  copySample(task: Task, samples: string, name: string): Promise<Result<BrowserTable>>;
  /** Deletes a table of this browser with all its files. */
  deleteBrowserTable(table: BrowserTable): Promise<Result<undefined>>;
  /** Of the open table. */
  versions(task: Task): Promise<Result<VersionRange>>;
  /** The version of the open table that was the latest at a time: milliseconds since the Unix epoch. */
  versionAt(task: Task, timestamp: number): Promise<Result<number>>;
}
