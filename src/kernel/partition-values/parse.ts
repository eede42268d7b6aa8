/**
 * Partition values from the text of the log to typed values (`PROTOCOL.md`, "Partition Value Serialization").
 *
 * Values are read as the column's current type, so text that was written before the column was widened reads too.
 * They always come from `partitionValues`, never from the name of a directory.
 */
import { DeltaError } from '../../errors.ts';
import type { Scalar, ScalarValue } from '../expressions/types.ts';
import { typeToString } from '../schema/schema.ts';
import type { DataType, PrimitiveName } from '../schema/types.ts';
import { parseDecimal } from './decimal.ts';
import { parseDate, parseTimestamp } from './temporal.ts';

/** Where a partition value stands, for errors. */
export interface PartitionValuePlace {
  /** Table root. */
  readonly table?: string;
  /** `add.path`, as written. */
  readonly path?: string;
  /** Logical column name. */
  readonly column?: string;
}

const INTEGER = /^[+-]?\d{1,19}$/;
const FLOATING = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,5})?[dDfF]?$/;
const SPECIAL_FLOATS: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  '+infinity': Number.POSITIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
  inf: Number.POSITIVE_INFINITY,
  '+inf': Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
};
const INTEGER_BITS: Partial<Record<PrimitiveName, bigint>> = {
  byte: 8n,
  short: 16n,
  integer: 32n,
  long: 64n,
};

/**
 * The typed value of a partition value's text. Absent, null, and `''` for every type but string (`''`) and binary
 * (no bytes) are NULL; a timestamp without an offset is UTC; binary is the text's UTF-8 bytes.
 * Throws `ParseError` naming file and column where the text is no value of the type.
 */
export function parsePartitionValue(
  text: string | null | undefined,
  type: DataType,
  place: PartitionValuePlace = {},
): Scalar {
  if (text === null || text === undefined) return { type, value: null };
  const value = parseText(text, type);
  if (value === undefined) {
    const column = place.column === undefined ? '' : ` of column ${place.column}`;
    const file = place.path === undefined ? '' : ` of file ${place.path}`;
    throw new DeltaError(
      'ParseError',
      `partition value ${JSON.stringify(text)}${column}${file} is not a value of type ${typeToString(type)}`,
      place,
    );
  }
  return { type, value };
}

/** The value, or undefined where the text is none of the type. */
function parseText(text: string, type: DataType): ScalarValue | undefined {
  if (type.kind === 'decimal') {
    return text === '' ? null : parseDecimal(text, type.precision, type.scale);
  }
  if (type.kind !== 'primitive') return undefined;
  if (type.name === 'string') return text;
  if (type.name === 'binary') return new TextEncoder().encode(text);
  return text === '' ? null : parsePrimitive(text, type.name);
}

function parsePrimitive(text: string, name: PrimitiveName): ScalarValue | undefined {
  switch (name) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return parseInteger(text, name);
    case 'float':
    case 'double':
      return parseFloating(text, name);
    case 'boolean':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined;
    case 'date':
      return parseDate(text);
    case 'timestamp':
      return parseTimestamp(text, true);
    case 'timestamp_ntz':
      return parseTimestamp(text, false);
    default:
      return undefined;
  }
}

function parseInteger(text: string, name: PrimitiveName): number | bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  const limit = 1n << (INTEGER_BITS[name]! - 1n);
  if (value < -limit || value >= limit) return undefined;
  return name === 'long' ? value : Number(value);
}

function parseFloating(text: string, name: 'float' | 'double'): number | undefined {
  const special = SPECIAL_FLOATS[text.toLowerCase()];
  if (special !== undefined) return special;
  if (!FLOATING.test(text)) return undefined;
  const value = Number(text.replace(/[dDfF]$/, ''));
  return name === 'float' ? Math.fround(value) : value;
}
