/** Rows of the data tab. */
import { attempt, type WorkerContext } from './context.ts';
import type { RowCalls } from './protocol.ts';
import { RowReader } from './row-reader.ts';

export function rowCalls(context: WorkerContext): RowCalls {
  let reader: RowReader | undefined;
  const close = () => {
    reader?.close();
    reader = undefined;
  };
  context.onClose(close);
  return {
    startRows: ({ where }) =>
      attempt(async () => {
        close();
        reader = new RowReader(context.opened.table, where);
        return reader.columns;
      }),
    rows: (start, end, readTo) =>
      attempt(async () => {
        if (reader === undefined) throw new Error('no scan is open');
        return reader.window(start, end, readTo);
      }),
  };
}
