/** Typed partition values to the text of the log (`PROTOCOL.md`, "Partition Value Serialization"). */
import { DeltaError } from '../../errors.ts';
import type { Scalar } from '../expressions/types.ts';
import { typeToString } from '../schema/schema.ts';
import type { DataType } from '../schema/types.ts';
import { formatDecimal } from './decimal.ts';
import { formatDate, formatTimestamp } from './temporal.ts';

/**
 * The text of a typed value; null for NULL, the empty string and empty binary, which the protocol cannot tell apart.
 * Throws `InvalidPartitionValues` for types that cannot partition and for binary that is not UTF-8.
 */
export function serializePartitionValue({ type, value }: Scalar): string | null {
  if (value === null) return null;
  if (type.kind === 'decimal') return formatDecimal(value as bigint, type.scale);
  if (type.kind !== 'primitive') throw notSerializable(type);
  switch (type.name) {
    case 'string':
      return value === '' ? null : (value as string);
    case 'binary':
      return serializeBinary(value as Uint8Array);
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'boolean':
      return String(value);
    case 'float':
    case 'double':
      return formatFloating(value as number, type.name);
    case 'date':
      return formatDate(value as number);
    case 'timestamp':
      return `${formatTimestamp(value as bigint, 'T')}Z`;
    case 'timestamp_ntz':
      return formatTimestamp(value as bigint, ' ');
    default:
      throw notSerializable(type);
  }
}

function notSerializable(type: DataType): DeltaError {
  return new DeltaError('InvalidPartitionValues', `type ${typeToString(type)} cannot be a partition value`);
}

function serializeBinary(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DeltaError(
      'InvalidPartitionValues',
      'a binary partition value must be UTF-8 text: the log stores it as a string',
      { cause },
    );
  }
}

/**
 * As Java prints it: plain with at least one fraction digit for 1e-3 ≤ |x| < 1e7, else `d.dddE±n`, with the fewest
 * digits that read back to the same value of its width.
 */
export function formatFloating(value: number, name: 'float' | 'double'): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const sign = value < 0 ? '-' : '';
  const [mantissa, exponentText] = shortest(Math.abs(value), name).split('e');
  const digits = mantissa!.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent >= -3 && exponent < 7) return sign + plain(digits, exponent);
  return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`;
}

/** `d.ddde±n` with the fewest digits. */
function shortest(value: number, name: 'float' | 'double'): string {
  if (name === 'double') return value.toExponential();
  for (let digits = 0; digits < 9; digits += 1) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toExponential();
}

function plain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 2, '0');
  return `${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1)}`;
}
