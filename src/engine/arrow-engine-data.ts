/** The default engine's batches: an Arrow `RecordBatch` with a Delta schema. */
import { type Data, RecordBatch, Schema, Struct } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import {
  type Column,
  checkSelectionVector,
  type EngineData,
  type SelectionVector,
} from '../kernel/engine-data.ts';
import type { StructType } from '../kernel/schema/types.ts';
import { buildColumn } from './arrow-build.ts';
import { columnAt } from './arrow-column.ts';
import { rawData, selectedRuns, takeRuns } from './arrow-data.ts';
import { toArrowSchema } from './arrow-schema.ts';

/** A batch whose Arrow columns have exactly the types of `schema`, in its order. */
export class ArrowEngineData implements EngineData {
  readonly recordBatch: RecordBatch;
  readonly schema: StructType;

  constructor(recordBatch: RecordBatch, schema: StructType) {
    if (recordBatch.data.children.length !== schema.fields.length) {
      throw new TypeError(
        `a batch of ${recordBatch.data.children.length} columns for a schema of ${schema.fields.length}`,
      );
    }
    this.recordBatch = recordBatch;
    this.schema = schema;
  }

  get length(): number {
    return this.recordBatch.data.length;
  }

  column(path: readonly string[]): Column | undefined {
    return columnAt(this.recordBatch.data, this.schema, path);
  }

  appendColumns(other: EngineData): EngineData {
    if (other.length !== this.length) {
      throw new DeltaError('Schema', `columns of ${other.length} rows for a batch of ${this.length}`);
    }
    const batch = toRecordBatch(other);
    const schema = { ...this.schema, fields: [...this.schema.fields, ...other.schema.fields] };
    const fields = [...this.recordBatch.schema.fields, ...batch.schema.fields];
    const children = [...this.recordBatch.data.children, ...batch.data.children];
    return new ArrowEngineData(makeBatch(new Schema(fields), this.length, children), schema);
  }

  select(selection: SelectionVector): EngineData {
    checkSelectionVector(selection, this.length);
    const runs = selectedRuns(selection, this.length);
    if (runs.rows === this.length) return this;
    const children = this.recordBatch.data.children.map((child) => takeRuns(child, runs));
    return new ArrowEngineData(makeBatch(this.recordBatch.schema, runs.rows, children), this.schema);
  }

  slice(start: number, end: number): EngineData {
    const from = Math.min(Math.max(start, 0), this.length);
    const to = Math.min(Math.max(end, from), this.length);
    if (to - from === this.length) return this;
    const children = this.recordBatch.data.children.map((child) => child.slice(from, to - from));
    return new ArrowEngineData(makeBatch(this.recordBatch.schema, to - from, children), this.schema);
  }
}

/** A record batch of `length` rows, which a batch without columns keeps too. */
export function makeBatch(schema: Schema, length: number, children: Data[]): RecordBatch {
  return new RecordBatch(schema, rawData(new Struct(schema.fields), length, { children }) as Data<Struct>);
}

/**
 * The Arrow form of any engine's batch: its own record batch where it has one (recognised by shape, so that batches of
 * another copy of this package are too), else its columns read value by value.
 */
export function toRecordBatch(data: EngineData): RecordBatch {
  const { recordBatch } = data as Partial<ArrowEngineData>;
  if (recordBatch && RecordBatch.isRecordBatch(recordBatch)) return recordBatch;
  const children = data.schema.fields.map(({ name, type }) => {
    const column = data.column([name]);
    if (!column) throw new TypeError(`a batch without the column ${name} of its schema`);
    return buildColumn(
      type,
      Array.from({ length: data.length }, (_, row) => column.getValue(row)),
    );
  });
  return makeBatch(toArrowSchema(data.schema), data.length, children);
}
