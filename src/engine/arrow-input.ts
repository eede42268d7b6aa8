/**
 * Arrow data of callers as batches of this engine: of any copy of apache-arrow (recognised by shape, since `instanceof`
 * fails across copies, workers and frames), of any of Arrow's layouts for a type that Delta has.
 */

import type { Data, RecordBatch, Table } from 'apache-arrow';
import { type DataType as ArrowType, Type } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import type { ScalarValue } from '../kernel/expressions/types.ts';
import { type DataType, field, type StructField, type StructType, types } from '../kernel/schema/types.ts';
import { buildColumn } from './arrow-build.ts';
import { decimalAt } from './arrow-column.ts';
import { isBitSet, nullData, rawData } from './arrow-data.ts';
import { ArrowEngineData, makeBatch } from './arrow-engine-data.ts';
import { toArrowSchema, toArrowType } from './arrow-schema.ts';
import { decodeUtf8 } from './utf8.ts';

type Reader = (row: number) => ScalarValue;

/** Whether a value is an Arrow table or record batch, of whatever copy of the library. */
export function isArrow(input: unknown): input is Table | RecordBatch {
  if (typeof input !== 'object' || input === null) return false;
  const { schema, batches, data } = input as {
    schema?: { fields?: unknown };
    batches?: unknown;
    data?: unknown;
  };
  return Array.isArray(schema?.fields) && (Array.isArray(batches) || typeof data === 'object');
}

/**
 * The batches of a table or record batch, with the Delta types that their Arrow types stand for. Columns whose layout is
 * the engine's own keep their buffers; others (large and view strings, dictionaries, fixed-size lists, other time
 * units …) are converted.
 * @throws DeltaError `Unsupported` for an Arrow type that no Delta type holds.
 */
export function fromArrow(input: Table | RecordBatch): ArrowEngineData[] {
  const schema = types.struct(input.schema.fields.map(toDeltaField));
  const arrow = toArrowSchema(schema);
  const batches = 'batches' in input ? input.batches : [input];
  return batches.map(({ data }) => {
    const children = schema.fields.map(({ type }, i) => adopt(data.children[i]!, type));
    return new ArrowEngineData(makeBatch(arrow, data.length, children), schema);
  });
}

function toDeltaField({ name, type, nullable }: RecordBatch['schema']['fields'][number]): StructField {
  return field(name, toDeltaType(type, name), { nullable });
}

interface AnyType {
  readonly typeId: Type;
  readonly children: RecordBatch['schema']['fields'];
  readonly bitWidth: number;
  readonly isSigned: boolean;
  readonly precision: number;
  readonly scale: number;
  readonly timezone?: string | null;
  readonly dictionary: ArrowType;
  readonly unit: number;
  readonly listSize: number;
  readonly byteWidth: number;
}

/** Unsigned integers take the next wider type. */
function toDeltaType(type: ArrowType, name: string): DataType {
  const arrow = type as unknown as AnyType;
  switch (arrow.typeId) {
    case Type.Null:
      return types.void;
    case Type.Bool:
      return types.boolean;
    case Type.Int:
      return integerType(arrow);
    case Type.Float:
      return arrow.precision === 2 ? types.double : types.float;
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return types.string;
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return types.binary;
    case Type.Date:
      return types.date;
    case Type.Timestamp:
      return arrow.timezone ? types.timestamp : types.timestampNtz;
    case Type.Decimal:
      if (arrow.bitWidth === 128 && arrow.scale >= 0 && arrow.scale <= arrow.precision) {
        return types.decimal(arrow.precision, arrow.scale);
      }
      break;
    case Type.Dictionary:
      return toDeltaType(arrow.dictionary, name);
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList: {
      const [element] = arrow.children;
      return types.array(toDeltaType(element!.type, name), element!.nullable);
    }
    case Type.Struct:
      return types.struct(arrow.children.map(toDeltaField));
    case Type.Map: {
      const [key, value] = arrow.children[0]!.type.children;
      return types.map(toDeltaType(key!.type, name), toDeltaType(value!.type, name), value!.nullable);
    }
  }
  const message = `column ${name}: Delta has no type for Arrow's ${String(type)}`;
  throw new DeltaError('Unsupported', message, { column: name });
}

function integerType({ bitWidth, isSigned }: AnyType): DataType {
  if (!isSigned && bitWidth === 64) return types.decimal(20, 0);
  return { 8: types.byte, 16: types.short, 32: types.integer, 64: types.long }[
    isSigned ? bitWidth : 2 * bitWidth
  ]!;
}

/** The column in the engine's own layout. */
function adopt(data: Data, type: DataType): Data {
  const arrow = toArrowType(type);
  if (isOwnLayout(data.type, arrow)) return rewrap(data, arrow);
  const read = nullable(data);
  return buildColumn(
    type,
    Array.from({ length: data.length }, (_, row) => read(row)),
  );
}

function isOwnLayout(theirs: ArrowType, ours: ArrowType): boolean {
  const [a, b] = [theirs as unknown as AnyType, ours as unknown as AnyType];
  return (
    a.typeId === b.typeId &&
    a.bitWidth === b.bitWidth &&
    a.isSigned === b.isSigned &&
    a.precision === b.precision &&
    a.unit === b.unit &&
    (a.children ?? []).every((child, i) => isOwnLayout(child.type, b.children[i]!.type))
  );
}

/** The same buffers in this copy's class, under the engine's type. */
function rewrap(data: Data, type: ArrowType): Data {
  if (data.typeId === Type.Null) return nullData(type, data.length);
  const { valueOffsets, values } = data;
  const nullBitmap = data.nullCount > 0 ? data.nullBitmap : undefined;
  const children = data.children.map((child, i) => rewrap(child, type.children[i]!.type));
  return rawData(type, data.length, { valueOffsets, values, nullBitmap, children }, data.offset);
}

function nullable(data: Data): Reader {
  if (data.typeId === Type.Null) return () => null;
  const read = reader(data);
  if (data.nullCount <= 0) return read;
  return (row) => (isBitSet(data.nullBitmap, data.offset + row) ? read(row) : null);
}

/** Reads non-null values of any layout. */
function reader(data: Data): Reader {
  const type = data.type as unknown as AnyType;
  const values = data.values as never;
  const offset = (row: number) => Number((data.valueOffsets as Int32Array)[row]);
  switch (type.typeId) {
    case Type.Bool:
      return (row) => isBitSet(values, data.offset + row);
    case Type.Int:
      return integerReader(type, values);
    case Type.Float:
      return type.precision === 0 ? (row) => halfFloat(values[row]!) : (row) => values[row]!;
    case Type.Utf8:
    case Type.LargeUtf8:
      return (row) => decodeUtf8(values, offset(row), offset(row + 1));
    case Type.Binary:
    case Type.LargeBinary:
      return (row) => (values as Uint8Array).slice(offset(row), offset(row + 1));
    case Type.Utf8View:
      return (row) => {
        const bytes = viewAt(data, row);
        return decodeUtf8(bytes, 0, bytes.length);
      };
    case Type.BinaryView:
      return (row) => viewAt(data, row).slice();
    case Type.FixedSizeBinary:
      return (row) => (values as Uint8Array).slice(row * type.byteWidth, (row + 1) * type.byteWidth);
    case Type.Date:
      return type.unit === 0 ? (row) => values[row]! : (row) => Math.floor(Number(values[row]) / 86_400_000);
    case Type.Timestamp:
      return (row) => toMicros(values[row]!, type.unit);
    case Type.Decimal:
      return (row) => decimalAt(values, row);
    case Type.Dictionary: {
      const chunks = data.dictionary!.data;
      const read = chunks.map(nullable);
      return (row) => {
        let index = Number(values[row]);
        let chunk = 0;
        while (index >= chunks[chunk]!.length) index -= chunks[chunk++]!.length;
        return read[chunk]!(index);
      };
    }
    case Type.Struct: {
      const children = data.children.map(nullable);
      return (row) => children.map((read) => read(row));
    }
    case Type.FixedSizeList: {
      const element = nullable(data.children[0]!);
      return (row) => items(row * type.listSize, (row + 1) * type.listSize, element);
    }
    case Type.List:
    case Type.LargeList:
    case Type.Map: {
      const element = nullable(data.children[0]!);
      return (row) => items(offset(row), offset(row + 1), element);
    }
    default:
      throw new DeltaError('Unsupported', `Delta has no type for Arrow's ${String(data.type)}`);
  }
}

function integerReader(type: AnyType, values: never): Reader {
  if (type.isSigned || type.bitWidth < 32) return (row) => values[row]!;
  return type.bitWidth === 32 ? (row) => BigInt(values[row]!) : (row) => values[row]!;
}

function items(start: number, end: number, read: Reader): ScalarValue[] {
  return Array.from({ length: end - start }, (_, i) => read(start + i));
}

const PER_SECOND_UNIT = [1_000_000n, 1000n, 1n];

/** Finer than microseconds is cut off downwards. */
function toMicros(value: bigint, unit: number): bigint {
  const factor = PER_SECOND_UNIT[unit];
  if (factor !== undefined) return value * factor;
  const micros = value / 1000n;
  return value % 1000n < 0n ? micros - 1n : micros;
}

/** One entry of a view column: up to 12 bytes in place, longer ones in a buffer of their own. */
function viewAt({ values, variadicBuffers }: Data, row: number): Uint8Array {
  const bytes = values as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset + 16 * row, 16);
  const length = view.getInt32(0, true);
  if (length <= 12) return bytes.subarray(16 * row + 4, 16 * row + 4 + length);
  const start = view.getInt32(12, true);
  return variadicBuffers[view.getInt32(8, true)]!.subarray(start, start + length);
}

/** IEEE 754 binary16. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The schema that a caller's Arrow data has in Delta's types. */
export function schemaOfArrow(input: Pick<RecordBatch, 'schema'>): StructType {
  return types.struct(input.schema.fields.map(toDeltaField));
}
