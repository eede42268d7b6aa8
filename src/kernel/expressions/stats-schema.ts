/** The shape of the statistics that skipping reads. */
import { columnPathToString } from '../schema/column-path.ts';
import { findField } from '../schema/schema.ts';
import { type DataType, field, type StructField, type StructType, types } from '../schema/types.ts';
import { isPrimitive } from './types-of.ts';

/** `deltaStats`: `add.stats` or `add.stats_parsed`; `footer`: a Parquet footer or page index. */
export type StatsSource = 'deltaStats' | 'footer';

/** Whether statistics have bounds for a type. */
export function hasMinMax(type: DataType): boolean {
  if (type.kind === 'decimal') return true;
  return type.kind === 'primitive' && !isPrimitive(type, 'boolean', 'binary', 'void');
}

/** Whether statistics count nulls of a column of this type by itself: structs have counts of their leaves only. */
export function hasNullCount(type: DataType, source: StatsSource): boolean {
  if (type.kind === 'primitive') return type.name !== 'void';
  if (type.kind === 'decimal') return true;
  return source === 'deltaStats' && type.kind !== 'struct' && type.kind !== 'opaque';
}

/**
 * The statistics of the given columns, and of no others: `numRecords`, `nullCount`, `minValues`, `maxValues`,
 * `tightBounds`, nested as the physical schema; a part without columns is left out. A struct stands for its leaves;
 * columns that the schema lacks and partition columns (leave them out) have none.
 */
export function statsSchema(
  columns: readonly (readonly string[])[],
  physicalSchema: StructType,
  source: StatsSource = 'deltaStats',
): StructType {
  const leaves = new Map<string, { path: readonly string[]; type: DataType }>();
  for (const path of columns) {
    const found = findField(physicalSchema, path);
    if (found)
      for (const leaf of leavesOf(found.path, found.field.type))
        leaves.set(columnPathToString(leaf.path), leaf);
  }
  const part = (name: string, keep: (type: DataType) => boolean, typeOf: (type: DataType) => DataType) => {
    const kept = [...leaves.values()].filter((leaf) => keep(leaf.type));
    const fields = nest(
      kept.map(({ path, type }) => ({ path, type: typeOf(type) })),
      0,
    );
    return fields.length === 0 ? [] : [field(name, types.struct(fields))];
  };
  return types.struct([
    field('numRecords', types.long),
    ...part(
      'nullCount',
      (type) => hasNullCount(type, source),
      () => types.long,
    ),
    ...part('minValues', hasMinMax, (type) => type),
    ...part('maxValues', hasMinMax, (type) => type),
    field('tightBounds', types.boolean),
  ]);
}

/** The struct `partitionValues` that skipping reads for the given partition columns, by physical name. */
export function partitionValuesSchema(
  physicalNames: readonly string[],
  physicalSchema: StructType,
): StructType {
  return types.struct(
    physicalNames.flatMap((name) => {
      const found = physicalSchema.fields.find((candidate) => candidate.name === name);
      return found ? [field(found.name, found.type)] : [];
    }),
  );
}

type Leaf = { readonly path: readonly string[]; readonly type: DataType };

function leavesOf(path: readonly string[], type: DataType): Leaf[] {
  if (type.kind !== 'struct') return [{ path, type }];
  return type.fields.flatMap((child) => leavesOf([...path, child.name], child.type));
}

function nest(leaves: readonly Leaf[], depth: number): StructField[] {
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const name = leaf.path[depth]!;
    groups.set(name, [...(groups.get(name) ?? []), leaf]);
  }
  return Array.from(groups, ([name, members]) => {
    const [first] = members;
    return field(
      name,
      first!.path.length === depth + 1 ? first!.type : types.struct(nest(members, depth + 1)),
    );
  });
}
