/** Files that a transaction adds, as values and as batches; what the log needs of a file that it removes. */
import { DeltaError } from '../../errors.ts';
import type { DeletionVectorDescriptor } from '../actions/types.ts';
import type { Engine } from '../engine.ts';
import type { Column, EngineData, FilteredEngineData } from '../engine-data.ts';
import { type ScanFile, visitScanFiles } from '../scan/scan-files.ts';
import { type DataType, field, type StructType, types } from '../schema/types.ts';

const stringMap = types.map(types.string, types.string);

/** A data file that was written and is to become part of the table. */
export interface AddFile {
  /** As the log stores it: URI-encoded, relative to the table root (`WriteContext.newFile`) or absolute. */
  readonly path: string;
  /** By physical column name (`WriteContext.partitionValues`), one per partition column. */
  readonly partitionValues: Readonly<Record<string, string | null>>;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modificationTime: number;
  /** JSON text (`PROTOCOL.md`, "Per-file Statistics"). */
  readonly stats?: string | undefined;
  readonly tags?: Readonly<Record<string, string | null>> | undefined;
  readonly clusteringProvider?: string | undefined;
  /** Only of a file that is in the table already: what it has must stay (`PROTOCOL.md`, "Row Tracking"). */
  readonly baseRowId?: bigint | undefined;
  readonly defaultRowCommitVersion?: number | undefined;
  readonly deletionVector?: DeletionVectorDescriptor | undefined;
}

/** A file of changed rows (`PROTOCOL.md`, "Add CDC File"). */
export type CdcFile = Pick<AddFile, 'path' | 'partitionValues' | 'size' | 'tags'>;

/** A new deletion vector of a live file, which takes the place of the one that it has. */
export interface DeletionVectorUpdate {
  readonly file: ScanFile;
  readonly deletionVector: DeletionVectorDescriptor;
}

/**
 * The columns of batches of files to add. `stats` may instead be a struct of `numRecords`, `nullCount`, `minValues`,
 * `maxValues` and `tightBounds`; `tags` may be missing.
 */
export const addFilesSchema: StructType = types.struct([
  field('path', types.string, { nullable: false }),
  field('partitionValues', stringMap, { nullable: false }),
  field('size', types.long, { nullable: false }),
  field('modificationTime', types.long, { nullable: false }),
  field('stats', types.string),
  field('tags', stringMap),
]);

/** Files of one call: values, or a batch of {@link addFilesSchema}. */
export type FileBatch<T> = EngineData | readonly T[];

/** Throws `Schema` for a batch that lacks a column, `InvalidTransactionState` for a row that lacks a value. */
export async function addFilesOf(engine: Engine, batch: FileBatch<AddFile>): Promise<readonly AddFile[]> {
  if (!isBatch(batch)) return batch;
  const required = requiredColumns(batch);
  const time = columnOf(batch, 'modificationTime');
  const stats = await statsText(engine, batch);
  const provider = batch.column(['clusteringProvider']);
  return Array.from({ length: batch.length }, (_, row) => ({
    ...required(row),
    modificationTime: present(time.getNumber(row), 'modificationTime'),
    stats: stats?.getString(row) ?? undefined,
    clusteringProvider: provider?.getString(row) ?? undefined,
  }));
}

export function cdcFilesOf(batch: FileBatch<CdcFile>): readonly CdcFile[] {
  if (!isBatch(batch)) return batch;
  const required = requiredColumns(batch);
  return Array.from({ length: batch.length }, (_, row) => required(row));
}

/** Files of a scan of the version that the transaction reads: values, or batches of planning. */
export function scanFilesOf(files: FilteredEngineData | Iterable<ScanFile>): ScanFile[] {
  return 'selectionVector' in files ? [...visitScanFiles(files)] : [...files];
}

function isBatch<T>(batch: FileBatch<T>): batch is EngineData {
  return 'schema' in batch;
}

function requiredColumns(batch: EngineData): (row: number) => CdcFile {
  const path = columnOf(batch, 'path');
  const partitionValues = columnOf(batch, 'partitionValues');
  const size = columnOf(batch, 'size');
  const tags = batch.column(['tags']);
  return (row) => {
    const tagMap = tags?.getStringMap(row) ?? undefined;
    return {
      path: present(path.getString(row), 'path'),
      partitionValues: Object.fromEntries(present(partitionValues.getStringMap(row), 'partitionValues')),
      size: present(size.getNumber(row), 'size'),
      tags: tagMap && Object.fromEntries(tagMap),
    };
  };
}

function columnOf(batch: EngineData, name: string): Column {
  const column = batch.column([name]);
  if (column !== undefined) return column;
  throw new DeltaError('Schema', `the batch of files has no column ${name}`, { column: name });
}

function present<T>(value: T | null, name: string): T {
  if (value !== null) return value;
  throw new DeltaError('InvalidTransactionState', `a file without ${name}`, { column: name });
}

async function statsText(engine: Engine, batch: EngineData): Promise<Column | undefined> {
  const stats = batch.column(['stats']);
  const type: DataType | undefined = stats?.type;
  if (type === undefined || type.kind !== 'struct') return stats;
  const evaluator = engine.evaluationHandler.newExpressionEvaluator(
    batch.schema,
    { kind: 'toJson', input: { kind: 'column', path: ['stats'] } },
    types.string,
  );
  return (await evaluator.evaluate(batch)).column(['output']);
}
