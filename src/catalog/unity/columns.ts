/** Columns as the API has them: Delta's schema JSON, but with kebab-case keys in nested types. */
import { stringify } from 'lossless-json';
import { isObject, type JsonObject } from '../../kernel/log/json.ts';
import { parseSchema, typeName } from '../../kernel/schema/schema-json.ts';
import type { DataType, StructField, StructType } from '../../kernel/schema/types.ts';

export function columnsToWire(schema: StructType): JsonObject {
  return { type: 'struct', fields: schema.fields.map(fieldToWire) };
}

function fieldToWire({ name, type, nullable, metadata }: StructField): JsonObject {
  return { name, type: typeToWire(type), nullable, metadata };
}

function typeToWire(type: DataType): unknown {
  switch (type.kind) {
    case 'struct':
      return columnsToWire(type);
    case 'array':
      return {
        type: 'array',
        'element-type': typeToWire(type.elementType),
        'contains-null': type.containsNull,
      };
    case 'map':
      return {
        type: 'map',
        'key-type': typeToWire(type.keyType),
        'value-type': typeToWire(type.valueType),
        'value-contains-null': type.valueContainsNull,
      };
    default:
      return typeName(type);
  }
}

/** Throws `Schema` where it is none. */
export function columnsFromWire(columns: unknown): StructType {
  return parseSchema(stringify(typeFromWire(columns)) ?? '');
}

/** The same with camelCase keys; what does not fit is left for the parser to refuse. */
function typeFromWire(type: unknown): unknown {
  if (!isObject(type)) return type;
  switch (type.type) {
    case 'struct':
      return { ...type, fields: Array.isArray(type.fields) ? type.fields.map(fieldFromWire) : type.fields };
    case 'array':
      return {
        type: 'array',
        elementType: typeFromWire(type['element-type']),
        containsNull: type['contains-null'],
      };
    case 'map':
      return {
        type: 'map',
        keyType: typeFromWire(type['key-type']),
        valueType: typeFromWire(type['value-type']),
        valueContainsNull: type['value-contains-null'],
      };
    default:
      return type;
  }
}

function fieldFromWire(field: unknown): unknown {
  return isObject(field) ? { ...field, type: typeFromWire(field.type) } : field;
}
