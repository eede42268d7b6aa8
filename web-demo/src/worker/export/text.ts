/** Rows as CSV and as newline-delimited JSON. */
import { type EngineData, rowsToNdjson, type StructType, toRecordBatch } from 'delta-kernel-web';
import Papa from 'papaparse';
import { valueText } from '../../values.ts';
import { cellWriters } from '../rows/pages.ts';
import type { Rows } from './format.ts';

/** Rows per piece of text. */
const ROWS_AT_ONCE = 8192;
const utf8 = new TextEncoder();

/** RFC 4180 with a header; null is nothing, empty text is quoted; binary as hex digits, what is nested as JSON. */
export async function* csv({ schema, rows }: Rows): AsyncGenerator<Uint8Array> {
  yield lines([schema.fields.map(({ name }) => name)]);
  for await (const batch of rows) {
    for (const piece of pieces(batch)) yield lines(cellsOf(piece, schema));
  }
}

/** In the form of values that the package's own rows have. */
export async function* ndjson({ rows }: Rows): AsyncGenerator<Uint8Array> {
  for await (const batch of rows) {
    for (const piece of pieces(batch)) yield utf8.encode(rowsToNdjson(toRecordBatch(piece), piece.schema));
  }
}

function* pieces(batch: EngineData): Generator<EngineData> {
  for (let start = 0; start < batch.length; start += ROWS_AT_ONCE)
    yield batch.slice(start, start + ROWS_AT_ONCE);
}

function lines(rows: (string | null)[][]): Uint8Array {
  return utf8.encode(`${Papa.unparse(rows, { newline: '\n', quotes: (value) => value === '' })}\n`);
}

function cellsOf(batch: EngineData, { fields }: StructType): (string | null)[][] {
  const writers = cellWriters(batch);
  return Array.from({ length: batch.length }, (_, row) =>
    writers.map((write, at) => {
      const json = write(row);
      return json === null ? null : valueText(json, fields[at]!.type);
    }),
  );
}
