/** What crosses between the page and its table worker: plain data only. */
import type { StructType } from 'delta-kernel-web';

/** Where a table is. A URL's query may be a signature: it never goes into links, storage or messages. */
export type Source =
  | { kind: 'url'; url: string }
  | { kind: 'directory'; handle: FileSystemDirectoryHandle }
  | { kind: 'files'; name: string; files: { path: string; file: File }[] };

export interface Overview {
  location: string;
  version: number;
  /** Milliseconds since the Unix epoch. */
  timestamp: number;
  name: string | undefined;
  description: string | undefined;
  numFiles: number;
  sizeInBytes: number;
  /** Undefined where a file has no row count. */
  numRecords: number | undefined;
  minReaderVersion: number;
  minWriterVersion: number;
  features: { name: string; kind: 'reader and writer' | 'writer' }[];
  schema: StructType;
  partitionColumns: string[];
  clusteringColumns: string[];
  properties: [string, string][];
}

export interface Commit {
  version: number;
  timestamp: number;
  operation: string;
  parameters: [string, string][];
  metrics: [string, string][];
  user: string | undefined;
  engine: string | undefined;
}

export interface GridColumn {
  name: string;
  type: string;
  numeric: boolean;
}

/** A window of rows; a cell is its JSON text, or null. */
export interface RowWindow {
  start: number;
  rows: (string | null)[][];
  /** Rows that the worker holds so far. */
  loaded: number;
  /** Whether the scan has ended. */
  complete: boolean;
}

/** A failure as the page shows it. */
export interface Failure {
  code: string;
  message: string;
  advice: string | undefined;
}

export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

/** The worker's side; every call answers with a value or a failure, never a rejected promise. */
export interface TableWorker {
  open(source: Source, version?: number): Promise<Result<Overview>>;
  history(): Promise<Result<Commit[]>>;
  /** Starts a new scan; rows are then asked for by window. */
  startRows(query: { where?: string }): Promise<Result<GridColumn[]>>;
  rows(start: number, end: number): Promise<Result<RowWindow>>;
}
