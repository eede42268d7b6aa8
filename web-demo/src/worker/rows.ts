/** Rows of the data and changes tabs. */
import { type DeltaTable, typeToString } from 'delta-kernel-web';
import { attempt, type WorkerContext } from './context.ts';
import { exportRows } from './export.ts';
import { filterProblem } from './filter/check.ts';
import { filterTerms } from './filter/terms.ts';
import type { RowCalls, StartedRows } from './protocol-data.ts';
import { RowReader } from './row-reader.ts';
import { copyText } from './rows/copy.ts';
import { openQuery } from './rows/queries.ts';

interface Started {
  readonly id: number;
  readonly reader: RowReader;
  readonly abort: AbortController;
}

export function rowCalls(context: WorkerContext): RowCalls {
  let started: Started | undefined;
  let last = 0;
  const close = () => {
    started?.abort.abort();
    started?.reader.close();
    started = undefined;
  };
  context.onClose(close);
  const readerOf = (id: number): RowReader => {
    if (started?.id === id) return started.reader;
    throw new DOMException('other rows were begun', 'AbortError');
  };
  /** A reader that was closed meanwhile has failed because of that. */
  const answer = <T>(id: number, work: (reader: RowReader) => T | Promise<T>) => {
    const signal = started?.id === id ? started.abort.signal : AbortSignal.abort();
    return attempt(async () => work(readerOf(id)), signal);
  };
  return {
    startRows: (query) => {
      close();
      const abort = new AbortController();
      const id = ++last;
      return attempt(async () => {
        const source = await openQuery(context.opened, query, AbortSignal.any([abort.signal, context.life]));
        if (id !== last) throw new DOMException('other rows were begun', 'AbortError');
        started = { id, abort, reader: new RowReader(source) };
        return { id, columns: started.reader.columns, available: availableColumns(context.opened.table) };
      });
    },
    rows: (id, start, end, readTo) => answer(id, (reader) => reader.window(start, end, readTo)),
    stopRows: async (id) => {
      if (started?.id === id) close();
    },
    sortRows: (id, sort) => answer(id, (reader) => reader.sort(sort)),
    cell: (id, row, column) => answer(id, (reader) => reader.cell(row, column)),
    copyRows: (task, id, range) =>
      context.run(task, ({ signal, report }) => copyText(readerOf(id), range, signal, report)),
    checkFilter: (where) => attempt(async () => filterProblem(context.opened.table, where)),
    filterTerms: () => attempt(() => filterTerms(context.opened.table, context.life)),
    exportRows: (task, query, format, file) =>
      context.run(task, (work) => exportRows(work, query, format, file)),
  };
}

function availableColumns({ schema }: DeltaTable): StartedRows['available'] {
  return schema.fields.map(({ name, type }) => ({ name, type: typeToString(type) }));
}
