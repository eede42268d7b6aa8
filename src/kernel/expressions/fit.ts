/**
 * A literal against a column of another type. Values are never rounded: either the literal has the column's type
 * exactly, or the comparison becomes one with a value that has.
 */
import { parseDate, parseTimestamp } from '../partition-values/temporal.ts';
import { dataTypesEqual } from '../schema/schema.ts';
import { type DataType, types } from '../schema/types.ts';
import {
  type ExactNumber,
  exactOf,
  exactToDouble,
  floorAtScale,
  MAX_LONG,
  MIN_LONG,
  maxValueOf,
} from './literals.ts';
import type { ComparisonOperator, Expression, Predicate, Scalar, ScalarValue } from './types.ts';
import { isFloat, isInteger, isNumeric, isPrimitive, isTimestamp } from './types-of.ts';

/**
 * Where a value lies among the values of a type: on one of them, between two neighbours, or before or after all.
 * `unordered` values (of text that is no date, say) do not occur: they are a mismatch, undefined.
 */
export type Fit =
  | { readonly kind: 'exact'; readonly value: ScalarValue }
  | { readonly kind: 'between'; readonly below: ScalarValue; readonly above: ScalarValue }
  | { readonly kind: 'before' | 'after' };

const MICROS_PER_DAY = 86_400_000_000n;
const INTEGER_RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  byte: [-128n, 127n],
  short: [-32_768n, 32_767n],
  integer: [-2_147_483_648n, 2_147_483_647n],
  date: [-2_147_483_648n, 2_147_483_647n],
  long: [MIN_LONG, MAX_LONG],
};

/** Where a non-null literal lies in a type; undefined where the two types do not compare. */
export function fitLiteral(literal: Scalar, type: DataType): Fit | undefined {
  if (dataTypesEqual(literal.type, type)) return { kind: 'exact', value: literal.value };
  if (isNumeric(literal.type)) {
    if (isFloat(type)) return fitFloat(literal, type);
    return isNumeric(type) ? fitFixed(exactOf(literal), type) : undefined;
  }
  if (type.kind !== 'primitive') return undefined;
  const value = isPrimitive(literal.type, 'string')
    ? fromText(literal.value as string, type)
    : fromTime(literal, type);
  return value;
}

/** Integers and decimals: the multiples of one unit in a range. */
function fitFixed(number: ExactNumber | number, type: DataType): Fit {
  // NaN is greater than every other value.
  if (typeof number === 'number') return { kind: number < 0 ? 'before' : 'after' };
  const scale = type.kind === 'decimal' ? type.scale : 0;
  const { unscaled, rest } = floorAtScale(number, scale);
  const [least, greatest] = rangeOf(type);
  if (unscaled < least) return { kind: 'before' };
  if (unscaled > greatest || (rest && unscaled === greatest)) return { kind: 'after' };
  const value = (n: bigint) => (isInteger(type) && !isPrimitive(type, 'long') ? Number(n) : n);
  return rest
    ? { kind: 'between', below: value(unscaled), above: value(unscaled + 1n) }
    : { kind: 'exact', value: value(unscaled) };
}

function rangeOf(type: DataType): readonly [bigint, bigint] {
  if (type.kind === 'decimal') {
    const greatest = maxValueOf(type) as bigint;
    return [-greatest, greatest];
  }
  return INTEGER_RANGES[type.kind === 'primitive' ? type.name : '']!;
}

/** Numbers become the nearest double, as in SQL; a float column is then compared as double. */
function fitFloat(literal: Scalar, type: DataType): Fit {
  const number = isFloat(literal.type) ? (literal.value as number) : exactOf(literal);
  const double = typeof number === 'number' ? number : exactToDouble(number);
  if (isPrimitive(type, 'double')) return { kind: 'exact', value: double };
  const nearest = Math.fround(double);
  if (Object.is(nearest, double)) return { kind: 'exact', value: nearest };
  return nearest < double
    ? { kind: 'between', below: nearest, above: nextFloat(nearest, 1) }
    : { kind: 'between', below: nextFloat(nearest, -1), above: nearest };
}

/** The neighbouring 32-bit float. */
function nextFloat(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * 2 ** -149;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  view.setUint32(0, view.getUint32(0) + (value > 0 === direction > 0 ? 1 : -1));
  return view.getFloat32(0);
}

function fromText(text: string, type: DataType): Fit | undefined {
  const value = isPrimitive(type, 'date')
    ? parseDate(text.trim())
    : isTimestamp(type)
      ? parseTimestamp(text.trim(), isPrimitive(type, 'timestamp'))
      : isPrimitive(type, 'binary')
        ? new TextEncoder().encode(text)
        : undefined;
  return value === undefined ? undefined : { kind: 'exact', value };
}

function fromTime({ type: from, value }: Scalar, type: DataType): Fit | undefined {
  if (isTimestamp(from) && isTimestamp(type)) return { kind: 'exact', value };
  if (isPrimitive(from, 'date') && isTimestamp(type)) {
    return fitFixed({ unscaled: BigInt(value as number) * MICROS_PER_DAY, scale: 0 }, types.long);
  }
  if (!isTimestamp(from) || !isPrimitive(type, 'date')) return undefined;
  const micros = value as bigint;
  const rest = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  const days = Number((micros - rest) / MICROS_PER_DAY);
  return rest === 0n ? { kind: 'exact', value: days } : { kind: 'between', below: days, above: days + 1 };
}

/** `input op literal`, given where the literal lies in the input's type. */
export function compareFit(input: Expression, type: DataType, op: ComparisonOperator, fit: Fit): Predicate {
  const compare = (operator: ComparisonOperator, value: ScalarValue): Predicate => ({
    kind: 'comparison',
    op: operator,
    left: input,
    right: { kind: 'literal', literal: { type, value } },
  });
  if (fit.kind === 'exact') return compare(op, fit.value);
  // True, or false, for every value, and NULL for NULL.
  const greatest = maxValueOf(type)!;
  const constant = (truth: boolean) => compare(truth ? '<=' : '>', greatest);
  if (op === '=' || op === '!=') return constant(op === '!=');
  const upwards = op === '>' || op === '>=';
  if (fit.kind !== 'between') return constant(upwards === (fit.kind === 'before'));
  return upwards ? compare('>=', fit.above) : compare('<=', fit.below);
}
