/** Rows of Arrow batches as newline-delimited JSON; the form of values is described in `json-values.ts`. */
import type { RecordBatch } from 'apache-arrow';
import type { StructType } from '../kernel/schema/types.ts';
import { fieldsWriter, fieldWriters, type ValueWriter } from './json-values.ts';

/**
 * All rows of a batch as NDJSON, each line ended by a newline.
 * @param schema Delta types of exactly the batch's columns, as `TableScan.schema` has them.
 */
export function rowsToNdjson(batch: RecordBatch, schema: StructType): string {
  return [...ndjsonPieces(batch, schema)].join('');
}

/** The same in pieces of at most `rowsPerPiece` rows, for streams. */
export function* ndjsonPieces(batch: RecordBatch, schema: StructType, rowsPerPiece = 4096): Iterable<string> {
  const write = fieldsWriter(batch.data, schema);
  for (let start = 0; start < batch.numRows; start += rowsPerPiece) {
    const end = Math.min(start + rowsPerPiece, batch.numRows);
    let text = '';
    for (let row = start; row < end; row += 1) text += `{${write(row)}}\n`;
    yield text;
  }
}

/**
 * Single values of a batch as JSON text: one writer per column, from a row's number to its value's text, `null` for
 * null. Text columns are decoded when the writers are made, so make them once per batch.
 * @param schema Delta types of exactly the batch's columns, as `TableScan.schema` has them.
 */
export function jsonWriters(batch: RecordBatch, schema: StructType): ValueWriter[] {
  return fieldWriters(batch.data, schema);
}
