/** Row groups and pages that a predicate provably excludes, by the statistics in footers and page indexes. */
import type { RecordBatch } from 'apache-arrow';
import { skippingPredicate } from '../kernel/expressions/skipping.ts';
import type { Predicate } from '../kernel/expressions/types.ts';
import { referencedColumns } from '../kernel/expressions/visit.ts';
import { type DataType, field, type StructField, type StructType, types } from '../kernel/schema/types.ts';
import { ArrowColumn } from './arrow-column.ts';
import type { ParquetFile } from './parquet-file.ts';
import type { ByteRange, CompiledCore, RowRanges, WasmCore } from './wasm/core.ts';

/** Decides for one read; `free()` it when the read ends. */
export interface FilePruner {
  /** For each row group: whether it must be read. */
  rowGroups(file: ParquetFile): boolean[];
  /**
   * The rows of a row group that must be read, by its page index; undefined: all of them. `bytes` is what reading the
   * whole row group would cost.
   */
  rows(
    file: ParquetFile,
    rowGroup: number,
    bytes: number,
    signal: AbortSignal | undefined,
  ): Promise<RowRanges | undefined>;
  free(): void;
}

/** Undefined where the predicate gives nothing to prune by. */
export function filePruner(
  core: WasmCore,
  schema: StructType,
  predicate: Predicate,
  options: { pageIndexMinBytes: number },
): FilePruner | undefined {
  const columns = leavesAt(schema, referencedColumns(predicate));
  const skipping = columns && skippingPredicate(predicate, { source: 'footer', schema: columns });
  if (!skipping) return undefined;
  return new StatsPruner(
    core.compilePredicate(statsSchema(columns), skipping),
    schema,
    columns,
    options.pageIndexMinBytes,
  );
}

class StatsPruner implements FilePruner {
  readonly #compiled: CompiledCore;
  readonly #schema: StructType;
  readonly #columns: StructType;
  readonly #minBytes: number;
  /** Page indexes are read once per file. */
  readonly #indexed = new WeakMap<ParquetFile, Promise<boolean>>();

  constructor(compiled: CompiledCore, schema: StructType, columns: StructType, minBytes: number) {
    this.#compiled = compiled;
    this.#schema = schema;
    this.#columns = columns;
    this.#minBytes = minBytes;
  }

  rowGroups(file: ParquetFile): boolean[] {
    return file.step(() => this.#keep(file.core.rowGroupStats(this.#columns)));
  }

  async rows(
    file: ParquetFile,
    rowGroup: number,
    bytes: number,
    signal: AbortSignal | undefined,
  ): Promise<RowRanges | undefined> {
    if (bytes < this.#minBytes || !(await this.#loadIndex(file, signal))) return undefined;
    return file.step(() => {
      const pages = file.core.pageStats(this.#columns, rowGroup);
      if (!pages) return undefined;
      const keep = this.#keep(pages.stats);
      return keep.every(Boolean) ? undefined : joined(pages.rows.filter((_, page) => keep[page]));
    });
  }

  free(): void {
    this.#compiled.free();
  }

  #loadIndex(file: ParquetFile, signal: AbortSignal | undefined): Promise<boolean> {
    let loading = this.#indexed.get(file);
    if (!loading) {
      loading = this.#readIndex(file, signal);
      this.#indexed.set(file, loading);
    }
    return loading;
  }

  async #readIndex(file: ParquetFile, signal: AbortSignal | undefined): Promise<boolean> {
    // Of all columns that are read, since where their pages lie decides what needs not be read.
    const ranges = file.step(() => file.core.pageIndexRanges(this.#schema));
    if (ranges.length === 0) return false;
    // Page indexes lie side by side before the footer, and the core takes them as one piece.
    const chunks = await file.read(
      [{ start: ranges[0]!.start, end: Math.max(...ranges.map((r) => r.end)) }],
      signal,
    );
    file.step(() => file.core.loadPageIndex(chunks));
    return true;
  }

  /** Only what is exactly false may go. */
  #keep(stats: RecordBatch): boolean[] {
    const output = new ArrowColumn('output', types.boolean, this.#compiled.evaluate(stats).data.children[0]!);
    return Array.from({ length: stats.numRows }, (_, row) => output.getBoolean(row) !== false);
  }
}

function joined(rows: RowRanges): RowRanges {
  const out: { start: number; end: number }[] = [];
  for (const { start, end } of rows) {
    const last = out.at(-1);
    if (last?.end === start) last.end = end;
    else out.push({ start, end } satisfies ByteRange);
  }
  return out;
}

/** The statistics that the core gives for `columns`. */
export function statsSchema(columns: StructType): StructType {
  return types.struct([
    field('numRecords', types.long),
    field(
      'nullCount',
      mapLeaves(columns, () => types.long),
    ),
    field(
      'minValues',
      mapLeaves(columns, (type) => type),
    ),
    field(
      'maxValues',
      mapLeaves(columns, (type) => type),
    ),
  ]);
}

function mapLeaves(struct: StructType, leaf: (type: DataType) => DataType): StructType {
  return types.struct(
    struct.fields.map((f) =>
      field(f.name, f.type.kind === 'struct' ? mapLeaves(f.type, leaf) : leaf(f.type)),
    ),
  );
}

/** The parts of `schema` that hold the leaves at `paths`; undefined where there are none with statistics. */
function leavesAt(schema: StructType, paths: readonly (readonly string[])[]): StructType | undefined {
  const fields: StructField[] = [];
  for (const each of schema.fields) {
    const below = paths.filter((path) => path[0] === each.name).map((path) => path.slice(1));
    if (below.length === 0) continue;
    if (each.type.kind === 'struct') {
      const type = leavesAt(each.type, below);
      if (type) fields.push({ ...each, type });
    } else if (below.some((path) => path.length === 0) && hasStatistics(each)) fields.push(each);
  }
  return fields.length > 0 ? types.struct(fields) : undefined;
}

function hasStatistics({ type, metadata }: StructField): boolean {
  return (type.kind === 'primitive' || type.kind === 'decimal') && !('delta.metadataColumn' in metadata);
}
