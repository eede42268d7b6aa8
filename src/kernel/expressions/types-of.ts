/** Types of expressions, and which types go together. */
import { findField, typeToString } from '../schema/schema.ts';
import {
  type DataType,
  type DecimalType,
  type PrimitiveName,
  type StructType,
  types,
} from '../schema/types.ts';
import { ExpressionError, spanOf } from './expression-error.ts';
import type { Expression } from './types.ts';

const INTEGER_DIGITS: Partial<Record<PrimitiveName, number>> = { byte: 3, short: 5, integer: 10, long: 20 };
const INTEGER_ORDER: readonly PrimitiveName[] = ['byte', 'short', 'integer', 'long'];
const FLOATS: readonly PrimitiveName[] = ['float', 'double'];

export function isPrimitive(type: DataType, ...names: readonly PrimitiveName[]): boolean {
  return type.kind === 'primitive' && names.includes(type.name);
}

/** byte, short, integer, long. */
export function isInteger(type: DataType): boolean {
  return isPrimitive(type, ...INTEGER_ORDER);
}

/** float, double. */
export function isFloat(type: DataType): boolean {
  return isPrimitive(type, ...FLOATS);
}

export function isNumeric(type: DataType): boolean {
  return isInteger(type) || isFloat(type) || type.kind === 'decimal';
}

/** timestamp, timestamp_ntz: microseconds. */
export function isTimestamp(type: DataType): boolean {
  return isPrimitive(type, 'timestamp', 'timestamp_ntz');
}

/** Whether values of the type can be compared. */
export function isOrderable(type: DataType): boolean {
  return type.kind === 'primitive' || type.kind === 'decimal';
}

/** The decimal that holds every value of an integer type, or a decimal itself. */
export function asDecimal(type: DataType): DecimalType | undefined {
  if (type.kind === 'decimal') return type;
  const digits = type.kind === 'primitive' ? INTEGER_DIGITS[type.name] : undefined;
  return digits === undefined ? undefined : types.decimal(digits, 0);
}

/**
 * The type in which values of both types are compared, as Spark widens them; undefined where they do not compare.
 * Integers with decimals are exact (up to 38 digits), anything with a double is double.
 */
export function commonType(a: DataType, b: DataType): DataType | undefined {
  if (typeToString(a) === typeToString(b)) return a;
  if (isPrimitive(a, 'void')) return b;
  if (isPrimitive(b, 'void')) return a;
  if (isNumeric(a) && isNumeric(b)) return commonNumber(a, b);
  if (isTimestamp(a) && (isTimestamp(b) || isPrimitive(b, 'date')))
    return isPrimitive(b, 'timestamp') ? b : a;
  if (isTimestamp(b) && isPrimitive(a, 'date')) return b;
  return undefined;
}

function commonNumber(a: DataType, b: DataType): DataType | undefined {
  if (isFloat(a) || isFloat(b)) return types.double;
  if (a.kind === 'primitive' && b.kind === 'primitive') {
    return INTEGER_ORDER.indexOf(a.name) > INTEGER_ORDER.indexOf(b.name) ? a : b;
  }
  const [x, y] = [asDecimal(a)!, asDecimal(b)!];
  const scale = Math.max(x.scale, y.scale);
  const precision = scale + Math.max(x.precision - x.scale, y.precision - y.scale);
  return precision > 38 ? undefined : types.decimal(precision, scale);
}

/** Whether `CAST(from AS to)` has a meaning here. */
export function canCast(from: DataType, to: DataType): boolean {
  if (typeToString(from) === typeToString(to) || isPrimitive(from, 'void')) return true;
  if (!isOrderable(from) || !isOrderable(to)) return false;
  const number = (type: DataType) => isNumeric(type) || isPrimitive(type, 'boolean');
  const time = (type: DataType) => isTimestamp(type) || isPrimitive(type, 'date');
  if (isPrimitive(from, 'string')) return !isPrimitive(to, 'void');
  if (isPrimitive(to, 'string')) return true;
  return (number(from) && number(to)) || (time(from) && time(to));
}

/**
 * The type of an expression over a schema.
 * @throws ExpressionError where a column is unknown, or a form has no type of its own (`unknown`).
 */
export function typeOfExpression(expression: Expression, schema: StructType): DataType {
  switch (expression.kind) {
    case 'literal':
      return expression.literal.type;
    case 'column': {
      const found = findField(schema, expression.path);
      if (found) return found.field.type;
      throw new ExpressionError(`there is no column ${expression.path.join('.')}`, {
        span: spanOf(expression),
      });
    }
    case 'arithmetic':
      return typeOfExpression(expression.left, schema);
    case 'cast':
      return expression.type;
    case 'coalesce': {
      const first = expression.inputs[0];
      if (!first) throw new ExpressionError('coalesce needs an input');
      return typeOfExpression(first, schema);
    }
    case 'toJson':
      return types.string;
    case 'parseJson':
    case 'mapToStruct':
      return expression.schema;
    case 'predicate':
      return types.boolean;
    case 'array': {
      const first = expression.elements[0];
      return types.array(first ? typeOfExpression(first, schema) : types.void);
    }
    default:
      throw new ExpressionError(`an expression of kind ${expression.kind} has no type by itself`);
  }
}
