/**
 * Row groups and pages that a predicate provably excludes: by the statistics in footers and page indexes, row groups by
 * bloom filters too.
 */
import { predicateToString } from '../kernel/expressions/print.ts';
import type { SkipReason } from '../kernel/expressions/reasons.ts';
import type { Predicate } from '../kernel/expressions/types.ts';
import { mapColumns, referencedColumns } from '../kernel/expressions/visit.ts';
import type { StructType } from '../kernel/schema/types.ts';
import { absentValues, type EqualityTree, equalityTree } from './bloom-filters.ts';
import { refutedRowGroups } from './bloom-reading.ts';
import type { ParquetFile } from './parquet-file.ts';
import { hasFloat, leavesAt, StatisticsPredicate } from './parquet-statistics.ts';
import type { ByteRange, RowRanges, WasmCore } from './wasm/core.ts';

/** Row groups that need not be read, each with a way to tell why. */
export type PrunedRowGroups = Map<number, () => SkipReason>;

/** Decides for one read; `free()` it when the read ends. */
export interface FilePruner {
  /** Of some row groups those that need not be read. `bytes` is what reading one would cost. */
  rowGroups(
    file: ParquetFile,
    among: readonly number[],
    bytes: (rowGroup: number) => number,
    signal: AbortSignal | undefined,
  ): Promise<PrunedRowGroups>;
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
  /** Why a row group goes of which no page must be read. */
  reasonOfPages(): SkipReason;
  free(): void;
}

export interface PruningOptions {
  readonly pageIndexMinBytes: number;
  /** For reasons: the name of a column as people know it. */
  readonly displayPath?: ((path: readonly string[]) => readonly string[]) | undefined;
}

/** Undefined where the predicate gives nothing to prune by. */
export function filePruner(
  core: WasmCore,
  schema: StructType,
  predicate: Predicate,
  options: PruningOptions,
): FilePruner | undefined {
  const columns = leavesAt(schema, referencedColumns(predicate));
  if (!columns) return undefined;
  // Whether a maximum counts NaN is the file's to say: where it does, floats are skipped by more comparisons.
  const kinds = hasFloat(columns) ? [false, true] : [false];
  const statistics = kinds.map((nanInMax) => {
    return new StatisticsPredicate(core, predicate, columns, { ...options, nanInMax });
  });
  return new Pruner(schema, predicate, statistics, options);
}

/** A condition of those that must all hold, as bloom filters can refute it. */
interface BloomCondition {
  readonly tree: EqualityTree;
  readonly reason: (found: Parameters<typeof absentValues>[0]) => SkipReason;
}

function bloomConditions(
  schema: StructType,
  predicate: Predicate,
  options: PruningOptions,
): BloomCondition[] {
  const { displayPath = (path) => path } = options;
  const inputs = predicate.kind === 'and' ? predicate.inputs : [predicate];
  return inputs.flatMap((input) => {
    const tree = equalityTree(input, schema);
    if (tree === undefined) return [];
    const reason: BloomCondition['reason'] = (found) => ({
      rule: 'bloomFilter',
      condition: shown(input, options),
      values: absentValues(found, displayPath),
    });
    return [{ tree, reason }];
  });
}

function shown(predicate: Predicate, { displayPath }: PruningOptions): string {
  return predicateToString(displayPath ? mapColumns(predicate, displayPath) : predicate);
}

class Pruner implements FilePruner {
  readonly #schema: StructType;
  readonly #predicate: Predicate;
  readonly #options: PruningOptions;
  readonly #statistics: readonly StatisticsPredicate[];
  readonly #bloomConditions: readonly BloomCondition[];
  /** Page indexes are read once per file. */
  readonly #indexed = new WeakMap<ParquetFile, Promise<boolean>>();

  constructor(
    schema: StructType,
    predicate: Predicate,
    statistics: readonly StatisticsPredicate[],
    options: PruningOptions,
  ) {
    this.#schema = schema;
    this.#predicate = predicate;
    this.#statistics = statistics;
    this.#options = options;
    this.#bloomConditions = bloomConditions(schema, predicate, options);
  }

  async rowGroups(
    file: ParquetFile,
    among: readonly number[],
    bytes: (rowGroup: number) => number,
    signal: AbortSignal | undefined,
  ): Promise<PrunedRowGroups> {
    const pruned = file.step(() => this.#byStatistics(file, among));
    if (!file.core.hasBloomFilters) return pruned;
    for (const { tree, reason } of this.#bloomConditions) {
      const left = among.filter((rowGroup) => !pruned.has(rowGroup));
      const refuted = await refutedRowGroups(file, tree, left, bytes, signal);
      for (const [rowGroup, found] of refuted) pruned.set(rowGroup, () => reason(found));
    }
    return pruned;
  }

  async rows(
    file: ParquetFile,
    rowGroup: number,
    bytes: number,
    signal: AbortSignal | undefined,
  ): Promise<RowRanges | undefined> {
    if (bytes < this.#options.pageIndexMinBytes || !(await this.#loadIndex(file, signal))) return undefined;
    return file.step(() => {
      // Of pages the file does not tell whether there is NaN in a way that can be trusted.
      const [statistics] = this.#statistics;
      const pages = file.core.pageStats(statistics!.columns, rowGroup);
      if (!pages) return undefined;
      const keep = statistics!.keep(pages.stats);
      return keep.every(Boolean) ? undefined : joined(pages.rows.filter((_, page) => keep[page]));
    });
  }

  reasonOfPages(): SkipReason {
    // Each page may go for another reason.
    return { rule: 'minMax', condition: shown(this.#predicate, this.#options), values: [] };
  }

  free(): void {
    for (const each of this.#statistics) each.free();
  }

  #byStatistics(file: ParquetFile, among: readonly number[]): PrunedRowGroups {
    const pruned: PrunedRowGroups = new Map();
    for (const each of this.#statistics) {
      const stats = each.ofRowGroups(file);
      const keep = each.keep(stats);
      for (const rowGroup of among) {
        if (!keep[rowGroup] && !pruned.has(rowGroup))
          pruned.set(rowGroup, () => each.reason(stats, rowGroup));
      }
    }
    return pruned;
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
