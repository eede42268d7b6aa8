/**
 * Logical to physical schema (`PROTOCOL.md`, "Column Mapping").
 *
 * Without column mapping the physical name is the logical one, whatever annotations a field still carries. With it,
 * files, partition values and statistics use `delta.columnMapping.physicalName`; in id mode Parquet columns are found
 * by `delta.columnMapping.id`.
 */
import { DeltaError } from '../../errors.ts';
import {
  type DataType,
  METADATA_KEYS,
  type MetadataValue,
  type StructField,
  type StructType,
} from '../schema/types.ts';
import type { ColumnMappingMode } from '../table-properties.ts';

/** The name of a field in files, partition values and statistics. `Schema` where mapping is on and it has none. */
export function physicalName(field: StructField, mode: ColumnMappingMode): string {
  if (mode === 'none') return field.name;
  const name = field.metadata[METADATA_KEYS.columnMappingPhysicalName];
  if (typeof name === 'string') return name;
  throw new DeltaError(
    'Schema',
    `column ${field.name} has no ${METADATA_KEYS.columnMappingPhysicalName} although column mapping is on`,
    { column: field.name, feature: 'columnMapping' },
  );
}

/** The column mapping id of a field. `Schema` where it has none, or no 32-bit one. */
export function columnId(field: StructField): number {
  const id = Number(field.metadata[METADATA_KEYS.columnMappingId] ?? Number.NaN);
  if (Number.isInteger(id) && id >= 0 && id < 2 ** 31) return id;
  throw new DeltaError(
    'Schema',
    `column ${field.name} has no valid ${METADATA_KEYS.columnMappingId} although column mapping is on`,
    { column: field.name, feature: 'columnMapping' },
  );
}

/**
 * The schema to read data files with: physical names at every level, Parquet field ids in id mode only, and every
 * field nullable, since NOT NULL is a duty of writers and a file may lack a column.
 */
export function physicalReadSchema(schema: StructType, mode: ColumnMappingMode): StructType {
  return mapStruct(schema, (field) => ({
    name: physicalName(field, mode),
    nullable: true,
    metadata: mode === 'id' ? { [METADATA_KEYS.parquetFieldId]: columnId(field) } : {},
  }));
}

/**
 * The schema to write data files with: physical names at every level, nullability as declared, and in both mapping
 * modes field ids, those of array elements, map keys and map values among them.
 */
export function physicalWriteSchema(schema: StructType, mode: ColumnMappingMode): StructType {
  return mapStruct(schema, (field) => ({
    name: physicalName(field, mode),
    nullable: field.nullable,
    metadata: mode === 'none' ? {} : writeMetadata(field),
  }));
}

function writeMetadata(field: StructField): Record<string, MetadataValue> {
  const nestedIds = field.metadata[METADATA_KEYS.columnMappingNestedIds];
  return {
    [METADATA_KEYS.parquetFieldId]: columnId(field),
    ...(nestedIds === undefined ? {} : { [METADATA_KEYS.columnMappingNestedIds]: nestedIds }),
  };
}

type FieldMapping = (field: StructField) => Omit<StructField, 'type'>;

function mapStruct(schema: StructType, mapping: FieldMapping): StructType {
  const fields = schema.fields.map((field) => ({ ...mapping(field), type: mapType(field.type, mapping) }));
  return { kind: 'struct', fields };
}

function mapType(type: DataType, mapping: FieldMapping): DataType {
  switch (type.kind) {
    case 'struct':
      return mapStruct(type, mapping);
    case 'array':
      return { ...type, elementType: mapType(type.elementType, mapping) };
    case 'map':
      return {
        ...type,
        keyType: mapType(type.keyType, mapping),
        valueType: mapType(type.valueType, mapping),
      };
    default:
      return type;
  }
}
