/** The columns of a change feed (`PROTOCOL.md`, "Change Data Files"), and which of them a scan gives. */
import { DeltaError } from '../../errors.ts';
import { relaxedSchema } from '../scan/scan-schema.ts';
import { selectColumns } from '../schema/schema.ts';
import { field, type StructField, type StructType, types } from '../schema/types.ts';

/** `insert`, `delete`, `update_preimage`, `update_postimage`; the version that changed the row; and its time. */
export const CHANGE_COLUMNS: readonly StructField[] = [
  field('_change_type', types.string, { nullable: false }),
  field('_commit_version', types.long, { nullable: false }),
  field('_commit_timestamp', types.timestamp, { nullable: false }),
];

export function isChangeColumn(name: string): boolean {
  return CHANGE_COLUMNS.some((column) => column.name === name.toLowerCase());
}

/** The table's columns, then those of the feed. Throws `Schema` where the table has columns of such names itself. */
export function changesSchema(schema: StructType): StructType {
  const taken = schema.fields.find(({ name }) => isChangeColumn(name));
  if (taken !== undefined) {
    const column = taken.name;
    throw new DeltaError('Schema', `the table has a column ${column}, which is the change feed's own name`, {
      column,
    });
  }
  return types.struct([...schema.fields, ...CHANGE_COLUMNS]);
}

/** What comes out, and the table's columns in it. */
export interface ChangesProjection {
  readonly logicalSchema: StructType;
  readonly dataSchema: StructType;
}

/** The columns asked for, all by default. Throws `Schema` for unknown or doubled ones. */
export function projectChanges(
  schema: StructType,
  columns: readonly (string | readonly string[])[] | undefined,
): ChangesProjection {
  return projectionOf(columns === undefined ? schema : selectColumns(schema, columns));
}

export function projectionOf(logicalSchema: StructType): ChangesProjection {
  const fields = logicalSchema.fields.filter(({ name }) => !isChangeColumn(name));
  return { logicalSchema, dataSchema: types.struct(fields) };
}

/** As a scan's batches: every column of the table nullable, the feed's own not. */
export function relaxedChanges(logicalSchema: StructType): StructType {
  const relaxed = relaxedSchema(logicalSchema);
  return types.struct(
    relaxed.fields.map((each) => (isChangeColumn(each.name) ? { ...each, nullable: false } : each)),
  );
}
