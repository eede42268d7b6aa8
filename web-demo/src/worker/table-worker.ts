/** The table worker: the only place of the page that uses the kernel. */
import * as Comlink from 'comlink';
import { changesCalls } from './changes.ts';
import { historyCalls } from './commits.ts';
import { WorkerContext } from './context.ts';
import { diffCalls } from './diff.ts';
import { filesCalls } from './files.ts';
import { healthCalls } from './health.ts';
import { openCalls } from './open.ts';
import { overviewCalls } from './overview.ts';
import type { TableWorker } from './protocol.ts';
import { rowCalls } from './rows.ts';
import { sqlCalls } from './sql.ts';
import { writeCalls } from './write.ts';

const context = new WorkerContext();

const worker: TableWorker = {
  ...openCalls(context),
  ...historyCalls(context),
  ...rowCalls(context),
  ...diffCalls(context),
  ...changesCalls(context),
  ...filesCalls(context),
  ...overviewCalls(context),
  ...healthCalls(context),
  ...sqlCalls(context),
  ...writeCalls(context),
};

Comlink.expose(worker);
