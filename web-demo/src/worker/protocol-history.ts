/** What crosses for the history tab. */
import type { Result, Task } from './protocol.ts';

export interface HistoryCalls {
  /**
   * A page of commits, newest first: those of `end` and before it, or from the newest version of the table on, whichever
   * is open.
   */
  history(task: Task, end?: number): Promise<Result<HistoryPage>>;
  /** What all commits that were asked for so far did to the table's files: reads each of them. */
  commitChanges(task: Task): Promise<Result<HistoryChanges>>;
  /** Reads the file of a commit: {@link HistoryCalls.commitLines} needs it. */
  openCommit(task: Task, version: number): Promise<Result<OpenedCommit>>;
  /** Lines of the commit that was opened last, of one kind of action or of all. */
  commitLines(query: {
    action?: string | undefined;
    start: number;
    end: number;
  }): Promise<Result<CommitLine[]>>;
  /** The file of a commit as it is. */
  commitFile(task: Task, version: number): Promise<Result<{ name: string; bytes: Uint8Array<ArrayBuffer> }>>;
}

export interface HistoryPage {
  /** Newest first. */
  commits: Commit[];
  /** Where the next page begins; undefined where the log has no older commits. */
  next: number | undefined;
}

export interface Commit {
  version: number;
  /** Milliseconds since the Unix epoch; null where nobody tells. */
  timestamp: number | null;
  operation: string;
  parameters: [string, string][];
  metrics: [string, string][];
  user: string | undefined;
  engine: string | undefined;
  /** Bytes of its file. */
  size: number;
  /** Known to the catalog, not in the log yet. */
  isStaged: boolean;
}

export interface FileCounts {
  files: number;
  /** Null where removed files do not say. */
  bytes: number | null;
  /** Null where statistics do not say. */
  rows: number | null;
}

export interface CommitChange {
  version: number;
  added: FileCounts;
  removed: FileCounts;
  /** Files that are added once more, with other statistics or tags: nothing is read of them that was not before. */
  restated: number;
}

export interface HistoryChanges {
  /** Newest first. */
  changes: CommitChange[];
  /** The table after each of these versions, oldest first. */
  trend: { version: number; files: number; bytes: number | null; rows: number | null }[];
  /** False where the figures do not come to nothing before the first commit. */
  addsUp: boolean;
}

export interface OpenedCommit {
  version: number;
  /** Of the file. */
  bytes: number;
  /** Whether only its beginning was read. */
  isCut: boolean;
  lines: number;
  /** How many lines there are of each action, most first. */
  actions: [string, number][];
}

export interface CommitLine {
  action: string;
  /** The file or the like that it is about. */
  about: string;
  /** As in the file, its end cut where that is very long. */
  text: string;
  /** Characters. */
  length: number;
}
