/** Which columns of data files get statistics (`PROTOCOL.md`, "Per-file Statistics", and Delta's properties). */
import { physicalPath } from '../column-mapping/resolve.ts';
import { parseColumnPath } from '../schema/column-path.ts';
import { findField, leafFields } from '../schema/schema.ts';
import { type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';

/**
 * Physical paths of the leaves with statistics, in schema order: those of `delta.dataSkippingStatsColumns`, or the
 * first `delta.dataSkippingNumIndexedCols` of the data columns; besides, always, those of `clusteringColumns`
 * (logical). Partition columns and void columns have none.
 */
export function statsColumns(
  snapshot: SnapshotState,
  dataSchema: StructType,
  clusteringColumns: readonly (readonly string[])[],
): (readonly string[])[] {
  const { tableProperties } = snapshot;
  const leaves = leavesOf(dataSchema);
  const listed = tableProperties.dataSkippingStatsColumns;
  const limit = tableProperties.dataSkippingNumIndexedCols;
  const chosen =
    listed !== undefined
      ? leavesBelow(dataSchema, splitColumns(listed).map(parseColumnPath))
      : limit < 0
        ? leaves
        : leaves.slice(0, limit);
  const wanted = new Set([...chosen, ...leavesBelow(dataSchema, clusteringColumns)].map(key));
  return leaves
    .filter((path) => wanted.has(key(path)))
    .map((path) => physicalPath(dataSchema, path, tableProperties.columnMappingMode));
}

function leavesOf(schema: StructType): (readonly string[])[] {
  return Array.from(leafFields(schema)).flatMap(({ path, field }) => {
    return field.type.kind === 'primitive' && field.type.name === 'void' ? [] : [path];
  });
}

/** The leaves at or below columns; a column that the schema does not have (any more) has none. */
function leavesBelow(schema: StructType, columns: readonly (readonly string[])[]): (readonly string[])[] {
  return columns.flatMap((column) => {
    const found = findField(schema, column);
    if (found === undefined) return [];
    const parent = found.path.slice(0, -1);
    return leavesOf(types.struct([found.field])).map((path) => [...parent, ...path]);
  });
}

/** Columns of a comma-separated list; commas within backticks belong to names. */
export function splitColumns(list: string): string[] {
  const parts = list.match(/(?:`(?:[^`]|``)*`|[^,`])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function key(path: readonly string[]): string {
  return JSON.stringify(path);
}
