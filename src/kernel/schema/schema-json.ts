/**
 * Schema JSON in both directions (`PROTOCOL.md`, "Schema Serialization Format").
 *
 * Field metadata is kept verbatim: numbers as their text, unknown keys as they are, so that a schema that is read
 * and written again is the same schema to every other reader.
 */
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { DeltaError } from '../../errors.ts';
import { type DataType, type PrimitiveName, type StructField, type StructType, types } from './types.ts';

/** Types within types, at most: deeper schemas are refused rather than overflowing the stack. */
export const MAX_TYPE_DEPTH = 100;
/** Brackets within brackets of the JSON text, at most; metadata may nest below the deepest type. */
const MAX_JSON_DEPTH = 4 * MAX_TYPE_DEPTH;

const PRIMITIVES: ReadonlyMap<string, DataType> = new Map<string, DataType>([
  ...(
    [
      'string',
      'long',
      'integer',
      'short',
      'byte',
      'float',
      'double',
      'boolean',
      'binary',
      'date',
      'timestamp',
      'timestamp_ntz',
      'void',
    ] as const
  ).map((name: PrimitiveName): [string, DataType] => [name, { kind: 'primitive', name }]),
  ['variant', types.variant],
]);

const DECIMAL = /^decimal\(\s*(\d{1,10})\s*,\s*(-?\d{1,10})\s*\)$/;

/**
 * Parses a table's schema: the JSON of a struct type.
 * Type names that this version does not know become opaque types, so that such a table can still be looked at.
 * @throws DeltaError `Schema`, naming the field, where the text is not a schema.
 */
export function parseSchema(text: string): StructType {
  const type = typeFromJson(parseJsonText(text), [], 0);
  if (type.kind !== 'struct') throw schemaError([], `a table's schema must be a struct, not ${type.kind}`);
  return type;
}

/** Parses any type: a name or a JSON object in text. A bare name needs no quotes (`long`, `decimal(10,2)`). */
export function parseDataType(text: string): DataType {
  const trimmed = text.trim();
  return /^["{[]/.test(trimmed) ? typeFromJson(parseJsonText(trimmed), [], 0) : typeFromName(trimmed, []);
}

/** The schema as one line of JSON, keys in the protocol's order. */
export function schemaToJson(schema: StructType): string {
  return jsonText(typeToJson(schema));
}

/** The name of a type that has one: `long`, `decimal(10,2)`, `variant`. */
export function typeName(type: DataType): string {
  switch (type.kind) {
    case 'primitive':
    case 'opaque':
      return type.name;
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`;
    default:
      return type.kind;
  }
}

function parseJsonText(text: string): unknown {
  checkJsonDepth(text);
  try {
    return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch (cause) {
    throw new DeltaError('Schema', `the schema is not JSON: ${messageOf(cause)}`, { cause });
  }
}

/** Counts brackets outside strings: the JSON parser recurses, so depth is bounded before it runs. */
function checkJsonDepth(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{\]}]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth > MAX_JSON_DEPTH) throw schemaError([], `nested deeper than ${MAX_JSON_DEPTH} levels of JSON`);
  }
}

function typeFromJson(json: unknown, path: readonly string[], depth: number): DataType {
  if (depth > MAX_TYPE_DEPTH) throw schemaError(path, `types nested deeper than ${MAX_TYPE_DEPTH}`);
  if (typeof json === 'string') return typeFromName(json, path);
  if (!isObject(json)) throw schemaError(path, `a type must be a name or an object, not ${show(json)}`);
  const kind = json.type;
  switch (kind) {
    case 'struct':
      return structFromJson(json, path, depth);
    case 'array':
      return types.array(
        typeFromJson(json.elementType, [...path, 'element'], depth + 1),
        booleanOf(json, 'containsNull', path),
      );
    case 'map':
      return types.map(
        typeFromJson(json.keyType, [...path, 'key'], depth + 1),
        typeFromJson(json.valueType, [...path, 'value'], depth + 1),
        booleanOf(json, 'valueContainsNull', path),
      );
    case 'variant':
      return types.variant;
    default:
      if (typeof kind !== 'string')
        throw schemaError(path, `a type object needs a "type", got ${show(kind)}`);
      // A type object of another kind (a user-defined type): its whole JSON is its name, see typeToJson.
      return { kind: 'opaque', name: jsonText(json) };
  }
}

function structFromJson(json: JsonObject, path: readonly string[], depth: number): StructType {
  const fields = json.fields;
  if (!Array.isArray(fields))
    throw schemaError(path, `a struct needs an array "fields", got ${show(fields)}`);
  const parsed = fields.map((entry: unknown) => fieldFromJson(entry, path, depth));
  const seen = new Map<string, string>();
  for (const { name } of parsed) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      throw schemaError(
        [...path, name],
        `duplicate column: "${other}" and "${name}" are one name, case aside`,
      );
    }
    seen.set(name.toLowerCase(), name);
  }
  return types.struct(parsed);
}

function fieldFromJson(json: unknown, parent: readonly string[], depth: number): StructField {
  if (!isObject(json)) throw schemaError(parent, `a field must be an object, not ${show(json)}`);
  const name = json.name;
  if (typeof name !== 'string') throw schemaError(parent, `a field needs a string "name", got ${show(name)}`);
  const path = [...parent, name];
  const metadata = json.metadata ?? {};
  if (!isObject(metadata)) throw schemaError(path, `"metadata" must be an object, not ${show(metadata)}`);
  return {
    name,
    type: typeFromJson(json.type, path, depth + 1),
    nullable: booleanOf(json, 'nullable', path),
    metadata,
  };
}

function typeFromName(name: string, path: readonly string[]): DataType {
  const known = PRIMITIVES.get(name);
  if (known) return known;
  // Spark's spellings of decimal(10,0) and, before Spark 3, of void.
  if (name === 'decimal') return types.decimal(10, 0);
  if (name === 'null') return types.void;
  const decimal = DECIMAL.exec(name);
  if (decimal) return decimalType(name, Number(decimal[1]), Number(decimal[2]), path);
  if (name.trim() === '' || /^[[{"]/.test(name)) throw schemaError(path, `${show(name)} is no type name`);
  return { kind: 'opaque', name };
}

function decimalType(name: string, precision: number, scale: number, path: readonly string[]): DataType {
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
    throw schemaError(path, `${name} is out of range: 1 ≤ precision ≤ 38, 0 ≤ scale ≤ precision`);
  }
  return types.decimal(precision, scale);
}

function typeToJson(type: DataType): unknown {
  switch (type.kind) {
    case 'struct':
      return { type: 'struct', fields: type.fields.map(fieldToJson) };
    case 'array':
      return {
        type: 'array',
        elementType: typeToJson(type.elementType),
        containsNull: type.containsNull,
      };
    case 'map':
      return {
        type: 'map',
        keyType: typeToJson(type.keyType),
        valueType: typeToJson(type.valueType),
        valueContainsNull: type.valueContainsNull,
      };
    case 'opaque':
      return type.name.startsWith('{') ? parse(type.name) : type.name;
    default:
      return typeName(type);
  }
}

function fieldToJson({ name, type, nullable, metadata }: StructField): unknown {
  return { name, type: typeToJson(type), nullable, metadata };
}

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function booleanOf(json: JsonObject, key: string, path: readonly string[]): boolean {
  const value = json[key];
  if (typeof value !== 'boolean') throw schemaError(path, `needs a boolean "${key}", got ${show(value)}`);
  return value;
}

function jsonText(value: unknown): string {
  const text = stringify(value);
  if (text === undefined)
    throw new DeltaError('Schema', 'the schema holds a value that JSON has no form for');
  return text;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function schemaError(path: readonly string[], problem: string): DeltaError {
  const column = path.join('.');
  return path.length === 0
    ? new DeltaError('Schema', `schema: ${problem}`)
    : new DeltaError('Schema', `schema, column "${column}": ${problem}`, { column });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
