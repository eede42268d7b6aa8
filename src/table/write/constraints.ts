/**
 * Conditions that every written row must meet: CHECK constraints, column invariants, generated columns
 * (`PROTOCOL.md`, "CHECK Constraints", "Column Invariants", "Generated Columns"). Those that cannot be evaluated are
 * refused by name: nothing is written unchecked.
 */
import { DeltaError } from '../../errors.ts';
import type { Engine } from '../../kernel/engine.ts';
import type { EngineData } from '../../kernel/engine-data.ts';
import type { Predicate } from '../../kernel/expressions/types.ts';
import { parseJsonObject } from '../../kernel/log/json.ts';
import { relaxedSchema } from '../../kernel/scan/scan-schema.ts';
import { columnPathToString } from '../../kernel/schema/column-path.ts';
import { allFields } from '../../kernel/schema/schema.ts';
import { METADATA_KEYS, type StructType } from '../../kernel/schema/types.ts';
import type { SnapshotState } from '../../kernel/snapshot/state.ts';
import { boundCondition, boundExpression } from './sql-expression.ts';

/** Features whose rules are enforced by what is here and in `columns.ts`. */
export const ENFORCED_FEATURES: ReadonlySet<string> = new Set([
  'invariants',
  'checkConstraints',
  'generatedColumns',
  'allowColumnDefaults',
]);

const CONSTRAINT_PREFIX = 'delta.constraints.';

export interface Constraint {
  /** Such as `the CHECK constraint positive`. */
  readonly name: string;
  readonly sql: string;
  /** Must be true: null is a violation as well. */
  readonly condition: Predicate;
}

/** Every condition of a table. Throws `Unsupported`, naming it, for one that cannot be evaluated. */
export function constraintsOf({ schema, metadata }: SnapshotState): Constraint[] {
  return [
    ...checkConstraints(metadata.configuration, schema),
    ...invariants(schema),
    ...generatedColumns(schema),
  ];
}

function checkConstraints(configuration: Readonly<Record<string, string>>, schema: StructType): Constraint[] {
  return Object.entries(configuration).flatMap(([key, sql]) => {
    if (!key.startsWith(CONSTRAINT_PREFIX)) return [];
    const name = `the CHECK constraint ${key.slice(CONSTRAINT_PREFIX.length)}`;
    return [{ name, sql, condition: boundCondition(sql, schema, { feature: 'checkConstraints', name }) }];
  });
}

/** `{"expression":{"expression":"<SQL>"}}` in a field's metadata. */
function invariants(schema: StructType): Constraint[] {
  return Array.from(allFields(schema)).flatMap(({ path, field }) => {
    const text = field.metadata[METADATA_KEYS.invariants];
    if (text === undefined) return [];
    const column = columnPathToString(path);
    const name = `the invariant of column ${column}`;
    const place = { feature: 'invariants', name, column };
    const outer = typeof text === 'string' ? parseJsonObject(text)?.expression : undefined;
    const sql = (outer as { expression?: unknown } | undefined)?.expression;
    if (typeof sql !== 'string') {
      throw new DeltaError('Unsupported', `cannot write: ${name} has an unknown form`, place);
    }
    return [{ name, sql, condition: boundCondition(sql, schema, place) }];
  });
}

/** The stored value must be what the expression gives, null included. */
function generatedColumns(schema: StructType): Constraint[] {
  return schema.fields.flatMap(({ name: column, type, metadata }) => {
    const sql = metadata[METADATA_KEYS.generationExpression];
    if (sql === undefined) return [];
    const name = `the generated column ${column}`;
    const place = { feature: 'generatedColumns', name, column };
    const right = boundExpression(String(sql), schema, type, place);
    const left = { kind: 'column', path: [column] } as const;
    return [{ name, sql: String(sql), condition: { kind: 'not', input: { kind: 'distinct', left, right } } }];
  });
}

/** A check of batches of the table's (relaxed) schema: throws `ConstraintViolation`, naming the condition. */
export function constraintCheck(
  engine: Engine,
  schema: StructType,
  constraints: readonly Constraint[],
): (batch: EngineData) => Promise<void> {
  const input = relaxedSchema(schema);
  const tests = constraints.map((constraint) => {
    return {
      constraint,
      evaluator: engine.evaluationHandler.newPredicateEvaluator(input, constraint.condition),
    };
  });
  return async (batch) => {
    for (const { constraint, evaluator } of tests) {
      const output = (await evaluator.evaluate(batch)).column(['output'])!;
      for (let row = 0; row < batch.length; row += 1) {
        if (output.getBoolean(row) !== true) throw violation(constraint, row);
      }
    }
  };
}

function violation({ name, sql }: Constraint, row: number): DeltaError {
  return new DeltaError(
    'ConstraintViolation',
    `${name} (${sql}) does not hold for a row (row ${row} of a batch): nothing was committed`,
  );
}
