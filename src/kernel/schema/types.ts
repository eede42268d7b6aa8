/**
 * Delta's schema as data: the types of `PROTOCOL.md`, "Schema Serialization Format".
 *
 * Types are plain immutable objects; compare them with `dataTypesEqual`, never by identity.
 */

/** Primitive types by their name in the schema JSON. */
export type PrimitiveName =
  | 'string'
  | 'long'
  | 'integer'
  | 'short'
  | 'byte'
  | 'float'
  | 'double'
  | 'boolean'
  | 'binary'
  | 'date'
  | 'timestamp'
  | 'timestamp_ntz'
  | 'void';

export interface PrimitiveType {
  readonly kind: 'primitive';
  readonly name: PrimitiveName;
}

/** `decimal(precision,scale)`, 1 ≤ precision ≤ 38, 0 ≤ scale ≤ precision. */
export interface DecimalType {
  readonly kind: 'decimal';
  readonly precision: number;
  readonly scale: number;
}

/** Physically a struct of the two binary fields `metadata` and `value`. */
export interface VariantType {
  readonly kind: 'variant';
}

/** A type name that this version does not know (`geometry…`, intervals): shown, never read. */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
}

export interface ArrayType {
  readonly kind: 'array';
  readonly elementType: DataType;
  readonly containsNull: boolean;
}

export interface MapType {
  readonly kind: 'map';
  readonly keyType: DataType;
  readonly valueType: DataType;
  readonly valueContainsNull: boolean;
}

export interface StructType {
  readonly kind: 'struct';
  readonly fields: readonly StructField[];
}

export type DataType =
  | PrimitiveType
  | DecimalType
  | VariantType
  | OpaqueType
  | ArrayType
  | MapType
  | StructType;

/**
 * A value of a field's metadata. Numbers keep their text (`LosslessNumber` of lossless-json where they came from
 * JSON), so that `1.0` stays `1.0` and integers above 2^53 stay exact.
 */
export type MetadataValue = unknown;

/** One named field of a struct; `metadata` holds unknown keys verbatim. */
export interface StructField {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
}

/** Metadata keys that the kernel and the handlers act on. */
export const METADATA_KEYS = {
  columnMappingId: 'delta.columnMapping.id',
  columnMappingPhysicalName: 'delta.columnMapping.physicalName',
  columnMappingNestedIds: 'delta.columnMapping.nested.ids',
  /** On a schema handed to or returned by a ParquetHandler: the Parquet `field_id`. */
  parquetFieldId: 'parquet.field.id',
  /** On a schema handed to a ParquetHandler: this column is generated, see {@link MetadataColumn}. */
  metadataColumn: 'delta.metadataColumn',
  invariants: 'delta.invariants',
  generationExpression: 'delta.generationExpression',
  typeChanges: 'delta.typeChanges',
  identityStart: 'delta.identity.start',
  currentDefault: 'CURRENT_DEFAULT',
} as const;

/**
 * Columns that a ParquetHandler generates: a field whose metadata has `delta.metadataColumn` with one of these.
 * - `rowIndex`: LONG, non-null: 0-based position in the physical file, unaffected by pruning.
 * - `filePath`: STRING, non-null: the file's full URL (without query).
 */
export type MetadataColumn = 'rowIndex' | 'filePath';

const primitive = (name: PrimitiveName): PrimitiveType => ({ kind: 'primitive', name });

/** Constructors and constants for types, named as in the schema JSON. */
export const types = {
  string: primitive('string'),
  long: primitive('long'),
  integer: primitive('integer'),
  short: primitive('short'),
  byte: primitive('byte'),
  float: primitive('float'),
  double: primitive('double'),
  boolean: primitive('boolean'),
  binary: primitive('binary'),
  date: primitive('date'),
  timestamp: primitive('timestamp'),
  timestampNtz: primitive('timestamp_ntz'),
  void: primitive('void'),
  variant: { kind: 'variant' } as VariantType,
  decimal: (precision: number, scale: number): DecimalType => ({ kind: 'decimal', precision, scale }),
  array: (elementType: DataType, containsNull = true): ArrayType => ({
    kind: 'array',
    elementType,
    containsNull,
  }),
  map: (keyType: DataType, valueType: DataType, valueContainsNull = true): MapType => ({
    kind: 'map',
    keyType,
    valueType,
    valueContainsNull,
  }),
  struct: (fields: readonly StructField[]): StructType => ({ kind: 'struct', fields }),
} as const;

/** A field, nullable and without metadata unless said otherwise. */
export function field(
  name: string,
  type: DataType,
  options: { nullable?: boolean; metadata?: Readonly<Record<string, MetadataValue>> } = {},
): StructField {
  return { name, type, nullable: options.nullable ?? true, metadata: options.metadata ?? {} };
}
