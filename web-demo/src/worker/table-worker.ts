/** The table worker: the only place of the page that uses the kernel. */
import * as Comlink from 'comlink';
import { DeltaTable } from 'delta-kernel-web';
import { toFailure } from './advice.ts';
import { readHistory } from './commits.ts';
import { readOverview } from './overview.ts';
import type { Overview, Result, Source, TableWorker } from './protocol.ts';
import { RowReader } from './row-reader.ts';
import { locate } from './sources.ts';

let table: DeltaTable | undefined;
let reader: RowReader | undefined;
/** Ends what belongs to the open table. */
let current = new AbortController();

async function attempt<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

function opened(): DeltaTable {
  if (table === undefined) throw new Error('no table is open');
  return table;
}

async function open(source: Source, version: number | undefined): Promise<Overview> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  reader?.close();
  reader = undefined;
  table = undefined;
  const next = await DeltaTable.open(locate(source), { version, signal });
  const overview = await readOverview(next, signal);
  // A later call has taken over where it has aborted this one.
  signal.throwIfAborted();
  table = next;
  return overview;
}

async function startRows({ where }: { where?: string }) {
  reader?.close();
  reader = undefined;
  reader = new RowReader(opened(), where);
  return reader.columns;
}

async function rows(start: number, end: number, readTo: number) {
  if (reader === undefined) throw new Error('no scan is open');
  return reader.window(start, end, readTo);
}

const worker: TableWorker = {
  open: (source, version) => attempt(() => open(source, version)),
  history: () => attempt(() => readHistory(opened(), current.signal)),
  startRows: (query) => attempt(() => startRows(query)),
  rows: (start, end, readTo) => attempt(() => rows(start, end, readTo)),
};

Comlink.expose(worker);
