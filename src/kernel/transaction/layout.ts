/** How a new table arranges its rows: partition columns or clustering columns. */
import { DeltaError } from '../../errors.ts';
import type { DomainMetadata } from '../actions/types.ts';
import { physicalPath } from '../column-mapping/resolve.ts';
import { hasMinMax } from '../expressions/stats-schema.ts';
import { columnPathToString, parseColumnPath } from '../schema/column-path.ts';
import { findField, typeToString } from '../schema/schema.ts';
import type { DataType, StructType } from '../schema/types.ts';
import { CLUSTERING_DOMAIN } from '../snapshot/clustering.ts';
import type { ColumnMappingMode } from '../table-properties.ts';

/**
 * Partition columns in the schema's casing. Throws `Schema` for a column that is not there, is nested, is named twice
 * or cannot partition, and where no other column would remain.
 */
export function partitionColumnsOf(schema: StructType, partitionBy: readonly string[]): string[] {
  const columns = partitionBy.map((column) => {
    const found = findField(schema, [column])?.field;
    if (found === undefined) throw refuse(column, 'is not a top-level column of the schema');
    if (!canPartition(found.type))
      throw refuse(column, `has type ${typeToString(found.type)}, which cannot partition`);
    return found.name;
  });
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw refuse(twice, 'is named twice');
  if (columns.length > 0 && columns.length === schema.fields.length) {
    throw new DeltaError('Schema', 'all columns are partition columns: data files would be empty');
  }
  return columns;
}

function canPartition(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && type.name !== 'void');
}

function refuse(column: string, problem: string): DeltaError {
  return new DeltaError('Schema', `the partition column ${column} ${problem}`, { column });
}

/**
 * The domain that says by what a table is clustered (`PROTOCOL.md`, "Clustered Table"): physical paths.
 * Throws `Schema` for columns that are not there, named twice or without bounds in statistics.
 */
export function clusteringDomain(
  schema: StructType,
  clusterBy: readonly (string | readonly string[])[],
  mode: ColumnMappingMode,
): DomainMetadata {
  const columns = clusterBy.map((column) => {
    const path = typeof column === 'string' ? parseColumnPath(column) : column;
    const text = columnPathToString(path);
    const found = findField(schema, path);
    if (found === undefined) {
      throw new DeltaError('Schema', `the clustering column ${text} is not in the schema`, { column: text });
    }
    if (!hasMinMax(found.field.type)) {
      const type = typeToString(found.field.type);
      throw new DeltaError('Schema', `the clustering column ${text} has type ${type}, which has no bounds`, {
        column: text,
      });
    }
    return physicalPath(schema, path, mode);
  });
  const keys = columns.map((path) => JSON.stringify(path));
  if (new Set(keys).size < keys.length) throw new DeltaError('Schema', 'a clustering column is named twice');
  const configuration = JSON.stringify({ clusteringColumns: columns });
  return { domain: CLUSTERING_DOMAIN, configuration, removed: false };
}
