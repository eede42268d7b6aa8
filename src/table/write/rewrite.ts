/** Files written anew without their deleted rows, and the files of the deleted rows. */
import type { ArrowEngineData } from '../../engine/arrow-engine-data.ts';
import { DeltaError } from '../../errors.ts';
import type { Predicate } from '../../kernel/expressions/types.ts';
import { field, METADATA_KEYS, type StructField, types } from '../../kernel/schema/types.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import type { AddFile, CdcFile } from '../../kernel/transaction/file-actions.ts';
import type { Transaction } from '../../kernel/transaction/transaction.ts';
import type { WriteTarget } from './commit.ts';
import { DataFileWriter, type HiddenColumn, writeChangeFile } from './data-files.ts';
import { type FileMatch, rowTest, unusedName } from './match.ts';
import type { NewFilesOptions } from './new-files.ts';
import { splitByPartition } from './partitions.ts';
import { targetFileSizeOf } from './settings.ts';
import { dataFileTable } from './table.ts';

/** Field ids that the protocol reserves for the columns of row tracking, where columns have ids. */
const ROW_ID_FIELD = 2_147_483_540;
const ROW_COMMIT_VERSION_FIELD = 2_147_483_539;

export interface Rewritten {
  readonly added: readonly AddFile[];
  /** Rows kept their ids and versions, in hidden columns. */
  readonly preservesRowIds: boolean;
}

/** Writes the rows of files for which the predicate is not true. */
export async function rewriteFiles(
  { engine, snapshot }: WriteTarget,
  transaction: Transaction<Snapshot>,
  matches: readonly FileMatch[],
  predicate: Predicate,
  { signal, newFiles }: NewFilesOptions,
): Promise<Rewritten> {
  const hidden = rowTrackingColumns(snapshot);
  const scan = snapshot.scan({
    metadataColumns: hidden && {
      rowId: hidden.rowId.column,
      rowCommitVersion: hidden.rowCommitVersion.column,
    },
  });
  const test = rowTest(engine, scan.logicalSchema, predicate);
  const table = {
    ...(await dataFileTable(engine, snapshot, transaction, { signal })),
    hiddenColumns: hidden && [hidden.rowId, hidden.rowCommitVersion],
  };
  const targetFileSize = targetFileSizeOf(snapshot.tableProperties);
  const writer = new DataFileWriter(engine, table, { signal, newFiles, targetFileSize });
  const files = matches.map(({ file }) => file);
  for await (const batch of scan.readFiles(engine, files, { signal })) {
    const isMatch = await test(batch);
    const kept = batch.select(Uint8Array.from({ length: batch.length }, (_, row) => (isMatch(row) ? 0 : 1)));
    await writer.add(kept as ArrowEngineData);
  }
  return { added: await writer.finish(), preservesRowIds: hidden !== undefined };
}

/**
 * Writes the deleted rows of whole files and rewritten ones alike: readers of a version that has change files take
 * nothing else of it (`PROTOCOL.md`, "Add CDC File").
 */
export async function writeDeletedRows(
  { engine, snapshot }: WriteTarget,
  transaction: Transaction<Snapshot>,
  matches: readonly FileMatch[],
  predicate: Predicate,
  { signal, newFiles }: NewFilesOptions,
): Promise<CdcFile[]> {
  const table = await dataFileTable(engine, snapshot, transaction, { signal });
  const scan = snapshot.scan({ predicate });
  const test = rowTest(engine, scan.logicalSchema, predicate);
  const written: CdcFile[] = [];
  for (const { file } of matches) {
    const deleted: ArrowEngineData[] = [];
    for await (const batch of scan.readFiles(engine, [file], { signal })) {
      const isMatch = await test(batch);
      const rows = batch.select(
        Uint8Array.from({ length: batch.length }, (_, row) => (isMatch(row) ? 1 : 0)),
      );
      if (rows.length > 0) deleted.push(rows as ArrowEngineData);
    }
    const [first] = deleted;
    if (first === undefined) continue;
    const { values } = splitByPartition(first, table.partitionColumns)[0]!;
    written.push(
      await writeChangeFile(engine, table.context(values), deleted, 'delete', table, { signal, newFiles }),
    );
  }
  return written;
}

/** Where the table tracks rows: they keep their ids and versions in hidden columns of the new file. */
function rowTrackingColumns(
  snapshot: Snapshot,
): { rowId: HiddenColumn; rowCommitVersion: HiddenColumn } | undefined {
  const { tableProperties: properties, schema } = snapshot;
  if (!properties.enableRowTracking || properties.rowTrackingSuspended) return undefined;
  const { materializedRowIdColumnName: id, materializedRowCommitVersionColumnName: version } = properties;
  if (id === undefined || version === undefined) {
    const message = 'rows cannot be rewritten: the table tracks rows, but names no columns for their ids';
    throw new DeltaError('Unsupported', message, { feature: 'rowTracking' });
  }
  const hasIds = properties.columnMappingMode !== 'none';
  const physical = (name: string, fieldId: number): StructField => {
    return field(name, types.long, { metadata: hasIds ? { [METADATA_KEYS.parquetFieldId]: fieldId } : {} });
  };
  return {
    rowId: { column: unusedName(schema, '_row_id'), physical: physical(id, ROW_ID_FIELD) },
    rowCommitVersion: {
      column: unusedName(schema, '_row_commit_version'),
      physical: physical(version, ROW_COMMIT_VERSION_FIELD),
    },
  };
}
