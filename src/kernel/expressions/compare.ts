/** The one order of values: comparisons in JavaScript, the WASM evaluator's reference. */

import { ExpressionError } from './expression-error.ts';
import type { Scalar, ScalarValue } from './types.ts';
import { isOrderable } from './types-of.ts';

/**
 * Negative, zero or positive as `a` is less than, equal to or greater than `b`; neither may be NULL.
 * Floats: one total order, −∞ < … < +∞ < NaN, NaN = NaN, −0 = +0. Strings by code point, binary by unsigned bytes,
 * decimals across scales, numbers of different types by exact value.
 * @throws ExpressionError for types without an order.
 */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (a.type.kind === 'decimal' || b.type.kind === 'decimal') {
    const [scaleA, scaleB] = [scaleOf(a), scaleOf(b)];
    const scale = Math.max(scaleA, scaleB);
    return compareOrdered(rescale(a, scaleA, scale), rescale(b, scaleB, scale));
  }
  if (!isOrderable(a.type) || !isOrderable(b.type)) {
    throw new ExpressionError(`values of type ${a.type.kind} and ${b.type.kind} have no order`);
  }
  return compareValues(a.value, b.value);
}

/** {@link compareScalars} for two values of the same type (the same scale, for decimals). */
export function compareValues(a: ScalarValue, b: ScalarValue): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (isOrderedPrimitive(a) && isOrderedPrimitive(b)) return compareOrdered(a, b);
  throw new ExpressionError('these values have no order');
}

/** Code point order, which is the order of the UTF-8 bytes. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return inCodePointOrder(x) - inCodePointOrder(y);
  }
  return a.length - b.length;
}

/** Moves surrogates above U+FFFF's other units, where the code points that they encode belong. */
function inCodePointOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** Unsigned bytes. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}

function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

type Ordered = number | bigint | boolean;

function isOrderedPrimitive(value: ScalarValue): value is Ordered {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

function compareOrdered(a: Ordered, b: Ordered): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function scaleOf({ type }: Scalar): number {
  return type.kind === 'decimal' ? type.scale : 0;
}

function rescale({ value }: Scalar, from: number, to: number): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new ExpressionError('a floating point number is compared with a decimal: cast one of them');
  }
  return BigInt(value as bigint | number) * 10n ** BigInt(to - from);
}
