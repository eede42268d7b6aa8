/** Partition values that a caller gives for a write. */
import { DeltaError } from '../../errors.ts';
import type { Scalar } from '../expressions/types.ts';
import { dataTypesEqual, findField, typeToString } from '../schema/schema.ts';
import type { StructType } from '../schema/types.ts';
import { serializePartitionValue } from './serialize.ts';

/** One partition column's value: logical name, typed value, and its text in the log. */
export interface NormalizedPartitionValue {
  readonly column: string;
  readonly value: Scalar;
  readonly serialized: string | null;
}

/**
 * The values in partition order under the schema's own casing. Keys match case-insensitively.
 * Throws `InvalidPartitionValues` for a missing, unknown or doubled key, a value of another type, and a value that
 * serialises to null for a column that is not nullable.
 */
export function normalizePartitionValues(
  values: Readonly<Record<string, Scalar>>,
  schema: StructType,
  partitionColumns: readonly string[],
): NormalizedPartitionValue[] {
  const given = foldKeys(values);
  const known = new Set(partitionColumns.map((column) => column.toLowerCase()));
  for (const [folded, { key }] of given) {
    if (!known.has(folded)) throw invalid(`${key} is not a partition column`, key);
  }
  return partitionColumns.map((column) => {
    const entry = given.get(column.toLowerCase());
    if (entry === undefined) throw invalid(`no value for partition column ${column}`, column);
    return normalizeOne(column, entry.value, schema);
  });
}

function foldKeys(values: Readonly<Record<string, Scalar>>): Map<string, { key: string; value: Scalar }> {
  const given = new Map<string, { key: string; value: Scalar }>();
  for (const [key, value] of Object.entries(values)) {
    const folded = key.toLowerCase();
    if (given.has(folded)) throw invalid(`two values for partition column ${key}`, key);
    given.set(folded, { key, value });
  }
  return given;
}

function normalizeOne(column: string, value: Scalar, schema: StructType): NormalizedPartitionValue {
  const field = findField(schema, [column])?.field;
  if (field === undefined) throw invalid(`partition column ${column} is not in the schema`, column);
  if (!dataTypesEqual(value.type, field.type)) {
    throw invalid(
      `value of partition column ${column} has type ${typeToString(value.type)}, not ${typeToString(field.type)}`,
      column,
    );
  }
  const serialized = serializePartitionValue(value);
  if (serialized === null && !field.nullable) {
    throw invalid(`partition column ${column} is NOT NULL; null and empty values are stored as null`, column);
  }
  return { column: field.name, value, serialized };
}

function invalid(message: string, column: string): DeltaError {
  return new DeltaError('InvalidPartitionValues', message, { column });
}
