/** What each command does: a thin layer over `DeltaTable`. */
import type { RecordBatch } from 'apache-arrow';
import { parse } from 'lossless-json';
import type { ScanFile } from '../kernel/scan/scan-files.ts';
import { schemaToJson } from '../kernel/schema/schema-json.ts';
import type { StructType } from '../kernel/schema/types.ts';
import type { DeltaTable } from '../table/delta-table.ts';
import { ndjsonPieces } from '../table/json-rows.ts';
import { openTable } from './open.ts';
import type { Run } from './run-context.ts';
import { columnList, text, UsageError, wholeNumber } from './usage.ts';
import { append, checkpoint, create, deleteRows, publish, vacuum } from './write-commands.ts';

/** Commands by name; each prints to `output` and throws a `DeltaError` or a `UsageError`. */
export const commands: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  inspect,
  read,
  files,
  changes,
  history,
  create,
  append,
  delete: deleteRows,
  checkpoint,
  publish,
  vacuum,
};

function open({ table, options, env }: Run): Promise<DeltaTable> {
  return openTable(table, env, {
    version: wholeNumber('version', options.version),
    timestamp: text(options.timestamp),
  });
}

async function inspect(run: Run): Promise<void> {
  const table = await open(run);
  const detail = await table.detail();
  await run.output.writeLine({ ...detail, schema: parse(schemaToJson(table.schema)) });
}

async function read(run: Run): Promise<void> {
  const limit = wholeNumber('limit', run.options.limit);
  const columns = columnList('columns', run.options.columns);
  const table = await open(run);
  const scan = table.scan({ columns, where: text(run.options.where), limit });
  await printRows(run, scan, scan.schema);
}

async function changes(run: Run): Promise<void> {
  const start = wholeNumber('start', run.options.start);
  if (start === undefined) throw new UsageError('changes: from which version on? See changes --help');
  const end = wholeNumber('end', run.options.end);
  const columns = columnList('columns', run.options.columns);
  const table = await open(run);
  const scan = table.changes({ start, end, columns });
  await printRows(run, scan, await scan.schema());
}

async function printRows(
  { output, progress }: Run,
  batches: AsyncIterable<RecordBatch>,
  schema: StructType,
): Promise<void> {
  let rows = 0;
  for await (const batch of batches) {
    for (const piece of ndjsonPieces(batch, schema)) await output.write(piece);
    rows += batch.numRows;
    progress.show(`${rows.toLocaleString('en')} rows`);
  }
}

async function files(run: Run): Promise<void> {
  const table = await open(run);
  const where = text(run.options.where);
  let count = 0;
  for await (const file of run.options.explain === true ? explained(table, where) : live(table, where)) {
    await run.output.writeLine(file);
    count += 1;
    run.progress.show(`${count.toLocaleString('en')} files`);
  }
}

async function* live(table: DeltaTable, where: string | undefined): AsyncGenerator<object> {
  for await (const file of table.liveFiles({ where })) yield fileJson(file);
}

async function* explained(table: DeltaTable, where: string | undefined): AsyncGenerator<object> {
  for await (const { file, ...verdict } of table.explain({ where, rowGroups: true })) {
    yield { ...fileJson(file), ...verdict };
  }
}

function fileJson({ stats, ...file }: ScanFile): object {
  return { ...file, stats: statsJson(stats) };
}

/** Statistics as JSON; text that is none stays text, null where a file has none. */
function statsJson(stats: string | undefined): unknown {
  if (stats === undefined) return null;
  try {
    return parse(stats);
  } catch (error) {
    // Writers have written NaN and the like here: to be shown, not to fail.
    if (error instanceof SyntaxError) return stats;
    throw error;
  }
}

async function history(run: Run): Promise<void> {
  const limit = wholeNumber('limit', run.options.limit);
  const table = await open(run);
  for (const commit of await table.history({ limit })) await run.output.writeLine(commit);
}
