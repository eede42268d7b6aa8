/** The table worker: the only place of the page that uses the kernel. */
import * as Comlink from 'comlink';
import { readHistory } from './commits.ts';
import { WorkerContext } from './context.ts';
import { filesCalls } from './files.ts';
import { healthCalls } from './health.ts';
import { openCalls } from './open.ts';
import type { HistoryCalls, TableWorker } from './protocol.ts';
import { rowCalls } from './rows.ts';

const context = new WorkerContext();

const history: HistoryCalls = {
  history: (task) => context.run(task, ({ table, signal }) => readHistory(table, signal)),
};
const worker: TableWorker = {
  ...openCalls(context),
  ...history,
  ...rowCalls(context),
  ...filesCalls(context),
  ...healthCalls(context),
};

Comlink.expose(worker);
