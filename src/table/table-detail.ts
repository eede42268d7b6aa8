/** What a table is, in one object, and how many rows its log says that it has. */
import { isDeltaError } from '../errors.ts';
import type { Protocol } from '../kernel/actions/types.ts';
import type { CallOptions, Engine } from '../kernel/engine.ts';
import { isSelected } from '../kernel/engine-data.ts';
import type { Scan } from '../kernel/scan/scan.ts';
import { scanFileSchema } from '../kernel/scan/scan-files.ts';
import { field, type StructType, types } from '../kernel/schema/types.ts';
import type { Snapshot } from '../kernel/snapshot/snapshot.ts';

export interface TableDetail {
  /** Without query. */
  readonly location: string;
  readonly version: number;
  /** Of the version, in ms since the epoch; null where neither log nor storage tells it any more. */
  readonly timestamp: number | null;
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  /** When the table was made, in ms since the epoch. */
  readonly createdTime: number | null;
  readonly protocol: Protocol;
  readonly schema: StructType;
  readonly partitionColumns: readonly string[];
  /** As paths of names; null where the table is not clustered. */
  readonly clusteringColumns: readonly (readonly string[])[] | null;
  /** As stored. */
  readonly properties: Readonly<Record<string, string>>;
  readonly numFiles: number;
  readonly sizeInBytes: number;
  /** Live rows; null where a file has no count in its statistics. */
  readonly numRecords: number | null;
  /** Rows that deletion vectors hide. */
  readonly numDeletedRecords: number;
}

/** Sums over the live files of a table. */
export interface FileTotals {
  readonly numFiles: number;
  readonly sizeInBytes: number;
  readonly numRecords: number | null;
  readonly numDeletedRecords: number;
}

export async function tableDetail(
  engine: Engine,
  snapshot: Snapshot,
  options: CallOptions,
): Promise<TableDetail> {
  const [timestamp, clusteringColumns, totals] = await Promise.all([
    knownTimestamp(engine, snapshot, options),
    snapshot.clusteringColumns(engine, options),
    fileTotals(engine, snapshot.scan(), options),
  ]);
  const { metadata, protocol, schema, tableRoot, version } = snapshot;
  return {
    location: tableRoot.href.replace(/[?#].*$/s, ''),
    version,
    timestamp,
    id: metadata.id,
    name: metadata.name ?? null,
    description: metadata.description ?? null,
    createdTime: metadata.createdTime ?? null,
    protocol,
    schema,
    partitionColumns: metadata.partitionColumns,
    clusteringColumns: clusteringColumns ?? null,
    properties: metadata.configuration,
    ...totals,
  };
}

/** A log that was cleaned up behind a checkpoint is whole, but no longer says when the version was made. */
async function knownTimestamp(
  engine: Engine,
  snapshot: Snapshot,
  options: CallOptions,
): Promise<number | null> {
  try {
    return await snapshot.timestamp(engine, options);
  } catch (error) {
    if (isDeltaError(error, 'MissingData')) return null;
    throw error;
  }
}

const countSchema = types.struct([field('numRecords', types.long)]);

/**
 * Sums over the files of a scan, column by column. `numRecords` of a file's statistics counts deleted rows, whatever
 * else a deletion vector did to the statistics (`PROTOCOL.md`, "Per-file Statistics").
 */
export async function fileTotals(engine: Engine, scan: Scan, { signal }: CallOptions): Promise<FileTotals> {
  const counts = engine.evaluationHandler.newExpressionEvaluator(
    scanFileSchema,
    { kind: 'parseJson', input: { kind: 'column', path: ['stats'] }, schema: countSchema },
    countSchema,
  );
  let [numFiles, sizeInBytes, numDeletedRecords] = [0, 0, 0];
  let numRecords: number | null = 0;
  for await (const { scanFiles } of scan.scanMetadata(engine, { signal })) {
    const { data, selectionVector } = scanFiles;
    const size = data.column(['size'])!;
    const cardinality = data.column(['deletionVector', 'cardinality'])!;
    const records = (await counts.evaluate(data)).column(['numRecords'])!;
    for (let row = 0; row < data.length; row += 1) {
      if (!isSelected(selectionVector, row)) continue;
      const deleted = cardinality.getNumber(row) ?? 0;
      const count = believable(records.getBigInt(row), deleted);
      numFiles += 1;
      sizeInBytes += size.getNumber(row) ?? 0;
      numDeletedRecords += deleted;
      numRecords = numRecords === null || count === null ? null : numRecords + count - deleted;
    }
  }
  return { numFiles, sizeInBytes, numRecords, numDeletedRecords };
}

/** Statistics of other writers: a count of rows, unless it is none. */
function believable(records: bigint | null, deleted: number): number | null {
  const count = Number(records ?? -1);
  return count >= deleted && Number.isSafeInteger(count) ? count : null;
}
