/** What callers append, as checked batches of a table's schema. */
import type { RecordBatch, Table } from 'apache-arrow';
import { buildColumn } from '../../engine/arrow-build.ts';
import type { ArrowEngineData } from '../../engine/arrow-engine-data.ts';
import { fromArrow, isArrow } from '../../engine/arrow-input.ts';
import { DeltaError, isDeltaError } from '../../errors.ts';
import type { Engine } from '../../kernel/engine.ts';
import type { ScalarValue } from '../../kernel/expressions/types.ts';
import type { StructType } from '../../kernel/schema/types.ts';
import type { SnapshotState } from '../../kernel/snapshot/state.ts';
import { ColumnFiller, type GivenColumns } from './columns.ts';
import { conformFields } from './conform.ts';
import { constraintCheck, constraintsOf } from './constraints.ts';
import { checkNotNull } from './not-null.ts';
import { structReader } from './row-values.ts';

/** A row by column names, whatever their case. A column that is missing is null, its default, or generated. */
export type Row = Readonly<Record<string, unknown>>;

type Item = Row | Table | RecordBatch;

/** Rows: an Arrow table or record batch (of any copy of apache-arrow), row objects, or a (lazy) list of any of them. */
export type RowInput = Table | RecordBatch | Iterable<Item> | AsyncIterable<Item>;

/** Rows of a batch at most. */
const BATCH_ROWS = 16_384;

/**
 * Batches of the table's schema, every one checked against types, NOT NULL and constraints before it is given out.
 * Errors: `Schema` for columns, types and values that do not fit, `ConstraintViolation`, `Unsupported` for rules of
 * the table that cannot be checked, `InvalidOption` for input that is no rows.
 */
export async function* checkedBatches(
  engine: Engine,
  snapshot: SnapshotState,
  input: RowInput,
  signal?: AbortSignal,
): AsyncGenerator<ArrowEngineData, void, undefined> {
  const { schema } = snapshot;
  const filler = new ColumnFiller(engine, schema);
  const check = constraintCheck(engine, schema, constraintsOf(snapshot));
  for await (const given of givenColumns(input, schema)) {
    signal?.throwIfAborted();
    const batch = await filler.fill(given);
    checkNotNull(batch.recordBatch.data.children, schema);
    await check(batch);
    yield batch;
  }
}

async function* givenColumns(
  input: RowInput,
  schema: StructType,
): AsyncGenerator<GivenColumns, void, undefined> {
  const rows = new RowBuffer(schema);
  for await (const item of itemsOf(input)) {
    if (isArrow(item)) {
      if (rows.length > 0) yield rows.take();
      yield* arrowColumns(item, schema);
    } else {
      rows.add(item);
      if (rows.length >= BATCH_ROWS) yield rows.take();
    }
  }
  if (rows.length > 0) yield rows.take();
}

function itemsOf(input: RowInput): Iterable<Item> | AsyncIterable<Item> {
  if (isArrow(input)) return [input];
  const isIterable =
    typeof input === 'object' &&
    input !== null &&
    (Symbol.iterator in input || Symbol.asyncIterator in input);
  if (isIterable) return input;
  throw new DeltaError('InvalidOption', 'expected a list of row objects, or an Arrow table or record batch');
}

function* arrowColumns(input: Table | RecordBatch, schema: StructType): Generator<GivenColumns, void> {
  for (const whole of fromArrow(input)) {
    for (let start = 0; start < whole.length; start += BATCH_ROWS) {
      const { recordBatch, schema: from, length } = whole.slice(start, start + BATCH_ROWS) as ArrowEngineData;
      yield { columns: conformFields(recordBatch.data.children, from, schema), length };
    }
  }
}

/** Rows until they make a batch. */
class RowBuffer {
  readonly #schema: StructType;
  readonly #read: ReturnType<typeof structReader>;
  #rows: ScalarValue[][] = [];
  #given = new Set<string>();
  #taken = 0;

  constructor(schema: StructType) {
    this.#schema = schema;
    this.#read = structReader(schema, '');
  }

  get length(): number {
    return this.#rows.length;
  }

  add(row: Row): void {
    const number = this.#taken + this.#rows.length + 1;
    const values = row === null || row === undefined ? undefined : inRow(number, () => this.#read(row));
    if (values === undefined)
      throw new DeltaError('Schema', `row ${number}: a row must be an object of columns`);
    for (const name of Object.keys(row)) if (row[name] !== undefined) this.#given.add(name.toLowerCase());
    this.#rows.push(values);
  }

  take(): GivenColumns {
    const rows = this.#rows;
    const columns = this.#schema.fields.map(({ name, type }, index) => {
      if (!this.#given.has(name.toLowerCase())) return undefined;
      return buildColumn(
        type,
        rows.map((row) => row[index]!),
      );
    });
    this.#taken += rows.length;
    this.#rows = [];
    this.#given = new Set();
    return { columns, length: rows.length };
  }
}

/** Errors say which row. */
function inRow<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDeltaError(error)) throw error;
    const { code, message, column } = error;
    throw new DeltaError(code, `row ${number}: ${message}`, {
      ...(column !== undefined && { column }),
      cause: error,
    });
  }
}
