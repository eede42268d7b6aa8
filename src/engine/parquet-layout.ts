/** What a Parquet file is made of, and what it says of its values, for people who look at it. */
import type { RecordBatch } from 'apache-arrow';
import type {
  CallOptions,
  ColumnChunkLayout,
  PageLayout,
  ParquetLayout,
  ValueBounds,
} from '../kernel/engine.ts';
import type { Column } from '../kernel/engine-data.ts';
import { scalarToString } from '../kernel/expressions/print.ts';
import { type StructField, type StructType, types } from '../kernel/schema/types.ts';
import { ArrowEngineData } from './arrow-engine-data.ts';
import type { ParquetFile } from './parquet-file.ts';
import { statsSchema } from './parquet-statistics.ts';

export async function parquetLayout(
  file: ParquetFile,
  { signal, pagesOf }: CallOptions & { pagesOf?: readonly string[] | undefined },
): Promise<ParquetLayout> {
  const { footer } = file.core;
  const leaves = withStatistics(footer.schema);
  const paged = pagesOf && columnAt(leaves, pagesOf);
  const isIndexed = paged !== undefined && (await loadPageIndex(file, paged, signal));
  return file.step(() => {
    const bounds =
      leaves.fields.length === 0 ? undefined : readBounds(file.core.rowGroupStats(leaves), leaves);
    const column = (chunk: ColumnChunkLayout, rowGroup: number): ColumnChunkLayout => {
      const statistics = bounds?.(chunk.path, rowGroup);
      const isWanted = isIndexed && samePath(chunk.path, pagesOf!);
      const pages = isWanted ? pagesAt(file, paged!, chunk.path, rowGroup) : undefined;
      return { ...chunk, ...(statistics && { statistics }), ...(pages && { pages }) };
    };
    const rowGroups = file.core.layout().map(({ numRows, columns }, rowGroup) => {
      return { numRows, columns: columns.map((chunk) => column(chunk, rowGroup)) };
    });
    return { footer, rowGroups };
  });
}

async function loadPageIndex(
  file: ParquetFile,
  column: StructType,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const ranges = file.step(() => file.core.pageIndexRanges(column));
  if (ranges.length === 0) return false;
  // The core takes them as one piece.
  const span = { start: ranges[0]!.start, end: Math.max(...ranges.map(({ end }) => end)) };
  const chunks = await file.read([span], signal);
  file.step(() => file.core.loadPageIndex(chunks));
  return true;
}

function pagesAt(
  file: ParquetFile,
  column: StructType,
  path: readonly string[],
  rowGroup: number,
): PageLayout[] | undefined {
  const found = file.core.pageStats(column, rowGroup);
  if (found === undefined) return undefined;
  const bounds = readBounds(found.stats, column);
  return found.rows.map((rows, page) => ({ ...rows, ...bounds(path, page) }));
}

/** What statistics of the leaves of `columns` say of one of them in a row; undefined for others. */
function readBounds(stats: RecordBatch, columns: StructType) {
  const data = new ArrowEngineData(stats, statsSchema(columns));
  return (path: readonly string[], row: number): ValueBounds | undefined => {
    const [nulls, min, max] = ['nullCount', 'minValues', 'maxValues'].map((part) =>
      data.column([part, ...path]),
    );
    if (!nulls || !min || !max) return undefined;
    const literal = (bound: Column) =>
      bound.isNull(row) ? undefined : scalarToString({ type: bound.type, value: bound.getValue(row) });
    return { nullCount: nulls.getNumber(row) ?? undefined, min: literal(min), max: literal(max) };
  };
}

/** The leaves of a file's schema that the core gives statistics of. */
function withStatistics(schema: StructType): StructType {
  return types.struct(
    schema.fields.flatMap((field): StructField[] => {
      const { type } = field;
      if (type.kind === 'primitive' || type.kind === 'decimal') return [field];
      if (type.kind !== 'struct') return [];
      const inner = withStatistics(type);
      return inner.fields.length === 0 ? [] : [{ ...field, type: inner }];
    }),
  );
}

/** The part of `schema` that holds one leaf; undefined where it has no such leaf. */
function columnAt(schema: StructType, [name, ...rest]: readonly string[]): StructType | undefined {
  const field = schema.fields.find((candidate) => candidate.name === name);
  if (field === undefined) return undefined;
  if (field.type.kind !== 'struct') return rest.length === 0 ? types.struct([field]) : undefined;
  const inner = columnAt(field.type, rest);
  return inner && types.struct([{ ...field, type: inner }]);
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}
