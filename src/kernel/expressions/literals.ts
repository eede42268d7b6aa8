/** Typed values from text and from JavaScript values. */
import { formatDecimal } from '../partition-values/decimal.ts';
import { type DataType, types } from '../schema/types.ts';
import { ExpressionError } from './expression-error.ts';
import type { Scalar, ScalarValue } from './types.ts';

/** What `lit` takes; a `Date` is a timestamp. */
export type LiteralValue = ScalarValue | Date;

export const MIN_LONG = -(2n ** 63n);
export const MAX_LONG = 2n ** 63n - 1n;

/**
 * The typed value of a JavaScript value by its natural type: integers are long (or decimal where larger), other
 * numbers double. Binding converts it to the type of what it is compared with.
 */
export function scalarOf(value: LiteralValue): Scalar {
  if (value === null) return { type: types.void, value: null };
  if (value instanceof Date) return timestampOf(value);
  if (value instanceof Uint8Array) return { type: types.binary, value };
  switch (typeof value) {
    case 'boolean':
      return { type: types.boolean, value };
    case 'string':
      return { type: types.string, value };
    case 'bigint':
      return integerScalar(value);
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? { type: types.long, value: BigInt(value) }
        : { type: types.double, value };
    default:
      throw new ExpressionError('a list or struct is no literal: give its type as second argument');
  }
}

function timestampOf(date: Date): Scalar {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new ExpressionError('an invalid Date is no literal');
  return { type: types.timestamp, value: BigInt(ms) * 1000n };
}

/** The smallest of integer, long and decimal(38,0) that holds the value. */
export function integerScalar(value: bigint): Scalar {
  if (value >= -(2n ** 31n) && value < 2n ** 31n) return { type: types.integer, value: Number(value) };
  if (value >= MIN_LONG && value <= MAX_LONG) return { type: types.long, value };
  const digits = String(value < 0n ? -value : value).length;
  if (digits > 38) throw new ExpressionError(`${value} has ${digits} digits; a number may have 38`);
  return { type: types.decimal(digits, 0), value };
}

/** A number without a fixed scale: `unscaled × 10^-scale`, `scale ≥ 0`. */
export interface ExactNumber {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Digits that exact arithmetic on a literal may take, so that `1e999999999` costs nothing. */
const MAX_DIGITS = 400;

/** The exact value of a number's text; undefined where it is none or needs more than 400 digits. */
export function exactNumber(text: string): ExactNumber | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (!match || (!match[2] && !match[3])) return undefined;
  const digits = `${match[2] ?? ''}${match[3] ?? ''}`.replace(/^0+(?=.)/, '');
  const scale = (match[3]?.length ?? 0) - Number(match[4] ?? 0);
  if (/^0*$/.test(digits)) return { unscaled: 0n, scale: Math.max(0, Math.min(scale, 38)) };
  if (digits.length > MAX_DIGITS || Math.abs(scale) > MAX_DIGITS) return undefined;
  const unscaled = BigInt(digits) * 10n ** BigInt(Math.max(0, -scale)) * (match[1] === '-' ? -1n : 1n);
  return { unscaled, scale: Math.max(0, scale) };
}

/**
 * The typed value of a number's text, exact where 38 digits hold it: integers as {@link integerScalar}, others as
 * decimal with the scale as written; what no decimal holds is double.
 */
export function numberScalar(text: string): Scalar {
  const exact = exactNumber(text);
  if (exact?.scale === 0 && /^[+-]?\d+$/.test(text)) return integerScalar(exact.unscaled);
  if (exact) {
    const { unscaled, scale } = exact;
    const digits = String(unscaled < 0n ? -unscaled : unscaled).length;
    const precision = Math.max(digits, scale, 1);
    if (precision <= 38) return { type: types.decimal(precision, scale), value: unscaled };
  }
  return { type: types.double, value: Number(text) };
}

/** The exact value of a number; a double by its shortest text (0.1 is one tenth). NaN and infinities as they are. */
export function exactOf({ type, value }: Scalar): ExactNumber | number {
  if (type.kind === 'decimal') return { unscaled: value as bigint, scale: type.scale };
  if (typeof value === 'bigint') return { unscaled: value, scale: 0 };
  return exactNumber(String(value)) ?? (value as number);
}

/** `unscaled` of `exact` at `scale`, rounded down; `rest` says whether anything was cut. */
export function floorAtScale(exact: ExactNumber, scale: number): { unscaled: bigint; rest: boolean } {
  if (scale >= exact.scale) {
    return { unscaled: exact.unscaled * 10n ** BigInt(scale - exact.scale), rest: false };
  }
  const divisor = 10n ** BigInt(exact.scale - scale);
  const quotient = exact.unscaled / divisor;
  const rest = exact.unscaled % divisor !== 0n;
  return { unscaled: rest && exact.unscaled < 0n ? quotient - 1n : quotient, rest };
}

/** The nearest double. */
export function exactToDouble({ unscaled, scale }: ExactNumber): number {
  return Number(formatDecimal(unscaled, scale));
}

export function bytesFromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}

/** The greatest value of a type in the total order: NaN for floats; undefined for types without one. */
export function maxValueOf(type: DataType): ScalarValue | undefined {
  if (type.kind === 'decimal') return 10n ** BigInt(type.precision) - 1n;
  if (type.kind !== 'primitive') return undefined;
  switch (type.name) {
    case 'byte':
      return 127;
    case 'short':
      return 32_767;
    case 'integer':
    case 'date':
      return 2_147_483_647;
    case 'long':
    case 'timestamp':
    case 'timestamp_ntz':
      return MAX_LONG;
    case 'float':
    case 'double':
      return Number.NaN;
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}
