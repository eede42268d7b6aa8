/**
 * What bloom filters can refute of a predicate: that a column has one of some values (Apache Parquet, "Parquet Bloom
 * Filter").
 */

import { scalarToString } from '../kernel/expressions/print.ts';
import type { DecidingValue } from '../kernel/expressions/reasons.ts';
import type { Expression, Predicate, Scalar, ScalarValue } from '../kernel/expressions/types.ts';
import { columnPathToString } from '../kernel/schema/column-path.ts';
import { dataTypesEqual } from '../kernel/schema/schema.ts';
import {
  type DataType,
  METADATA_KEYS,
  type StructField,
  type StructType,
  types,
} from '../kernel/schema/types.ts';

/** A column has one of the values. */
export interface Equality {
  readonly path: readonly string[];
  /** The column, alone in the structs around it. */
  readonly column: StructField;
  readonly type: DataType;
  readonly values: readonly ScalarValue[];
}

/** Conditions of which a row group can be shown to meet none. */
export type EqualityTree =
  | { readonly kind: 'equal'; readonly equality: Equality }
  | { readonly kind: 'and' | 'or'; readonly inputs: readonly EqualityTree[] };

/** What of a predicate over the columns of `schema` bloom filters can refute; undefined: nothing. */
export function equalityTree(
  predicate: Predicate,
  schema: StructType,
  negated = false,
): EqualityTree | undefined {
  switch (predicate.kind) {
    case 'not':
      return equalityTree(predicate.input, schema, !negated);
    case 'and':
    case 'or': {
      const inputs = predicate.inputs.map((input) => equalityTree(input, schema, negated));
      const known = inputs.filter((input) => input !== undefined);
      if ((predicate.kind === 'and') === negated) {
        return known.length === inputs.length && known.length > 0 ? { kind: 'or', inputs: known } : undefined;
      }
      return known.length > 0 ? { kind: 'and', inputs: known } : undefined;
    }
    case 'boolean': {
      const { expression } = predicate;
      return expression.kind === 'predicate'
        ? equalityTree(expression.predicate, schema, negated)
        : undefined;
    }
    case 'comparison':
      if (predicate.op !== (negated ? '!=' : '=')) return undefined;
      return equal(predicate.left, predicate.right, schema) ?? equal(predicate.right, predicate.left, schema);
    case 'distinct':
      if (!negated) return undefined;
      return equal(predicate.left, predicate.right, schema) ?? equal(predicate.right, predicate.left, schema);
    case 'in':
      return negated ? undefined : oneOf(predicate.input, predicate.list, schema);
    default:
      return undefined;
  }
}

function equal(column: Expression, value: Expression, schema: StructType): EqualityTree | undefined {
  // A comparison with NULL is for the counts of nulls.
  if (value.kind !== 'literal' || value.literal.value === null) return undefined;
  return oneOf(column, [value.literal], schema);
}

function oneOf(input: Expression, list: readonly Scalar[], schema: StructType): EqualityTree | undefined {
  const literals = list.filter(({ value }) => value !== null);
  if (input.kind !== 'column' || literals.length === 0) return undefined;
  const found = columnAlone(schema, input.path);
  if (!found || !literals.every(({ type }) => dataTypesEqual(type, found.type))) return undefined;
  return {
    kind: 'equal',
    equality: { path: input.path, ...found, values: literals.map(({ value }) => value) },
  };
}

/** The column at a path with the structs around it, and nothing else in them. */
function columnAlone(
  { fields }: StructType,
  [name, ...below]: readonly string[],
): Pick<Equality, 'column' | 'type'> | undefined {
  const column = fields.find((each) => each.name === name);
  if (column === undefined || METADATA_KEYS.metadataColumn in column.metadata) return undefined;
  const { type } = column;
  if (below.length === 0) return type.kind === 'primitive' ? { column, type } : undefined;
  const inner = type.kind === 'struct' ? columnAlone(type, below) : undefined;
  return inner && { column: { ...column, type: types.struct([inner.column]) }, type: inner.type };
}

export function equalitiesOf(tree: EqualityTree): Equality[] {
  return tree.kind === 'equal' ? [tree.equality] : tree.inputs.flatMap(equalitiesOf);
}

/** The equalities that show that no row matches; empty where some may. */
export function refutation(tree: EqualityTree, absent: (equality: Equality) => boolean): Equality[] {
  if (tree.kind === 'equal') return absent(tree.equality) ? [tree.equality] : [];
  const found = tree.inputs.map((input) => refutation(input, absent));
  if (tree.kind === 'and') return found.find((each) => each.length > 0) ?? [];
  return found.every((each) => each.length > 0) ? found.flat() : [];
}

/** Why a row group goes: each value, and the column whose filter does not have it. */
export function absentValues(
  equalities: readonly Equality[],
  displayPath: (path: readonly string[]) => readonly string[],
): DecidingValue[] {
  return equalities.flatMap(({ path, type, values }) => {
    const statistic = columnPathToString(['bloomFilter', ...displayPath(path)]);
    return values.map((value) => ({ statistic, value: scalarToString({ type, value }) }));
  });
}
