/** Types for a new table's columns from what is in a file. */
import { type StructField, schemaToJson, types, valueReader } from 'delta-kernel-web';
import { isLosslessNumber, stringify } from 'lossless-json';
import type { NewColumn } from '../protocol-write.ts';
import { cellReader } from './cells.ts';

/** The first type that takes every value; text takes all. */
const CANDIDATES = [
  ['boolean', types.boolean],
  ['long', types.long],
  ['double', types.double],
  ['date', types.date],
  ['timestamp', types.timestamp],
] as const;

/** Delta's JSON of a type: a name, or an object for nested ones. */
export function typeJson(field: Pick<StructField, 'type'>): string {
  const json = JSON.parse(
    schemaToJson(types.struct([{ name: 'c', nullable: true, metadata: {}, ...field }])),
  );
  const { type } = json.fields[0];
  return typeof type === 'string' ? type : JSON.stringify(type);
}

/** Of text cells; empty ones say nothing. */
export function inferText(name: string, cells: readonly string[]): NewColumn {
  const given = cells.filter((cell) => cell !== '');
  const fits = CANDIDATES.find(([, type]) => {
    const [parse, read] = [cellReader(type), valueReader(type, name)];
    return given.length > 0 && given.every((cell) => takes(() => read(parse(cell))));
  });
  return { name, type: fits?.[0] ?? 'string', nullable: true };
}

/** Of JSON values; objects are structs, and what is of no one type is text. */
export function inferValues(name: string, values: readonly unknown[]): NewColumn {
  const type = typeOfValues(values);
  return { name, type: typeof type === 'string' ? type : JSON.stringify(type), nullable: true };
}

/** Delta's JSON of a type. */
type TypeJson = string | { readonly type: string; readonly [key: string]: unknown };

function typeOfValues(values: readonly unknown[]): TypeJson {
  const given = values.filter((value) => value !== null && value !== undefined);
  if (given.length === 0) return 'string';
  if (given.every((value) => typeof value === 'boolean')) return 'boolean';
  if (given.every(isLosslessNumber)) return inferText('', given.map(String)).type;
  if (given.every((value) => typeof value === 'string')) {
    const { type } = inferText('', given);
    // A number in quotes is meant as text.
    return type === 'date' || type === 'timestamp' ? type : 'string';
  }
  if (given.every(Array.isArray))
    return { type: 'array', elementType: typeOfValues(given.flat()), containsNull: true };
  return given.every(isPlainObject) ? typeOfObjects(given) : 'string';
}

function typeOfObjects(objects: readonly Record<string, unknown>[]): TypeJson {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const fields = names.map((name) => {
    const type = typeOfValues(objects.map((object) => object[name]));
    return { name, type, nullable: true, metadata: {} };
  });
  // No file can hold a struct without fields.
  return fields.length === 0 ? 'string' : { type: 'struct', fields };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function takes(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** A JSON value as a grid shows it. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : (stringify(value) ?? null);
}
