/**
 * Batches as newline-delimited JSON, column by column: null fields left out, integers and decimals exact.
 * Values are written as in Delta's own JSON (`PROTOCOL.md`, "Actions" and "Per-file Statistics").
 */
import { DeltaError } from '../errors.ts';
import {
  checkSelectionVector,
  type EngineData,
  isSelected,
  type SelectionVector,
} from '../kernel/engine-data.ts';
import type { ScalarValue } from '../kernel/expressions/types.ts';
import { typeToString } from '../kernel/schema/schema.ts';
import type { DataType, PrimitiveName, StructType } from '../kernel/schema/types.ts';
import { encodeUtf8 } from './utf8.ts';

/** Text of a non-null value. */
type Writer = (value: Exclude<ScalarValue, null>) => string;

/** Text collected before it is encoded: UTF-16 units. */
const CHUNK = 1 << 20;

/** The selected rows, one JSON object per line, in chunks. */
export function* ndjsonOf(data: EngineData, selection: SelectionVector): Generator<Uint8Array> {
  checkSelectionVector(selection, data.length);
  const fields = data.schema.fields.map(({ name, type }) => ({
    column: data.column([name]) ?? missingColumn(name),
    key: `${JSON.stringify(name)}:`,
    write: writerOf(type),
  }));
  let text = '';
  for (let row = 0; row < data.length; row++) {
    if (!isSelected(selection, row)) continue;
    let object = '';
    for (const { column, key, write } of fields) {
      const value = column.getValue(row);
      if (value !== null) object += (object === '' ? '' : ',') + key + write(value);
    }
    text += `{${object}}\n`;
    if (text.length >= CHUNK) {
      yield encodeUtf8(text);
      text = '';
    }
  }
  if (text !== '') yield encodeUtf8(text);
}

function missingColumn(name: string): never {
  throw new TypeError(`a batch without the column ${name} of its schema`);
}

function writerOf(type: DataType): Writer {
  switch (type.kind) {
    case 'struct':
      return structWriter(type);
    case 'array': {
      const write = orNull(writerOf(type.elementType));
      return (value) => `[${(value as ScalarValue[]).map(write).join(',')}]`;
    }
    case 'map':
      return mapWriter(type.keyType, orNull(writerOf(type.valueType)));
    case 'decimal':
      return (value) => decimalText(value as bigint, type.scale);
    case 'primitive':
      return PRIMITIVES[type.name];
    default:
      throw new DeltaError('Unsupported', `writing ${typeToString(type)} as JSON`);
  }
}

const PRIMITIVES: Record<PrimitiveName, Writer> = {
  string: (value) => JSON.stringify(value),
  long: String,
  integer: String,
  short: String,
  byte: String,
  boolean: String,
  float: (value) => floatText(value as number, shortestFloat),
  double: (value) => floatText(value as number, String),
  binary: (value) => `"${base64(value as Uint8Array)}"`,
  date: (value) => `"${dateText(value as number)}"`,
  timestamp: (value) => `"${timestampText(value as bigint)}Z"`,
  timestamp_ntz: (value) => `"${timestampText(value as bigint)}"`,
  void: () => 'null',
};

function orNull(write: Writer): (value: ScalarValue) => string {
  return (value) => (value === null ? 'null' : write(value));
}

function structWriter(type: StructType): Writer {
  const fields = type.fields.map((field) => ({
    key: `${JSON.stringify(field.name)}:`,
    write: writerOf(field.type),
  }));
  return (value) => {
    let object = '';
    for (const [i, { key, write }] of fields.entries()) {
      const part = (value as ScalarValue[])[i]!;
      if (part !== null) object += (object === '' ? '' : ',') + key + write(part);
    }
    return `{${object}}`;
  };
}

/** Null values of a map stay: a null partition value differs from a missing one. */
function mapWriter(keyType: DataType, writeValue: (value: ScalarValue) => string): Writer {
  const writeKey = writerOf(keyType);
  const isText = keyType.kind === 'primitive' && keyType.name === 'string';
  if (!isText) {
    return (value) => {
      const entries = (value as [never, ScalarValue][]).map(
        ([key, item]) => `{"key":${writeKey(key)},"value":${writeValue(item)}}`,
      );
      return `[${entries.join(',')}]`;
    };
  }
  return (value) => {
    // The last of several equal keys wins, at the place of the first.
    const entries = new Map(value as unknown as [string, ScalarValue][]);
    return `{${Array.from(entries, ([key, item]) => `${JSON.stringify(key)}:${writeValue(item)}`).join(',')}}`;
  };
}

/** An unscaled decimal with its point: `-1`, scale 2: `-0.01`. */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale === 0) return unscaled.toString();
  const negative = unscaled < 0n;
  const digits = (negative ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function floatText(value: number, print: (value: number) => string): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  if (Object.is(value, -0)) return '-0.0';
  const text = print(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The shortest text that gives the same 32-bit float. */
function shortestFloat(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(value);
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x2000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  }
  return btoa(text);
}

/** Days since 1970-01-01 as `YYYY-MM-DD`; years beyond 0 to 9999 with sign and six digits. */
function dateText(days: number): string {
  const time = days * 86_400_000;
  // Beyond what a JavaScript date holds (±271821 years).
  if (Math.abs(time) > 8.64e15)
    throw new DeltaError('ParseError', `day ${days} is no date that can be written`);
  const text = new Date(time).toISOString();
  return text.slice(0, text.indexOf('T'));
}

/** µs since the epoch as `YYYY-MM-DDTHH:MM:SS.fff`, or six digits where milliseconds would lose some. */
function timestampText(micros: bigint): string {
  let millis = micros / 1000n;
  let rest = Number(micros % 1000n);
  if (rest < 0) {
    rest += 1000;
    millis -= 1n;
  }
  const time = Number(millis);
  if (Math.abs(time) > 8.64e15)
    throw new DeltaError('ParseError', `${micros} µs is no time that can be written`);
  const text = new Date(time).toISOString().slice(0, -1);
  return rest === 0 ? text : text + String(rest).padStart(3, '0');
}
