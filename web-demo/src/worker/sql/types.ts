/** Delta's types in DuckDB: names for its SQL, and Arrow data as it takes them in. */
import {
  type DataType as ArrowType,
  type Data,
  Field,
  List,
  Map_,
  Struct,
  TimestampMicrosecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { type DataType, jsonWriters, type StructType, types } from 'delta-kernel-web';

const NAMES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  boolean: 'BOOLEAN',
  byte: 'TINYINT',
  short: 'SMALLINT',
  integer: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  binary: 'BLOB',
  date: 'DATE',
  // Without zone: functions of zones come with an extension from the network. Instants are UTC.
  timestamp: 'TIMESTAMP',
  timestamp_ntz: 'TIMESTAMP',
  void: 'VARCHAR',
};

/** Variants, and what holds them, are text: JSON. */
export function duckType(type: DataType): string {
  return isText(type) ? 'VARCHAR' : typeName(type);
}

function typeName(type: DataType): string {
  switch (type.kind) {
    case 'primitive':
      return NAMES[type.name] ?? 'VARCHAR';
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`;
    case 'struct':
      return `STRUCT(${type.fields.map((field) => `${quoted(field.name)} ${typeName(field.type)}`).join(', ')})`;
    case 'array':
      return `${typeName(type.elementType)}[]`;
    case 'map':
      return `MAP(${typeName(type.keyType)}, ${typeName(type.valueType)})`;
    default:
      return 'VARCHAR';
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

type Batch = Parameters<typeof jsonWriters>[0];

/** A batch's columns as DuckDB takes them: the same buffers, except where a column becomes text. */
export function duckColumns(batch: Batch, schema: StructType): Data[] {
  const writers = schema.fields.some(({ type }) => isText(type)) ? jsonWriters(batch, schema) : [];
  return schema.fields.map(({ type }, at) => {
    const data = batch.data.children[at]!;
    if (!isText(type)) return relabel(data, type);
    const text = (_: unknown, row: number) => (data.getValid(row) ? writers[at]!(row) : null);
    return vectorFromArray(Array.from({ length: batch.numRows }, text), new Utf8()).data[0]!;
  });
}

/** Variants within other types would need more than new labels: such columns are text as a whole. */
function isText(type: DataType): boolean {
  switch (type.kind) {
    case 'primitive':
      return type.name === 'void';
    case 'decimal':
      return false;
    case 'struct':
      return type.fields.some((field) => isText(field.type));
    case 'array':
      return isText(type.elementType);
    case 'map':
      return isText(type.keyType) || isText(type.valueType);
    default:
      return true;
  }
}

function relabel(data: Data, type: DataType): Data {
  if (type.kind === 'primitive')
    return type.name === 'timestamp' ? relabelled(data, new TimestampMicrosecond()) : data;
  if (type.kind === 'decimal' || type.kind === 'variant' || type.kind === 'opaque') return data;
  const children = childTypes(type).map((child, at) => relabel(data.children[at]!, child));
  const fields = (data.type as Struct).children.map(
    ({ name, nullable }, at) => new Field(name, children[at]!.type, nullable),
  );
  return relabelled(data, nested(type.kind, fields), children);
}

/** A map's only child is a struct of keys and values. */
function childTypes(
  type: Exclude<DataType, { kind: 'primitive' | 'decimal' | 'variant' | 'opaque' }>,
): DataType[] {
  if (type.kind === 'struct') return type.fields.map((field) => field.type);
  if (type.kind === 'array') return [type.elementType];
  return [
    types.struct([
      { name: 'key', type: type.keyType, nullable: false, metadata: {} },
      { name: 'value', type: type.valueType, nullable: true, metadata: {} },
    ]),
  ];
}

function nested(kind: 'struct' | 'array' | 'map', fields: Field[]): ArrowType {
  if (kind === 'struct') return new Struct(fields);
  return kind === 'array' ? new List(fields[0]!) : new Map_(fields[0]! as Field<Struct>);
}

function relabelled(data: Data, type: ArrowType, children: Data[] = data.children as Data[]): Data {
  return data.clone(type, data.offset, data.length, data.nullCount, data.buffers as never, children);
}
