/** What the health tab asks of the worker. */
import type { Tab } from '../location.ts';
import type { Result, Task } from './protocol.ts';

export type Severity = 'problem' | 'warning' | 'note' | 'fine';

/** One thing that was looked at. */
export interface Finding {
  id: string;
  severity: Severity;
  title: string;
  /** What was found, with its numbers. */
  text: string;
  /** What to do; empty where nothing is to be done. */
  advice: string;
  /** Where to see it. */
  evidence: { tab: Tab; label: string; detail?: string } | undefined;
}

export interface Orphans {
  files: number;
  sizeInBytes: number;
  /** The first of them. */
  examples: string[];
  retainHours: number;
}

export interface HealthCalls {
  /** Worst first. `where`: the filter that is set, whose columns should have statistics. */
  health(task: Task, where: string): Promise<Result<Finding[]>>;
  /** Lists the whole table for files that no version within the retention needs. Nothing is deleted. */
  findOrphans(task: Task): Promise<Result<Orphans>>;
}
