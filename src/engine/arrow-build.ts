/** Arrow columns from Delta values: literals, rows of scalars, partition values. */
import { type DataType as ArrowType, type Data, Type } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import type { ScalarValue } from '../kernel/expressions/types.ts';
import { typeToString } from '../kernel/schema/schema.ts';
import type { DataType } from '../kernel/schema/types.ts';
import { bitmapBytes, nullData, rawData } from './arrow-data.ts';
import { toArrowType } from './arrow-schema.ts';
import { encodeUtf8 } from './utf8.ts';

/**
 * A column of `values`.
 * @throws DeltaError `InvalidExpression` for a value that is none of `type`.
 */
export function buildColumn(type: DataType, values: readonly ScalarValue[]): Data {
  return build(type, toArrowType(type), values);
}

/** A column of `length` rows of one value. */
export function constantColumn(type: DataType, value: ScalarValue, length: number): Data {
  return buildColumn(type, new Array<ScalarValue>(length).fill(value));
}

function build(type: DataType, arrow: ArrowType, values: readonly ScalarValue[]): Data {
  const length = values.length;
  const nullBitmap = validBits(values);
  switch (type.kind) {
    case 'struct':
    case 'variant': {
      const parts = type.kind === 'struct' ? type.fields.map((field) => field.type) : [binary, binary];
      const rows = values.map((value) => (value === null ? null : tuple(type, value, parts.length)));
      const children = parts.map((part, i) =>
        build(
          part,
          arrow.children[i]!.type,
          rows.map((row) => row?.[i] ?? null),
        ),
      );
      return rawData(arrow, length, { nullBitmap, children });
    }
    case 'array': {
      const { valueOffsets, items } = flatten(type, values);
      const children = [build(type.elementType, arrow.children[0]!.type, items)];
      return rawData(arrow, length, { valueOffsets, nullBitmap, children });
    }
    case 'map': {
      const { valueOffsets, items } = flatten(type, values);
      const entries = arrow.children[0]!.type;
      const pairs = items.map((item) => tuple(type, item, 2));
      const keys = build(
        type.keyType,
        entries.children[0]!.type,
        pairs.map((pair) => pair[0]!),
      );
      const mapped = build(
        type.valueType,
        entries.children[1]!.type,
        pairs.map((pair) => pair[1] ?? null),
      );
      const children = [rawData(entries, items.length, { children: [keys, mapped] })];
      return rawData(arrow, length, { valueOffsets, nullBitmap, children });
    }
    default:
      return buildLeaf(type, arrow, values, nullBitmap);
  }
}

const binary: DataType = { kind: 'primitive', name: 'binary' };

function buildLeaf(
  type: DataType,
  arrow: ArrowType,
  values: readonly ScalarValue[],
  nullBitmap: Uint8Array | undefined,
): Data {
  const length = values.length;
  switch (arrow.typeId) {
    case Type.Null: {
      const other = values.find((value) => value !== null);
      if (other !== undefined) throw wrongValue(type, other);
      return nullData(arrow, length);
    }
    case Type.Utf8:
    case Type.Binary:
      return buildBytes(type, arrow, values, nullBitmap);
    case Type.Bool: {
      const bits = new Uint8Array(bitmapBytes(length));
      values.forEach((value, row) => {
        if (value !== null && typeof value !== 'boolean') throw wrongValue(type, value);
        if (value) bits[row >> 3]! |= 1 << (row & 7);
      });
      return rawData(arrow, length, { values: bits, nullBitmap });
    }
    case Type.Decimal: {
      const words = new BigInt64Array(2 * length);
      values.forEach((value, row) => {
        if (value === null) return;
        const unscaled = checkDecimal(type, value);
        words[2 * row] = BigInt.asIntN(64, unscaled);
        words[2 * row + 1] = unscaled >> 64n;
      });
      return rawData(arrow, length, { values: new Uint32Array(words.buffer), nullBitmap });
    }
    default: {
      const numbers = new (arrow.ArrayType as new (length: number) => unknown[])(length);
      values.forEach((value, row) => {
        if (value !== null) numbers[row] = checkNumber(type, value, numbers);
      });
      return rawData(arrow, length, { values: numbers, nullBitmap });
    }
  }
}

function buildBytes(
  type: DataType,
  arrow: ArrowType,
  values: readonly ScalarValue[],
  nullBitmap: Uint8Array | undefined,
): Data {
  const valueOffsets = new Int32Array(values.length + 1);
  const parts = new Array<Uint8Array | undefined>(values.length);
  let size = 0;
  let last: { value: ScalarValue; bytes: Uint8Array } | undefined;
  values.forEach((value, row) => {
    if (value !== null) {
      // Constants are encoded once.
      if (last?.value !== value) last = { value, bytes: toBytes(type, arrow, value) };
      parts[row] = last!.bytes;
      size += last!.bytes.length;
    }
    valueOffsets[row + 1] = size;
  });
  if (size > 0x7fff_ffff) {
    throw new DeltaError('Unsupported', `${size} bytes in one column of a batch: at most 2^31 − 1`);
  }
  const bytes = new Uint8Array(size);
  parts.forEach((part, row) => {
    if (part) bytes.set(part, valueOffsets[row]!);
  });
  return rawData(arrow, values.length, { valueOffsets, values: bytes, nullBitmap });
}

function toBytes(type: DataType, arrow: ArrowType, value: ScalarValue): Uint8Array {
  if (arrow.typeId === Type.Utf8 && typeof value === 'string') return encodeUtf8(value);
  if (arrow.typeId === Type.Binary && ArrayBuffer.isView(value)) return value as Uint8Array;
  throw wrongValue(type, value);
}

function checkDecimal(type: DataType, value: ScalarValue): bigint {
  const precision = type.kind === 'decimal' ? type.precision : 38;
  if (typeof value !== 'bigint') throw wrongValue(type, value);
  const limit = 10n ** BigInt(precision);
  if (value >= limit || value <= -limit) throw wrongValue(type, value);
  return value;
}

function checkNumber(type: DataType, value: ScalarValue, array: unknown): number | bigint {
  if (array instanceof BigInt64Array) {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  } else if (typeof value === 'number') {
    const isFloat = array instanceof Float32Array || array instanceof Float64Array;
    const bits = 8 * (array as Int32Array).BYTES_PER_ELEMENT;
    if (isFloat || (Number.isInteger(value) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1))) {
      return value;
    }
  }
  throw wrongValue(type, value);
}

function validBits(values: readonly ScalarValue[]): Uint8Array | undefined {
  if (!values.includes(null)) return undefined;
  const bits = new Uint8Array(bitmapBytes(values.length));
  values.forEach((value, row) => {
    if (value !== null) bits[row >> 3]! |= 1 << (row & 7);
  });
  return bits;
}

function flatten(type: DataType, values: readonly ScalarValue[]) {
  const valueOffsets = new Int32Array(values.length + 1);
  const items: ScalarValue[] = [];
  values.forEach((value, row) => {
    if (value !== null) {
      if (!Array.isArray(value)) throw wrongValue(type, value);
      for (const item of value) items.push(item);
    }
    valueOffsets[row + 1] = items.length;
  });
  return { valueOffsets, items };
}

function tuple(type: DataType, value: ScalarValue, size: number): readonly ScalarValue[] {
  if (!Array.isArray(value) || value.length !== size) throw wrongValue(type, value);
  return value;
}

function wrongValue(type: DataType, value: ScalarValue): DeltaError {
  const text =
    typeof value === 'bigint'
      ? `${value}n`
      : JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
  return new DeltaError('InvalidExpression', `${text} is not a value of type ${typeToString(type)}`);
}
