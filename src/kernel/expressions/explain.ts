/** Why a file is skipped, in words and values. */

import { columnPathToString } from '../schema/column-path.ts';
import type { StructType } from '../schema/types.ts';
import { compileExpression, compilePredicate, type Row } from './evaluate.ts';
import { scalarToString } from './print.ts';
import type { SkipReason } from './reasons.ts';
import type { SkippingConjunct } from './skipping.ts';
import { referencedColumns } from './visit.ts';

export type { DecidingValue, SkipReason } from './reasons.ts';

/**
 * A function from a file's statistics (a row of `schema`: `statsSchema` plus `partitionValues`) to why it is skipped;
 * undefined where it is kept. Compile once, ask per file.
 */
export function skipExplainer(
  conjuncts: readonly SkippingConjunct[],
  schema: StructType,
): (statistics: Row) => SkipReason | undefined {
  const compiled = conjuncts.map((conjunct) => ({
    conjunct,
    isTrue: compilePredicate(schema, conjunct.skipping),
    leaves: conjunct.leaves.map((leaf) => ({
      rule: leaf.rule,
      isTrue: compilePredicate(schema, leaf.skipping),
      columns: referencedColumns(leaf.skipping).map((path) => ({
        statistic: columnPathToString(path),
        read: compileExpression(schema, { kind: 'column', path }),
      })),
    })),
  }));
  return (statistics) => {
    const failed = compiled.find(({ isTrue }) => isTrue(statistics) === false);
    if (!failed) return undefined;
    const leaves = failed.leaves.filter(({ isTrue }) => isTrue(statistics) === false);
    const values = new Map<string, string>();
    for (const { statistic, read } of leaves.flatMap(({ columns }) => columns)) {
      values.set(statistic, scalarToString(read(statistics)));
    }
    return {
      rule: leaves[0]?.rule ?? 'unknown',
      condition: failed.conjunct.text,
      values: Array.from(values, ([statistic, value]) => ({ statistic, value })),
    };
  };
}
