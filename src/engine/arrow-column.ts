/**
 * One column of an Arrow batch as the kernel reads it: straight from the typed arrays, without Arrow's own getters,
 * which round (timestamps to milliseconds, dates to `Date`) or hand out raw words (decimals).
 */
import { type Data, Type } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import type { Column } from '../kernel/engine-data.ts';
import type { ScalarValue } from '../kernel/expressions/types.ts';
import type { DataType, StructType } from '../kernel/schema/types.ts';
import { isBitSet, type Validity, validityOf } from './arrow-data.ts';
import { decodeUtf8 } from './utf8.ts';

type Reader<T> = (row: number) => T;

/** {@link Column} over Arrow data and the validity of the structs above it. */
export class ArrowColumn implements Column {
  readonly type: DataType;
  readonly length: number;
  readonly #name: string;
  readonly #data: Data;
  readonly #validity: readonly Validity[];
  #value: Reader<ScalarValue> | undefined;
  #number: Reader<number> | undefined;
  #map: MapParts | undefined;

  /** @param parents validity of the structs above, in any order. */
  constructor(name: string, type: DataType, data: Data, parents: readonly Validity[] = []) {
    this.type = type;
    this.length = data.length;
    this.#name = name;
    this.#data = data;
    const own = validityOf(data);
    this.#validity = own ? [...parents, own] : parents;
  }

  isNull(row: number): boolean {
    if (this.#data.typeId === Type.Null) return true;
    for (const { bits, offset } of this.#validity) if (!isBitSet(bits, offset + row)) return true;
    return false;
  }

  getString(row: number): string | null {
    if (this.isNull(row)) return null;
    if (this.#data.typeId !== Type.Utf8) throw this.#wrongType('a string');
    const offsets = this.#data.valueOffsets as Int32Array;
    return decodeUtf8(this.#data.values as Uint8Array, offsets[row]!, offsets[row + 1]!);
  }

  getNumber(row: number): number | null {
    if (this.isNull(row)) return null;
    this.#number ??= numberReader(this.#data) ?? this.#fail('a number');
    const value = this.#number(row);
    if (is64Bit(this.#data) && !Number.isSafeInteger(value)) {
      throw new DeltaError(
        'ParseError',
        `column ${this.#name}: ${this.getBigInt(row)} is beyond ±(2^53 − 1)`,
        {
          column: this.#name,
        },
      );
    }
    return value;
  }

  getBigInt(row: number): bigint | null {
    if (this.isNull(row)) return null;
    const value = this.getValue(row);
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && this.#data.typeId === Type.Int) return BigInt(value);
    throw this.#wrongType('an integer');
  }

  getBoolean(row: number): boolean | null {
    if (this.isNull(row)) return null;
    if (this.#data.typeId !== Type.Bool) throw this.#wrongType('a boolean');
    return isBitSet(this.#data.values as Uint8Array, this.#data.offset + row);
  }

  getStringMap(row: number): Map<string, string | null> | null {
    if (this.isNull(row)) return null;
    this.#map ??= mapParts(this.type, this.#data) ?? this.#fail('a map of strings');
    const { offsets, keys, values } = this.#map;
    const map = new Map<string, string | null>();
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
      map.set(keys.getString(i) ?? this.#fail('a map without null keys'), values.getString(i));
    }
    return map;
  }

  getValue(row: number): ScalarValue {
    if (this.isNull(row)) return null;
    this.#value ??= valueReader(this.type, this.#data);
    return this.#value(row);
  }

  #wrongType(wanted: string): TypeError {
    return new TypeError(`column ${this.#name} of type ${String(this.#data.type)} is not ${wanted}`);
  }

  #fail(wanted: string): never {
    throw this.#wrongType(wanted);
  }
}

/**
 * The column at `path` below the struct `data`, undefined where the schema has none.
 */
export function columnAt(data: Data, schema: StructType, path: readonly string[]): ArrowColumn | undefined {
  const parents: Validity[] = [];
  let type: DataType = schema;
  let current = data;
  for (const [depth, name] of path.entries()) {
    if (type.kind !== 'struct') return undefined;
    const index: number = type.fields.findIndex((field) => field.name === name);
    if (index < 0) return undefined;
    const validity = depth > 0 ? validityOf(current) : undefined;
    if (validity) parents.push(validity);
    type = type.fields[index]!.type;
    current = current.children[index]!;
  }
  return path.length === 0 ? undefined : new ArrowColumn(path.join('.'), type, current, parents);
}

function is64Bit(data: Data): boolean {
  return data.values instanceof BigInt64Array;
}

/** Reads numbers; those of 64 bits may come out inexact, and then are no safe integers. */
function numberReader(data: Data): Reader<number> | undefined {
  const { values } = data;
  switch (data.typeId) {
    case Type.Int:
    case Type.Date:
    case Type.Float:
    case Type.Timestamp: {
      if (!(values instanceof BigInt64Array)) return (row) => (values as Int32Array)[row]!;
      // Two halves instead of a bigint: no allocation per row.
      const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
      return (row) => halves[2 * row + 1]! * 0x1_0000_0000 + (halves[2 * row]! >>> 0);
    }
    default:
      return undefined;
  }
}

/** Reads values of non-null rows. */
function valueReader(type: DataType, data: Data): Reader<ScalarValue> {
  const values = data.values as never;
  switch (data.typeId) {
    case Type.Null:
      return () => null;
    case Type.Bool:
      return (row) => isBitSet(values, data.offset + row);
    case Type.Int:
    case Type.Float:
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
      return (row) => (values as readonly (number | bigint)[])[row]!;
    case Type.Decimal:
      return (row) => decimalAt(values, row);
    case Type.Utf8: {
      const offsets = data.valueOffsets as Int32Array;
      return (row) => decodeUtf8(values, offsets[row]!, offsets[row + 1]!);
    }
    case Type.Binary: {
      const offsets = data.valueOffsets as Int32Array;
      return (row) => (values as Uint8Array).slice(offsets[row]!, offsets[row + 1]!);
    }
    default:
      return nestedReader(type, data);
  }
}

function nestedReader(type: DataType, data: Data): Reader<ScalarValue> {
  const offsets = data.valueOffsets as Int32Array;
  if (type.kind === 'struct' || type.kind === 'variant') {
    const children = data.children.map((child, i) => nullable(fieldType(type, i), child));
    return (row) => children.map((read) => read(row));
  }
  if (type.kind === 'array') {
    const element = nullable(type.elementType, data.children[0]!);
    return (row) => range(offsets[row]!, offsets[row + 1]!, element);
  }
  if (type.kind === 'map') {
    const [keys, values] = data.children[0]!.children;
    const key = nullable(type.keyType, keys!);
    const value = nullable(type.valueType, values!);
    return (row) => range(offsets[row]!, offsets[row + 1]!, (i) => [key(i), value(i)]);
  }
  throw new DeltaError('Unsupported', `an Arrow column of type ${String(data.type)} as ${type.kind}`);
}

function fieldType(type: DataType, index: number): DataType {
  return type.kind === 'struct' ? type.fields[index]!.type : { kind: 'primitive', name: 'binary' };
}

function nullable(type: DataType, data: Data): Reader<ScalarValue> {
  if (data.typeId === Type.Null) return () => null;
  const validity = validityOf(data);
  const read = valueReader(type, data);
  return validity ? (row) => (isBitSet(validity.bits, validity.offset + row) ? read(row) : null) : read;
}

function range(start: number, end: number, read: Reader<ScalarValue>): ScalarValue[] {
  const list = new Array<ScalarValue>(end - start);
  for (let i = start; i < end; i++) list[i - start] = read(i);
  return list;
}

/** The unscaled value of a 128-bit decimal: four little-endian words, two's complement. */
export function decimalAt(words: Uint32Array, row: number): bigint {
  const at = row * 4;
  const low = BigInt(words[at]!) | (BigInt(words[at + 1]!) << 32n);
  const sign = words[at + 1]! >> 31;
  if (words[at + 2]! === sign >>> 0 && words[at + 3]! === sign >>> 0) return BigInt.asIntN(64, low);
  const high = BigInt(words[at + 2]!) | (BigInt(words[at + 3]!) << 32n);
  return BigInt.asIntN(128, (high << 64n) | low);
}

interface MapParts {
  readonly offsets: Int32Array;
  readonly keys: ArrowColumn;
  readonly values: ArrowColumn;
}

function mapParts(type: DataType, data: Data): MapParts | undefined {
  if (type.kind !== 'map' || data.typeId !== Type.Map) return undefined;
  const [keys, values] = data.children[0]!.children;
  return {
    offsets: data.valueOffsets as Int32Array,
    keys: new ArrowColumn('key', type.keyType, keys!),
    values: new ArrowColumn('value', type.valueType, values!),
  };
}
