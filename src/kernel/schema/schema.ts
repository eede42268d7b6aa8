/** Questions about schemas: equality, look-up by name, leaves, subsets, and what may be written. */
import { DeltaError } from '../../errors.ts';
import { columnPathToString, parseColumnPath } from './column-path.ts';
import { typeName } from './schema-json.ts';
import { type DataType, type StructField, type StructType, types } from './types.ts';

/** A field and the names that lead to it from the table's root, in the schema's own casing. */
export interface FieldAtPath {
  readonly path: readonly string[];
  readonly field: StructField;
}

/**
 * Whether two types hold the same values under the same names. Field order, names (case included) and nullability
 * count unless `ignoreNullability`; metadata does not.
 */
export function dataTypesEqual(
  a: DataType,
  b: DataType,
  options: { ignoreNullability?: boolean } = {},
): boolean {
  if (a === b) return true;
  const sameNull = (x: boolean, y: boolean) => options.ignoreNullability === true || x === y;
  if (a.kind === 'struct' && b.kind === 'struct') {
    return (
      a.fields.length === b.fields.length &&
      a.fields.every((field, i) => {
        const other = b.fields[i]!;
        return (
          field.name === other.name &&
          sameNull(field.nullable, other.nullable) &&
          dataTypesEqual(field.type, other.type, options)
        );
      })
    );
  }
  if (a.kind === 'array' && b.kind === 'array') {
    return sameNull(a.containsNull, b.containsNull) && dataTypesEqual(a.elementType, b.elementType, options);
  }
  if (a.kind === 'map' && b.kind === 'map') {
    return (
      sameNull(a.valueContainsNull, b.valueContainsNull) &&
      dataTypesEqual(a.keyType, b.keyType, options) &&
      dataTypesEqual(a.valueType, b.valueType, options)
    );
  }
  return (
    a.kind === b.kind &&
    a.kind !== 'struct' &&
    a.kind !== 'array' &&
    a.kind !== 'map' &&
    typeName(a) === typeName(b)
  );
}

/** A type on one line, for people: `struct<id:long,tags:array<string>>`. */
export function typeToString(type: DataType): string {
  switch (type.kind) {
    case 'struct':
      return `struct<${type.fields.map((f) => `${columnPathToString([f.name])}:${typeToString(f.type)}`).join(',')}>`;
    case 'array':
      return `array<${typeToString(type.elementType)}>`;
    case 'map':
      return `map<${typeToString(type.keyType)},${typeToString(type.valueType)}>`;
    default:
      return typeName(type);
  }
}

/**
 * The field at a path through structs. Names match whatever their case (`PROTOCOL.md`, "Schema Serialization
 * Format": names are unique regardless of casing); the result has the schema's casing. Undefined where there is none.
 * @throws DeltaError `Schema` where two fields match (a schema that was not read from a table).
 */
export function findField(schema: StructType, path: readonly string[]): FieldAtPath | undefined {
  const found: string[] = [];
  let type: DataType = schema;
  let field: StructField | undefined;
  for (const name of path) {
    if (type.kind !== 'struct') return undefined;
    field = fieldOf(type, name, found);
    if (!field) return undefined;
    found.push(field.name);
    type = field.type;
  }
  return field && { path: found, field };
}

function fieldOf(struct: StructType, name: string, parent: readonly string[]): StructField | undefined {
  const lower = name.toLowerCase();
  const matches = struct.fields.filter((field) => field.name.toLowerCase() === lower);
  if (matches.length > 1) {
    const column = columnPathToString([...parent, name]);
    const names = matches.map((field) => columnPathToString([...parent, field.name])).join(', ');
    throw new DeltaError('Schema', `column ${column} is ambiguous: it may be ${names}`, { column });
  }
  return matches[0];
}

/** Every field that is no struct, through structs only, in schema order: the columns that statistics may cover. */
export function* leafFields(schema: StructType, parent: readonly string[] = []): Generator<FieldAtPath> {
  for (const field of schema.fields) {
    const path = [...parent, field.name];
    if (field.type.kind === 'struct') yield* leafFields(field.type, path);
    else yield { path, field };
  }
}

/** Every field at any depth, through structs, arrays (`element`) and maps (`key`, `value`); parents first. */
export function* allFields(schema: StructType): Generator<FieldAtPath> {
  yield* fieldsWithin(schema, []);
}

function* fieldsWithin(type: DataType, path: readonly string[]): Generator<FieldAtPath> {
  if (type.kind === 'struct') {
    for (const field of type.fields) {
      yield { path: [...path, field.name], field };
      yield* fieldsWithin(field.type, [...path, field.name]);
    }
  } else if (type.kind === 'array') {
    yield* fieldsWithin(type.elementType, [...path, 'element']);
  } else if (type.kind === 'map') {
    yield* fieldsWithin(type.keyType, [...path, 'key']);
    yield* fieldsWithin(type.valueType, [...path, 'value']);
  }
}

/**
 * The named columns in the order asked for, in the schema's casing: paths (`['a', 'b']`) or text (`a.b`).
 * Several fields of one struct meet in that struct, at the place of the first.
 * @throws DeltaError `Schema` for a column that the schema lacks, or one that is asked for twice.
 */
export function selectColumns(
  schema: StructType,
  columns: readonly (string | readonly string[])[],
): StructType {
  const wanted: FieldAtPath[] = [];
  for (const column of columns) {
    const path = typeof column === 'string' ? parseColumnPath(column) : column;
    const found = findField(schema, path) ?? wholeName(schema, column);
    if (!found) throw unknownColumn(schema, path);
    const clash = wanted.find(
      (other) => isPrefix(other.path, found.path) || isPrefix(found.path, other.path),
    );
    if (clash) {
      const text = columnPathToString(found.path);
      throw new DeltaError('Schema', `column ${text} is asked for twice`, { column: text });
    }
    wanted.push(found);
  }
  return subset(schema, wanted, 0);
}

/** A text column may also be the whole name of a top-level field that holds a dot. */
function wholeName(schema: StructType, column: string | readonly string[]): FieldAtPath | undefined {
  return typeof column === 'string' ? findField(schema, [column]) : undefined;
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.every((name, i) => path[i] === name);
}

function subset(struct: StructType, wanted: readonly FieldAtPath[], depth: number): StructType {
  const groups = groupByName(wanted, depth);
  return types.struct(
    Array.from(groups, ([name, members]) => {
      const field = struct.fields.find((f) => f.name === name)!;
      const whole = members.some(({ path }) => path.length === depth + 1);
      return whole ? field : { ...field, type: subset(field.type as StructType, members, depth + 1) };
    }),
  );
}

/**
 * The table's fields that `requested` names, in its order and nesting, with the table's casing, nullability and
 * metadata. Structs may be narrowed at any depth, in arrays and maps too.
 * @throws DeltaError `Schema` for a field that the table lacks or has with another type.
 */
export function projectSchema(schema: StructType, requested: StructType): StructType {
  return projectStruct(schema, requested, []);
}

function projectStruct(struct: StructType, requested: StructType, path: readonly string[]): StructType {
  const seen = new Set<string>();
  return types.struct(
    requested.fields.map(({ name, type }) => {
      const field = fieldOf(struct, name, path);
      if (!field) throw unknownColumn(struct, [name], path);
      const here = [...path, field.name];
      const column = columnPathToString(here);
      if (seen.has(field.name))
        throw new DeltaError('Schema', `column ${column} is asked for twice`, { column });
      seen.add(field.name);
      return { ...field, type: projectType(field.type, type, here) };
    }),
  );
}

function projectType(type: DataType, requested: DataType, path: readonly string[]): DataType {
  if (type.kind === 'struct' && requested.kind === 'struct') return projectStruct(type, requested, path);
  if (type.kind === 'array' && requested.kind === 'array') {
    return {
      ...type,
      elementType: projectType(type.elementType, requested.elementType, [...path, 'element']),
    };
  }
  if (type.kind === 'map' && requested.kind === 'map') {
    return {
      ...type,
      keyType: projectType(type.keyType, requested.keyType, [...path, 'key']),
      valueType: projectType(type.valueType, requested.valueType, [...path, 'value']),
    };
  }
  if (dataTypesEqual(type, requested)) return type;
  const column = columnPathToString(path);
  throw new DeltaError(
    'Schema',
    `column ${column} has type ${typeToString(type)}, not ${typeToString(requested)}`,
    { column },
  );
}

function unknownColumn(
  schema: StructType,
  path: readonly string[],
  parent: readonly string[] = [],
): DeltaError {
  const column = columnPathToString([...parent, ...path]);
  return new DeltaError('Schema', `there is no column ${column}${didYouMean(schema, path)}`, { column });
}

/** `; did you mean a, b?` for names within a few typing errors of `path`, else the first columns. */
export function didYouMean(schema: StructType, path: readonly string[]): string {
  const wanted = path.join('.').toLowerCase();
  const names = Array.from(allFields(schema), (f) => f.path.join('.'));
  const limit = wanted.length > 100 ? -1 : Math.max(1, Math.floor(wanted.length / 3));
  const close = names
    .slice(0, 2000)
    .map((name): [string, number] => [name, editDistance(name.toLowerCase(), wanted, limit)])
    .filter(([, distance]) => distance <= limit)
    .sort((a, b) => a[1] - b[1])
    .slice(0, 3);
  if (close.length > 0) return `; did you mean ${close.map(([name]) => name).join(', ')}?`;
  const top = schema.fields.slice(0, 8).map((f) => columnPathToString([f.name]));
  return top.length === 0
    ? '; the schema is empty'
    : `; there are ${top.join(', ')}${schema.fields.length > 8 ? ', …' : ''}`;
}

/** Levenshtein distance; anything above `limit` where the lengths alone say so. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = previous[j]! + (a[i] === b[j] ? 0 : 1);
      row.push(Math.min(replaced, previous[j + 1]! + 1, row[j]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}

function groupByName(wanted: readonly FieldAtPath[], depth: number): Map<string, FieldAtPath[]> {
  const groups = new Map<string, FieldAtPath[]>();
  for (const entry of wanted) {
    const name = entry.path[depth]!;
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return groups;
}
