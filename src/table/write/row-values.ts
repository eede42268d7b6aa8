/**
 * JavaScript values of row objects as values of Delta types. What this package prints as JSON (`json-values.ts`) reads
 * back: decimals, dates and times as text, binary as base64, NaN and infinities as text. Nothing is rounded or guessed:
 * a value that is none of its column's type is an error.
 */
import { DeltaError } from '../../errors.ts';
import { MAX_LONG, MIN_LONG } from '../../kernel/expressions/literals.ts';
import type { ScalarValue } from '../../kernel/expressions/types.ts';
import { parseDecimal } from '../../kernel/partition-values/decimal.ts';
import { parseDate, parseTimestamp } from '../../kernel/partition-values/temporal.ts';
import { didYouMean, typeToString } from '../../kernel/schema/schema.ts';
import type { DataType, MapType, PrimitiveName, StructType } from '../../kernel/schema/types.ts';
import { isLossless } from './lossless.ts';
import { encodeVariant } from './variant-encoding.ts';

/** The value of a Delta type that a JavaScript value stands for; undefined and null are NULL. */
export type ValueReader = (value: unknown) => ScalarValue;

/** A non-null value; undefined where the value is none of the type. */
type Reader = (value: NonNullable<unknown>) => ScalarValue | undefined;

/**
 * Reads values of a column.
 * @throws DeltaError `Schema` (when reading), naming the column, for a value that is none of its type.
 */
export function valueReader(type: DataType, column: string): ValueReader {
  const read = readerOf(type, column);
  return (value) => {
    if (value === null || value === undefined) return null;
    const result = read(value);
    if (result !== undefined) return result;
    throw refuse(column, `${shown(value)} is no ${typeToString(type)}${hint(type)}`);
  };
}

function readerOf(type: DataType, column: string): Reader {
  switch (type.kind) {
    case 'primitive':
      return PRIMITIVES[type.name];
    case 'decimal':
      return (value) => {
        const text = typeof value === 'string' ? value : numberText(value);
        return text === undefined ? undefined : parseDecimal(text, type.precision, type.scale);
      };
    case 'struct':
      return structReader(type, column);
    case 'array': {
      const element = valueReader(type.elementType, `${column}.element`);
      return (value) => (isList(value) ? Array.from(value, element) : undefined);
    }
    case 'map':
      return mapReader(type, column);
    case 'variant':
      return variant;
    case 'opaque':
      throw new DeltaError('Unsupported', `column ${column}: type ${type.name} cannot be written`, {
        column,
      });
  }
}

const PRIMITIVES: Readonly<Record<PrimitiveName, Reader>> = {
  string: (value) => (typeof value === 'string' && !/\p{Surrogate}/u.test(value) ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  byte: integer(8),
  short: integer(16),
  integer: integer(32),
  long: (value) => {
    const exact = wholeNumber(value);
    return exact !== undefined && exact >= MIN_LONG && exact <= MAX_LONG ? exact : undefined;
  },
  float: (value) => {
    const number = floating(value);
    if (number === undefined) return undefined;
    const rounded = Math.fround(number);
    return Number.isFinite(number) && !Number.isFinite(rounded) ? undefined : rounded;
  },
  double: floating,
  binary,
  date: (value) => {
    if (typeof value === 'string') return parseDate(value);
    if (!(value instanceof Date)) return undefined;
    const days = value.getTime() / 86_400_000;
    return Number.isInteger(days) ? days : undefined;
  },
  timestamp: (value) => (value instanceof Date ? microsOf(value) : timestamp(value, true)),
  timestamp_ntz: (value) => timestamp(value, false),
  void: () => undefined,
};

const HINTS: Readonly<Partial<Record<PrimitiveName, string>>> = {
  long: ' (a whole number; beyond ±(2^53 − 1) a bigint)',
  date: ' (text like 2024-01-31, or a Date at midnight UTC)',
  timestamp: ' (a Date, text like 2024-01-31T12:00:00Z, or a bigint of microseconds since 1970)',
  timestamp_ntz: ' (text like 2024-01-31T12:00:00, or a bigint of microseconds since 1970)',
  binary: ' (a Uint8Array, or text in base64)',
};

function hint(type: DataType): string {
  if (type.kind === 'variant') return ' (a JSON value, or an object of metadata and value, both Uint8Array)';
  return (type.kind === 'primitive' && HINTS[type.name]) || '';
}

/** The text of a number, also of one that lossless-json read. */
function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isLossless(value) ? value.value : undefined;
}

/** Exact; undefined for fractions, and for numbers that may have been rounded. */
function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return isLossless(value) && /^-?\d+$/.test(value.value) ? BigInt(value.value) : undefined;
}

function integer(bits: 8 | 16 | 32): Reader {
  const limit = 2 ** (bits - 1);
  return (value) => {
    const number = Number(wholeNumber(value) ?? Number.NaN);
    return number >= -limit && number < limit ? number : undefined;
  };
}

function floating(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  const text = numberText(value);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (typeof value === 'bigint' && BigInt(number) !== value) return undefined;
  return Number.isFinite(number) ? number : undefined;
}

function binary(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value !== 'string' || !/^(?:[\w+/]{4})*(?:[\w+/]{2}(?:==)?|[\w+/]{3}=?)?$/.test(value))
    return undefined;
  return value.includes('_') ? undefined : Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
}

function microsOf(value: Date): bigint | undefined {
  const time = value.getTime();
  return Number.isNaN(time) ? undefined : BigInt(time) * 1000n;
}

function timestamp(value: unknown, zoned: boolean): bigint | undefined {
  if (typeof value === 'string') return parseTimestamp(value, zoned);
  return typeof value === 'bigint' && value >= MIN_LONG && value <= MAX_LONG ? value : undefined;
}

function isList(value: unknown): value is Iterable<unknown> {
  if (Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Symbol.iterator in value && !(value instanceof Map);
}

/** Reads an object by the names of its fields, whatever their case. */
export function structReader(
  type: StructType,
  column: string,
): (value: NonNullable<unknown>) => ScalarValue[] | undefined {
  const fields = type.fields.map(({ name, type }) =>
    valueReader(type, column === '' ? name : `${column}.${name}`),
  );
  const places = new Map(type.fields.map(({ name }, index) => [name.toLowerCase(), index]));
  return (value) => {
    if (!isObject(value)) return undefined;
    const values = new Array<ScalarValue>(fields.length).fill(null);
    const seen = new Set<number>();
    for (const [name, item] of Object.entries(value)) {
      const place = places.get(name.toLowerCase());
      const path = column === '' ? name : `${column}.${name}`;
      if (place === undefined) throw refuse(path, `the table has no such column${didYouMean(type, [name])}`);
      if (seen.has(place)) throw refuse(path, 'is given twice, in different case');
      seen.add(place);
      values[place] = fields[place]!(item);
    }
    return values;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return !(Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Date || isLossless(value));
}

/** A Map, an object (its keys are text), or a list of `{ key, value }`. */
function mapReader(type: MapType, column: string): Reader {
  const key = valueReader(type.keyType, `${column}.key`);
  const item = valueReader(type.valueType, `${column}.value`);
  return (value) => {
    if (value instanceof Map) return Array.from(value, ([k, v]) => [key(k), item(v)]);
    if (Array.isArray(value)) {
      const pairs = value.every((each) => isObject(each) && 'key' in each);
      return pairs ? value.map((each) => [key(each.key), item(each.value)]) : undefined;
    }
    return isObject(value) ? Object.entries(value).map(([k, v]) => [key(k), item(v)]) : undefined;
  };
}

/** A JSON value; or an object of the two fields of an encoded variant, both bytes, which is taken as it is. */
function variant(value: unknown): ScalarValue | undefined {
  if (isObject(value) && Object.keys(value).length === 2) {
    const { metadata, value: encoded } = value;
    if (metadata instanceof Uint8Array && encoded instanceof Uint8Array) return [metadata, encoded];
  }
  const encoded = encodeVariant(value);
  return encoded && [encoded.metadata, encoded.value];
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (isLossless(value)) return value.value;
  if (typeof value !== 'string') return value instanceof Date ? 'that date' : describe(value);
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

function describe(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : `an object (${value?.constructor?.name ?? 'of no class'})`;
}

function refuse(column: string, problem: string): DeltaError {
  return new DeltaError('Schema', `column ${column}: ${problem}`, { column });
}
