/** Ids and physical names of mapped columns (`PROTOCOL.md`, "Column Mapping"). */

import { columnId } from '../column-mapping/physical-schema.ts';
import type { Runtime } from '../engine.ts';
import { allFields } from '../schema/schema.ts';
import { type DataType, METADATA_KEYS, type StructField, type StructType } from '../schema/types.ts';

export interface MappedSchema {
  readonly schema: StructType;
  /** `delta.columnMapping.maxColumnId`. */
  readonly maxColumnId: number;
}

/**
 * The schema with an id and a physical name for every field at any depth. Fields that have both keep them.
 *
 * @param maxColumnId the highest id that was ever given; ids never come back.
 * @param nameOf the physical name of a field that has none.
 */
export function assignColumnIds(
  schema: StructType,
  maxColumnId: number,
  nameOf: (field: StructField) => string,
): MappedSchema {
  let max = Math.max(
    maxColumnId,
    ...Array.from(allFields(schema), ({ field }) => (isMapped(field) ? columnId(field) : 0)),
  );
  const mapped = mapFields(schema, (field) => {
    if (isMapped(field)) return field;
    max += 1;
    const metadata = {
      ...field.metadata,
      [METADATA_KEYS.columnMappingId]: max,
      [METADATA_KEYS.columnMappingPhysicalName]: nameOf(field),
    };
    return { ...field, metadata };
  });
  return { schema: mapped, maxColumnId: max };
}

/** A physical name that no column ever had. */
export function freshPhysicalName(runtime: Runtime): string {
  return `col-${runtime.uuid()}`;
}

/** The schema without what column mapping keeps in fields: without mapping it would only mislead. */
export function withoutColumnIds(schema: StructType): StructType {
  return mapFields(schema, (field) => {
    const {
      [METADATA_KEYS.columnMappingId]: _id,
      [METADATA_KEYS.columnMappingPhysicalName]: _name,
      [METADATA_KEYS.columnMappingNestedIds]: _nested,
      ...metadata
    } = field.metadata;
    return { ...field, metadata };
  });
}

function isMapped({ metadata }: StructField): boolean {
  return METADATA_KEYS.columnMappingId in metadata && METADATA_KEYS.columnMappingPhysicalName in metadata;
}

/** Every field at any depth replaced, parents first. */
export function mapFields(schema: StructType, change: (field: StructField) => StructField): StructType {
  const fields = schema.fields.map((field) => {
    const changed = change(field);
    return { ...changed, type: mapType(changed.type, change) };
  });
  return { kind: 'struct', fields };
}

function mapType(type: DataType, change: (field: StructField) => StructField): DataType {
  switch (type.kind) {
    case 'struct':
      return mapFields(type, change);
    case 'array':
      return { ...type, elementType: mapType(type.elementType, change) };
    case 'map':
      return {
        ...type,
        keyType: mapType(type.keyType, change),
        valueType: mapType(type.valueType, change),
      };
    default:
      return type;
  }
}
