/** The table worker: the only place of the page that uses the kernel. */
import * as Comlink from 'comlink';
import { DeltaTable } from 'delta-kernel-web';
import { readHistory } from './commits.ts';
import { attempt, WorkerContext } from './context.ts';
import { readOverview } from './overview.ts';
import type { CoreCalls, HistoryCalls, Overview, Source, TableWorker } from './protocol.ts';
import { rowCalls } from './rows.ts';
import { locate } from './sources.ts';

const context = new WorkerContext();

async function open(source: Source, version: number | undefined): Promise<Overview> {
  const signal = context.begin();
  const table = await DeltaTable.open(locate(source), { version, signal });
  const overview = await readOverview(table, signal);
  // A later call has taken over where it has aborted this one.
  signal.throwIfAborted();
  context.set({ table, source, version });
  return overview;
}

const core: CoreCalls = {
  open: (source, version) => attempt(() => open(source, version)),
  cancel: async (taskId) => context.cancel(taskId),
  listen: async (listener) => context.listen(listener),
};
const history: HistoryCalls = {
  history: (task) => context.run(task, ({ table, signal }) => readHistory(table, signal)),
};
const worker: TableWorker = { ...core, ...history, ...rowCalls(context) };

Comlink.expose(worker);
