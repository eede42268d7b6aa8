/** Schemas as the WASM core takes them: a compact JSON (`wasm/src/wire.rs` describes and reads it). */
import { type DataType as ArrowType, type Field, type Schema, type Timestamp, Type } from 'apache-arrow';
import { DeltaError } from '../../errors.ts';
import {
  type DataType,
  METADATA_KEYS,
  type StructField,
  type StructType,
} from '../../kernel/schema/types.ts';
import { STORED_AS, STORED_TYPES } from '../stored-types.ts';

export type WireType =
  | string
  | { d: [precision: number, scale: number] }
  | { a: WireField }
  | { m: [key: WireField, value: WireField] }
  | { s: WireField[] }
  | { v: 1 };

export interface WireField {
  n: string;
  t: WireType;
  z: boolean;
  /** Parquet field id. */
  id?: number;
  /** Generated column. */
  g?: string;
  /** Of a footer: how the column is stored. */
  l?: string;
}

export function toWire(type: DataType, ids: FieldIds = 'read'): WireType {
  switch (type.kind) {
    case 'primitive':
      return type.name;
    case 'decimal':
      return { d: [type.precision, type.scale] };
    case 'variant':
      return { v: 1 };
    case 'struct':
      return { s: type.fields.map((field) => fieldToWire(field, ids)) };
    case 'array':
      return { a: { n: 'element', t: toWire(type.elementType, ids), z: type.containsNull } };
    case 'map':
      return {
        m: [
          { n: 'key', t: toWire(type.keyType, ids), z: false },
          { n: 'value', t: toWire(type.valueType, ids), z: type.valueContainsNull },
        ],
      };
    case 'opaque': {
      const stored = STORED_TYPES[type.name];
      if (stored !== undefined) return stored.wire;
      throw new DeltaError('Unsupported', `columns of type ${type.name} can be shown but not read`);
    }
  }
}

/** Read by `parquet.field.id` alone; written with that or the column mapping's id. */
export type FieldIds = 'read' | 'written';

function fieldToWire({ name, type, nullable, metadata }: StructField, ids: FieldIds): WireField {
  const wire: WireField = { n: name, t: toWire(type, ids), z: nullable };
  const mapped = ids === 'written' ? metadata[METADATA_KEYS.columnMappingId] : undefined;
  const id = metadata[METADATA_KEYS.parquetFieldId] ?? mapped;
  if (id !== undefined) wire.id = Number(id);
  const generated = metadata[METADATA_KEYS.metadataColumn];
  if (generated !== undefined) wire.g = String(generated);
  return wire;
}

/** A schema as JSON. */
export function schemaToWire(schema: StructType, ids: FieldIds = 'read'): string {
  return JSON.stringify(schema.fields.map((field) => fieldToWire(field, ids)));
}

/** The same from an Arrow schema, for batches of which no Delta schema is known. */
export function arrowToWire(schema: Schema): string {
  return JSON.stringify(schema.fields.map(arrowFieldToWire));
}

function arrowFieldToWire(field: Field): WireField {
  return { n: field.name, t: arrowTypeToWire(field.type), z: true };
}

const BY_TYPE_ID: Partial<Record<Type, string>> = {
  [Type.Null]: 'void',
  [Type.Bool]: 'boolean',
  [Type.Utf8]: 'string',
  [Type.Binary]: 'binary',
  [Type.Date]: 'date',
};

function arrowTypeToWire(type: ArrowType): WireType {
  const name = BY_TYPE_ID[type.typeId as Type];
  if (name !== undefined) return name;
  switch (type.typeId) {
    case Type.Int:
      return { 8: 'byte', 16: 'short', 32: 'integer', 64: 'long' }[
        (type as unknown as { bitWidth: 8 | 16 | 32 | 64 }).bitWidth
      ];
    case Type.Float:
      return (type as unknown as { precision: number }).precision === 2 ? 'double' : 'float';
    case Type.Timestamp:
      return (type as Timestamp).timezone ? 'timestamp' : 'timestamp_ntz';
    case Type.Decimal: {
      const { precision, scale } = type as unknown as { precision: number; scale: number };
      return { d: [precision, scale] };
    }
    case Type.List:
      return { a: arrowFieldToWire(type.children[0]!) };
    case Type.Map: {
      const [key, value] = type.children[0]!.type.children as [Field, Field];
      return { m: [arrowFieldToWire(key), arrowFieldToWire(value)] };
    }
    case Type.Struct:
      return { s: type.children.map(arrowFieldToWire) };
    default:
      throw new DeltaError(
        'Unsupported',
        `Arrow columns of type ${String(type)} are not used by Delta tables`,
      );
  }
}

/** A type that a footer describes. Names that Delta does not have become opaque types. */
export function fromWire(type: WireType): DataType {
  if (typeof type === 'string')
    return PRIMITIVES.has(type) ? primitive(type) : { kind: 'opaque', name: type };
  if ('d' in type) return { kind: 'decimal', precision: type.d[0], scale: type.d[1] };
  if ('s' in type) return structFromWire(type.s);
  if ('a' in type) return { kind: 'array', elementType: fromWire(type.a.t), containsNull: type.a.z };
  if ('v' in type) return { kind: 'variant' };
  const [key, value] = type.m;
  return { kind: 'map', keyType: fromWire(key.t), valueType: fromWire(value.t), valueContainsNull: value.z };
}

export function structFromWire(fields: readonly WireField[]): StructType {
  return {
    kind: 'struct',
    fields: fields.map((field) => ({
      name: field.n,
      type: fromWire(field.t),
      nullable: field.z,
      metadata: {
        ...(field.id !== undefined && { [METADATA_KEYS.parquetFieldId]: field.id }),
        ...(field.l !== undefined && { [STORED_AS]: field.l }),
      },
    })),
  };
}

const PRIMITIVES = new Set([
  ...['string', 'long', 'integer', 'short', 'byte', 'float', 'double', 'boolean', 'binary', 'date'],
  ...['timestamp', 'timestamp_ntz', 'void'],
]);

function primitive(name: string): DataType {
  return { kind: 'primitive', name } as DataType;
}
