/** Delta's types as Arrow types: the one mapping that batches, the WASM core and results share. */
import {
  type DataType as ArrowType,
  Binary,
  Bool,
  DateDay,
  Decimal,
  Field,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Map_,
  Null,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import type { DataType, PrimitiveName, StructField, StructType } from '../kernel/schema/types.ts';
import { STORED_TYPES } from './stored-types.ts';

const PRIMITIVES: Record<PrimitiveName, () => ArrowType> = {
  string: () => new Utf8(),
  long: () => new Int64(),
  integer: () => new Int32(),
  short: () => new Int16(),
  byte: () => new Int8(),
  float: () => new Float32(),
  double: () => new Float64(),
  boolean: () => new Bool(),
  binary: () => new Binary(),
  date: () => new DateDay(),
  timestamp: () => new TimestampMicrosecond('UTC'),
  timestamp_ntz: () => new TimestampMicrosecond(),
  void: () => new Null(),
};

/** @throws DeltaError `Unsupported` for a type that this version does not know. */
export function toArrowType(type: DataType): ArrowType {
  switch (type.kind) {
    case 'primitive':
      return PRIMITIVES[type.name]();
    case 'decimal':
      return new Decimal(type.scale, type.precision, 128);
    case 'variant':
      return new Struct([
        new Field('metadata', new Binary(), false),
        new Field('value', new Binary(), false),
      ]);
    case 'array':
      return new List(new Field('element', toArrowType(type.elementType), type.containsNull));
    case 'map': {
      const key = new Field('key', toArrowType(type.keyType), false);
      const value = new Field('value', toArrowType(type.valueType), type.valueContainsNull);
      return new Map_(
        new Field('key_value', new Struct<{ key: ArrowType; value: ArrowType }>([key, value]), false),
      );
    }
    case 'struct':
      return new Struct(type.fields.map(toArrowField));
    case 'opaque': {
      const stored = STORED_TYPES[type.name];
      if (stored !== undefined) return stored.arrow();
      throw new DeltaError('Unsupported', `columns of type ${type.name} can be shown but not read`);
    }
  }
}

export function toArrowField({ name, type, nullable }: StructField): Field {
  return new Field(name, toArrowType(type), nullable);
}

export function toArrowSchema(schema: StructType): Schema {
  return new Schema(schema.fields.map(toArrowField));
}
