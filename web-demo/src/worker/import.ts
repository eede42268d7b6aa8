/** What a person drops or pastes, as rows for a table. */

import { DeltaError, jsonWriters, type RowInput, type StructType } from 'delta-kernel-web';
import { breathe } from './breathe.ts';
import type { Work } from './context.ts';
import { cellReader } from './import/cells.ts';
import { Checker, type GivenRow, parquetColumns } from './import/check.ts';
import { type CsvRow, readCsv } from './import/csv.ts';
import { inferText, inferValues, typeJson, valueText } from './import/infer.ts';
import { empty, isJson, parquetOf, textOf } from './import/input.ts';
import { readJson } from './import/json.ts';
import { allRows, fitTypes, openParquet } from './import/parquet.ts';
import type { ImportCheck, ImportInput, ImportOptions, NewColumn } from './protocol-write.ts';

const PREVIEW_ROWS = 20;
/** Rows that a type is inferred from. */
const INFER_ROWS = 10_000;

/** Rows after which a check looks up: it can be stopped then. */
const PAUSE_EVERY = 5000;

type CheckWork = Pick<Work, 'signal' | 'report'>;

export interface Import {
  readonly check: ImportCheck;
  /** Empty where something does not fit. */
  readonly rows: RowInput;
}

export async function readImport(
  schema: StructType,
  input: ImportInput,
  options: ImportOptions,
  work: CheckWork,
): Promise<Import> {
  const parquet = await parquetOf(input);
  if (parquet !== undefined) return readParquet(schema, parquet, work.signal);
  const text = await textOf(input);
  return isJson(text) ? readJsonText(schema, text, work) : readCsvText(schema, text, options, work);
}

export async function inferColumns(input: ImportInput, signal: AbortSignal): Promise<NewColumn[]> {
  const parquet = await parquetOf(input);
  if (parquet !== undefined) {
    const { schema } = await openParquet(parquet, signal);
    return schema.fields.map((field) => ({
      name: field.name,
      type: typeJson(field),
      nullable: field.nullable,
    }));
  }
  const text = await textOf(input);
  if (isJson(text)) {
    const rows = readJson(text).rows.slice(0, INFER_ROWS);
    const names = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
    return names.map((name) =>
      inferValues(
        name,
        rows.map(({ row }) => row[name]),
      ),
    );
  }
  const [head, ...rows] = readCsv(text);
  if (head === undefined) throw empty();
  const some = rows.slice(0, INFER_ROWS);
  return head.cells.map((name, at) =>
    inferText(
      name,
      some.map(({ cells }) => cells[at] ?? ''),
    ),
  );
}

async function readCsvText(
  schema: StructType,
  text: string,
  { header }: ImportOptions,
  work: CheckWork,
): Promise<Import> {
  const rows = readCsv(text);
  if (rows.length === 0) throw empty();
  const names = header ? rows[0]!.cells.map((name) => name.trim()) : schema.fields.map(({ name }) => name);
  const repeated = names.find((name, at) => names.findIndex((each) => same(each, name)) !== at);
  if (repeated !== undefined) throw new DeltaError('Schema', `line 1 names the column ${repeated} twice`);
  const body = header ? rows.slice(1) : rows;
  const checker = new Checker(schema);
  const readers = names.map((name) => {
    const type = schema.fields.find((field) => same(field.name, name))?.type;
    return type === undefined ? undefined : cellReader(type);
  });
  const given = await checked(body, work, (row) => csvRow(row, names, readers, checker));
  return finished('CSV', given, checker, names);
}

function csvRow(
  { cells, line }: CsvRow,
  names: readonly string[],
  readers: readonly (((text: string) => unknown) | undefined)[],
  checker: Checker,
): GivenRow {
  if (cells.length !== names.length) {
    checker.bad(line, '', `has ${cells.length} cells, the columns are ${names.length}`);
  }
  const row: Record<string, unknown> = Object.create(null);
  for (const [at, name] of names.entries()) {
    const cell = cells[at] ?? '';
    row[name] = cell === '' ? null : (readers[at]?.(cell) ?? cell);
  }
  const given = { row, line };
  checker.add(given);
  return given;
}

async function readJsonText(schema: StructType, text: string, work: CheckWork): Promise<Import> {
  const { rows, isList } = readJson(text);
  const checker = new Checker(schema);
  await checked(rows, work, (row) => checker.add(row));
  return finished(isList ? 'JSON' : 'NDJSON', rows, checker);
}

/** Looks at each row, with pauses in which a stop is heard. */
async function checked<T, R>(
  rows: readonly T[],
  { signal, report }: CheckWork,
  look: (row: T) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % PAUSE_EVERY === PAUSE_EVERY - 1) {
      report({ done: at + 1, total: rows.length, unit: 'rows' });
      await breathe();
      signal.throwIfAborted();
    }
    results.push(look(row));
  }
  return results;
}

function finished(
  format: ImportCheck['format'],
  given: readonly GivenRow[],
  checker: Checker,
  names?: readonly string[],
): Import {
  if (given.length === 0) throw empty();
  const columns = checker.columns(names);
  const fits = columns.every(({ problem }) => problem === undefined) && checker.numBadCells === 0;
  const previewColumns = columns.map(({ name }) => name);
  const check: ImportCheck = {
    format,
    rows: given.length,
    columns,
    ...checker.result(),
    previewColumns,
    preview: given.slice(0, PREVIEW_ROWS).map(({ row }) => {
      const cells = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
      return previewColumns.map((name) => valueText(cells.get(name.toLowerCase())));
    }),
  };
  return { check, rows: fits ? given.map(({ row }) => row) : [] };
}

async function readParquet(schema: StructType, file: File, signal: AbortSignal): Promise<Import> {
  const input = await openParquet(file, signal);
  const columns = parquetColumns(input.schema, schema, fitTypes);
  const fits = columns.every(({ problem }) => problem === undefined);
  const check: ImportCheck = {
    format: 'Parquet',
    rows: input.rows,
    columns,
    badCells: [],
    numBadCells: 0,
    previewColumns: input.schema.fields.map(({ name }) => name),
    preview: [],
  };
  for await (const batch of input.batches(signal)) {
    const writers = jsonWriters(batch, input.schema);
    const count = Math.min(batch.numRows, PREVIEW_ROWS - check.preview.length);
    for (let row = 0; row < count; row += 1) {
      check.preview.push(
        writers.map((write, at) => (batch.data.children[at]?.getValid(row) ? unquoted(write(row)) : null)),
      );
    }
    if (check.preview.length >= PREVIEW_ROWS) break;
  }
  return { check, rows: fits ? await allRows(input, signal) : [] };
}

function unquoted(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
