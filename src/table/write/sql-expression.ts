/** SQL that a table carries (constraints, generation expressions, defaults), as far as the predicate grammar has it. */
import { DeltaError, isDeltaError } from '../../errors.ts';
import { bindExpression, bindPredicate } from '../../kernel/expressions/bind.ts';
import { parsePredicate } from '../../kernel/expressions/parser.ts';
import type { Expression, Predicate } from '../../kernel/expressions/types.ts';
import { canCast, typeOfExpression } from '../../kernel/expressions/types-of.ts';
import { dataTypesEqual } from '../../kernel/schema/schema.ts';
import type { DataType, StructType } from '../../kernel/schema/types.ts';

/** What the SQL is for, as errors name it. */
export interface SqlPlace {
  readonly feature: string;
  /** Such as `the CHECK constraint positive`. */
  readonly name: string;
  readonly column?: string | undefined;
}

/** A condition over the table's columns. Throws `Unsupported`, naming it, where the grammar cannot express it. */
export function boundCondition(sql: string, schema: StructType, place: SqlPlace): Predicate {
  return expressible(sql, place, () => bindPredicate(parsePredicate(sql), schema));
}

/** An expression of a type over the table's columns, cast where it is of another. Throws as {@link boundCondition}. */
export function boundExpression(
  sql: string,
  schema: StructType,
  type: DataType,
  place: SqlPlace,
): Expression {
  return expressible(sql, place, () => {
    // The grammar is one of conditions: an expression is what stands before IS NULL.
    const test = parsePredicate(`(${sql}\n) IS NULL`);
    if (test.kind !== 'isNull') throw unsupported(sql, place);
    const bound = bindExpression(test.input, schema);
    const own = typeOfExpression(bound, schema);
    if (dataTypesEqual(own, type, { ignoreNullability: true })) return bound;
    if (canCast(own, type)) return bindExpression({ kind: 'cast', input: bound, type }, schema);
    throw unsupported(sql, place);
  });
}

function expressible<T>(sql: string, place: SqlPlace, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isDeltaError(error, 'InvalidExpression')) throw unsupported(sql, place, error);
    throw error;
  }
}

function unsupported(sql: string, { feature, name, column }: SqlPlace, cause?: unknown): DeltaError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new DeltaError(
    'Unsupported',
    `cannot write: ${name} is ${JSON.stringify(sql)}, which this version cannot evaluate${reason}`,
    { feature, ...(column !== undefined && { column }), cause },
  );
}
