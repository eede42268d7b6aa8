/** CHECK constraints (`PROTOCOL.md`, "CHECK Constraints"). */
import { DeltaError } from '../../../errors.ts';
import type { CallOptions, Engine } from '../../engine.ts';
import { bindPredicate } from '../../expressions/bind.ts';
import { parsePredicate } from '../../expressions/parser.ts';
import { referencedColumns } from '../../expressions/visit.ts';
import { Scan } from '../../scan/scan.ts';
import { relaxedSchema } from '../../scan/scan-schema.ts';
import type { SnapshotState } from '../../snapshot/state.ts';
import { type Draft, withFeatures } from './draft.ts';

export const CONSTRAINT_PREFIX = 'delta.constraints.';

/** `InvalidOption` for a name that is none or taken, `InvalidExpression` for a condition that is none of the columns. */
export function addConstraint(draft: Draft, name: string, sql: string): Draft {
  const key = keyOf(name);
  if (draft.configuration[key] !== undefined) throw refuse(name, 'is there already: drop it first');
  bindPredicate(parsePredicate(sql), draft.schema);
  return {
    ...draft,
    protocol: withFeatures(draft.protocol, ['checkConstraints']),
    configuration: { ...draft.configuration, [key]: sql },
    readsWholeTable: true,
  };
}

/** `InvalidOption` for one that is not there. */
export function dropConstraint(draft: Draft, name: string): Draft {
  const key = keyOf(name);
  const { [key]: dropped, ...configuration } = draft.configuration;
  if (dropped === undefined) throw refuse(name, 'is not there');
  return { ...draft, configuration };
}

/** In lower case, as other writers look them up. */
function keyOf(name: string): string {
  if (name.trim() === '') throw refuse(name, 'has no name');
  return CONSTRAINT_PREFIX + name.toLowerCase();
}

/**
 * Throws `ConstraintViolation` with the number of rows for which a condition is not true: null is a violation, too.
 * Reads the columns of the condition of all files.
 */
export async function checkRows(
  engine: Engine,
  base: SnapshotState,
  { name, sql }: { readonly name: string; readonly sql: string },
  { signal }: CallOptions,
): Promise<void> {
  const condition = bindPredicate(parsePredicate(sql), base.schema);
  const columns = [...new Set(referencedColumns(condition).map(([column]) => column!))];
  const scan = new Scan(base, { columns });
  const schema = relaxedSchema(scan.logicalSchema);
  const evaluator = engine.evaluationHandler.newPredicateEvaluator(schema, condition);
  let violations = 0;
  for await (const batch of scan.execute(engine, { signal })) {
    const output = (await evaluator.evaluate(batch)).column(['output'])!;
    for (let row = 0; row < batch.length; row += 1) if (output.getBoolean(row) !== true) violations += 1;
  }
  if (violations === 0) return;
  const rows = violations === 1 ? '1 row' : `${violations} rows`;
  throw new DeltaError(
    'ConstraintViolation',
    `the constraint ${name} (${sql}) cannot be added: it does not hold for ${rows} of the table`,
    { feature: 'checkConstraints' },
  );
}

function refuse(name: string, problem: string): DeltaError {
  return new DeltaError('InvalidOption', `the constraint ${JSON.stringify(name)} ${problem}`);
}
