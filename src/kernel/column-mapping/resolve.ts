/** From logical column paths to the names of files, partition values and statistics. */
import { DeltaError } from '../../errors.ts';
import { columnPathToString } from '../schema/column-path.ts';
import { findField } from '../schema/schema.ts';
import type { DataType, StructField, StructType } from '../schema/types.ts';
import type { ColumnMappingMode } from '../table-properties.ts';
import { physicalName } from './physical-schema.ts';

/**
 * The physical path of a column; names match whatever their case. `Schema` where the schema lacks it.
 */
export function physicalPath(
  schema: StructType,
  path: readonly string[],
  mode: ColumnMappingMode,
): readonly string[] {
  const found = findField(schema, path);
  if (found === undefined) {
    const column = columnPathToString(path);
    throw new DeltaError('Schema', `there is no column ${column}`, { column });
  }
  if (mode === 'none') return found.path;
  let type: DataType = schema;
  return found.path.map((name) => {
    const field: StructField = (type as StructType).fields.find((candidate) => candidate.name === name)!;
    type = field.type;
    return physicalName(field, mode);
  });
}

/** The logical path of a physical one; names that the schema does not know stay. */
export function logicalPath(
  schema: StructType,
  path: readonly string[],
  mode: ColumnMappingMode,
): readonly string[] {
  let type: DataType | undefined = schema;
  return path.map((name) => {
    const fields: readonly StructField[] = type?.kind === 'struct' ? type.fields : [];
    const field = fields.find((candidate) => physicalName(candidate, mode) === name);
    type = field?.type;
    return field?.name ?? name;
  });
}

/** A partition column: its field, and its key in `partitionValues`. */
export interface PartitionField {
  readonly field: StructField;
  readonly physicalName: string;
}

/** The partition columns (logical names) in partition order. `Schema` where the schema lacks one. */
export function partitionFields(
  schema: StructType,
  partitionColumns: readonly string[],
  mode: ColumnMappingMode,
): PartitionField[] {
  return partitionColumns.map((column) => {
    const found = findField(schema, [column]);
    if (found !== undefined) return { field: found.field, physicalName: physicalName(found.field, mode) };
    throw new DeltaError('Schema', `partition column ${column} is not in the schema`, { column });
  });
}
