/** The page's handle on its table worker: the kernel runs there, so the page never waits for it. */
import * as Comlink from 'comlink';
import type { Failure, Progress, Result, TableWorker, Task } from './worker/protocol.ts';

const worker = new Worker(new URL('./table-worker.js', import.meta.url), { type: 'module' });

/** Comes only where the worker's script did not, such as when the network went between page and worker. */
export const noWorker = new Promise<{ ok: false; failure: Failure }>((resolve) => {
  worker.addEventListener('error', (event) => {
    // Errors of its code have a message.
    if (event instanceof ErrorEvent && event.message) return;
    const message = 'the part of this page that reads tables could not be loaded';
    resolve({
      ok: false,
      failure: { code: 'IOError', message, advice: 'Reload the page.', snippet: undefined },
    });
  });
});

export const session = Comlink.wrap<TableWorker>(worker) as unknown as TableWorker;

/** What a panel shows: nothing yet, a value, or why there is none. */
export type Loadable<T> =
  | { state: 'loading' }
  | { state: 'done'; value: T }
  | { state: 'failed'; failure: Failure };

export function loaded<T>(result: Result<T>): Loadable<T> {
  return result.ok ? { state: 'done', value: result.value } : { state: 'failed', failure: result.failure };
}

let lastTask = 0;
const listeners = new Map<number, (progress: Progress) => void>();
void session.listen(Comlink.proxy((taskId, progress) => listeners.get(taskId)?.(progress)));

/** A task for a call of {@link session}. Give it to {@link endTask} in the end. */
export function newTask(onProgress?: (progress: Progress) => void): Task {
  lastTask += 1;
  if (onProgress !== undefined) listeners.set(lastTask, onProgress);
  return { id: lastTask };
}

/** Cancels a task if it still runs. */
export function endTask({ id }: Task): void {
  listeners.delete(id);
  void session.cancel(id);
}
