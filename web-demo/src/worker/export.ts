/** All rows of a query as a file. */
import type { EngineData } from 'delta-kernel-web';
import type { Work } from './context.ts';
import type { Rows } from './export/format.ts';
import { blobSink, fileSink } from './export/sink.ts';
import type { Exported, ExportFormat, RowQuery } from './protocol-data.ts';
import { allRows } from './rows/queries.ts';

interface Format {
  readonly type: string;
  /** Loaded when it is used: most people never export. */
  readonly load: () => Promise<(rows: Rows) => AsyncIterable<Uint8Array>>;
}

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  csv: { type: 'text/csv', load: async () => (await import('./export/text.ts')).csv },
  ndjson: { type: 'application/x-ndjson', load: async () => (await import('./export/text.ts')).ndjson },
  arrow: {
    type: 'application/vnd.apache.arrow.file',
    load: async () => (await import('./export/arrow.ts')).arrow,
  },
  parquet: {
    type: 'application/vnd.apache.parquet',
    load: async () => (await import('./export/parquet.ts')).parquet,
  },
};

/** Streams the rows into the file, or into a blob. Where it fails or is stopped, nothing is left behind. */
export async function exportRows(
  work: Work,
  query: RowQuery,
  format: ExportFormat,
  file: FileSystemFileHandle | undefined,
): Promise<Exported> {
  const { signal, table } = work;
  const { type, load } = FORMATS[format];
  const write = await load();
  const { schema, rows } = await allRows(work, query, signal);
  const counted = { rows: 0, bytes: 0 };
  const none = () => table.engine.evaluationHandler.createMany(schema, []);
  const sink = file === undefined ? blobSink(type) : await fileSink(file);
  try {
    for await (const bytes of write({ schema, none, rows: counting(rows, counted, work) })) {
      signal.throwIfAborted();
      counted.bytes += bytes.length;
      await sink.write(bytes);
    }
    const blob = await sink.close();
    return { ...counted, ...(blob && { blob }) };
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

async function* counting(
  rows: AsyncIterable<EngineData>,
  counted: { rows: number },
  { signal, report }: Work,
): AsyncGenerator<EngineData> {
  for await (const batch of rows) {
    signal.throwIfAborted();
    yield batch;
    counted.rows += batch.length;
    await report({ done: counted.rows, unit: 'rows' });
  }
}
