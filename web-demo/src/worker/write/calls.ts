/** Changes of the open table, and new tables. */
import { type DeltaTable, jsonWriters } from 'delta-kernel-web';
import type { Work, WorkerContext } from '../context.ts';
import { inferColumns, readImport } from '../import.ts';
import type { WriteCalls } from '../protocol-write.ts';
import { FileWork } from './file-work.ts';
import { writeState } from './state.ts';
import { counted, outcome, Writer } from './writer.ts';

const PREVIEW_ROWS = 20;

export function loadedCalls(context: WorkerContext): WriteCalls {
  const writer = new Writer(context);
  const files = new FileWork();
  context.onClose(() => {
    writer.close();
    files.forget();
  });
  const newest = ({ table, signal }: Work) => table.refresh({ signal });
  return {
    writeState: (task) => context.run(task, async (work) => writeState(await newest(work))),
    checkImport: (task, input, options) =>
      context.run(task, async (work) =>
        writer.keep(await readImport((await newest(work)).schema, input, options, work)),
      ),
    inferColumns: (task, input) => context.runAlone(task, (signal) => inferColumns(input, signal)),
    planAppend: (task) => context.run(task, async (work) => writer.append(await newest(work), work)),
    planDelete: (task, where) =>
      context.run(task, async (work) => {
        const table = await newest(work);
        const preview = await firstRows(table, where, work.signal);
        return { ...preview, step: await writer.delete(table, where, work) };
      }),
    planCreate: (task, table) =>
      context.runAlone(task, (signal, report) => writer.create(table, { signal, report })),
    goOn: (task, change) =>
      context.runAlone(task, (signal, report) => writer.goOn(change, { signal, report })),
    discardChange: async (change) => writer.discard(change),
    planCheckpoint: (task) =>
      context.run(task, async (work) => files.planCheckpoint(await newest(work), work)),
    writeCheckpoint: (task) =>
      context.run(task, async (work) => files.writeCheckpoint(work, (table) => context.replace(table))),
    publish: (task) =>
      context.run(task, async (work) => {
        const table = await newest(work);
        const version = await table.publish({ signal: work.signal });
        context.replace(table);
        return outcome({ what: 'Published', version });
      }),
    planVacuum: (task) => context.run(task, async (work) => files.vacuum(await newest(work), work, true)),
    runVacuum: (task) =>
      context.run(task, async (work) => {
        const table = await newest(work);
        const { numFiles } = await files.vacuum(table, work, false);
        return outcome({ what: `Deleted ${counted(numFiles, 'unused file')}`, version: table.version });
      }),
  };
}

/** The first rows for which a filter is true. */
async function firstRows(table: DeltaTable, where: string, signal: AbortSignal) {
  const scan = table.scan({ where, limit: PREVIEW_ROWS, signal });
  const rows: (string | null)[][] = [];
  for await (const batch of scan) {
    const writers = jsonWriters(batch, scan.schema);
    const { children } = batch.data;
    for (let row = 0; row < batch.numRows; row += 1) {
      rows.push(writers.map((write, at) => (children[at]?.getValid(row) ? write(row) : null)));
    }
  }
  return { columns: scan.schema.fields.map(({ name }) => name), rows };
}
