/** SQL CAST of single values; what cannot be converted is NULL. */
import { formatDecimal } from '../partition-values/decimal.ts';
import { formatFloating } from '../partition-values/serialize.ts';
import { formatDate, formatTimestamp, parseDate, parseTimestamp } from '../partition-values/temporal.ts';
import { typeToString } from '../schema/schema.ts';
import type { DataType, DecimalType, PrimitiveName } from '../schema/types.ts';
import { ExpressionError } from './expression-error.ts';
import { type ExactNumber, exactNumber, exactOf, exactToDouble, floorAtScale } from './literals.ts';
import type { Scalar, ScalarValue } from './types.ts';
import { canCast, isTimestamp } from './types-of.ts';

const MICROS_PER_DAY = 86_400_000_000n;
const BITS: Partial<Record<PrimitiveName, bigint>> = { byte: 8n, short: 16n, integer: 32n, long: 64n };

/**
 * Converts a value: numbers to integers by cutting the fraction, to decimals by rounding half away from zero; text
 * by its literal form; timestamps are UTC.
 * @throws ExpressionError for a pair of types that do not convert.
 */
export function castScalar(scalar: Scalar, to: DataType): Scalar {
  const { type: from, value } = scalar;
  if (!canCast(from, to)) {
    throw new ExpressionError(`CAST of ${typeToString(from)} to ${typeToString(to)} is not known`);
  }
  if (value === null || typeToString(from) === typeToString(to)) return { type: to, value };
  return { type: to, value: cast(scalar, to) };
}

function cast(scalar: Scalar, to: DataType): ScalarValue {
  const text = typeof scalar.value === 'string' ? scalar.value.trim() : undefined;
  if (to.kind === 'decimal') return toDecimal(text === undefined ? numberOf(scalar) : textNumber(text), to);
  if (to.kind !== 'primitive') return null;
  switch (to.name) {
    case 'string':
      return toText(scalar);
    case 'boolean':
      return text === undefined ? !isZero(numberOf(scalar)) : textBoolean(text);
    case 'binary':
      return new TextEncoder().encode(scalar.value as string);
    case 'date':
      return toDate(scalar, text);
    case 'timestamp':
    case 'timestamp_ntz':
      return toTimestamp(scalar, text, to.name === 'timestamp');
    case 'float':
    case 'double': {
      const number = text === undefined ? numberOf(scalar) : textNumber(text);
      if (number === undefined) return null;
      const double = typeof number === 'number' ? number : exactToDouble(number);
      return to.name === 'float' ? Math.fround(double) : double;
    }
    default:
      return toInteger(text === undefined ? numberOf(scalar) : textNumber(text), to.name);
  }
}

/** Exact, or a NaN or infinity. */
type AnyNumber = ExactNumber | number;

function numberOf(scalar: Scalar): AnyNumber {
  if (typeof scalar.value === 'boolean') return { unscaled: scalar.value ? 1n : 0n, scale: 0 };
  return exactOf(scalar);
}

function isZero(number: AnyNumber): boolean {
  return typeof number !== 'number' && number.unscaled === 0n;
}

function textNumber(text: string): AnyNumber | undefined {
  const special = /^([+-]?)(?:infinity|inf)$/i.exec(text);
  if (special) return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^nan$/i.test(text) ? Number.NaN : exactNumber(text);
}

function textBoolean(text: string): boolean | null {
  if (/^(true|t|yes|y|1)$/i.test(text)) return true;
  return /^(false|f|no|n|0)$/i.test(text) ? false : null;
}

function toInteger(number: AnyNumber | undefined, name: PrimitiveName): number | bigint | null {
  if (number === undefined || typeof number === 'number') return null;
  const value = number.unscaled / 10n ** BigInt(number.scale);
  const limit = 1n << (BITS[name]! - 1n);
  if (value < -limit || value >= limit) return null;
  return name === 'long' ? value : Number(value);
}

function toDecimal(number: AnyNumber | undefined, { precision, scale }: DecimalType): bigint | null {
  if (number === undefined || typeof number === 'number') return null;
  const negative = number.unscaled < 0n;
  const magnitude = negative ? -number.unscaled : number.unscaled;
  // Half a unit of the target scale, added to the magnitude before cutting, rounds half away from zero.
  const doubled = floorAtScale({ unscaled: magnitude * 2n, scale: number.scale }, scale).unscaled;
  const rounded = (doubled + 1n) / 2n;
  if (rounded >= 10n ** BigInt(precision)) return null;
  return negative ? -rounded : rounded;
}

function toDate({ type, value }: Scalar, text: string | undefined): number | null {
  if (text !== undefined) return parseDate(text) ?? null;
  if (!isTimestamp(type)) return null;
  const micros = value as bigint;
  const intoDay = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  return Number((micros - intoDay) / MICROS_PER_DAY);
}

function toTimestamp({ type, value }: Scalar, text: string | undefined, zoned: boolean): bigint | null {
  if (text !== undefined) return parseTimestamp(text, zoned) ?? null;
  if (isTimestamp(type)) return value as bigint;
  const micros = BigInt(value as number) * MICROS_PER_DAY;
  return BigInt.asIntN(64, micros) === micros ? micros : null;
}

function toText({ type, value }: Scalar): string | null {
  if (type.kind === 'decimal') return formatDecimal(value as bigint, type.scale);
  if (type.kind !== 'primitive') return null;
  switch (type.name) {
    case 'float':
    case 'double':
      return formatFloating(value as number, type.name);
    case 'date':
      return formatDate(value as number);
    case 'timestamp':
    case 'timestamp_ntz':
      return formatTimestamp(value as bigint, ' ')
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');
    case 'binary':
      return new TextDecoder().decode(value as Uint8Array);
    default:
      return String(value);
  }
}
