/** What the Write tab and the form for new tables ask of the worker. */
import type { Failure, Result, Source, Task } from './protocol.ts';

/** What is to be imported: a file, or what was pasted. */
export type ImportInput =
  | { kind: 'text'; text: string }
  /** `header`: whether the first line of a CSV file names the columns. */
  | { kind: 'file'; file: File };

export interface ImportOptions {
  /** Whether the first line of CSV names the columns; else they are the table's, in its order. */
  header: boolean;
}

export type ImportFormat = 'CSV' | 'NDJSON' | 'JSON' | 'Parquet';

/** How what came fits the table. */
export interface ImportCheck {
  format: ImportFormat;
  rows: number;
  columns: ImportColumn[];
  /** The first ones. */
  badCells: BadCell[];
  numBadCells: number;
  /** Names of {@link ImportCheck.preview}'s columns. */
  previewColumns: string[];
  /** The first rows; null is null. */
  preview: (string | null)[][];
}

export interface ImportColumn {
  name: string;
  /** The table's type; undefined where the table has no such column. */
  type: string | undefined;
  /** What the file says of its type; undefined where it does not. */
  given: string | undefined;
  /** What becomes of the column, where that is not plain. */
  note: string | undefined;
  /** Why it cannot be appended. */
  problem: string | undefined;
}

export interface BadCell {
  /** 1-based; of JSON arrays the number of the row. */
  line: number;
  column: string;
  problem: string;
}

/** The commit that a change would make, before it is made. */
export interface CommitPlan {
  version: number;
  operation: string;
  /** Where it goes, below the table's folder. */
  path: string;
  /** Whether a catalog decides on it. */
  isStaged: boolean;
  metrics: [string, string][];
  /** The first ones. */
  files: PlannedFile[];
  numFiles: number;
  numAdds: number;
  numRemoves: number;
  bytesAdded: number;
  bytesRemoved: number;
  /** The first actions, as the log will have them, a paragraph each. */
  actions: string;
  numActions: number;
}

export interface PlannedFile {
  action: 'add' | 'remove' | 'cdc';
  path: string;
  partition: [string, string | null][];
  size: number | null;
  rows: number | null;
  /** Rows that its deletion vector hides; null without one. */
  deleted: number | null;
}

/** How far a change is. `change` names it in later calls. */
export type ChangeStep =
  /** Nothing is written yet. `anew`: another writer was in the way, and the change was worked out again. */
  | { kind: 'plan'; change: number; plan: CommitPlan; anew: boolean }
  /** Whether the commit was made is not known, or it was not: trying the same one again finds out. */
  | { kind: 'retry'; change: number; failure: Failure }
  /** There is nothing to commit. */
  | { kind: 'nothing' }
  | { kind: 'done'; done: Outcome };

export interface Outcome {
  what: string;
  version: number;
  /** The version of the plan, where another writer's commit came first. */
  rebasedFrom: number | undefined;
  warnings: string[];
  /** A table that was made. */
  made: Source | undefined;
}

export interface DeletePreview {
  columns: string[];
  /** The first rows that go. */
  rows: (string | null)[][];
  step: ChangeStep;
}

/** Files that would be written or deleted. */
export interface FilesPlan {
  files: { path: string; size: number }[];
  numFiles: number;
  bytes: number;
}

export interface WriteState {
  /** The newest version, whichever is open. */
  version: number;
  isCatalogManaged: boolean;
  unpublished: { version: number; staged: string; published: string; size: number }[];
  checkpointVersion: number | undefined;
  /** Features that keep this page from writing, or change what a deletion writes. */
  usesDeletionVectors: boolean;
  isAppendOnly: boolean;
  retainHours: number;
}

/** A new table as the form has it. */
export interface NewTable {
  place: NewPlace;
  columns: NewColumn[];
  partitionBy: string[];
  properties: [string, string][];
  description: string;
}

/** Where a new table goes: a source that does not exist yet. */
export type NewPlace = Extract<Source, { kind: 'opfs' | 'catalog' | 's3' | 'unity' }>;

export interface NewColumn {
  name: string;
  /** A type by its name (`long`, `decimal(10,2)`), or Delta's JSON of a nested one. */
  type: string;
  nullable: boolean;
}

export interface WriteCalls {
  writeState(task: Task): Promise<Result<WriteState>>;
  /** Reads and checks; the rows stay in the worker for {@link WriteCalls.planAppend}. */
  checkImport(task: Task, input: ImportInput, options: ImportOptions): Promise<Result<ImportCheck>>;
  /** The columns of what would be imported. */
  inferColumns(task: Task, input: ImportInput): Promise<Result<NewColumn[]>>;
  /** Works out a change up to its commit, which waits for {@link WriteCalls.goOn}; a change before it is discarded. */
  planAppend(task: Task): Promise<Result<ChangeStep>>;
  planDelete(task: Task, where: string): Promise<Result<DeletePreview>>;
  planCreate(task: Task, table: NewTable): Promise<Result<ChangeStep>>;
  /** Commits what was shown, or tries again. */
  goOn(task: Task, change: number): Promise<Result<ChangeStep>>;
  /** Forgets a change, if it waits. */
  discardChange(change: number): Promise<void>;
  planCheckpoint(task: Task): Promise<Result<FilesPlan>>;
  /** Writes the checkpoint that was planned. */
  writeCheckpoint(task: Task): Promise<Result<Outcome>>;
  publish(task: Task): Promise<Result<Outcome>>;
  planVacuum(task: Task): Promise<Result<FilesPlan>>;
  runVacuum(task: Task): Promise<Result<Outcome>>;
}
