/**
 * The binary form of variants (Apache Parquet, "Variant Binary Encoding", version 1), as far as putting the parts of
 * shredded ones together takes it.
 */
import { DeltaError } from '../errors.ts';
import type { ScalarValue } from '../kernel/expressions/types.ts';
import type { DataType, PrimitiveName } from '../kernel/schema/types.ts';
import { concatBytes } from './bytes.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The variant NULL. */
export const VARIANT_NULL: Uint8Array = Uint8Array.of(0);

/** Ids and widths of the primitive types that are whole numbers. */
const INTEGERS: Partial<Record<PrimitiveName, { readonly id: number; readonly bytes: number }>> = {
  byte: { id: 3, bytes: 1 },
  short: { id: 4, bytes: 2 },
  integer: { id: 5, bytes: 4 },
  long: { id: 6, bytes: 8 },
  date: { id: 11, bytes: 4 },
  timestamp: { id: 12, bytes: 8 },
  timestamp_ntz: { id: 13, bytes: 8 },
};
const [TRUE, FALSE, DOUBLE, DECIMAL4, FLOAT, BINARY, STRING] = [1, 2, 7, 8, 14, 15, 16] as const;
/** The same of types that only typed columns of variants have. */
const STORED_INTEGERS: Readonly<Record<string, { readonly id: number; readonly bytes: number }>> = {
  'parquet:time': { id: 17, bytes: 8 },
  'parquet:timestamp_nanos': { id: 18, bytes: 8 },
  'parquet:timestamp_ntz_nanos': { id: 19, bytes: 8 },
};
const UUID = 20;
const [SHORT_STRING, OBJECT, ARRAY] = [1, 2, 3] as const;
const MAX_SHORT_STRING = 63;
const MAX_SMALL_COUNT = 255;

export function malformedVariant(what: string): DeltaError {
  return new DeltaError('Parquet', `malformed variant: ${what}`, { feature: 'variantShredding' });
}

/** A value of a typed column, not null, as a variant. */
export function encodePrimitive(type: DataType, value: ScalarValue): Uint8Array {
  if (type.kind === 'decimal') {
    const width = type.precision <= 9 ? 0 : type.precision <= 18 ? 1 : 2;
    return primitive(DECIMAL4 + width, [
      Uint8Array.of(type.scale),
      littleEndian(value as bigint, 4 << width),
    ]);
  }
  const name = type.kind === 'primitive' || type.kind === 'opaque' ? type.name : type.kind;
  const integer = INTEGERS[name as PrimitiveName] ?? STORED_INTEGERS[name];
  if (integer !== undefined) {
    return primitive(integer.id, [littleEndian(BigInt(value as number | bigint), integer.bytes)]);
  }
  switch (name) {
    case 'boolean':
      return primitive(value === true ? TRUE : FALSE, []);
    case 'double':
      return primitive(DOUBLE, [new Uint8Array(new Float64Array([value as number]).buffer)]);
    case 'float':
      return primitive(FLOAT, [new Uint8Array(new Float32Array([value as number]).buffer)]);
    case 'parquet:uuid':
      return primitive(UUID, [value as Uint8Array]);
    case 'binary':
      return primitive(BINARY, sized(value as Uint8Array));
    case 'string': {
      const bytes = encoder.encode(value as string);
      if (bytes.length > MAX_SHORT_STRING) return primitive(STRING, sized(bytes));
      return concatBytes([Uint8Array.of((bytes.length << 2) | SHORT_STRING), bytes]);
    }
    default:
      throw new DeltaError('Internal', `a ${name} is no primitive value of a variant`);
  }
}

function primitive(id: number, parts: readonly Uint8Array[]): Uint8Array {
  return concatBytes([Uint8Array.of(id << 2), ...parts]);
}

function sized(bytes: Uint8Array): Uint8Array[] {
  return [littleEndian(BigInt(bytes.length), 4), bytes];
}

export function encodeArray(elements: readonly Uint8Array[]): Uint8Array {
  const ends = offsetsOf(elements);
  const size = widthOf(ends.at(-1)!);
  const isLarge = elements.length > MAX_SMALL_COUNT;
  const header = (((isLarge ? 1 : 0) << 2) | (size - 1)) << 2;
  return concatBytes([
    Uint8Array.of(header | ARRAY),
    count(elements.length, isLarge),
    numbers(ends, size),
    ...elements,
  ]);
}

/** An object of the fields given, whatever their order. Names that the dictionary lacks: `Parquet`. */
export function encodeObject(
  fields: ReadonlyMap<string, Uint8Array>,
  dictionary: VariantDictionary,
): Uint8Array {
  const sorted = [...fields].sort(([a], [b]) => compareBytes(encoder.encode(a), encoder.encode(b)));
  const values = sorted.map(([, value]) => value);
  const ids = sorted.map(([name]) => dictionary.idOf(name));
  const ends = offsetsOf(values);
  const [idSize, size] = [widthOf(Math.max(0, ...ids)), widthOf(ends.at(-1)!)];
  const isLarge = sorted.length > MAX_SMALL_COUNT;
  const header = (((isLarge ? 1 : 0) << 4) | ((idSize - 1) << 2) | (size - 1)) << 2;
  return concatBytes([
    Uint8Array.of(header | OBJECT),
    count(sorted.length, isLarge),
    numbers(ids, idSize),
    numbers(ends, size),
    ...values,
  ]);
}

/** The fields of an object as bytes; undefined where the value is none. */
export function objectFields(
  value: Uint8Array,
  dictionary: VariantDictionary,
): Map<string, Uint8Array> | undefined {
  const first = uint(value, 0, 1);
  if ((first & 3) !== OBJECT) return undefined;
  const header = first >> 2;
  const [size, idSize] = [(header & 3) + 1, ((header >> 2) & 3) + 1];
  const countSize = (header & 16) === 0 ? 1 : 4;
  const length = uint(value, 1, countSize);
  const ids = 1 + countSize;
  const offsets = ids + length * idSize;
  const start = offsets + (length + 1) * size;
  const starts = Array.from({ length }, (_, i) => uint(value, offsets + i * size, size));
  // Values may lie in another order than their names.
  const ordered = [...starts, uint(value, offsets + length * size, size)].sort((a, b) => a - b);
  const fields = new Map<string, Uint8Array>();
  for (const [i, from] of starts.entries()) {
    const to = ordered.find((offset) => offset > from) ?? from;
    const name = dictionary.nameOf(uint(value, ids + i * idSize, idSize));
    if (start + to > value.length) throw malformedVariant(`the field ${name} ends beyond the value`);
    fields.set(name, value.subarray(start + from, start + to));
  }
  return fields;
}

/** The names of a variant's metadata. */
export class VariantDictionary {
  readonly #names: readonly string[];
  #ids: Map<string, number> | undefined;

  constructor(metadata: Uint8Array) {
    const header = uint(metadata, 0, 1);
    if ((header & 15) !== 1) throw malformedVariant(`version ${header & 15} of the metadata is not known`);
    const size = (header >> 6) + 1;
    const length = uint(metadata, 1, size);
    const offsets = 1 + size;
    const start = offsets + (length + 1) * size;
    if (start > metadata.length) throw malformedVariant('the metadata end within their offsets');
    this.#names = Array.from({ length }, (_, i) => {
      const [from, to] = [i, i + 1].map((at) => start + uint(metadata, offsets + at * size, size));
      if (to! < from! || to! > metadata.length) throw malformedVariant(`name ${i} lies outside the metadata`);
      return decoder.decode(metadata.subarray(from, to));
    });
  }

  nameOf(id: number): string {
    const name = this.#names[id];
    if (name === undefined) throw malformedVariant(`name ${id} is not in the metadata`);
    return name;
  }

  idOf(name: string): number {
    this.#ids ??= new Map(this.#names.map((each, id) => [each, id]));
    const id = this.#ids.get(name);
    if (id === undefined) throw malformedVariant(`the field ${name} is not in the metadata`);
    return id;
  }
}

function offsetsOf(parts: readonly Uint8Array[]): number[] {
  const ends = [0];
  for (const part of parts) ends.push(ends.at(-1)! + part.length);
  return ends;
}

function count(length: number, isLarge: boolean): Uint8Array {
  return littleEndian(BigInt(length), isLarge ? 4 : 1);
}

function numbers(values: readonly number[], size: number): Uint8Array {
  return concatBytes(values.map((value) => littleEndian(BigInt(value), size)));
}

/** Bytes that an unsigned number takes. */
function widthOf(value: number): number {
  return value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 24 ? 3 : 4;
}

/** Two's complement. */
function littleEndian(value: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
}

function uint(bytes: Uint8Array, at: number, size: number): number {
  if (at + size > bytes.length) throw malformedVariant(`it ends before byte ${at + size}`);
  let value = 0;
  for (let i = size - 1; i >= 0; i -= 1) value = value * 256 + bytes[at + i]!;
  return value;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
