/** What the worker's parts share: the open table, and how their work runs, is cancelled and fails. */

import type { DeltaTable } from 'delta-kernel-web';
import { toFailure } from './advice.ts';
import { breathe } from './breathe.ts';
import type { Progress, Result, Source, Task } from './protocol.ts';

/** Progress is told no more often: the page has better things to do. */
const PROGRESS_EVERY_MS = 100;

export interface OpenTable {
  readonly table: DeltaTable;
  readonly source: Source;
  /** Undefined for the latest. */
  readonly version: number | undefined;
}

/** Of one piece of work. */
export interface Work extends OpenTable {
  /** Aborts when the task is cancelled or another table is opened. */
  readonly signal: AbortSignal;
  /** Tells how far the work is. Awaited, it lets messages through now and then: work from memory can be stopped. */
  readonly report: (progress: Progress) => Promise<void> | undefined;
}

export class WorkerContext {
  #open: OpenTable | undefined;
  /** Ends what belongs to the open table. */
  #life = new AbortController();
  readonly #tasks = new Map<number, AbortController>();
  readonly #closers: (() => void)[] = [];
  #listener: ((taskId: number, progress: Progress) => void) | undefined;

  listen(listener: (taskId: number, progress: Progress) => void): void {
    this.#listener = listener;
  }

  /** Called whenever the open table goes. */
  onClose(close: () => void): void {
    this.#closers.push(close);
  }

  /** Closes what is open and begins the life of the next table. */
  begin(): AbortSignal {
    this.#life.abort();
    this.#life = new AbortController();
    this.#open = undefined;
    for (const close of this.#closers) close();
    return this.#life.signal;
  }

  set(open: OpenTable): void {
    this.#open = open;
  }

  /** The table as it is after a commit of this page, in place of what was open. */
  replace(table: DeltaTable): void {
    this.#open = { ...this.opened, table };
  }

  get opened(): OpenTable {
    if (this.#open === undefined) throw new Error('no table is open');
    return this.#open;
  }

  get life(): AbortSignal {
    return this.#life.signal;
  }

  cancel(id: number): void {
    this.#tasks.get(id)?.abort(new DOMException('stopped', 'AbortError'));
  }

  /** Work on the open table as a cancellable task. */
  run<T>(task: Task, work: (context: Work) => Promise<T>): Promise<Result<T>> {
    return this.runAlone(task, (signal, report) => work({ ...this.opened, signal, report }));
  }

  /** Work that needs no open table. */
  async runAlone<T>(
    { id }: Task,
    work: (signal: AbortSignal, report: Work['report']) => Promise<T>,
  ): Promise<Result<T>> {
    const controller = new AbortController();
    this.#tasks.set(id, controller);
    const signal = AbortSignal.any([controller.signal, this.#life.signal]);
    try {
      return await attempt(
        () =>
          work(
            signal,
            throttled((progress) => this.#listener?.(id, progress)),
          ),
        signal,
      );
    } finally {
      this.#tasks.delete(id);
    }
  }
}

/** The answer of a call that may throw. */
export async function attempt<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (signal?.aborted) return { ok: false, failure: CANCELLED };
    return { ok: false, failure: toFailure(error) };
  }
}

const CANCELLED = { code: 'Cancelled', message: 'Stopped.', advice: undefined, snippet: undefined };

function throttled(tell: (progress: Progress) => void): Work['report'] {
  let last = 0;
  return (progress) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return undefined;
    last = now;
    tell(progress);
    return breathe();
  };
}
