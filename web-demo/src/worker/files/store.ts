/** The live files of a version as columns: no object per file, since there may be hundreds of thousands. */

import {
  type DeltaTable,
  type EngineData,
  type Expression,
  type ExpressionEvaluator,
  type FilteredEngineData,
  field,
  type ScanFile,
  scanFileSchema,
  types,
  visitScanFiles,
} from 'delta-kernel-web';
import { breathe } from '../breathe.ts';
import { partitionKeys } from '../columns.ts';
import type { Work } from '../context.ts';
import type { FileRow, FilesSummary, VectorKind } from '../protocol-files.ts';
import { Partitions } from './partitions.ts';

/** Characters of statistics that are kept; those of further files are read anew when somebody looks. */
const MAX_STATS = 64 * 2 ** 20;

const VECTOR_KINDS: Readonly<Record<string, VectorKind>> = {
  i: 'inline',
  u: 'in a file',
  p: 'in a file elsewhere',
};

interface HeldBatch {
  /** Index of its first file. */
  readonly first: number;
  readonly data: EngineData;
  readonly hasStats: boolean;
}

export class FileStore {
  readonly table: DeltaTable;
  /** What the list is of: the table itself moves on with its commits. */
  readonly snapshot: DeltaTable['snapshot'];
  readonly paths: string[] = [];
  readonly sizes: number[] = [];
  /** Live rows; NaN where statistics do not count them. */
  readonly rows: number[] = [];
  readonly deleted: number[] = [];
  readonly times: number[] = [];
  readonly vectors: (VectorKind | null)[] = [];
  readonly partitions: Partitions;
  readonly #held: HeldBatch[] = [];
  #indexes: Map<string, number> | undefined;
  #keptStats = 0;

  constructor(table: DeltaTable) {
    this.table = table;
    this.snapshot = table.snapshot;
    this.partitions = new Partitions(partitionKeys(table));
  }

  get length(): number {
    return this.paths.length;
  }

  /** Reads the whole list. `maxStats`: characters of statistics that are kept. */
  static async load(
    { table, signal, report }: Pick<Work, 'table' | 'signal' | 'report'>,
    { maxStats = MAX_STATS } = {},
  ): Promise<FileStore> {
    const store = new FileStore(table);
    const total = store.snapshot.checksum?.numFiles;
    const counter = recordCounter(table);
    const withoutStats = dropStats(table);
    for await (const { scanFiles } of store.snapshot.scan().scanMetadata(table.engine, { signal })) {
      const data = scanFiles.data.select(scanFiles.selectionVector);
      const records = (await counter.evaluate(data)).column(['numRecords'])!;
      const hasStats = store.#keptStats < maxStats;
      const first = store.length;
      for (const file of visitScanFiles(allOf(data)))
        store.#add(file, records.getNumber(store.length - first));
      store.#held.push({ first, data: hasStats ? data : await withoutStats.evaluate(data), hasStats });
      report({ done: store.length, unit: 'files', ...(total !== undefined && { total }) });
      await breathe();
    }
    signal.throwIfAborted();
    return store;
  }

  /** @param records rows of the file, deleted ones among them; null where its statistics do not count them. */
  #add(file: ScanFile, records: number | null): void {
    const deleted = file.deletionVector?.cardinality ?? 0;
    this.#keptStats += file.stats?.length ?? 0;
    this.paths.push(file.path);
    this.sizes.push(file.size);
    this.rows.push(records === null || records < deleted ? Number.NaN : records - deleted);
    this.deleted.push(deleted);
    this.times.push(file.modificationTime);
    this.vectors.push(file.deletionVector ? (VECTOR_KINDS[file.deletionVector.storageType] ?? null) : null);
    this.partitions.add(file.partitionValues);
  }

  indexOf(path: string): number | undefined {
    this.#indexes ??= new Map(this.paths.map((each, index) => [each, index]));
    return this.#indexes.get(path);
  }

  row(index: number): FileRow {
    const rows = this.rows[index]!;
    return {
      path: this.paths[index]!,
      size: this.sizes[index]!,
      rows: Number.isNaN(rows) ? null : rows,
      deletedRows: this.deleted[index]!,
      vector: this.vectors[index]!,
      time: this.times[index]!,
      partition: this.partitions.valuesOf(index),
    };
  }

  /** All that the log says of a file. */
  async file(index: number, { signal, report }: Pick<Work, 'signal' | 'report'>): Promise<ScanFile> {
    const held = this.#held.findLast(({ first }) => first <= index)!;
    if (!held.hasStats) return this.#reread(index, { signal, report });
    return nth(held.data, index - held.first);
  }

  async #reread(index: number, { signal, report }: Pick<Work, 'signal' | 'report'>): Promise<ScanFile> {
    let first = 0;
    for await (const { scanFiles } of this.table.snapshot
      .scan()
      .scanMetadata(this.table.engine, { signal })) {
      const end = this.#held.find((held) => held.first > first)?.first ?? this.length;
      if (index < end) return nth(scanFiles.data.select(scanFiles.selectionVector), index - first);
      first = end;
      report({ done: first, total: index, unit: 'files' });
      await breathe();
    }
    throw new Error('the log has fewer files than before');
  }

  summary(): FilesSummary {
    const { sizes, rows, deleted, vectors } = this;
    const uncounted = rows.reduce((count, each) => count + (Number.isNaN(each) ? 1 : 0), 0);
    return {
      files: this.length,
      bytes: sum(sizes),
      rows: uncounted > 0 ? null : sum(rows),
      uncounted,
      deletedRows: sum(deleted),
      filesWithVectors: vectors.reduce((count, kind) => count + (kind === null ? 0 : 1), 0),
      smallest: sizes.reduce((least, each) => Math.min(least, each), sizes[0] ?? 0),
      largest: sizes.reduce((most, each) => Math.max(most, each), 0),
      partitionColumns: [...this.table.metadata.partitionColumns],
      partitions: this.partitions.count,
    };
  }
}

function nth(data: EngineData, n: number): ScanFile {
  const [file] = visitScanFiles(allOf(data.slice(n, n + 1)));
  if (file === undefined) throw new Error('no such file in its batch');
  return file;
}

/** No selection selects all. */
function allOf(data: EngineData): FilteredEngineData {
  return { data, selectionVector: new Uint8Array(0) };
}

const countSchema = types.struct([field('numRecords', types.long)]);

function recordCounter({ engine }: DeltaTable): ExpressionEvaluator {
  return engine.evaluationHandler.newExpressionEvaluator(
    scanFileSchema,
    { kind: 'parseJson', input: { kind: 'column', path: ['stats'] }, schema: countSchema },
    countSchema,
  );
}

/** The same rows without statistics. */
function dropStats({ engine }: DeltaTable): ExpressionEvaluator {
  const fields = scanFileSchema.fields.map(({ name }): Expression => {
    if (name !== 'stats') return { kind: 'column', path: [name] };
    return { kind: 'literal', literal: { type: types.string, value: null } };
  });
  return engine.evaluationHandler.newExpressionEvaluator(
    scanFileSchema,
    { kind: 'struct', fields },
    scanFileSchema,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
