/**
 * Predicates in code: `col('fare').gt(100).and(col('city').eq('NYC'))`.
 *
 * JavaScript values become literals of their natural type; binding converts them to the column's type.
 */
import { parseColumnPath } from '../schema/column-path.ts';
import type { DataType } from '../schema/types.ts';
import { type LiteralValue, scalarOf } from './literals.ts';
import type { BinaryOperator, ComparisonOperator, Expression, Predicate, ScalarValue } from './types.ts';

/** What a comparison takes: an expression, or a value. */
export type Operand = ExpressionBuilder | Expression | LiteralValue;
/** What `and`, `or` and `not` take: a predicate, or an expression of boolean type. */
export type Condition = PredicateBuilder | ExpressionBuilder | Predicate;

/** A column: `col('a.b')` and `col(['a', 'b'])` are field b of struct a; names with dots take backticks. */
export function col(path: string | readonly string[]): ExpressionBuilder {
  return new ExpressionBuilder({
    kind: 'column',
    path: typeof path === 'string' ? parseColumnPath(path) : [...path],
  });
}

/** A literal; with `type` the value must have the form that `ScalarValue` gives for it. */
export function lit(value: LiteralValue, type?: DataType): ExpressionBuilder {
  const literal = type === undefined ? scalarOf(value) : { type, value: value as ScalarValue };
  return new ExpressionBuilder({ kind: 'literal', literal });
}

/** True where all are true. */
export function and(...conditions: readonly Condition[]): PredicateBuilder {
  return new PredicateBuilder({ kind: 'and', inputs: conditions.map(toPredicate) });
}

/** True where any is true. */
export function or(...conditions: readonly Condition[]): PredicateBuilder {
  return new PredicateBuilder({ kind: 'or', inputs: conditions.map(toPredicate) });
}

export function not(condition: Condition): PredicateBuilder {
  return new PredicateBuilder({ kind: 'not', input: toPredicate(condition) });
}

/** The plain predicate of a builder; plain predicates as they are. */
export function toPredicate(condition: Condition): Predicate {
  if (condition instanceof PredicateBuilder) return condition.predicate;
  if (condition instanceof ExpressionBuilder) return { kind: 'boolean', expression: condition.expression };
  return condition;
}

/** The plain expression of a builder or value; plain expressions as they are. */
export function toExpression(operand: Operand): Expression {
  if (operand instanceof ExpressionBuilder) return operand.expression;
  if (isExpression(operand)) return operand;
  return { kind: 'literal', literal: scalarOf(operand) };
}

function isExpression(operand: Exclude<Operand, ExpressionBuilder>): operand is Expression {
  return typeof operand === 'object' && operand !== null && 'kind' in operand;
}

/** A condition that can be combined further. */
export class PredicateBuilder {
  readonly predicate: Predicate;

  constructor(predicate: Predicate) {
    this.predicate = predicate;
  }

  and(...others: readonly Condition[]): PredicateBuilder {
    return and(this, ...others);
  }

  or(...others: readonly Condition[]): PredicateBuilder {
    return or(this, ...others);
  }

  not(): PredicateBuilder {
    return not(this);
  }
}

/** A value that can be compared. */
export class ExpressionBuilder {
  readonly expression: Expression;

  constructor(expression: Expression) {
    this.expression = expression;
  }

  lt(other: Operand): PredicateBuilder {
    return this.#compare('<', other);
  }

  lte(other: Operand): PredicateBuilder {
    return this.#compare('<=', other);
  }

  gt(other: Operand): PredicateBuilder {
    return this.#compare('>', other);
  }

  gte(other: Operand): PredicateBuilder {
    return this.#compare('>=', other);
  }

  /** NULL where either side is; see {@link eqNullSafe}. */
  eq(other: Operand): PredicateBuilder {
    return this.#compare('=', other);
  }

  neq(other: Operand): PredicateBuilder {
    return this.#compare('!=', other);
  }

  /** SQL's `<=>`: two NULLs are equal. */
  eqNullSafe(other: Operand): PredicateBuilder {
    return not({ kind: 'distinct', left: this.expression, right: toExpression(other) });
  }

  in(values: readonly LiteralValue[]): PredicateBuilder {
    return new PredicateBuilder({ kind: 'in', input: this.expression, list: values.map(scalarOf) });
  }

  /** Both ends belong to it. */
  between(low: Operand, high: Operand): PredicateBuilder {
    return and(this.gte(low), this.lte(high));
  }

  isNull(): PredicateBuilder {
    return new PredicateBuilder({ kind: 'isNull', input: this.expression });
  }

  isNotNull(): PredicateBuilder {
    return not(this.isNull());
  }

  startsWith(prefix: string): PredicateBuilder {
    return new PredicateBuilder({ kind: 'startsWith', input: this.expression, prefix });
  }

  cast(type: DataType): ExpressionBuilder {
    return new ExpressionBuilder({ kind: 'cast', input: this.expression, type });
  }

  plus(other: Operand): ExpressionBuilder {
    return this.#arithmetic('+', other);
  }

  minus(other: Operand): ExpressionBuilder {
    return this.#arithmetic('-', other);
  }

  times(other: Operand): ExpressionBuilder {
    return this.#arithmetic('*', other);
  }

  dividedBy(other: Operand): ExpressionBuilder {
    return this.#arithmetic('/', other);
  }

  and(...others: readonly Condition[]): PredicateBuilder {
    return and(this, ...others);
  }

  or(...others: readonly Condition[]): PredicateBuilder {
    return or(this, ...others);
  }

  not(): PredicateBuilder {
    return not(this);
  }

  #compare(op: ComparisonOperator, other: Operand): PredicateBuilder {
    return new PredicateBuilder({
      kind: 'comparison',
      op,
      left: this.expression,
      right: toExpression(other),
    });
  }

  #arithmetic(op: BinaryOperator, other: Operand): ExpressionBuilder {
    return new ExpressionBuilder({
      kind: 'arithmetic',
      op,
      left: this.expression,
      right: toExpression(other),
    });
  }
}
