/** What crosses for the files tab. */
import type { Result, Task } from './protocol.ts';

export interface FilesCalls {
  /** Reads the list of live files where that was not done yet: all other calls but {@link FilesCalls.fileInside} need it. */
  loadFiles(task: Task): Promise<Result<FilesSummary>>;
  /** Decides for each file whether a scan with `where` reads it. */
  explainFiles(task: Task, where: string): Promise<Result<Explanation>>;
  /** The same for the row groups of the files that are read: costs a read of each one's footer. */
  explainRowGroups(task: Task, where: string): Promise<Result<RowGroupTotals>>;
  fileRows(query: FileQuery, start: number, end: number): Promise<Result<Window<FileRow>>>;
  partitionRows(query: PartitionQuery, start: number, end: number): Promise<Result<Window<PartitionRow>>>;
  /** @param where the verdicts to show, where there are any. */
  fileSizes(where: string): Promise<Result<FileSizes>>;
  file(task: Task, path: string, where: string): Promise<Result<FileDetail>>;
  /** What the Parquet file is made of. */
  fileInside(task: Task, path: string, where: string): Promise<Result<ParquetInside>>;
  /** Column chunks of one row group; with the pages of the column at `pagesOf`. */
  rowGroup(task: Task, path: string, rowGroup: number, pagesOf?: string[]): Promise<Result<ChunkRow[]>>;
}

/** Sums over files; rows are null where a file's statistics do not count them. */
export interface Totals {
  files: number;
  bytes: number;
  rows: number | null;
}

export interface FilesSummary extends Totals {
  deletedRows: number;
  filesWithVectors: number;
  /** Files whose statistics do not count their rows. */
  uncounted: number;
  smallest: number;
  largest: number;
  /** Logical names. */
  partitionColumns: string[];
  partitions: number;
}

export interface Window<T> {
  start: number;
  rows: T[];
  /** How many there are in all. */
  total: number;
}

export type FileSort = 'log' | 'path' | 'size' | 'rows' | 'deleted' | 'time' | `partition:${number}`;

export interface FileQuery {
  /** Part of the path, in any case. */
  search: string;
  sort: FileSort;
  descending: boolean;
  /** Only files of the partition with these values. */
  partition?: (string | null)[] | undefined;
  /** The predicate whose verdicts are shown; empty for none. */
  where: string;
  verdict?: 'read' | 'skipped' | undefined;
  /** Only files that are skipped for this condition. */
  reason?: string | undefined;
}

export type VectorKind = 'inline' | 'in a file' | 'in a file elsewhere';

export interface FileRow {
  path: string;
  size: number;
  /** Live ones; null where statistics do not count them. */
  rows: number | null;
  deletedRows: number;
  vector: VectorKind | null;
  time: number;
  /** In the order of the partition columns. */
  partition: (string | null)[];
  verdict?: FileVerdict | undefined;
}

export interface FileVerdict {
  read: boolean;
  /** Of a file that is skipped. */
  why?: { rule: string; condition: string; values: string } | undefined;
  /** Of a file that is read, where row groups were asked for. */
  rowGroups?: { read: number; total: number } | undefined;
}

export interface Explanation {
  read: Totals;
  skipped: Totals;
  /** By how many bytes they save. */
  reasons: (Totals & { id: number; rule: string; condition: string })[];
}

export interface RowGroupTotals {
  read: { rowGroups: number; rows: number; bytes: number };
  skipped: { rowGroups: number; rows: number; bytes: number };
  /** Files whose footer could not be looked at, since they are missing. */
  missing: number;
}

export interface PartitionQuery {
  sort: 'files' | 'bytes' | 'rows' | `partition:${number}`;
  descending: boolean;
  where: string;
}

export interface PartitionRow extends Totals {
  id: number;
  values: (string | null)[];
  /** Of its files; absent without verdicts. */
  read?: number | undefined;
}

export interface FileSizes {
  /** Sizes from `from` to below `to` bytes. */
  histogram: (Totals & { from: number; to: number | null })[];
  /** Partitions and their largest files; what is too small for a picture is summed up. */
  groups: SizeGroup[];
}

export interface SizeGroup extends Totals {
  name: string;
  /** Its values; undefined for the rest of all partitions. */
  partition: (string | null)[] | undefined;
  /** `path` is undefined for all others of the group together. */
  parts: (Totals & { path: string | undefined; read: boolean | undefined })[];
}

export interface FileDetail {
  row: FileRow;
  vector: { kind: VectorKind; bytes: number; rows: number; where: string } | null;
  /** Names and values of what else the log says. */
  facts: [string, string][];
  statistics: ColumnStatistics[];
  /** False where a deletion vector has made bounds of minima and maxima. */
  tightBounds: boolean;
  hasStatistics: boolean;
}

/** Values are JSON text; undefined where the statistics do not have them. */
export interface ColumnStatistics {
  column: string;
  min: string | undefined;
  max: string | undefined;
  nulls: string | undefined;
}

export interface ParquetInside {
  createdBy: string | undefined;
  rows: number;
  compressed: number;
  uncompressed: number;
  /** Long values are cut. */
  metadata: { key: string; value: string; length: number }[];
  rowGroups: RowGroupRow[];
  columns: InsideColumn[];
}

export interface RowGroupRow {
  rows: number;
  compressed: number;
  uncompressed: number;
  columns: number;
  /** Absent without a predicate. */
  read?: boolean | undefined;
  why?: string | undefined;
}

/** A column over all row groups. */
export interface InsideColumn {
  /** As the file has it. */
  path: string[];
  /** As people know it. */
  name: string;
  type: string;
  codecs: string[];
  encodings: string[];
  compressed: number;
  uncompressed: number;
  pageIndex: boolean;
  bloomFilter: boolean;
}

export interface ChunkRow extends InsideColumn {
  values: number;
  start: number;
  nulls: number | undefined;
  min: string | undefined;
  max: string | undefined;
  pages?: { start: number; end: number; min: string | undefined; max: string | undefined }[] | undefined;
}
