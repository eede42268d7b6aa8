/** A predicate over the statistics that Parquet files have of their row groups and pages. */
import type { RecordBatch } from 'apache-arrow';
import { skipExplainer } from '../kernel/expressions/explain.ts';
import type { SkipReason } from '../kernel/expressions/reasons.ts';
import { type SkippingConjunct, skippingConjuncts } from '../kernel/expressions/skipping.ts';
import type { Predicate } from '../kernel/expressions/types.ts';
import { type DataType, field, type StructField, type StructType, types } from '../kernel/schema/types.ts';
import { ArrowColumn } from './arrow-column.ts';
import { ArrowEngineData } from './arrow-engine-data.ts';
import type { ParquetFile } from './parquet-file.ts';
import type { CompiledCore, WasmCore } from './wasm/core.ts';

export interface StatisticsOptions {
  /** Whether maxima of floats count NaN, see `RowGroupStatsOptions`. */
  readonly nanInMax: boolean;
  /** For reasons: the name of a column as people know it. */
  readonly displayPath?: ((path: readonly string[]) => readonly string[]) | undefined;
}

/** Compiled over the statistics of the leaves of `columns`; `free()` it. */
export class StatisticsPredicate {
  readonly columns: StructType;
  readonly #nanInMax: boolean;
  readonly #conjuncts: readonly SkippingConjunct[];
  readonly #compiled: CompiledCore;

  constructor(
    core: WasmCore,
    predicate: Predicate,
    columns: StructType,
    { nanInMax, displayPath }: StatisticsOptions,
  ) {
    this.columns = columns;
    this.#nanInMax = nanInMax;
    this.#conjuncts = skippingConjuncts(predicate, {
      source: 'footer',
      schema: columns,
      floatMaxIncludesNaN: nanInMax,
      ...(displayPath && { displayPath }),
    });
    const inputs = this.#conjuncts.map(({ skipping }) => skipping);
    this.#compiled = core.compilePredicate(statsSchema(columns), { kind: 'and', inputs });
  }

  ofRowGroups(file: ParquetFile): RecordBatch {
    return file.core.rowGroupStats(this.columns, { nanInMax: this.#nanInMax });
  }

  /** Only what is exactly false may go. */
  keep(stats: RecordBatch): boolean[] {
    const output = new ArrowColumn('output', types.boolean, this.#compiled.evaluate(stats).data.children[0]!);
    return Array.from({ length: stats.numRows }, (_, row) => output.getBoolean(row) !== false);
  }

  reason(stats: RecordBatch, row: number): SkipReason {
    const schema = statsSchema(this.columns);
    const data = new ArrowEngineData(stats, schema);
    const values = schema.fields.map(({ name }) => data.column([name])!.getValue(row));
    const reason = skipExplainer(this.#conjuncts, schema)(values);
    return reason ?? { rule: 'unknown', condition: '', values: [] };
  }

  free(): void {
    this.#compiled.free();
  }
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
export function leavesAt(schema: StructType, paths: readonly (readonly string[])[]): StructType | undefined {
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

export function hasFloat({ fields }: StructType): boolean {
  return fields.some(({ type }) => {
    if (type.kind === 'struct') return hasFloat(type);
    return type.kind === 'primitive' && (type.name === 'float' || type.name === 'double');
  });
}
