/**
 * Predicates and expressions over single rows of JavaScript values, with exact semantics: for values that are at
 * hand one by one (partition values, statistics that explain a skip), and the reference that the WASM evaluator is
 * tested against. Batches go to the engine's EvaluationHandler.
 */
import { columnPathToString } from '../schema/column-path.ts';
import { type DataType, type StructType, types } from '../schema/types.ts';
import { castScalar } from './cast.ts';
import { compareScalars } from './compare.ts';
import { ExpressionError } from './expression-error.ts';
import { MAX_LONG, MIN_LONG } from './literals.ts';
import type {
  BinaryOperator,
  ComparisonOperator,
  Expression,
  Predicate,
  Scalar,
  ScalarValue,
} from './types.ts';
import { isFloat, isInteger, typeOfExpression } from './types-of.ts';

/** A row: the values of a schema's fields in order; a struct is such a list itself. */
export type Row = readonly ScalarValue[];

/** SQL's three values. */
export type Truth = boolean | null;

/**
 * A predicate over rows of `schema` as a function. Three-valued (Kleene).
 * @throws ExpressionError for unknown columns now, and for values without an order, or an overflow, when called.
 */
export function compilePredicate(schema: StructType, predicate: Predicate): (row: Row) => Truth {
  switch (predicate.kind) {
    case 'boolean': {
      const input = compileExpression(schema, predicate.expression);
      return (row) => truthOf(input(row));
    }
    case 'not': {
      const input = compilePredicate(schema, predicate.input);
      return (row) => negate(input(row));
    }
    case 'and':
    case 'or': {
      const inputs = predicate.inputs.map((input) => compilePredicate(schema, input));
      return (row) => combine(inputs, row, predicate.kind === 'or');
    }
    case 'comparison': {
      const [left, right] = [
        compileExpression(schema, predicate.left),
        compileExpression(schema, predicate.right),
      ];
      return (row) => compareTruth(predicate.op, left(row), right(row));
    }
    case 'distinct': {
      const [left, right] = [
        compileExpression(schema, predicate.left),
        compileExpression(schema, predicate.right),
      ];
      return (row) => isDistinct(left(row), right(row));
    }
    case 'isNull': {
      const input = compileExpression(schema, predicate.input);
      return (row) => input(row).value === null;
    }
    case 'in': {
      const input = compileExpression(schema, predicate.input);
      return (row) => isIn(input(row), predicate.list);
    }
    case 'startsWith': {
      const input = compileExpression(schema, predicate.input);
      return (row) => {
        const { value } = input(row);
        return value === null ? null : (value as string).startsWith(predicate.prefix);
      };
    }
    default:
      return () => null;
  }
}

/** An expression over rows of `schema` as a function. JSON forms are the engine's alone: `InvalidExpression`. */
export function compileExpression(schema: StructType, expression: Expression): (row: Row) => Scalar {
  switch (expression.kind) {
    case 'literal':
      return () => expression.literal;
    case 'column':
      return compileColumn(schema, expression.path);
    case 'predicate': {
      const predicate = compilePredicate(schema, expression.predicate);
      return (row) => ({ type: types.boolean, value: predicate(row) });
    }
    case 'cast': {
      const input = compileExpression(schema, expression.input);
      return (row) => castScalar(input(row), expression.type);
    }
    case 'coalesce': {
      const type = typeOfExpression(expression, schema);
      const inputs = expression.inputs.map((input) => compileExpression(schema, input));
      return (row) => ({
        type,
        value: inputs.map((input) => input(row).value).find((v) => v !== null) ?? null,
      });
    }
    case 'arithmetic': {
      const [left, right] = [
        compileExpression(schema, expression.left),
        compileExpression(schema, expression.right),
      ];
      return (row) => calculate(expression.op, left(row), right(row));
    }
    case 'unknown':
      return () => ({ type: types.void, value: null });
    default:
      throw new ExpressionError(`an expression of kind ${expression.kind} is evaluated by the engine only`);
  }
}

/** The value of an expression without columns. */
export function evaluateConstant(expression: Expression): Scalar {
  return compileExpression(types.struct([]), expression)([]);
}

function compileColumn(schema: StructType, path: readonly string[]): (row: Row) => Scalar {
  const indexes: number[] = [];
  let type: DataType = schema;
  for (const name of path) {
    const index: number = type.kind === 'struct' ? type.fields.findIndex((f) => f.name === name) : -1;
    if (type.kind !== 'struct' || index < 0) {
      throw new ExpressionError(`there is no column ${columnPathToString(path)}`);
    }
    indexes.push(index);
    type = type.fields[index]!.type;
  }
  const leafType = type;
  return (row) => {
    let value: ScalarValue = row;
    for (const index of indexes) value = value === null ? null : ((value as Row)[index] ?? null);
    return { type: leafType, value };
  };
}

function truthOf({ value }: Scalar): Truth {
  if (value !== null && typeof value !== 'boolean')
    throw new ExpressionError('a condition must be of boolean type');
  return value;
}

function negate(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

/** AND where `dominant` is false, OR where it is true. */
function combine(inputs: readonly ((row: Row) => Truth)[], row: Row, dominant: boolean): Truth {
  let result: Truth = !dominant;
  for (const input of inputs) {
    const truth = input(row);
    if (truth === dominant) return dominant;
    if (truth === null) result = null;
  }
  return result;
}

function compareTruth(op: ComparisonOperator, left: Scalar, right: Scalar): Truth {
  if (left.value === null || right.value === null) return null;
  const order = compareScalars(left, right);
  switch (op) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '=':
      return order === 0;
    default:
      return order !== 0;
  }
}

function isDistinct(left: Scalar, right: Scalar): boolean {
  if (left.value === null || right.value === null) return left.value !== right.value;
  return compareScalars(left, right) !== 0;
}

function isIn(input: Scalar, list: readonly Scalar[]): Truth {
  if (list.length === 0) return false;
  if (input.value === null) return null;
  if (list.some((item) => item.value !== null && compareScalars(input, item) === 0)) return true;
  return list.some((item) => item.value === null) ? null : false;
}

const LIMITS: Readonly<Record<string, bigint>> = { byte: 1n << 7n, short: 1n << 15n, integer: 1n << 31n };

function calculate(op: BinaryOperator, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  if (left.value === null || right.value === null) return { type, value: null };
  if (isFloat(type)) {
    const value = floatResult(op, left.value as number, right.value as number);
    return { type, value: type.kind === 'primitive' && type.name === 'float' ? Math.fround(value) : value };
  }
  if (!isInteger(type) || type.kind !== 'primitive') {
    throw new ExpressionError(`arithmetic on ${type.kind} values is not known`);
  }
  const value = integerResult(
    op,
    BigInt(left.value as number | bigint),
    BigInt(right.value as number | bigint),
  );
  const limit = LIMITS[type.name] ?? MAX_LONG + 1n;
  if (value >= limit || value < (type.name === 'long' ? MIN_LONG : -limit)) {
    throw new ExpressionError(`${left.value} ${op} ${right.value} is out of the range of ${type.name}`);
  }
  return { type, value: type.name === 'long' ? value : Number(value) };
}

function floatResult(op: BinaryOperator, a: number, b: number): number {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
  }
}

function integerResult(op: BinaryOperator, a: bigint, b: bigint): bigint {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      if (b === 0n) throw new ExpressionError(`${a} / 0: division by zero`);
      return a / b;
  }
}
