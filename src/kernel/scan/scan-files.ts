/** Live files: the columnar form that planning gives, and the same as values for those who read the files. */
import { parse } from 'lossless-json';
import { DeltaError } from '../../errors.ts';
import { deletionVectorSchema } from '../actions/schemas.ts';
import type { DeletionVectorDescriptor } from '../actions/types.ts';
import { descriptorAt, descriptorColumns } from '../deletion-vector/descriptor.ts';
import type { FileMeta } from '../engine.ts';
import { type Column, type FilteredEngineData, isSelected } from '../engine-data.ts';
import type { Expression } from '../expressions/types.ts';
import { resolvePath } from '../paths.ts';
import { field, type StructType, types } from '../schema/types.ts';

const stringMap = types.map(types.string, types.string);

/**
 * The rows of planning: one live file each. `stats` is JSON text, null where a file has none or the scan was not to
 * carry it; keys of `partitionValues` are physical names.
 */
export const scanFileSchema: StructType = types.struct([
  field('path', types.string),
  field('size', types.long),
  field('modificationTime', types.long),
  field('stats', types.string),
  field('deletionVector', deletionVectorSchema),
  field(
    'fileConstantValues',
    types.struct([
      field('partitionValues', stringMap),
      field('tags', stringMap),
      field('baseRowId', types.long),
      field('defaultRowCommitVersion', types.long),
      field('clusteringProvider', types.string),
    ]),
  ),
]);

/** A live data file, with all that is needed to read its rows. */
export interface ScanFile {
  /** As the log has it: a URI, relative to the table root or absolute. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modificationTime: number;
  /** JSON text. */
  readonly stats?: string | undefined;
  /** By physical column name, as text. */
  readonly partitionValues: Readonly<Record<string, string | null>>;
  readonly tags?: Readonly<Record<string, string | null>> | undefined;
  readonly deletionVector?: DeletionVectorDescriptor | undefined;
  readonly baseRowId?: bigint | undefined;
  readonly defaultRowCommitVersion?: number | undefined;
  readonly clusteringProvider?: string | undefined;
}

/** Visits the selected rows of a batch of {@link scanFileSchema}. Errors name the file. */
export function* visitScanFiles({ data, selectionVector }: FilteredEngineData): Generator<ScanFile, void> {
  const column = (...path: string[]): Column => {
    const found = data.column(path);
    if (found === undefined) throw new DeltaError('Schema', `scan files without a column ${path.join('.')}`);
    return found;
  };
  const [path, size, time, stats] = ['path', 'size', 'modificationTime', 'stats'].map((name) => column(name));
  const constant = (name: string) => column('fileConstantValues', name);
  const partitionValues = constant('partitionValues');
  const tags = constant('tags');
  const baseRowId = constant('baseRowId');
  const version = constant('defaultRowCommitVersion');
  const provider = constant('clusteringProvider');
  const vectors = descriptorColumns(data, ['deletionVector']);
  for (let row = 0; row < data.length; row += 1) {
    if (!isSelected(selectionVector, row)) continue;
    const name = path!.getString(row);
    if (name === null) continue;
    yield {
      path: name,
      size: required(size!.getNumber(row), 'size', name),
      modificationTime: time!.getNumber(row) ?? 0,
      stats: stats!.getString(row) ?? undefined,
      partitionValues: Object.fromEntries(partitionValues.getStringMap(row) ?? []),
      tags: objectOf(tags.getStringMap(row)),
      deletionVector: descriptorAt(vectors, row, name),
      baseRowId: baseRowId.getBigInt(row) ?? undefined,
      defaultRowCommitVersion: version.getNumber(row) ?? undefined,
      clusteringProvider: provider.getString(row) ?? undefined,
    };
  }
}

function required(value: number | null, name: string, path: string): number {
  if (value !== null && value >= 0) return value;
  throw new DeltaError('InvalidLog', `the file ${path} is added with ${name} ${value}`, { path });
}

function objectOf(map: Map<string, string | null> | null): Record<string, string | null> | undefined {
  return map === null ? undefined : Object.fromEntries(map);
}

/**
 * Rows of a file that are not deleted: `numRecords` of its statistics counts rows of the file, and the deletion
 * vector's are taken off. Undefined where the statistics do not say.
 */
export function liveRecords({ stats, deletionVector }: ScanFile): number | undefined {
  if (stats === undefined) return undefined;
  const records = numRecordsOf(stats);
  if (records === undefined) return undefined;
  const live = records - (deletionVector?.cardinality ?? 0);
  return live >= 0 ? live : undefined;
}

function numRecordsOf(stats: string): number | undefined {
  let parsed: unknown;
  try {
    parsed = parse(stats);
  } catch (error) {
    // Statistics of other writers are not to be trusted: text that is no JSON says nothing.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const value = Number((parsed as { numRecords?: unknown } | null)?.numRecords ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Where a file is, as Parquet handlers take it. */
export function dataFileMeta(tableRoot: URL, { path, size, modificationTime }: ScanFile): FileMeta {
  return { location: resolvePath(tableRoot, path), size, lastModified: modificationTime };
}

/** The transforms of the rows of one batch, built when asked for. */
export interface ScanTransforms {
  /** As many as the batch has rows. */
  readonly length: number;
  /** What makes logical rows of the physical ones of the file at `row`; undefined where that is nothing. */
  at(row: number): Expression | undefined;
}

/** A batch of planning: see {@link scanFileSchema}. */
export interface ScanMetadata {
  readonly scanFiles: FilteredEngineData;
  readonly transforms: ScanTransforms;
}
