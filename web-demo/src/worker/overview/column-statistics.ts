/** Statistics of columns over all files of a version, batch by batch. */
import {
  type Column,
  compareUtf8,
  type DataType,
  type EngineData,
  expressionToString,
  field,
  type ScalarValue,
  type StructField,
  type StructType,
  scanFileSchema,
  types,
  typeToString,
} from 'delta-kernel-web';
import { breathe } from '../breathe.ts';
import { type LeafColumn, leafColumns } from '../columns.ts';
import type { Work } from '../context.ts';
import type { BoundNote, ColumnSummary, TableStatistics } from '../protocol-overview.ts';
import { PartitionColumn } from './partition-column.ts';

/** Writers cut text in statistics to this many characters. */
const CUT_AT = 32;
/** Characters of a bound that are shown. */
const MAX_SHOWN = 100;

type Reading = Pick<Work, 'table' | 'signal' | 'report'>;

export async function readColumnStatistics({ table, signal, report }: Reading): Promise<TableStatistics> {
  const leaves = leafColumns(table);
  const stored = leaves.filter(({ isPartition }) => !isPartition);
  const sums = new Map(stored.map((leaf) => [leaf, new ColumnSums(leaf)]));
  const partitions = new Map(
    leaves
      .filter(({ isPartition }) => isPartition)
      .map((leaf) => [leaf, new PartitionColumn(leaf, leaf.partitionKey!)]),
  );
  const schema = statisticsSchema(stored);
  const evaluator = table.engine.evaluationHandler.newExpressionEvaluator(
    scanFileSchema,
    { kind: 'parseJson', input: { kind: 'column', path: ['stats'] }, schema },
    schema,
  );
  let files = 0;
  const total = table.snapshot.checksum?.numFiles;
  for await (const { scanFiles } of table.snapshot.scan().scanMetadata(table.engine, { signal })) {
    const live = scanFiles.data.select(scanFiles.selectionVector);
    const statistics = await evaluator.evaluate(live);
    for (const column of sums.values()) {
      column.add(statistics);
      await breathe();
      signal.throwIfAborted();
    }
    for (const column of partitions.values()) column.add(live, statistics.column(['numRecords'])!);
    files += live.length;
    report({ done: files, unit: 'files', ...(total !== undefined && { total }) });
  }
  signal.throwIfAborted();
  const columns = leaves.map((leaf) => (sums.get(leaf) ?? partitions.get(leaf))!.summary(files));
  return { files, columns };
}

/** What a column says over the files so far. */
class ColumnSums {
  readonly #leaf: LeafColumn;
  #min: ScalarValue = null;
  #max: ScalarValue = null;
  #nulls = 0;
  #bounded = 0;
  #counted = 0;
  #isLoose = false;

  constructor(leaf: LeafColumn) {
    this.#leaf = leaf;
  }

  add(statistics: EngineData): void {
    const at = (part: string) => statistics.column([part, ...this.#leaf.physical]);
    const [min, max, nulls] = [at('minValues'), at('maxValues'), at('nullCount')];
    const records = statistics.column(['numRecords'])!;
    const tight = statistics.column(['tightBounds'])!;
    for (let row = 0; row < statistics.length; row += 1) {
      const count = nulls?.getNumber(row) ?? null;
      if (count !== null) {
        this.#nulls += count;
        this.#counted += 1;
      }
      if (this.#bound(min, max, row)) this.#isLoose ||= tight.getBoolean(row) === false;
      else if (count !== null && count === records.getNumber(row)) this.#bounded += 1;
    }
  }

  /** Whether the file has both bounds. */
  #bound(min: Column | undefined, max: Column | undefined, row: number): boolean {
    if (min === undefined || max === undefined || min.isNull(row) || max.isNull(row)) return false;
    const [low, high] = [min.getValue(row), max.getValue(row)];
    if (this.#min === null || compareScalars(low, this.#min) < 0) this.#min = low;
    if (this.#max === null || compareScalars(high, this.#max) > 0) this.#max = high;
    this.#bounded += 1;
    return true;
  }

  summary(files: number): ColumnSummary {
    const { name, type } = this.#leaf;
    return {
      column: name,
      type: typeToString(type),
      isPartition: false,
      min: literal(type, this.#min),
      max: literal(type, this.#max),
      nulls: this.#counted === 0 ? undefined : this.#nulls,
      bounded: this.#bounded,
      counted: this.#counted,
      values: undefined,
      notes: this.#notes(files),
    };
  }

  #notes(files: number): BoundNote[] {
    if (this.#min === null) return [];
    const { type } = this.#leaf;
    const isCut = [this.#min, this.#max].some(
      (bound) => typeof bound === 'string' && [...bound].length >= CUT_AT,
    );
    const isTime = type.kind === 'primitive' && type.name.startsWith('timestamp');
    const notes: [BoundNote, boolean][] = [
      ['cut', isCut],
      ['milliseconds', isTime],
      ['deleted', this.#isLoose],
      ['partial', this.#bounded < files],
    ];
    return notes.flatMap(([note, holds]) => (holds ? [note] : []));
  }
}

function compareScalars(a: ScalarValue, b: ScalarValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
  // NaN is the greatest of all numbers.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a! < b! ? -1 : Number(a! > b!);
}

function literal(type: DataType, value: ScalarValue): string | undefined {
  if (value === null) return undefined;
  const text = expressionToString({ kind: 'literal', literal: { type, value } });
  // The column's type says already what kind of literal it is.
  const [, plain] = /^(?:DATE |TIMESTAMP |TIMESTAMP_NTZ |CAST\()'(.*)'(?: AS \w+\))?$/.exec(text) ?? [];
  const shown = type.kind === 'primitive' && type.name === 'string' ? text : (plain ?? text);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

/** The statistics of these columns (`PROTOCOL.md`, "Per-file Statistics"); arrays and maps have counts of nulls only. */
function statisticsSchema(leaves: readonly LeafColumn[]): StructType {
  const part = (name: string, typeOf: (type: DataType) => DataType | undefined): StructField[] => {
    const fields = nest(
      leaves.flatMap(({ physical, type }) => {
        const statistic = typeOf(type);
        return statistic === undefined ? [] : [{ path: physical, type: statistic }];
      }),
    );
    return fields.length === 0 ? [] : [field(name, types.struct(fields))];
  };
  return types.struct([
    field('numRecords', types.long),
    field('tightBounds', types.boolean),
    ...part('nullCount', (type) => (type.kind === 'opaque' ? undefined : types.long)),
    ...part('minValues', bounded),
    ...part('maxValues', bounded),
  ]);
}

function bounded(type: DataType): DataType | undefined {
  if (type.kind === 'decimal') return type;
  if (type.kind !== 'primitive' || ['boolean', 'binary', 'void'].includes(type.name)) return undefined;
  return type;
}

function nest(leaves: readonly { path: readonly string[]; type: DataType }[]): StructField[] {
  const names = [...new Set(leaves.map(({ path }) => path[0]!))];
  return names.map((name) => {
    const own = leaves.filter(({ path }) => path[0] === name);
    const leaf = own.find(({ path }) => path.length === 1);
    if (leaf !== undefined) return field(name, leaf.type);
    return field(name, types.struct(nest(own.map(({ path, type }) => ({ path: path.slice(1), type })))));
  });
}
