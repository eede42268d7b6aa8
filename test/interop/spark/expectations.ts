/** What tests over Spark expect of a table: rows by hand, the same for every reader. */
import { expect } from 'vitest';
import { parseSchema, schemaToJson } from '../../../src/kernel/schema/schema-json.ts';
import type { StructField, StructType } from '../../../src/kernel/schema/types.ts';
import type { DeltaTable } from '../../../src/table/delta-table.ts';
import { printed } from './dialog.ts';
import { ourRows, sorted } from './rows.ts';
import type { SparkResult, SparkRow } from './session.ts';
import type { SparkTables } from './tables.ts';

/** The rows, with all columns of the table, in the order of {@link sorted}. */
export function complete(table: DeltaTable, rows: readonly SparkRow[]): SparkRow[] {
  return sorted(rows.map((row) => printed(row, table.schema)));
}

/** We and Spark read these rows; what Spark answered. */
export async function expectRows(
  tables: SparkTables,
  path: string,
  rows: readonly SparkRow[],
): Promise<SparkResult> {
  const table = await tables.open(path);
  const expected = complete(table, rows);
  expect(sorted(await ourRows(table))).toEqual(expected);
  const result = await tables.sql(path, 'SELECT * FROM T');
  expect(sorted(result.rows)).toEqual(expected);
  return result;
}

/** Columns as readers see them: Spark shows no ids of column mapping and no changes of types. */
export function shownColumns(schema: StructType): unknown {
  const shown = (each: StructField): StructField => {
    const kept = Object.entries(each.metadata).filter(([key]) => !key.startsWith('delta.'));
    const { type } = each;
    const inner = type.kind === 'struct' ? { ...type, fields: type.fields.map(shown) } : type;
    return { ...each, type: inner, metadata: Object.fromEntries(kept) };
  };
  return JSON.parse(schemaToJson({ ...schema, fields: schema.fields.map(shown) }));
}

/** Spark's columns in the same form. */
export function sparkColumns({ schema }: SparkResult): unknown {
  return shownColumns(parseSchema(JSON.stringify(schema)));
}
