/** Filtering rows exactly: reading what the predicate needs besides, testing each row, dropping it again. */
import type { Engine, ExpressionEvaluator, PredicateEvaluator } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import type { Expression, Predicate } from '../expressions/types.ts';
import { referencedColumns } from '../expressions/visit.ts';
import { dataTypesEqual } from '../schema/schema.ts';
import { type DataType, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { relaxedSchema, type ScanSchema, scanSchema } from './scan-schema.ts';

export interface ExactFilter {
  /** What to read: the columns wanted, and those that only the predicate needs. */
  readonly readSchema: ScanSchema;
  /** The rows for which the predicate is true, with the columns wanted. */
  apply(batch: EngineData): Promise<EngineData>;
}

/** @param predicate bound to the table's schema. */
export function exactFilter(
  engine: Engine,
  snapshot: SnapshotState,
  wanted: ScanSchema,
  predicate: Predicate,
): ExactFilter {
  const readSchema = scanSchema(snapshot, {
    schema: withPredicateColumns(snapshot.schema, wanted.logicalSchema, predicate),
  });
  const input = relaxedSchema(readSchema.logicalSchema);
  const apply = rowFilter(engine, predicate, input, relaxedSchema(wanted.logicalSchema));
  return { readSchema, apply };
}

/** From batches of `input` to those of `output`: the rows for which the predicate is true. */
export function rowFilter(
  engine: Engine,
  predicate: Predicate,
  input: StructType,
  output: StructType,
): ExactFilter['apply'] {
  const test = engine.evaluationHandler.newPredicateEvaluator(input, predicate);
  const project = dataTypesEqual(input, output) ? undefined : projection(engine, input, output);
  return async (batch) => {
    const selected = batch.select(await selectionOf(test, batch));
    return project === undefined ? selected : project.evaluate(selected);
  };
}

async function selectionOf(test: PredicateEvaluator, batch: EngineData): Promise<Uint8Array> {
  const output = (await test.evaluate(batch)).column(['output'])!;
  return Uint8Array.from({ length: batch.length }, (_, row) => (output.getBoolean(row) === true ? 1 : 0));
}

/** The wanted fields in their place, those that the predicate reads whole, then its other columns. */
export function withPredicateColumns(
  table: StructType,
  wanted: StructType,
  predicate: Predicate,
): StructType {
  const fields = [...wanted.fields];
  for (const [name] of referencedColumns(predicate)) {
    const whole = table.fields.find((each) => each.name === name)!;
    const index = fields.findIndex((each) => each.name === name);
    if (index < 0) fields.push(whole);
    else fields[index] = whole;
  }
  return types.struct(fields);
}

function projection(engine: Engine, input: StructType, output: StructType): ExpressionEvaluator {
  const fields = output.fields.map(({ name, type }) => {
    const available = input.fields.find((each) => each.name === name)!.type;
    return narrowed([name], available, type);
  });
  return engine.evaluationHandler.newExpressionEvaluator(input, { kind: 'struct', fields }, output);
}

/** A column with the fields of `wanted` only. */
function narrowed(path: readonly string[], available: DataType, wanted: DataType): Expression {
  const column: Expression = { kind: 'column', path };
  if (available.kind !== 'struct' || wanted.kind !== 'struct' || dataTypesEqual(available, wanted))
    return column;
  const fields = wanted.fields.map(({ name, type }) => {
    return narrowed([...path, name], available.fields.find((each) => each.name === name)!.type, type);
  });
  return { kind: 'struct', fields, keep: { kind: 'not', input: { kind: 'isNull', input: column } } };
}
