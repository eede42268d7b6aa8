/** What a data file is made of. */
import {
  type ColumnChunkLayout,
  type DeltaTable,
  dataFileMeta,
  type ParquetLayout,
  parsePredicate,
  type RowGroupVerdict,
  type ScanFile,
} from 'delta-kernel-web';
import type { ColumnNames } from './columns.ts';
import { valuesText } from './files/verdicts.ts';
import type { ChunkRow, InsideColumn, ParquetInside, RowGroupRow } from './protocol-files.ts';

/** Characters of a metadata value, and of a bound. */
const MAX_METADATA = 4000;
const MAX_BOUND = 100;

export async function readLayout(
  { engine, url }: DeltaTable,
  file: ScanFile,
  options: { signal: AbortSignal; pagesOf?: readonly string[] | undefined },
): Promise<ParquetLayout> {
  const read = engine.parquetHandler.readParquetLayout;
  if (read === undefined) throw new Error('this engine does not tell what files are made of');
  return read.call(engine.parquetHandler, dataFileMeta(url, file), options);
}

/** Which row groups a scan with `where` decodes; undefined without a predicate. */
export async function readVerdicts(
  table: DeltaTable,
  file: ScanFile,
  where: string,
  { names, signal }: { names: ColumnNames; signal: AbortSignal },
): Promise<readonly RowGroupVerdict[] | undefined> {
  if (where === '') return undefined;
  const { engine, url, snapshot } = table;
  const { physicalSchema, physicalPredicate } = snapshot.scan({ predicate: parsePredicate(where) });
  if (physicalPredicate === undefined) return undefined;
  const meta = dataFileMeta(url, file);
  return engine.parquetHandler.explainRowGroups?.(meta, physicalSchema, physicalPredicate, {
    signal,
    displayPath: (path) => names.logical(path),
  });
}

export function insideOf(
  { footer, rowGroups }: ParquetLayout,
  verdicts: readonly RowGroupVerdict[] | undefined,
  names: ColumnNames,
): ParquetInside {
  const rows = rowGroups.map(({ numRows, columns }, at): RowGroupRow => {
    const verdict = verdicts?.[at];
    return {
      rows: numRows,
      ...sizesOf(columns),
      columns: columns.length,
      read: verdict?.kept,
      why: verdict?.reason && `${verdict.reason.condition}: ${valuesText(verdict.reason.values, names)}`,
    };
  });
  return {
    createdBy: footer.createdBy,
    rows: footer.numRows,
    ...sizesOf(rowGroups.flatMap(({ columns }) => columns)),
    metadata: Array.from(footer.keyValueMetadata, ([key, value]) => {
      return { key, value: cut(value, MAX_METADATA), length: value.length };
    }),
    rowGroups: rows,
    columns: overRowGroups(
      rowGroups.flatMap(({ columns }) => columns),
      names,
    ),
  };
}

export function chunkRows({ rowGroups }: ParquetLayout, rowGroup: number, names: ColumnNames): ChunkRow[] {
  const bound = (text: string | undefined) => text && cut(text, MAX_BOUND);
  return (rowGroups[rowGroup]?.columns ?? []).map((chunk) => ({
    ...columnOf([chunk], names),
    values: chunk.numValues,
    start: chunk.start,
    nulls: chunk.statistics?.nullCount,
    min: bound(chunk.statistics?.min),
    max: bound(chunk.statistics?.max),
    pages: chunk.pages?.map(({ start, end, min, max }) => ({ start, end, min: bound(min), max: bound(max) })),
  }));
}

/** The chunks of each column together, in the order of the schema. */
function overRowGroups(chunks: readonly ColumnChunkLayout[], names: ColumnNames): InsideColumn[] {
  const byPath = new Map<string, ColumnChunkLayout[]>();
  for (const chunk of chunks) {
    const key = JSON.stringify(chunk.path);
    byPath.set(key, [...(byPath.get(key) ?? []), chunk]);
  }
  return Array.from(byPath.values(), (each) => columnOf(each, names));
}

function columnOf(chunks: readonly ColumnChunkLayout[], names: ColumnNames): InsideColumn {
  return {
    path: [...chunks[0]!.path],
    name: names.logical(chunks[0]!.path).join('.'),
    type: chunks[0]!.physicalType,
    codecs: [...new Set(chunks.map(({ codec }) => codec))],
    encodings: [...new Set(chunks.flatMap(({ encodings }) => encodings))],
    ...sizesOf(chunks),
    pageIndex: chunks.some(({ hasPageIndex }) => hasPageIndex),
    bloomFilter: chunks.some(({ hasBloomFilter }) => hasBloomFilter),
  };
}

function sizesOf(chunks: readonly ColumnChunkLayout[]): { compressed: number; uncompressed: number } {
  let [compressed, uncompressed] = [0, 0];
  for (const chunk of chunks) {
    compressed += chunk.compressedSize;
    uncompressed += chunk.uncompressedSize;
  }
  return { compressed, uncompressed };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
