/** What the SQL tab asks of the worker. DuckDB runs in a worker of its own, which that one feeds. */
import type { Result, Task } from './protocol.ts';

/** Which rows of the table DuckDB has for a query. */
export interface SqlLoad {
  columns: string[];
  /** Columns of the table. */
  ofColumns: number;
  /** The filter that decided which files and rows were read; empty for all. */
  where: string;
  rows: number;
  /** Files that the table has, and that were read. */
  files: number;
  ofFiles: number;
  /** Whether the table has more rows than are loaded: the result is then one of the first rows only. */
  isCut: boolean;
  /** Whether they were there from the query before. */
  wasThere: boolean;
}

export interface SqlColumn {
  name: string;
  type: string;
  numeric: boolean;
}

export type SqlAnswer =
  | { kind: 'rows'; columns: SqlColumn[]; total: number; load: SqlLoad | undefined; ms: number }
  /** DuckDB does not take the query; `at` is the place in its text, where it says so. */
  | ({ kind: 'wrong' } & SqlMistake);

export interface SqlMistake {
  message: string;
  at: number | undefined;
}

export interface SqlStart {
  /** DuckDB's. */
  engine: string;
  /** The names under which the table can be queried; the first is `t`. */
  tables: string[];
  columns: { name: string; type: string }[];
}

export interface SqlCalls {
  /** Loads DuckDB, unless it is there, and makes the open table known to it. */
  startSql(task: Task): Promise<Result<SqlStart>>;
  /** What is wrong with a query; undefined where nothing is. Reads no rows. */
  checkSql(sql: string): Promise<Result<SqlMistake | undefined>>;
  runSql(task: Task, sql: string): Promise<Result<SqlAnswer>>;
  /** Rows `start` to before `end` of the newest result, as DuckDB prints them; null is null. */
  sqlRows(start: number, end: number): Promise<Result<(string | null)[][]>>;
  /** Frees DuckDB and all that it holds. */
  stopSql(): Promise<void>;
}
