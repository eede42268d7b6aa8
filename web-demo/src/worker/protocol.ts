/** What crosses between the page and its table worker: plain data only. */
import type { StructType } from 'delta-kernel-web';
import type { ChangesCalls } from './protocol-changes.ts';
import type { DiffCalls, RowCalls } from './protocol-data.ts';
import type { FilesCalls } from './protocol-files.ts';
import type { HealthCalls } from './protocol-health.ts';
import type { HistoryCalls } from './protocol-history.ts';
import type { OpenCalls } from './protocol-open.ts';
import type { OverviewCalls } from './protocol-overview.ts';
import type { SqlCalls } from './protocol-sql.ts';
import type { WriteCalls } from './protocol-write.ts';

/**
 * Where a table is. A URL's query may be a signature; keys and tokens are secrets: none of them ever goes into links,
 * storage or messages.
 */
export type Source =
  | { kind: 'url'; url: string }
  | ({ kind: 's3'; url: string; keys?: S3Keys; isLocked?: boolean } & S3Settings)
  | ({ kind: 'unity'; server: string; table: string; token?: string; isLocked?: boolean } & S3Settings)
  /** In this browser's own storage: the path of a folder in it. */
  | { kind: 'opfs'; path: string }
  /** A table of the catalog that this browser's own storage holds. */
  | { kind: 'catalog'; table: string }
  /** Writable where the person has allowed it. */
  | { kind: 'directory'; handle: FileSystemDirectoryHandle; writable?: boolean }
  | { kind: 'files'; name: string; files: { path: string; file: File }[] };

/** What a link may say of a store of S3's kind. */
export interface S3Settings {
  region?: string;
  endpoint?: string;
  /** Default: path style where there is an endpoint. */
  style?: 'path' | 'host';
}

export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Overview {
  location: string;
  /** Whether commits can be made where the table was opened; what the store refuses after all is told then. */
  writable: boolean;
  version: number;
  /** Milliseconds since the Unix epoch; null where nothing tells it any more. */
  timestamp: number | null;
  name: string | null;
  description: string | null;
  numFiles: number;
  sizeInBytes: number;
  /** Live rows; null where a file has no row count. */
  numRecords: number | null;
  /** Rows that deletion vectors hide. */
  numDeletedRecords: number;
  minReaderVersion: number;
  minWriterVersion: number;
  features: Feature[];
  schema: StructType;
  partitionColumns: string[];
  /** Dotted paths; empty where the table is not clustered. */
  clusteringColumns: string[];
  properties: [string, string][];
}

export interface Feature {
  name: string;
  kind: 'reader and writer' | 'writer';
}

/** A failure as the page shows it. */
export interface Failure {
  code: string;
  message: string;
  advice: string | undefined;
  /** Text to copy that belongs to the advice. */
  snippet: string | undefined;
  /** Tables that were found instead, each with what to call it. */
  nearby?: { name: string; source: Source }[];
}

export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

/** How far a task is. */
export interface Progress {
  done: number;
  /** Undefined where nobody knows. */
  total?: number;
  /** What is counted, in the plural. */
  unit: string;
}

/** Work that can be cancelled and tells how far it is. */
export interface Task {
  id: number;
}

/** The worker's side; every call answers with a value or a failure, never a rejected promise. */
export interface TableWorker
  extends CoreCalls,
    OpenCalls,
    HistoryCalls,
    RowCalls,
    DiffCalls,
    ChangesCalls,
    HealthCalls,
    FilesCalls,
    OverviewCalls,
    SqlCalls,
    WriteCalls {}

export interface CoreCalls {
  /** A later call cancels an earlier one. */
  open(task: Task, source: Source, version?: number): Promise<Result<Overview>>;
  /** The task then fails with code `Cancelled`; one that has ended, or never was, is left alone. */
  cancel(taskId: number): Promise<void>;
  /** Once, by the page: who hears of the progress of tasks. */
  listen(listener: (taskId: number, progress: Progress) => void): Promise<void>;
}
