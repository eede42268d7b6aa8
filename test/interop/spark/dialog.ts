/** A table that we and Spark write in turns. */
import { FileSystemCommitter } from '../../../src/kernel/committer/file-system-committer.ts';
import type { StructType } from '../../../src/kernel/schema/types.ts';
import type { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import type { TableAlteration } from '../../../src/kernel/transaction/alter-table.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import type { CreateOptions } from '../../../src/table/write/create.ts';
import type { Row } from '../../../src/table/write/input.ts';
import type { SparkRow } from './session.ts';

export interface Dialog {
  readonly name: string;
  /** Every table has `id LONG`, by which its rows are told apart. */
  readonly schema: StructType;
  readonly options?: CreateOptions;
  /** Our commits on the empty table; the table after them. */
  readonly write: (table: DeltaTable) => Promise<DeltaTable>;
  /** The rows then, by hand. Columns that are not named are null. */
  readonly rows: readonly SparkRow[];
  /** The features by which Spark knows the table. */
  readonly features: readonly string[];
  /** Spark's statements after that; `T` is the table. */
  readonly spark: readonly string[];
  /** The rows then. */
  readonly after: readonly SparkRow[];
  /** Columns of a row that we append then. */
  readonly last?: SparkRow;
  /** Whether delta-rs reads the table as well. */
  readonly deltaRs?: boolean;
}

/** Appends rows of `id` 1 to `count`, each as `row` says, in one commit. */
export function numbered(count: number, row: (id: number) => SparkRow = () => ({})): SparkRow[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, ...row(index + 1) }));
}

/** Commits changes of columns or properties; the table after them. */
export async function altered(
  table: DeltaTable,
  change: (alteration: TableAlteration<Snapshot>) => TableAlteration<Snapshot>,
): Promise<DeltaTable> {
  const alteration = change(table.snapshot.alterTable(new FileSystemCommitter()));
  const result = await (await alteration.build(table.engine)).commit(table.engine);
  if (result.status !== 'committed') throw new Error(`the change was ${result.status}`);
  return new DeltaTable(table.engine, result.postCommitSnapshot);
}

/** How a row prints: every column, whole numbers past 2^53 as text. */
export function printed(row: Row, schema: StructType): SparkRow {
  const values = schema.fields.map(({ name }) => {
    const value = row[name] ?? null;
    return [name, typeof value === 'bigint' ? String(value) : value];
  });
  return Object.fromEntries(values);
}
