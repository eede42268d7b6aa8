/** The columns of a clustered table (`PROTOCOL.md`, "Clustered Table"). */
import { DeltaError } from '../../errors.ts';
import { asStrings, parseJsonObject } from '../log/json.ts';
import { type DataType, METADATA_KEYS, type StructField, type StructType } from '../schema/types.ts';
import type { ColumnMappingMode } from '../table-properties.ts';

export const CLUSTERING_DOMAIN = 'delta.clustering';

/**
 * Paths of logical names for the physical ones of the domain's configuration.
 * Throws `MalformedJson` for a configuration of another form, `Schema` for a column that is not in the schema.
 */
export function parseClusteringColumns(
  configuration: string,
  schema: StructType,
  mode: ColumnMappingMode,
): string[][] {
  const columns = parseJsonObject(configuration)?.clusteringColumns;
  if (!Array.isArray(columns)) throw malformed();
  return columns.map((column) => {
    const physical = asStrings(column);
    if (physical === undefined) throw malformed();
    return logicalPath(physical, schema, mode);
  });
}

function logicalPath(physical: readonly string[], schema: StructType, mode: ColumnMappingMode): string[] {
  let type: DataType = schema;
  return physical.map((name) => {
    const fields: readonly StructField[] = type.kind === 'struct' ? type.fields : [];
    const found = fields.find((field) => physicalName(field, mode) === name);
    if (found === undefined) {
      const column = physical.join('.');
      throw new DeltaError('Schema', `the clustering column ${column} is not in the schema`, { column });
    }
    type = found.type;
    return found.name;
  });
}

function physicalName({ name, metadata }: StructField, mode: ColumnMappingMode): string {
  const physical = metadata[METADATA_KEYS.columnMappingPhysicalName];
  return mode !== 'none' && typeof physical === 'string' ? physical : name;
}

function malformed(): DeltaError {
  return new DeltaError(
    'MalformedJson',
    `the domain ${CLUSTERING_DOMAIN} does not hold a list of clusteringColumns`,
  );
}
