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

/** Of JSON values. Objects and lists are kept as text: Delta has no type for any JSON but variant, which cannot be written yet. */
export function inferValues(name: string, values: readonly unknown[]): NewColumn {
  const given = values.filter((value) => value !== null && value !== undefined);
  if (given.every((value) => typeof value === 'boolean') && given.length > 0)
    return { name, type: 'boolean', nullable: true };
  if (given.every(isLosslessNumber)) return inferText(name, given.map(String));
  if (given.every((value) => typeof value === 'string')) {
    const inferred = inferText(name, given as string[]);
    // A number in quotes is meant as text.
    return ['date', 'timestamp'].includes(inferred.type) ? inferred : { ...inferred, type: 'string' };
  }
  const element = given.every(Array.isArray) ? inferValues(name, given.flat()) : undefined;
  if (element !== undefined && !element.type.startsWith('{')) {
    const type = { type: 'array', elementType: element.type, containsNull: true };
    return { name, type: JSON.stringify(type), nullable: true };
  }
  return { name, type: 'string', nullable: true };
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
