/** Arrow data of callers under a table's schema: columns by name, types equal or exactly convertible, gaps null. */
import type { Data } from 'apache-arrow';
import { buildColumn, constantColumn } from '../../engine/arrow-build.ts';
import { ArrowColumn } from '../../engine/arrow-column.ts';
import { rawData } from '../../engine/arrow-data.ts';
import { toArrowType } from '../../engine/arrow-schema.ts';
import { relabel } from '../../engine/projection.ts';
import { DeltaError } from '../../errors.ts';
import type { ScalarValue } from '../../kernel/expressions/types.ts';
import { isNumeric, isPrimitive } from '../../kernel/expressions/types-of.ts';
import { formatDecimal } from '../../kernel/partition-values/decimal.ts';
import { dataTypesEqual, didYouMean, typeToString } from '../../kernel/schema/schema.ts';
import type { ArrayType, DataType, MapType, StructType } from '../../kernel/schema/types.ts';
import { valueReader } from './row-values.ts';

/**
 * The columns of a struct (or batch) in the order of `to`; undefined for those that the data lacks.
 * @throws DeltaError `Schema`, naming the column: one that `to` lacks, one that is given twice, one whose type is
 * another, a value that its type cannot hold.
 */
export function conformFields(
  children: readonly Data[],
  from: StructType,
  to: StructType,
  path: readonly string[] = [],
): (Data | undefined)[] {
  const places = new Map(to.fields.map(({ name }, index) => [name.toLowerCase(), index]));
  const result = new Array<Data | undefined>(to.fields.length).fill(undefined);
  for (const [index, { name, type }] of from.fields.entries()) {
    const here = [...path, name];
    const place = places.get(name.toLowerCase());
    if (place === undefined) throw refuse(here, `the table has no such column${didYouMean(to, [name])}`);
    if (result[place] !== undefined) throw refuse(here, 'is given twice, in different case');
    result[place] = conform(children[index]!, type, to.fields[place]!.type, here);
  }
  return result;
}

function conform(data: Data, from: DataType, to: DataType, path: readonly string[]): Data {
  if (isPrimitive(from, 'void')) return constantColumn(to, null, data.length);
  if (dataTypesEqual(from, to, { ignoreNullability: true })) return relabel(data, toArrowType(to));
  if (from.kind === 'struct' && to.kind === 'struct') return conformStruct(data, from, to, path);
  if (from.kind === 'array' && to.kind === 'array') return conformArray(data, from, to, path);
  if (from.kind === 'map' && to.kind === 'map') return conformMap(data, from, to, path);
  if (from.kind === 'struct' && to.kind === 'variant') return conformVariant(data, from, path);
  if (isNumeric(from) && isNumeric(to)) return convertNumbers(data, from, to, path);
  throw wrongType(from, to, path);
}

function conformStruct(data: Data, from: StructType, to: StructType, path: readonly string[]): Data {
  const children = conformFields(data.children, from, to, path).map((child, index) => {
    return child ?? constantColumn(to.fields[index]!.type, null, data.length);
  });
  return rewrap(data, to, children);
}

function conformArray(data: Data, from: ArrayType, to: ArrayType, path: readonly string[]): Data {
  const element = conform(data.children[0]!, from.elementType, to.elementType, [...path, 'element']);
  return rewrap(data, to, [element]);
}

function conformMap(data: Data, from: MapType, to: MapType, path: readonly string[]): Data {
  const entries = data.children[0]!;
  const key = conform(entries.children[0]!, from.keyType, to.keyType, [...path, 'key']);
  const value = conform(entries.children[1]!, from.valueType, to.valueType, [...path, 'value']);
  const arrow = toArrowType(to);
  return rewrap(data, to, [rawData(arrow.children[0]!.type, entries.length, { children: [key, value] })]);
}

/** Variants of callers are structs of the two binary fields. */
function conformVariant(data: Data, from: StructType, path: readonly string[]): Data {
  const children = ['metadata', 'value'].map((name) => {
    const index = from.fields.findIndex((each) => each.name === name && isPrimitive(each.type, 'binary'));
    if (index < 0 || from.fields.length !== 2) throw wrongType(from, { kind: 'variant' }, path);
    return data.children[index]!;
  });
  return rewrap(data, { kind: 'variant' }, children);
}

function rewrap(data: Data, type: DataType, children: Data[]): Data {
  const nullBitmap = data.nullCount > 0 ? data.nullBitmap : undefined;
  const { valueOffsets } = data;
  return rawData(toArrowType(type), data.length, { valueOffsets, nullBitmap, children }, data.offset);
}

/** Value by value, exactly; floats may be rounded to a narrower float. */
function convertNumbers(data: Data, from: DataType, to: DataType, path: readonly string[]): Data {
  const column = new ArrowColumn(path.join('.'), from, data);
  const read = valueReader(to, path.join('.'));
  const given = (value: ScalarValue) => {
    return from.kind === 'decimal' && value !== null ? decimalValue(value as bigint, from.scale, to) : value;
  };
  return buildColumn(
    to,
    Array.from({ length: data.length }, (_, row) => read(given(column.getValue(row)))),
  );
}

/** As text where the target is a decimal, else as a whole number where it is one. */
function decimalValue(unscaled: bigint, scale: number, to: DataType): string | bigint | number {
  const text = formatDecimal(unscaled, scale);
  if (to.kind === 'decimal') return text;
  const unit = 10n ** BigInt(scale);
  return unscaled % unit === 0n ? unscaled / unit : Number(text);
}

function wrongType(from: DataType, to: DataType, path: readonly string[]): DeltaError {
  return refuse(path, `the table has type ${typeToString(to)}, the data ${typeToString(from)}`);
}

function refuse(path: readonly string[], problem: string): DeltaError {
  const column = path.join('.');
  return new DeltaError('Schema', `column ${column}: ${problem}`, { column });
}
