/**
 * Variants of JSON values (Apache Parquet, "Variant Binary Encoding", version 1), byte for byte as Spark's `parse_json`
 * makes them: whole numbers in the smallest integer that holds them, fractions as decimals, what has an exponent as
 * double.
 */
import { compareUtf8 } from '../../kernel/engine.ts';
import { isLossless } from './lossless.ts';

export interface EncodedVariant {
  readonly metadata: Uint8Array;
  readonly value: Uint8Array;
}

const MAX_DEPTH = 500;
const MAX_SHORT = 63;
const MAX_DIGITS = 38;
const utf8 = new TextEncoder();

/** Undefined for what is no JSON value: functions, NaN, dates, text that is no Unicode, what is nested too deep. */
export function encodeVariant(json: unknown): EncodedVariant | undefined {
  const names = new Map<string, number>();
  const value = encode(json, names, 0);
  return value && { metadata: metadataOf([...names.keys()]), value: Uint8Array.from(value) };
}

/** The dictionary of names, in the order of their first use. */
function metadataOf(names: readonly string[]): Uint8Array {
  const texts = names.map((name) => utf8.encode(name));
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  const size = bytesFor(Math.max(total, names.length));
  const bytes = [1 | ((size - 1) << 6), ...uint(names.length, size)];
  let offset = 0;
  for (const length of [0, ...texts.map((text) => text.length)]) {
    offset += length;
    bytes.push(...uint(offset, size));
  }
  for (const text of texts) append(bytes, text);
  return Uint8Array.from(bytes);
}

type Bytes = number[];

function encode(json: unknown, names: Map<string, number>, depth: number): Bytes | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (json === null) return [primitive(0)];
  if (typeof json === 'boolean') return [primitive(json ? 1 : 2)];
  if (typeof json === 'string') return text(json);
  if (typeof json === 'bigint' || typeof json === 'number') return number(String(json));
  if (isLossless(json)) return number(json.value);
  if (Array.isArray(json)) return array(json, names, depth);
  return isPlainObject(json) ? object(json, names, depth) : undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function primitive(id: number): number {
  return id << 2;
}

function text(value: string): Bytes | undefined {
  if (/\p{Surrogate}/u.test(value)) return undefined;
  const bytes = utf8.encode(value);
  const header =
    bytes.length <= MAX_SHORT ? [(bytes.length << 2) | 1] : [primitive(16), ...uint(bytes.length, 4)];
  return append(header, bytes);
}

/** By the text, so that no digit is lost. */
function number(digits: string): Bytes | undefined {
  if (/^-?\d+$/.test(digits)) {
    const whole = BigInt(digits);
    const size = [1, 2, 4, 8].find((bytes) => BigInt.asIntN(8 * bytes, whole) === whole);
    if (size !== undefined) return [primitive(3 + Math.log2(size)), ...int(whole, size)];
  }
  const [, sign, before, after = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? [];
  if (before !== undefined) {
    const significant = (before + after).replace(/^0+/, '') || '0';
    const precision = Math.max(significant.length, after.length);
    if (precision <= MAX_DIGITS) return decimal(BigInt(sign + before + after), after.length, precision);
  }
  const double = Number(digits);
  return Number.isFinite(double) ? [primitive(7), ...doubleBytes(double)] : undefined;
}

/** In 4, 8 or 16 bytes, by the digits. */
function decimal(unscaled: bigint, scale: number, precision: number): Bytes {
  const step = precision <= 9 ? 0 : precision <= 18 ? 1 : 2;
  return [primitive(8 + step), scale, ...int(unscaled, 4 << step)];
}

function doubleBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, true);
  return new Uint8Array(view.buffer);
}

function array(items: readonly unknown[], names: Map<string, number>, depth: number): Bytes | undefined {
  const values = items.map((item) => encode(item, names, depth + 1));
  if (!values.every((value) => value !== undefined)) return undefined;
  const { offsets, data } = joined(values);
  const offsetSize = bytesFor(data.length);
  const isLarge = items.length > 255;
  const header = ((((isLarge ? 1 : 0) << 2) | (offsetSize - 1)) << 2) | 3;
  const bytes = [header, ...uint(items.length, isLarge ? 4 : 1)];
  for (const offset of offsets) bytes.push(...uint(offset, offsetSize));
  return append(bytes, data);
}

/** Fields stand in the order of their names; their values as they were given. */
function object(
  fields: Readonly<Record<string, unknown>>,
  names: Map<string, number>,
  depth: number,
): Bytes | undefined {
  const entries: { name: string; id: number; value: Bytes; offset: number }[] = [];
  let total = 0;
  for (const [name, item] of Object.entries(fields)) {
    if (item === undefined) continue;
    if (/\p{Surrogate}/u.test(name)) return undefined;
    const id = names.get(name) ?? names.size;
    names.set(name, id);
    const value = encode(item, names, depth + 1);
    if (value === undefined) return undefined;
    entries.push({ name, id, value, offset: total });
    total += value.length;
  }
  const data = joined(entries.map(({ value }) => value)).data;
  const sorted = [...entries].sort((a, b) => compareUtf8(a.name, b.name));
  const idSize = bytesFor(Math.max(0, ...entries.map(({ id }) => id)));
  const offsetSize = bytesFor(total);
  const isLarge = entries.length > 255;
  const header = ((((isLarge ? 1 : 0) << 4) | ((idSize - 1) << 2) | (offsetSize - 1)) << 2) | 2;
  const bytes = [header, ...uint(entries.length, isLarge ? 4 : 1)];
  for (const { id } of sorted) bytes.push(...uint(id, idSize));
  for (const { offset } of sorted) bytes.push(...uint(offset, offsetSize));
  bytes.push(...uint(total, offsetSize));
  return append(bytes, data);
}

/** Values one after the other; an offset for each, and the end. */
function joined(values: readonly Bytes[]): { readonly offsets: number[]; readonly data: Bytes } {
  const data: Bytes = [];
  const offsets = values.map((value) => {
    const offset = data.length;
    append(data, value);
    return offset;
  });
  return { offsets: [...offsets, data.length], data };
}

/** Without the limit that arguments of a call have. */
function append(bytes: Bytes, more: ArrayLike<number>): Bytes {
  for (let index = 0; index < more.length; index += 1) bytes.push(more[index]!);
  return bytes;
}

/** Bytes of the smallest unsigned integer that holds a number. */
function bytesFor(value: number): number {
  return value < 2 ** 8 ? 1 : value < 2 ** 16 ? 2 : value < 2 ** 24 ? 3 : 4;
}

/** Little-endian. */
function uint(value: number, size: number): Bytes {
  return Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** index) & 255);
}

function int(value: bigint, size: number): Bytes {
  return Array.from({ length: size }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));
}
