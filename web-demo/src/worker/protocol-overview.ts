/** What crosses for the overview, besides the overview itself. */
import type { Result, Task } from './protocol.ts';

export interface OverviewCalls {
  /** Minimum, maximum and nulls of each column over the statistics of all files: reads the list of files. */
  columnStatistics(task: Task): Promise<Result<TableStatistics>>;
  /** What applications and features left in the table. */
  applicationState(task: Task): Promise<Result<ApplicationFacts>>;
}

export interface TableStatistics {
  files: number;
  columns: ColumnSummary[];
}

export interface ColumnSummary {
  column: string;
  type: string;
  isPartition: boolean;
  /** Literals; undefined where no file has them. */
  min: string | undefined;
  max: string | undefined;
  /** Of the files that count them, deleted rows among them; undefined where none does. */
  nulls: number | undefined;
  /** Files whose statistics bound the column, those with nothing but nulls among them. */
  bounded: number;
  /** Files whose statistics count nulls. */
  counted: number;
  /** Different values of a partition column. */
  values: number | undefined;
  /** Why minimum and maximum may be less exact than they look. */
  notes: BoundNote[];
}

/** Text is cut; times are cut to milliseconds; rows with the values may be deleted; some files say nothing. */
export type BoundNote = 'cut' | 'milliseconds' | 'deleted' | 'partial';

export interface ApplicationFacts {
  /** Those of the first few applications by name. */
  transactions: { appId: string; version: number; lastUpdated: number | undefined }[];
  numTransactions: number;
  domains: { domain: string; configuration: string }[];
}
