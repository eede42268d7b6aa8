/**
 * Values of an Arrow column as JSON text, one writer per column: no object per row, no call through `Vector.get`.
 *
 * The form: longs exact; decimals as strings at their scale; `YYYY-MM-DD`; timestamps with six fraction digits and
 * `Z`, timestamp_ntz without; base64; NaN and the infinities as strings; maps with string keys as objects, others as
 * lists of `{"key", "value"}`; variants as their JSON value.
 */
import type { Data } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import { formatDecimal } from '../kernel/partition-values/decimal.ts';
import { formatDate, formatTimestamp } from '../kernel/partition-values/temporal.ts';
import type { DataType, PrimitiveName, StructType } from '../kernel/schema/types.ts';
import { base64, floatingJson } from './json-scalars.ts';
import { variantToJson } from './variant.ts';

/** The JSON text of the value at a row of the column that the writer was made for. */
export type ValueWriter = (row: number) => string;

const MICROS_PER_DAY = 86_400_000_000;
const HIGH_WORD = 4_294_967_296;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A writer for `data`, the Arrow data of a column of the Delta type `type`.
 * A type that has no values of its own (an opaque type) is `Unsupported` where a value is not null.
 */
export function valueWriter(data: Data, type: DataType): ValueWriter {
  const write = notNullWriter(data, type);
  const { nullBitmap, offset } = data;
  if (data.nullCount === 0 || !nullBitmap || nullBitmap.length === 0) return write;
  return (row) => {
    const bit = offset + row;
    return (nullBitmap[bit >> 3]! >> (bit & 7)) & 1 ? write(row) : 'null';
  };
}

function notNullWriter(data: Data, type: DataType): ValueWriter {
  switch (type.kind) {
    case 'primitive':
      return primitiveWriter(data, type.name);
    case 'decimal':
      return decimalWriter(data, type.scale);
    case 'struct':
      return structWriter(data, type);
    case 'array':
      return arrayWriter(data, type.elementType);
    case 'map':
      return mapWriter(data, type.keyType, type.valueType);
    case 'variant':
      return variantWriter(data);
    case 'opaque':
      throw new DeltaError('Unsupported', `values of type ${type.name} cannot be printed`);
  }
}

function primitiveWriter(data: Data, name: PrimitiveName): ValueWriter {
  const values = data.values;
  switch (name) {
    case 'byte':
    case 'short':
    case 'integer':
      return (row) => String(values[row]);
    case 'long':
      return longWriter(values);
    case 'float':
    case 'double':
      return (row) => floatingJson(values[row], name);
    case 'boolean': {
      const { offset } = data;
      return (row) => ((values[(offset + row) >> 3] >> ((offset + row) & 7)) & 1 ? 'true' : 'false');
    }
    case 'string':
      return stringWriter(data);
    case 'binary': {
      const at = bytesAt(data);
      return (row) => `"${base64(at(row))}"`;
    }
    case 'date':
      return (row) => `"${formatDate(values[row])}"`;
    case 'timestamp':
      return timestampWriter(values, 'Z');
    case 'timestamp_ntz':
      return timestampWriter(values, '');
    case 'void':
      return () => 'null';
  }
}

/** Reads both halves of the 64 bits where they make a safe integer, so that most rows allocate no bigint. */
function longReader(values: BigInt64Array): (row: number) => number | bigint {
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  return (row) => {
    const high = words[row * 2 + 1]!;
    return high >= -0x20_0000 && high < 0x20_0000 ? high * HIGH_WORD + (words[row * 2]! >>> 0) : values[row]!;
  };
}

function longWriter(values: BigInt64Array): ValueWriter {
  const read = longReader(values);
  return (row) => String(read(row));
}

function timestampWriter(values: BigInt64Array, zone: 'Z' | ''): ValueWriter {
  const read = longReader(values);
  let lastDay = Number.NaN;
  let dayText = '';
  return (row) => {
    const micros = read(row);
    if (typeof micros === 'bigint') return `"${formatTimestamp(micros, 'T')}${zone}"`;
    const day = Math.floor(micros / MICROS_PER_DAY);
    if (day !== lastDay) {
      lastDay = day;
      dayText = formatDate(day);
    }
    return `"${dayText}T${timeText(micros - day * MICROS_PER_DAY)}${zone}"`;
  };
}

function timeText(microsOfDay: number): string {
  const seconds = Math.floor(microsOfDay / 1_000_000);
  const [hour, minute, second] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const fraction = String(microsOfDay - seconds * 1_000_000).padStart(6, '0');
  return `${two(hour)}:${two(minute)}:${two(second)}.${fraction}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function decimalWriter(data: Data, scale: number): ValueWriter {
  // 128 bits as four little-endian words; only the top one carries the sign.
  const words: Uint32Array = data.values;
  return (row) => {
    const at = row * 4;
    const low = (BigInt(words[at + 1]!) << 32n) | BigInt(words[at]!);
    const high = (BigInt(words[at + 3]! | 0) << 32n) | BigInt(words[at + 2]!);
    return `"${formatDecimal((high << 64n) | low, scale)}"`;
  };
}

/** The bytes of a value of a variable-length column. */
function bytesAt(data: Data): (row: number) => Uint8Array {
  const { valueOffsets, values } = data;
  return (row) => values.subarray(Number(valueOffsets[row]), Number(valueOffsets[row + 1]));
}

/** Text is decoded once per batch where it is ASCII, so that values are slices of it. */
function stringWriter(data: Data): ValueWriter {
  const at = textAt(data);
  if (at.plain) return (row) => `"${at.text(row)}"`;
  return (row) => JSON.stringify(at.text(row));
}

/** The text of values; `plain` where no value needs an escape in JSON. */
function textAt(data: Data): { text: (row: number) => string; plain: boolean } {
  const { valueOffsets, values } = data;
  if (data.length === 0) return { text: () => '', plain: true };
  const start = Number(valueOffsets[0]);
  const bytes = values.subarray(start, Number(valueOffsets[data.length]));
  const all = utf8.decode(bytes);
  if (all.length !== bytes.length) {
    const at = bytesAt(data);
    return { text: (row) => utf8.decode(at(row)), plain: false };
  }
  const text = (row: number) =>
    all.slice(Number(valueOffsets[row]) - start, Number(valueOffsets[row + 1]) - start);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
  return { text, plain: !/["\\\u0000-\u001f]/.test(all) };
}

function structWriter(data: Data, type: StructType): ValueWriter {
  const write = fieldsWriter(data, type);
  return (row) => `{${write(row)}}`;
}

/** `"a":1,"b":2` for the children of a struct or of a record batch; see {@link fieldWriters}. */
export function fieldsWriter(data: Data, type: StructType): ValueWriter {
  const writers = fieldWriters(data, type);
  const names = type.fields.map((field, index) => `${index === 0 ? '' : ','}${JSON.stringify(field.name)}:`);
  return (row) => {
    let text = '';
    for (let index = 0; index < writers.length; index += 1) text += names[index]! + writers[index]!(row);
    return text;
  };
}

/** A writer per child of a struct or of a record batch, matched to the fields of `type` by position. */
export function fieldWriters(data: Data, type: StructType): ValueWriter[] {
  if (data.children.length !== type.fields.length) {
    throw new DeltaError(
      'Schema',
      `${data.children.length} columns for a schema of ${type.fields.length}: pass the schema of the rows`,
    );
  }
  return type.fields.map((field, index) => valueWriter(data.children[index]!, field.type));
}

function arrayWriter(data: Data, elementType: DataType): ValueWriter {
  const { valueOffsets } = data;
  const element = valueWriter(data.children[0]!, elementType);
  return (row) => {
    const end = Number(valueOffsets[row + 1]);
    let text = '[';
    for (let index = Number(valueOffsets[row]); index < end; index += 1) {
      text += text.length === 1 ? element(index) : `,${element(index)}`;
    }
    return `${text}]`;
  };
}

function mapWriter(data: Data, keyType: DataType, valueType: DataType): ValueWriter {
  const { valueOffsets } = data;
  const entries = data.children[0]!;
  const key = valueWriter(entries.children[0]!, keyType);
  const value = valueWriter(entries.children[1]!, valueType);
  const asObject = keyType.kind === 'primitive' && keyType.name === 'string';
  const entry: ValueWriter = asObject
    ? (index) => `${key(index)}:${value(index)}`
    : (index) => `{"key":${key(index)},"value":${value(index)}}`;
  const [open, close] = asObject ? ['{', '}'] : ['[', ']'];
  return (row) => {
    const end = Number(valueOffsets[row + 1]);
    let text = '';
    for (let index = Number(valueOffsets[row]); index < end; index += 1) {
      text += text === '' ? entry(index) : `,${entry(index)}`;
    }
    return open + text + close;
  };
}

function variantWriter(data: Data): ValueWriter {
  const names: string[] = data.type.children.map((child: { name: string }) => child.name);
  const metadata = bytesAt(data.children[names.indexOf('metadata')]!);
  const value = bytesAt(data.children[names.indexOf('value')]!);
  return (row) => variantToJson(metadata(row), value(row));
}
