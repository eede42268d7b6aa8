/** The table worker: the only place of the page that uses the kernel. */
import * as Comlink from 'comlink';
import { historyCalls } from './commits.ts';
import { WorkerContext } from './context.ts';
import { diffCalls } from './diff.ts';
import { filesCalls } from './files.ts';
import { healthCalls } from './health.ts';
import { openCalls } from './open.ts';
import type { TableWorker } from './protocol.ts';
import { rowCalls } from './rows.ts';

const context = new WorkerContext();

const worker: TableWorker = {
  ...openCalls(context),
  ...historyCalls(context),
  ...rowCalls(context),
  ...diffCalls(context),
  ...changesCalls(context),
  ...filesCalls(context),
  ...healthCalls(context),
};

Comlink.expose(worker);
