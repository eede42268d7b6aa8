/**
 * The WASM core as the handlers see it. `bindings.ts` implements it over the raw exports; nothing else touches WASM
 * memory. All results are copies: no view on WASM memory leaves. Handles own WASM memory until `free()`.
 *
 * Every call may throw a `DeltaError` (`Parquet`, `MalformedJson`, `InvalidExpression`, `ParseError`, `Schema`,
 * `DeletionVector`, `OutOfMemory`); a trap drops the instance and surfaces as `Internal`.
 */
import type { RecordBatch } from 'apache-arrow';
import type { ParquetFooter, RowGroupLayout, RowIndexSets } from '../../kernel/engine.ts';
import type { Expression, Predicate, ScalarValue } from '../../kernel/expressions/types.ts';
import type { DataType, StructField, StructType } from '../../kernel/schema/types.ts';

/** Bytes [start, end) of a file. Numbers stay exact beyond 2^32. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a file from offset `start` on. */
export interface FileBytes {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Rows [start, end) of a row group, ascending and disjoint. */
export type RowRanges = readonly ByteRange[];

export interface RowGroupStatsOptions {
  /** Maxima of floats are NaN where there is any, null where the file does not tell. Default: as the file has them. */
  readonly nanInMax?: boolean;
}

export interface ValuesOfColumn {
  /** A leaf, alone in the structs around it. */
  readonly column: StructField;
  /** The leaf's. */
  readonly type: DataType;
  readonly values: readonly ScalarValue[];
}

export type BloomFilterAnswer = { readonly absent: readonly boolean[] } | { readonly needs: ByteRange };

/** An opened footer. */
export interface ParquetFileCore {
  readonly footer: ParquetFooter;
  /** Without statistics and pages. */
  layout(): RowGroupLayout[];
  /**
   * Where the page index of the columns of `schema` lies; empty where the file has none. Pass the whole span, from the
   * first range's start to the last one's end, in one piece to `loadPageIndex`.
   */
  pageIndexRanges(schema: StructType): ByteRange[];
  loadPageIndex(chunks: readonly FileBytes[]): void;
  /**
   * One row per row group: struct columns as Delta's statistics have them: `numRecords`, `nullCount`, `minValues`,
   * `maxValues`, for the leaves of `schema` (resolved and converted as `decode` does). What cannot be trusted or
   * converted exactly is null (INT96, legacy orderings of unsigned and binary, NaN bounds; −0/+0 are widened).
   */
  rowGroupStats(schema: StructType, options?: RowGroupStatsOptions): RecordBatch;
  /** The same, one row per page boundary of the columns of `schema` in a row group, with the rows of each. */
  pageStats(schema: StructType, rowGroup: number): { stats: RecordBatch; rows: RowRanges } | undefined;
  /** Whether any column chunk has one. */
  readonly hasBloomFilters: boolean;
  /**
   * Which values a row group certainly does not have in a column. Undefined where no filter tells; the bytes of the
   * file that are needed beside those given, where they are not all there.
   */
  askBloomFilter(
    asked: ValuesOfColumn,
    rowGroup: number,
    chunks: readonly FileBytes[],
  ): BloomFilterAnswer | undefined;
  /** Byte ranges that decoding needs, ascending, not merged. */
  plan(schema: StructType, rowGroup: number, rows?: RowRanges): ByteRange[];
  /**
   * Decodes one row group to batches of exactly `schema` (columns, order, types, generated columns), given the bytes
   * of `plan`. `filePath` fills a `filePath` column. Breaking off the iteration frees the decoder.
   */
  decode(
    schema: StructType,
    rowGroup: number,
    chunks: readonly FileBytes[],
    options: { batchSize: number; rows?: RowRanges; filePath?: string },
  ): IterableIterator<RecordBatch>;
  free(): void;
}

/** A compiled expression or predicate. */
export interface CompiledCore {
  evaluate(batch: RecordBatch): RecordBatch;
  free(): void;
}

export interface ParquetWriteOptions {
  compression: 'uncompressed' | 'snappy' | 'zstd' | 'gzip' | 'brotli' | 'lz4_raw';
  /** Rows per row group at most. */
  maxRowGroupRows: number;
}

/** Writes batches to one Parquet file; bytes come out as they are ready. */
export interface ParquetWriterCore {
  write(batch: RecordBatch): Uint8Array;
  finish(): Uint8Array;
  free(): void;
}

export interface WasmCore {
  /** Footer length plus its 8 trailing bytes, from the last 8 bytes (or more) of a file. */
  parquetTailLength(tail: Uint8Array): number;
  /** Opens a file from its last bytes, which must hold the whole footer. */
  openParquet(tail: Uint8Array, fileSize: number): ParquetFileCore;
  parquetWriter(schema: StructType, options: ParquetWriteOptions): ParquetWriterCore;
  /** Complete lines of NDJSON to one batch; see `JsonHandler.readJsonFiles`. `firstLine` numbers lines in errors. */
  parseNdjson(bytes: Uint8Array, schema: StructType, firstLine: number): RecordBatch;
  /** See `JsonHandler.parseJson`: lenient per leaf. */
  parseJsonColumn(strings: RecordBatch, schema: StructType): RecordBatch;
  compileExpression(inputSchema: StructType, expression: Expression, outputType: DataType): CompiledCore;
  compilePredicate(inputSchema: StructType, predicate: Predicate): CompiledCore;
  readonly rowIndexSets: RowIndexSets;
  /** Current size of WASM memory in bytes, for tests and limits. */
  memoryBytes(): number;
}
