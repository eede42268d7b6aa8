/** The page's handle on its table worker: the kernel runs there, so the page never waits for it. */
import * as Comlink from 'comlink';
import type { Result, TableWorker } from './worker/protocol.ts';

const worker = new Worker(new URL('./table-worker.js', import.meta.url), { type: 'module' });

export const session = Comlink.wrap<TableWorker>(worker) as unknown as TableWorker;

/** What a panel shows: nothing yet, a value, or why there is none. */
export type Loadable<T> =
  | { state: 'loading' }
  | { state: 'done'; value: T }
  | { state: 'failed'; failure: Failed };
type Failed = Extract<Result<unknown>, { ok: false }>['failure'];

export function loaded<T>(result: Result<T>): Loadable<T> {
  return result.ok ? { state: 'done', value: result.value } : { state: 'failed', failure: result.failure };
}
