/** Data files: batches are gathered per partition and written to Parquet, with their statistics. */
import type { Data } from 'apache-arrow';
import type { ArrowEngineData } from '../../engine/arrow-engine-data.ts';
import type { Engine, Runtime } from '../../kernel/engine.ts';
import type { EngineData } from '../../kernel/engine-data.ts';
import type { Expression, Scalar } from '../../kernel/expressions/types.ts';
import { field, type StructField, type StructType, types } from '../../kernel/schema/types.ts';
import { StatsCollector } from '../../kernel/statistics/collector.ts';
import type { TableProperties } from '../../kernel/table-properties.ts';
import type { AddFile, CdcFile } from '../../kernel/transaction/file-actions.ts';
import type { WriteContext } from '../../kernel/transaction/write-context.ts';
import type { NewFilesOptions } from './new-files.ts';
import { splitByPartition } from './partitions.ts';
import { compressionOf } from './settings.ts';

export interface DataFileOptions extends NewFilesOptions {
  /** Bytes of a file, about. */
  readonly targetFileSize: number;
}

export interface HiddenColumn {
  /** Name in the batches. */
  readonly column: string;
  readonly physical: StructField;
}

/** What the files are part of. */
export interface DataFileTable {
  readonly partitionColumns: readonly string[];
  readonly properties: TableProperties;
  readonly runtime: Runtime;
  readonly tableRoot: URL;
  readonly version: number;
  /** Columns that batches have beside the table's, and their form in files (materialised row ids). */
  readonly hiddenColumns?: readonly HiddenColumn[] | undefined;
  /** Where files of these partition values (by logical name) go. */
  context(values: Readonly<Record<string, Scalar>>): WriteContext;
}

/** Batches in memory, of all partitions together, before the largest is written ahead of time. */
const MAX_BUFFERED_BYTES = 256 << 20;

/** Files on their way to the storage at the same time. */
const FILES_AT_ONCE = 4;

interface Partition {
  readonly context: WriteContext;
  batches: ArrowEngineData[];
  bytes: number;
}

/** Writes the files of one change. */
export class DataFileWriter {
  readonly #engine: Engine;
  readonly #table: DataFileTable;
  readonly #options: DataFileOptions;
  readonly #partitions = new Map<string, Partition>();
  readonly #files: AddFile[] = [];
  #buffered = 0;
  /** Bytes of files per byte in memory, as the last file had it. */
  #ratio = 1;

  constructor(engine: Engine, table: DataFileTable, options: DataFileOptions) {
    this.#engine = engine;
    this.#table = table;
    this.#options = options;
  }

  /** Takes rows of the table's schema; throws `InvalidPartitionValues`, and what writing a file throws. */
  async add(batch: ArrowEngineData): Promise<void> {
    for (const { key, values, rows } of splitByPartition(batch, this.#table.partitionColumns)) {
      const partition = this.#partition(key, values);
      const bytes = bytesOf(rows);
      partition.batches.push(rows);
      partition.bytes += bytes;
      this.#buffered += bytes;
      if (partition.bytes * this.#ratio >= this.#options.targetFileSize) await this.#write(partition);
    }
    while (this.#buffered > MAX_BUFFERED_BYTES) {
      const largest = [...this.#partitions.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
      await this.#write(largest);
    }
  }

  /** Writes what is left, a few files at a time. @returns all files. */
  async finish(): Promise<readonly AddFile[]> {
    const rest = [...this.#partitions.values()].filter(({ batches }) => batches.length > 0);
    const files = new Array<AddFile | undefined>(rest.length);
    let next = 0;
    const lane = async () => {
      while (next < rest.length) {
        const index = next++;
        try {
          files[index] = await this.#writeFile(rest[index]!);
        } catch (error) {
          // The other lanes begin no more files.
          next = rest.length;
          throw error;
        }
      }
    };
    // All lanes end before a failure shows, so that nothing is written behind the caller's back.
    const lanes = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, lane));
    for (const each of lanes) if (each.status === 'rejected') throw each.reason;
    return [...this.#files, ...files.filter((file) => file !== undefined)];
  }

  #partition(key: string, values: Readonly<Record<string, Scalar>>): Partition {
    let partition = this.#partitions.get(key);
    if (partition === undefined) {
      partition = { context: this.#table.context(values), batches: [], bytes: 0 };
      this.#partitions.set(key, partition);
    }
    return partition;
  }

  async #write(partition: Partition): Promise<void> {
    if (partition.batches.length > 0) this.#files.push(await this.#writeFile(partition));
  }

  async #writeFile(partition: Partition): Promise<AddFile> {
    const { context, batches, bytes } = partition;
    this.#buffered -= bytes;
    partition.batches = [];
    partition.bytes = 0;
    const { location, path } = context.newFile();
    this.#options.newFiles.add(location);
    const file = await writeFile(this.#engine, context, batches, location, this.#table, this.#options.signal);
    this.#ratio = Math.min(1, file.size / Math.max(bytes, 1));
    return { path, ...file };
  }
}

/** One Parquet file of logical batches, with the statistics that the table has. */
async function writeFile(
  engine: Engine,
  context: WriteContext,
  batches: readonly ArrowEngineData[],
  location: URL,
  { properties, runtime, hiddenColumns = [] }: DataFileTable,
  signal: AbortSignal | undefined,
): Promise<Omit<AddFile, 'path'>> {
  const stats = new StatsCollector(context.statsColumns);
  const form = extended(
    context,
    hiddenColumns.map(({ column, physical }) => [physical, { kind: 'column', path: [column] }]),
  );
  const physical = physicalBatches(engine, form, batches, stats);
  const compression = compressionOf(properties);
  const { size, lastModified } = await engine.parquetHandler.writeParquetFile(location, physical, {
    signal,
    compression,
  });
  return {
    partitionValues: context.partitionValues,
    size,
    modificationTime: lastModified || runtime.now(),
    stats: stats.toJson(),
  };
}

/** How logical batches become physical ones. */
interface PhysicalForm {
  readonly schema: StructType;
  readonly expression: Expression;
}

function extended(
  { physicalSchema, logicalToPhysical }: WriteContext,
  columns: readonly (readonly [StructField, Expression])[],
): PhysicalForm {
  if (logicalToPhysical.kind !== 'struct') throw new TypeError('a write context gives a struct of columns');
  const fields = [...logicalToPhysical.fields, ...columns.map(([, expression]) => expression)];
  return {
    schema: types.struct([...physicalSchema.fields, ...columns.map(([each]) => each)]),
    expression: { ...logicalToPhysical, fields },
  };
}

async function* physicalBatches(
  engine: Engine,
  { schema, expression }: PhysicalForm,
  batches: readonly ArrowEngineData[],
  stats: StatsCollector | undefined,
): AsyncGenerator<EngineData, void, undefined> {
  const [first] = batches;
  const evaluator = engine.evaluationHandler.newExpressionEvaluator(first!.schema, expression, schema);
  for (const batch of batches) {
    const physical = await evaluator.evaluate(batch);
    stats?.add(physical);
    yield physical;
  }
}

/** Name of the column that says what became of a row (`PROTOCOL.md`, "Change Data Files"). */
const CHANGE_TYPE = '_change_type';

/** A file of rows (at least one batch) that were all changed in one way. */
export async function writeChangeFile(
  engine: Engine,
  context: WriteContext,
  batches: readonly ArrowEngineData[],
  change: 'insert' | 'delete',
  table: DataFileTable,
  { signal, newFiles }: NewFilesOptions,
): Promise<CdcFile> {
  const literal: Expression = { kind: 'literal', literal: { type: types.string, value: change } };
  const form = extended(context, [[field(CHANGE_TYPE, types.string), literal]]);
  const { location, path } = context.newChangeFile();
  newFiles.add(location);
  const physical = physicalBatches(engine, form, batches, undefined);
  const compression = compressionOf(table.properties);
  const { size } = await engine.parquetHandler.writeParquetFile(location, physical, { signal, compression });
  return { path, partitionValues: context.partitionValues, size };
}

function bytesOf({ recordBatch }: ArrowEngineData): number {
  return recordBatch.data.children.reduce((sum, child) => sum + dataBytes(child), 0);
}

/** Bytes of the rows of a column alone: slices share the buffers of texts and lists with the whole. */
function dataBytes(data: Data): number {
  const { length, children, valueOffsets: offsets, values } = data;
  const bits = Math.ceil(length / 8);
  if (!offsets)
    return bits + (values?.byteLength ?? 0) + children.reduce((sum, child) => sum + dataBytes(child), 0);
  const items = Number(offsets[length]) - Number(offsets[0]);
  const [child] = children;
  const perItem = child === undefined ? 1 : dataBytes(child) / Math.max(child.length, 1);
  return bits + 4 * length + items * perItem;
}
