/**
 * Binding: a predicate as written, over the columns and types of one schema. Afterwards column paths have the
 * schema's casing, and both sides of every comparison and arithmetic have one type.
 */
import { isDeltaError } from '../../errors.ts';
import { columnPathToString } from '../schema/column-path.ts';
import { dataTypesEqual, didYouMean, type FieldAtPath, findField, typeToString } from '../schema/schema.ts';
import { type DataType, type StructType, types } from '../schema/types.ts';
import { compilePredicate, evaluateConstant } from './evaluate.ts';
import { ExpressionError, spanOf } from './expression-error.ts';
import { compareFit, fitLiteral } from './fit.ts';
import { expressionToString } from './print.ts';
import type { ComparisonOperator, Expression, Predicate, Scalar } from './types.ts';
import {
  canCast,
  commonType,
  isInteger,
  isNumeric,
  isOrderable,
  isPrimitive,
  typeOfExpression,
} from './types-of.ts';

const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '=': '=',
  '!=': '!=',
};

/**
 * Resolves columns (whatever their case) and types. Literals take the type of what they are compared with; where
 * they have no exact value in it, the comparison is rewritten (`int_column > 1.5` is `int_column >= 2`). Numbers of
 * different types are compared as Spark does: integers and decimals exactly, anything with a float as double.
 * Binding twice changes nothing.
 * @throws ExpressionError (`InvalidExpression`): unknown or ambiguous column, types that do not compare, a literal
 * that is no value of its type. With the place in the text for a parsed predicate.
 */
export function bindPredicate(predicate: Predicate, schema: StructType): Predicate {
  return new Binder(schema).predicate(predicate);
}

/** Binds an expression alone; its type is `typeOfExpression` of the result. */
export function bindExpression(expression: Expression, schema: StructType): Expression {
  return new Binder(schema).expression(expression).expression;
}

interface Bound {
  readonly expression: Expression;
  readonly type: DataType;
}

class Binder {
  readonly #schema: StructType;

  constructor(schema: StructType) {
    this.#schema = schema;
  }

  predicate(predicate: Predicate): Predicate {
    switch (predicate.kind) {
      case 'boolean':
        return this.#boolean(predicate.expression);
      case 'not':
        return { kind: 'not', input: this.predicate(predicate.input) };
      case 'and':
      case 'or':
        return { kind: predicate.kind, inputs: predicate.inputs.map((input) => this.predicate(input)) };
      case 'comparison':
        return this.#comparison(predicate);
      case 'distinct':
        return this.#distinct(predicate.left, predicate.right, predicate);
      case 'isNull':
        return { kind: 'isNull', input: this.expression(predicate.input).expression };
      case 'in':
        return this.#in(predicate.input, predicate.list, predicate);
      case 'startsWith':
        return this.#startsWith(predicate.input, predicate.prefix, predicate);
      default:
        return predicate;
    }
  }

  expression(expression: Expression): Bound {
    switch (expression.kind) {
      case 'literal':
        checkText(expression.literal, expression);
        return { expression, type: expression.literal.type };
      case 'column':
        return this.#column(expression);
      case 'predicate':
        return {
          expression: { kind: 'predicate', predicate: this.predicate(expression.predicate) },
          type: types.boolean,
        };
      case 'cast':
        return this.#cast(expression);
      case 'arithmetic':
        return this.#arithmetic(expression);
      case 'coalesce':
        return this.#coalesce(expression);
      case 'unknown':
        return { expression, type: types.void };
      default:
        return { expression, type: typeOfExpression(expression, this.#schema) };
    }
  }

  #column(expression: Expression & { kind: 'column' }): Bound {
    const column = columnPathToString(expression.path);
    const span = spanOf(expression);
    let found: FieldAtPath | undefined;
    try {
      found = findField(this.#schema, expression.path);
    } catch (cause) {
      if (!isDeltaError(cause, 'Schema')) throw cause;
      throw new ExpressionError(cause.message, { span, column, cause });
    }
    if (found) return { expression: { kind: 'column', path: found.path }, type: found.field.type };
    const dotted = findField(this.#schema, [expression.path.join('.')]);
    const hint = dotted
      ? `; write ${columnPathToString(dotted.path)} for the column of that name`
      : didYouMean(this.#schema, expression.path);
    throw new ExpressionError(`there is no column ${column}${hint}`, { span, column });
  }

  #boolean(input: Expression): Predicate {
    const { expression, type } = this.expression(input);
    if (expression.kind === 'predicate') return expression.predicate;
    if (isPrimitive(type, 'void')) return NULL;
    if (!isPrimitive(type, 'boolean')) {
      throw mismatch(
        `${expressionToString(input)} has type ${typeToString(type)}, a condition must be boolean`,
        input,
      );
    }
    return { kind: 'boolean', expression };
  }

  #comparison(predicate: Predicate & { kind: 'comparison' }): Predicate {
    const [left, right] = [this.#ordered(predicate.left), this.#ordered(predicate.right)];
    const folded = fold(left, right);
    if (folded) return foldPredicate({ ...predicate, left: folded[0], right: folded[1] });
    if (right.expression.kind === 'literal') {
      return this.#withLiteral(left, predicate.op, right.expression.literal, predicate);
    }
    if (left.expression.kind === 'literal') {
      return this.#withLiteral(right, MIRRORED[predicate.op], left.expression.literal, predicate);
    }
    const [a, b] = unify(left, right, predicate);
    return { kind: 'comparison', op: predicate.op, left: a, right: b };
  }

  #withLiteral(
    { expression, type }: Bound,
    op: ComparisonOperator,
    literal: Scalar,
    source: Predicate,
  ): Predicate {
    if (isPrimitive(type, 'void')) return NULL;
    if (literal.value === null) {
      return { kind: 'comparison', op, left: expression, right: typedNull(type) };
    }
    const fit = fitLiteral(literal, type);
    if (!fit) throw noComparison(type, literal, expression, source);
    return compareFit(expression, type, op, fit);
  }

  #distinct(leftInput: Expression, rightInput: Expression, source: Predicate): Predicate {
    const [left, right] = [this.#ordered(leftInput), this.#ordered(rightInput)];
    // What nobody knows is not NULL, of which all values are distinct.
    if (left.expression.kind === 'unknown' || right.expression.kind === 'unknown') {
      return { kind: 'distinct', left: left.expression, right: right.expression };
    }
    const folded = fold(left, right);
    if (folded) return foldPredicate({ kind: 'distinct', left: folded[0], right: folded[1] });
    if (left.expression.kind === 'literal') return this.#distinct(rightInput, leftInput, source);
    if (right.expression.kind !== 'literal') {
      const [a, b] = unify(left, right, source);
      return { kind: 'distinct', left: a, right: b };
    }
    const { literal } = right.expression;
    if (literal.value === null) {
      return { kind: 'distinct', left: left.expression, right: typedNull(left.type) };
    }
    if (isPrimitive(left.type, 'void')) return { kind: 'and', inputs: [] };
    const fit = fitLiteral(literal, left.type);
    if (!fit) throw noComparison(left.type, literal, left.expression, source);
    // A value that the type does not have differs from all of the column, and from NULL.
    if (fit.kind !== 'exact') return { kind: 'and', inputs: [] };
    const value: Expression = { kind: 'literal', literal: { type: left.type, value: fit.value } };
    return { kind: 'distinct', left: left.expression, right: value };
  }

  #in(inputExpression: Expression, list: readonly Scalar[], source: Predicate): Predicate {
    const { expression, type } = this.#ordered(inputExpression);
    if (list.length === 0) return { kind: 'or', inputs: [] };
    if (isPrimitive(type, 'void')) return NULL;
    const fitting: Scalar[] = [];
    for (const item of list) {
      checkText(item, source);
      if (item.value === null) {
        fitting.push({ type, value: null });
        continue;
      }
      const fit = fitLiteral(item, type);
      if (!fit) throw noComparison(type, item, expression, source);
      if (fit.kind === 'exact') fitting.push({ type, value: fit.value });
    }
    // No element can match: false for every value, but NULL for NULL, which an empty list would not be.
    if (fitting.length === 0) return compareFit(expression, type, '=', { kind: 'after' });
    return { kind: 'in', input: expression, list: fitting };
  }

  #startsWith(inputExpression: Expression, prefix: string, source: Predicate): Predicate {
    checkText({ type: types.string, value: prefix }, source);
    const input = this.expression(inputExpression);
    if (isPrimitive(input.type, 'void')) return NULL;
    if (!isPrimitive(input.type, 'string')) {
      throw mismatch(
        `LIKE needs a string, ${expressionToString(input.expression)} has type ${typeToString(input.type)}`,
        source,
      );
    }
    return { kind: 'startsWith', input: input.expression, prefix };
  }

  #cast(expression: Expression & { kind: 'cast' }): Bound {
    const input = this.expression(expression.input);
    const { type } = expression;
    if (!canCast(input.type, type)) {
      throw mismatch(`CAST of ${typeToString(input.type)} to ${typeToString(type)} is not known`, expression);
    }
    if (dataTypesEqual(input.type, type)) return input;
    const bound: Expression = { kind: 'cast', input: input.expression, type };
    return { expression: foldExpression(bound, [input]), type };
  }

  #coalesce(expression: Expression & { kind: 'coalesce' }): Bound {
    const inputs = expression.inputs.map((input) => this.expression(input));
    let type: DataType | undefined = types.void;
    for (const input of inputs) type = type && commonType(type, input.type);
    if (!type) throw mismatch('the inputs of coalesce have no common type', expression);
    const target = type;
    return { expression: { kind: 'coalesce', inputs: inputs.map((input) => castTo(input, target)) }, type };
  }

  /**
   * Integers are calculated as long, anything with a fraction and every division as double, as SQL divides.
   * Decimal columns are refused: their result types differ between engines.
   */
  #arithmetic(expression: Expression & { kind: 'arithmetic' }): Bound {
    const [left, right] = [this.expression(expression.left), this.expression(expression.right)];
    for (const side of [left, right]) {
      const { type } = side;
      if (!isNumeric(type) && !isPrimitive(type, 'void')) {
        throw mismatch(
          `${expression.op} needs numbers, ${expressionToString(side.expression)} has type ${typeToString(type)}`,
          expression,
        );
      }
      if (type.kind === 'decimal' && side.expression.kind !== 'literal') {
        throw mismatch(
          `${expression.op} on ${typeToString(type)} is not known; use CAST(… AS double)`,
          expression,
        );
      }
    }
    const whole = ({ type }: Bound) => isInteger(type) || isPrimitive(type, 'void');
    const type = whole(left) && whole(right) && expression.op !== '/' ? types.long : types.double;
    const bound: Expression = {
      kind: 'arithmetic',
      op: expression.op,
      left: castTo(left, type),
      right: castTo(right, type),
    };
    return { expression: foldExpression(bound, [left, right]), type };
  }

  #ordered(input: Expression): Bound {
    const bound = this.expression(input);
    if (isOrderable(bound.type)) return bound;
    const text = expressionToString(input);
    throw mismatch(
      `${text} has type ${typeToString(bound.type)}, which can only be tested with IS [NOT] NULL`,
      input,
    );
  }
}

const NULL: Predicate = {
  kind: 'boolean',
  expression: { kind: 'literal', literal: { type: types.boolean, value: null } },
};

function typedNull(type: DataType): Expression {
  return { kind: 'literal', literal: { type, value: null } };
}

/** Both sides as literals of one type, where both are literals. */
function fold(left: Bound, right: Bound): readonly [Expression, Expression] | undefined {
  if (left.expression.kind !== 'literal' || right.expression.kind !== 'literal') return undefined;
  const text = (side: Bound) => isPrimitive(side.type, 'string');
  // Text takes the type of the other side, where it has such a value.
  const type = text(left) ? right.type : text(right) ? left.type : commonType(left.type, right.type);
  if (!type) throw mismatch(doNotCompare(left.type, right.type), left.expression);
  return [castTo(left, type), castTo(right, type)];
}

function foldPredicate(predicate: Predicate): Predicate {
  const value = compilePredicate(types.struct([]), predicate)([]);
  return { kind: 'boolean', expression: { kind: 'literal', literal: { type: types.boolean, value } } };
}

function foldExpression(expression: Expression, inputs: readonly Bound[]): Expression {
  if (inputs.some((input) => input.expression.kind !== 'literal')) return expression;
  return { kind: 'literal', literal: evaluateConstant(expression) };
}

/** Both sides cast to the type that they are compared in. */
function unify(left: Bound, right: Bound, source: Predicate): readonly [Expression, Expression] {
  const type = commonType(left.type, right.type);
  if (!type) throw mismatch(doNotCompare(left.type, right.type), source);
  return [castTo(left, type), castTo(right, type)];
}

function castTo({ expression, type: from }: Bound, type: DataType): Expression {
  if (dataTypesEqual(from, type)) return expression;
  const cast: Expression = { kind: 'cast', input: expression, type };
  return expression.kind === 'literal' ? { kind: 'literal', literal: evaluateConstant(cast) } : cast;
}

/** Half a surrogate pair has no UTF-8 form: no stored string can equal it, and order would be undefined. */
function checkText({ value }: Scalar, source: object): void {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) {
    throw new ExpressionError('a string holds half a surrogate pair', { span: spanOf(source) });
  }
}

function doNotCompare(left: DataType, right: DataType): string {
  return `values of type ${typeToString(left)} and ${typeToString(right)} do not compare; use CAST`;
}

function noComparison(
  type: DataType,
  literal: Scalar,
  input: Expression,
  source: Predicate,
): ExpressionError {
  const column = input.kind === 'column' ? columnPathToString(input.path) : undefined;
  const name = expressionToString(input);
  const value = expressionToString({ kind: 'literal', literal });
  const types = `${name} has type ${typeToString(type)}, ${value} is ${typeToString(literal.type)}`;
  const expected = isPrimitive(type, 'date')
    ? 'expected a date, YYYY-MM-DD'
    : isPrimitive(type, 'timestamp', 'timestamp_ntz')
      ? 'expected a timestamp, YYYY-MM-DD HH:MM:SS[.ffffff]'
      : 'they do not compare; use CAST';
  return new ExpressionError(`${types}: ${expected}`, {
    span: spanOf(source),
    ...(column ? { column } : {}),
  });
}

function mismatch(message: string, source: object): ExpressionError {
  return new ExpressionError(message, { span: spanOf(source) });
}
