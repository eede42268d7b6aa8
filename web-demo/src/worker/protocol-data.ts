/** Rows: what crosses between the page's grids and the worker. */
import type { DataType } from 'delta-kernel-web';
import type { Result, Task } from './protocol.ts';

export interface GridColumn {
  name: string;
  /** The type's name, for people. */
  type: string;
  dataType: DataType;
  numeric: boolean;
  /** Whether it has an order: nested values and variants have none. */
  sortable: boolean;
}

/** Which rows a grid shows, and an export has. */
export type RowQuery =
  | { kind: 'table'; where?: string; columns?: string[] }
  | { kind: 'changes'; start: number; end: number; types: string[] }
  | { kind: 'diff'; from: number; to: number };

export interface StartedRows {
  /** Names the rows in later calls. */
  id: number;
  columns: GridColumn[];
  /** All columns that the rows could have. */
  available: { name: string; type: string }[];
}

/** A window of rows; a cell is its JSON text, or null. */
export interface RowWindow {
  start: number;
  rows: (string | null)[][];
  /** Numbers of these rows in the table's order, where that is not the order here. */
  numbers?: number[];
  /** Rows that there are, as far as anybody knows. */
  known: number;
  /** Whether `known` is all. */
  isAll: boolean;
  /** Whether rows that were asked for are still to come: ask again. */
  isReading: boolean;
  /** Whether the numbers of rows in the log were found wrong, so that rows are only counted as they are read. */
  isMiscounted?: boolean;
  files?: FilesRead;
}

export interface FilesRead {
  /** Files of which rows were read, up to here. */
  read: number;
  /** Files to read. */
  kept: number;
  /** Files that statistics leave out. */
  skipped: number;
  /** Whether these are all files of the table. */
  isListed: boolean;
}

export interface Sort {
  /** Position of the column. */
  column: number;
  descending: boolean;
}

export interface CellRange {
  start: number;
  end: number;
  /** Positions of columns. */
  columns: number[];
  /** Whether names of columns come first. */
  header: boolean;
  /** Of timestamps: an IANA name. */
  zone: string;
}

export interface FilterProblem {
  message: string;
  /** Where in the text; absent where it is about all of it. */
  from?: number;
  to?: number;
}

/** A column, or a field of a struct, as a filter names it. */
export interface FilterTerm {
  text: string;
  type: string;
  /** Literals to begin with, from statistics of some files. */
  samples: string[];
  isText: boolean;
}

export type ExportFormat = 'csv' | 'ndjson' | 'parquet' | 'arrow';

export interface Exported {
  rows: number;
  bytes: number;
  /** Absent where the file went to a place that the person chose. */
  blob?: Blob;
}

export interface RowCalls {
  /** Begins to read; ends the reading of rows that were begun before. */
  startRows(query: RowQuery): Promise<Result<StartedRows>>;
  /**
   * Rows `start` to before `end`, those that are there after a moment; those up to `readTo` come into memory while it
   * lasts. Fails with code `Cancelled` where other rows were begun.
   */
  rows(id: number, start: number, end: number, readTo: number): Promise<Result<RowWindow>>;
  /** Ends all reading of these rows. */
  stopRows(id: number): Promise<void>;
  /** Rows that are in memory by a column, or as they were; the answer is their number. */
  sortRows(id: number, sort: Sort | null): Promise<Result<number>>;
  /** The whole JSON text of a cell. */
  cell(id: number, row: number, column: number): Promise<Result<string | null>>;
  /** Cells as tab-separated text. */
  copyRows(task: Task, id: number, range: CellRange): Promise<Result<string>>;
  /** What is wrong with a filter; undefined where nothing is. */
  checkFilter(where: string): Promise<Result<FilterProblem | undefined>>;
  filterTerms(): Promise<Result<FilterTerm[]>>;
  /** All rows of a query as a file: a blob, or into `file`. */
  exportRows(
    task: Task,
    query: RowQuery,
    format: ExportFormat,
    file?: FileSystemFileHandle,
  ): Promise<Result<Exported>>;
}

/** What differs between two versions. */
export interface VersionDiff {
  from: number;
  to: number;
  columns: ColumnDiff[];
  properties: { key: string; from: string | null; to: string | null }[];
  /** Null where they are the same. */
  protocol: { from: string; to: string } | null;
  partitionColumns: { from: string; to: string } | null;
  files: Record<'added' | 'removed' | 'updated', FileGroup>;
  /** Of the newer version less the older; rows are null where a file does not tell. */
  bytes: number;
  rows: number | null;
  /** Whether the change feed may have the rows of these versions. */
  hasFeed: boolean;
}

export interface ColumnDiff {
  kind: 'added' | 'removed' | 'changed' | 'renamed';
  column: string;
  /** Type, or name of a renamed column; null where there was none. */
  from: string | null;
  to: string | null;
}

export interface FileGroup {
  count: number;
  bytes: number;
  rows: number | null;
  /** The first of them. */
  paths: string[];
}

export interface DiffCalls {
  diffVersions(task: Task, from: number, to: number): Promise<Result<VersionDiff>>;
}
