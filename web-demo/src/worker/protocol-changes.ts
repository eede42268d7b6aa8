/** The change feed: what crosses between the page and the worker. Its rows are asked for as a {@link RowQuery}. */
import type { Result, Task } from './protocol.ts';

/** Kinds of changes in the order in which they are shown. */
export const CHANGE_TYPES = ['insert', 'update_preimage', 'update_postimage', 'delete'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** What a version changed. */
export interface ChangeCount {
  version: number;
  /** Milliseconds since the Unix epoch. */
  timestamp: number | null;
  rows: Record<ChangeType, number>;
}

/** Versions with one schema and the feed enabled, up to the one that is open. */
export interface ChangeRange {
  /** Null where the open version has no feed. */
  start: number | null;
  end: number;
  /** Why the range does not begin earlier; absent where it begins with the table. */
  reason?: string;
}

export interface ChangesCalls {
  /** The longest range of versions up to the open one whose changes can be read together. */
  changeRange(task: Task): Promise<Result<ChangeRange>>;
  /** Rows by version and kind; versions without changed rows are absent. */
  countChanges(task: Task, start: number, end: number): Promise<Result<ChangeCount[]>>;
}
