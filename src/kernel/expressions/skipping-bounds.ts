/** What the least and the greatest value of a column say of a comparison: the leaves of data skipping. */
import { dataTypesEqual } from '../schema/schema.ts';
import { type DataType, types } from '../schema/types.ts';
import { MAX_LONG, MIN_LONG } from './literals.ts';
import { hasMinMax, type StatsSource } from './stats-schema.ts';
import type { ComparisonOperator, Expression, Predicate, Scalar } from './types.ts';
import { isFloat, isPrimitive, isTimestamp } from './types-of.ts';

export interface BoundsOptions {
  /** Statistics of the log, or of a Parquet footer or page index. */
  readonly source: StatsSource;
  /**
   * Whether a float column's maximum counts NaN as the greatest value. By default not: several writers leave NaN out
   * of their bounds, so that `>`, `>=`, `!=` and comparisons with NaN never skip on floats.
   */
  readonly floatMaxIncludesNaN?: boolean;
}

/** A data column of the file. */
export interface Target {
  readonly path: readonly string[];
  readonly type: DataType;
}

/** Bounds of timestamps are cut to milliseconds. */
const MILLISECOND_REST = 999n;
/** Offsets with seconds were once written without them, in zones that had such offsets until 1972. */
const OFFSET_SECONDS = 60_000_000n;
const LAST_ODD_OFFSET = 94_694_400_000_000n;
/** The distance of neighbouring floats, by their size, and the least of all floats. */
const FLOAT_STEP = 2 ** -23;
const LEAST_FLOAT = 2 ** -149;
/** Floats hold all integers up to this one. */
const LAST_FLOAT_INTEGER = 2 ** 24;

/** Nobody knows. */
export const NULL = constant(null);

/** Whether a file may hold a value that compares so; NULL where its bounds cannot tell. */
export function compareToBounds(
  target: Target,
  op: ComparisonOperator,
  literal: Scalar,
  { source, floatMaxIncludesNaN }: BoundsOptions,
): Predicate {
  const { type } = target;
  if (literal.value === null || !hasMinMax(type) || !dataTypesEqual(type, literal.type)) return NULL;
  if (isFloat(type) && !floatMaxIncludesNaN) return compareFloat(target, op, literal, source);
  const exact = source === 'footer' || !isTimestamp(type);
  if (!exact && op === '!=') return NULL;
  const atMin = exact ? literal : widened(literal, 1n);
  const atMax = exact ? literal : widened(literal, -1n);
  return compareBounds(target, op, atMin, atMax);
}

/** A file may hold a value that compares so where its least, or its greatest, does. */
function compareBounds(target: Target, op: ComparisonOperator, atMin: Scalar, atMax: Scalar): Predicate {
  const min = (operator: ComparisonOperator) => bound('minValues', target, operator, atMin);
  const max = (operator: ComparisonOperator) => bound('maxValues', target, operator, atMax);
  switch (op) {
    case '<':
    case '<=':
      return min(op);
    case '>':
    case '>=':
      return max(op);
    case '=':
      return and([min('<='), max('>=')]);
    default:
      return { kind: 'or', inputs: [min('!='), max('!=')] };
  }
}

/** Bounds that leave NaN out say nothing of greater or different values; a bound that is NaN is none. */
function compareFloat(
  target: Target,
  op: ComparisonOperator,
  literal: Scalar,
  source: StatsSource,
): Predicate {
  if (op === '>' || op === '>=' || op === '!=' || Number.isNaN(literal.value)) return NULL;
  const rounded = source === 'deltaStats' && isPrimitive(target.type, 'double');
  const atMin = rounded ? beyondRounding(literal, 1) : literal;
  const atMax = rounded ? beyondRounding(literal, -1) : literal;
  const nan: Scalar = { type: target.type, value: Number.NaN };
  const least = bound('minValues', target, op === '=' ? '<=' : op, atMin);
  const min: Predicate = { kind: 'or', inputs: [least, bound('minValues', target, '=', nan)] };
  return op === '=' ? and([min, bound('maxValues', target, '>=', atMax)]) : min;
}

/**
 * The literal moved by what the text of a float may lack: bounds that were written before a column was widened from
 * float are the shortest texts of floats (`3.4`), whose exact values (3.4000000953674316) only floats find again. Integers
 * that floats hold are their own texts.
 */
function beyondRounding(literal: Scalar, direction: 1 | -1): Scalar {
  const value = literal.value as number;
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= LAST_FLOAT_INTEGER))
    return literal;
  return { type: literal.type, value: value + direction * (Math.abs(value) * FLOAT_STEP + LEAST_FLOAT) };
}

/**
 * The literal moved away from the bound (`direction` 1: beyond the minimum, −1: below the maximum), by as much as
 * the bound may have lost, within 64 bits.
 */
function widened(literal: Scalar, direction: 1n | -1n): Scalar {
  const micros = literal.value as bigint;
  const odd = isPrimitive(literal.type, 'timestamp') && micros < LAST_ODD_OFFSET ? OFFSET_SECONDS : 0n;
  const moved = direction === 1n ? micros + odd : micros - odd - MILLISECOND_REST;
  return { type: literal.type, value: moved > MAX_LONG ? MAX_LONG : moved < MIN_LONG ? MIN_LONG : moved };
}

/** Texts with a prefix are those from the prefix up to, without it, the next text that does not have it. */
export function startsWith(target: Target, prefix: string, negated: boolean): Predicate {
  const text = (value: string): Scalar => ({ type: types.string, value });
  const end = prefixEnd(prefix);
  if (negated) {
    const before = bound('minValues', target, '<', text(prefix));
    return end === undefined
      ? before
      : { kind: 'or', inputs: [before, bound('maxValues', target, '>=', text(end))] };
  }
  const from = bound('maxValues', target, '>=', text(prefix));
  return end === undefined ? from : and([bound('minValues', target, '<', text(end)), from]);
}

/** The least text greater than all that begin with `prefix`; undefined where there is none. */
function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

function bound(
  which: 'minValues' | 'maxValues',
  { path }: Target,
  op: ComparisonOperator,
  literal: Scalar,
): Predicate {
  return { kind: 'comparison', op, left: column([which, ...path]), right: { kind: 'literal', literal } };
}

export function column(path: readonly string[]): Expression {
  return { kind: 'column', path };
}

export function and(inputs: readonly Predicate[]): Predicate {
  return inputs.length === 1 ? inputs[0]! : { kind: 'and', inputs };
}

export function constant(value: boolean | null): Predicate {
  return { kind: 'boolean', expression: { kind: 'literal', literal: { type: types.boolean, value } } };
}
