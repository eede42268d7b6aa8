/** Skipping inside checkpoints: the skipping predicate as a hint for reading the checkpoint's own rows. */
import type { Expression, Predicate } from './types.ts';

/**
 * A predicate over a checkpoint's columns (`add.stats_parsed.…`, `add.partitionValues_parsed.…`) that is true for
 * every add that `skipping` keeps, so that row groups without such an add need not be read. A NULL statistic keeps
 * its row. Counts of rows and of nulls are not compared: the checkpoint's own bounds of them say nothing of a file.
 *
 * Only for reads that need nothing but `add` rows.
 */
export function checkpointPredicate(
  skipping: Predicate,
  paths: { readonly stats: readonly string[]; readonly partitionValues: readonly string[] } = {
    stats: ['add', 'stats_parsed'],
    partitionValues: ['add', 'partitionValues_parsed'],
  },
): Predicate {
  switch (skipping.kind) {
    case 'and':
    case 'or':
      return {
        kind: skipping.kind,
        inputs: skipping.inputs.map((input) => checkpointPredicate(input, paths)),
      };
    case 'boolean':
      return skipping.expression.kind === 'literal' && skipping.expression.literal.value === false
        ? NONE
        : ALL;
    case 'comparison': {
      const { left, right } = skipping;
      if (left.kind !== 'column' || right.kind !== 'literal') return ALL;
      const input = located(left, paths);
      return input ? orNull(input, { ...skipping, left: input }) : ALL;
    }
    case 'in':
    case 'startsWith': {
      const input = skipping.input.kind === 'column' ? located(skipping.input, paths) : undefined;
      return input ? orNull(input, { ...skipping, input }) : ALL;
    }
    default:
      return ALL;
  }
}

const ALL: Predicate = { kind: 'and', inputs: [] };
const NONE: Predicate = { kind: 'or', inputs: [] };

function located(
  { path }: Expression & { kind: 'column' },
  paths: { readonly stats: readonly string[]; readonly partitionValues: readonly string[] },
): Expression | undefined {
  const [part, ...rest] = path;
  switch (part) {
    case 'partitionValues':
      return { kind: 'column', path: [...paths.partitionValues, ...rest] };
    case 'minValues':
    case 'maxValues':
      return { kind: 'column', path: [...paths.stats, ...path] };
    default:
      return undefined;
  }
}

function orNull(input: Expression, predicate: Predicate): Predicate {
  return { kind: 'or', inputs: [{ kind: 'isNull', input }, predicate] };
}
