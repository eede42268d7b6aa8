/**
 * Expressions that only pick, rename and nest columns and add constants, evaluated without a copy: Arrow data under
 * the output's names, plus constant columns. Most of what the kernel evaluates per batch is of this kind.
 */
import { type DataType as ArrowType, type Data, type RecordBatch, Type } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import type { Expression } from '../kernel/expressions/types.ts';
import { typeToString } from '../kernel/schema/schema.ts';
import { type DataType, field, type StructType, types } from '../kernel/schema/types.ts';
import { constantColumn } from './arrow-build.ts';
import { nullWhereParentIs, rawData, type Validity, validityOf } from './arrow-data.ts';
import { makeBatch } from './arrow-engine-data.ts';
import { toArrowSchema, toArrowType } from './arrow-schema.ts';

/** Makes one output column from the input batch. */
type ColumnMaker = (batch: RecordBatch) => Data;

/** The schema of an evaluator's output: a struct's fields, else one column `output`. */
export function outputSchema(type: DataType): StructType {
  return type.kind === 'struct' ? type : types.struct([field('output', type)]);
}

/**
 * An evaluator for such an expression, undefined for any other.
 * @throws DeltaError `InvalidExpression` where the expression does not give `outputType`.
 */
export function compileProjection(
  inputSchema: StructType,
  expression: Expression,
  outputType: DataType,
): ((batch: RecordBatch) => RecordBatch) | undefined {
  const schema = toArrowSchema(outputSchema(outputType));
  if (outputType.kind === 'struct' && expression.kind === 'struct' && !expression.keep) {
    const makers = fieldMakers(inputSchema, expression.fields, outputType);
    return (
      makers &&
      ((batch) =>
        makeBatch(
          schema,
          batch.numRows,
          makers.map((make) => make(batch)),
        ))
    );
  }
  const make = compile(inputSchema, expression, outputType);
  if (!make) return undefined;
  if (outputType.kind !== 'struct') return (batch) => makeBatch(schema, batch.numRows, [make(batch)]);
  return (batch) => {
    const struct = make(batch);
    const parent = validityOf(struct);
    return makeBatch(
      schema,
      batch.numRows,
      struct.children.map((child) => nullWhereParentIs(child, parent)),
    );
  };
}

function compile(input: StructType, expression: Expression, output: DataType): ColumnMaker | undefined {
  switch (expression.kind) {
    case 'literal':
      checkType(expression.literal.type, output);
      return constantMaker(output, expression.literal.value);
    case 'column':
      return columnMaker(input, expression.path, output);
    case 'struct':
      return expression.keep ? undefined : structMaker(input, expression.fields, output);
    default:
      return undefined;
  }
}

function constantMaker(type: DataType, value: Parameters<typeof constantColumn>[1]): ColumnMaker {
  let longest = constantColumn(type, value, 1);
  return ({ numRows }) => {
    if (numRows > longest.length) longest = constantColumn(type, value, numRows);
    return numRows === longest.length ? longest : longest.slice(0, numRows);
  };
}

function columnMaker(input: StructType, path: readonly string[], output: DataType): ColumnMaker {
  const indexes: number[] = [];
  let type: DataType = input;
  for (const name of path) {
    const index: number = type.kind === 'struct' ? type.fields.findIndex((f) => f.name === name) : -1;
    if (index < 0) throw new DeltaError('InvalidExpression', `no column ${path.join('.')} in the input`);
    indexes.push(index);
    type = (type as StructType).fields[index]!.type;
  }
  checkType(type, output);
  const arrow = toArrowType(output);
  return (batch) => {
    let data: Data = batch.data;
    let parent: Validity | undefined;
    for (const [depth, index] of indexes.entries()) {
      if (depth > 0) parent = validityOf(data);
      data = nullWhereParentIs(data.children[index]!, parent);
    }
    return relabel(data, arrow);
  };
}

function structMaker(
  input: StructType,
  fields: readonly Expression[],
  output: DataType,
): ColumnMaker | undefined {
  if (output.kind !== 'struct') {
    throw new DeltaError('InvalidExpression', `a struct expression for ${typeToString(output)}`);
  }
  const makers = fieldMakers(input, fields, output);
  const arrow = toArrowType(output);
  return (
    makers && ((batch) => rawData(arrow, batch.numRows, { children: makers.map((make) => make(batch)) }))
  );
}

function fieldMakers(
  input: StructType,
  fields: readonly Expression[],
  output: StructType,
): ColumnMaker[] | undefined {
  if (fields.length !== output.fields.length) {
    const message = `${fields.length} expressions for the ${output.fields.length} fields of ${typeToString(output)}`;
    throw new DeltaError('InvalidExpression', message);
  }
  const makers = fields.map((each, i) => compile(input, each, output.fields[i]!.type));
  return makers.every((make) => make !== undefined) ? makers : undefined;
}

/** The same values under the names, nullability and time zone of `type`. */
export function relabel(data: Data, type: ArrowType): Data {
  if (data.type === type) return data;
  const children = data.children.map((child, i) => relabel(child, type.children[i]!.type));
  if (data.typeId === Type.Null) return data;
  return data.clone(
    type,
    data.offset,
    data.length,
    validityOf(data) ? data.nullCount : 0,
    data.buffers,
    children,
  );
}

function checkType(actual: DataType, expected: DataType): void {
  if (!sameShape(actual, expected)) {
    throw new DeltaError(
      'InvalidExpression',
      `an expression of type ${typeToString(actual)} for ${typeToString(expected)}`,
    );
  }
}

/** Whether values of one type are values of the other: names, nullability and metadata aside. */
export function sameShape(a: DataType, b: DataType): boolean {
  if (a.kind === 'struct' && b.kind === 'struct') {
    return (
      a.fields.length === b.fields.length && a.fields.every((f, i) => sameShape(f.type, b.fields[i]!.type))
    );
  }
  if (a.kind === 'array' && b.kind === 'array') return sameShape(a.elementType, b.elementType);
  if (a.kind === 'map' && b.kind === 'map') {
    return sameShape(a.keyType, b.keyType) && sameShape(a.valueType, b.valueType);
  }
  return a.kind === b.kind && a.kind !== 'struct' && typeToString(a) === typeToString(b);
}
