/**
 * The engine contract: everything that the kernel needs from the outside world, in four handlers, as in Delta
 * Kernel. An engine may replace them one by one; `test/contract/` holds the suites that every implementation passes.
 *
 * Every method that does I/O takes `{ signal }`. An aborted call rejects with `signal.reason`, never ends in a short
 * result.
 */
import { DeltaError, shownUrl } from '../errors.ts';
import type { EngineData, FilteredEngineData, SelectionVector } from './engine-data.ts';
import type { SkipReason } from './expressions/reasons.ts';
import type { Expression, Predicate, Scalar } from './expressions/types.ts';
import type { DataType, StructType } from './schema/types.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** A file as storage knows it. */
export interface FileMeta {
  readonly location: URL;
  /** Milliseconds since the Unix epoch; 0 where the storage cannot tell. */
  readonly lastModified: number;
  /** Bytes. */
  readonly size: number;
}

/** A whole file, or bytes [start, end) of it. */
export interface FileSlice {
  readonly location: URL;
  readonly range?: { readonly start: number; readonly end: number } | undefined;
}

/**
 * The path that a location stands for: its `pathname` with percent-encoding undone exactly once, so `+` and `%252F`
 * come out as `+` and `%2F`. A `%` that begins no escape is itself. Escapes that are not UTF-8: `InvalidUrl`.
 */
export function pathOf(location: URL): string {
  try {
    return percentDecode(location.pathname);
  } catch (cause) {
    throw new DeltaError('InvalidUrl', `the path of ${shownUrl(location)} is not UTF-8 when decoded`, {
      cause,
    });
  }
}

/**
 * The location whose {@link pathOf} is `path` (which starts with `/` and has no dot segments), with scheme, host and
 * query of `base`. One path has one spelling: two locations made here are the same file where their `href` is equal.
 */
export function locationOf(base: URL, path: string): URL {
  const location = new URL(base);
  location.pathname = percentEncode(path);
  return location;
}

/** {@link pathOf} of a directory, with the `/` at its end that URLs of table roots may lack. */
export function directoryPath(directory: URL): string {
  const path = pathOf(directory);
  return path.endsWith('/') ? path : `${path}/`;
}

/**
 * The path of `location` below `root`, decoded; undefined where it does not lie below it (a sibling whose name begins
 * alike does not, nor does what leads out again).
 */
export function relativePath(root: URL, location: URL): string | undefined {
  if (location.protocol !== root.protocol || location.host !== root.host) return undefined;
  const [base, path] = [directoryPath(root), pathOf(location)];
  if (!path.startsWith(base) || path.length === base.length) return undefined;
  const relative = path.slice(base.length);
  return /(^|\/)\.\.?(\/|$)/.test(relative) ? undefined : relative;
}

/** Undoes percent-encoding once; a `URIError` where the bytes are not UTF-8. */
export function percentDecode(text: string): string {
  return text.includes('%') ? decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25')) : text;
}

/**
 * A path as URLs of this package spell it: every character that has a meaning in some URL is escaped, also `+`, which
 * S3 would read as a space. `/` and the `=`, `:`, `@`, `&`, `,`, `;`, `$` of partition directories stay readable.
 * A lone surrogate: `InvalidPath`.
 */
export function percentEncode(path: string): string {
  try {
    return encodeURIComponent(path).replace(/%(2F|3D|3A|40|26|2C|3B|24)/g, decodeURIComponent);
  } catch (cause) {
    const message = `the path ${JSON.stringify(path)} is no Unicode text (a lone surrogate)`;
    throw new DeltaError('InvalidPath', message, { path, cause });
  }
}

/** The order of listings, and of every string in Delta: by UTF-8 bytes, which is the order of code points. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points beyond U+FFFF, so they rank above U+E000 to U+FFFF. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** File system operations. Paths are URLs of the storage's own scheme; `location.pathname` is percent-encoded. */
export interface StorageHandler {
  /**
   * Files of one directory, sorted by UTF-8 bytes of the path.
   * A path that ends in `/`: every file of that directory. Otherwise: the files of the same directory whose path is
   * strictly greater. One level only: nested files and directory markers do not appear. A directory that does not
   * exist is empty. A storage that cannot list throws `Unsupported`.
   */
  listFrom(path: URL, options?: CallOptions): AsyncIterable<FileMeta>;
  /** The bytes of each slice, in order. A file that is not there: `FileNotFound`. A short read: `IOError`. */
  readFiles(files: readonly FileSlice[], options?: CallOptions): AsyncIterable<Uint8Array>;
  /**
   * Copies the bytes to a destination that must not exist (`FileAlreadyExists`). Never partial.
   * The source missing while the destination is there: `FileAlreadyExists`; both missing: `FileNotFound`.
   */
  copyAtomic(source: URL, destination: URL, options?: CallOptions): Promise<void>;
  /** Visible whole or not at all. `overwrite: false` on a path that exists: `FileAlreadyExists`. */
  put(path: URL, data: Uint8Array, options: CallOptions & { overwrite: boolean }): Promise<void>;
  /** `FileNotFound` where there is none. */
  head(path: URL, options?: CallOptions): Promise<FileMeta>;
  /** Idempotent: a file that is not there is success. Optional; without it vacuum and cleanup are `Unsupported`. */
  delete?(path: URL, options?: CallOptions): Promise<void>;
  /** All files below a directory (a path ending in `/`), in any order. Optional, for vacuum. */
  listRecursive?(prefix: URL, options?: CallOptions): AsyncIterable<FileMeta>;
}

/** JSON of the log. Numbers are never rounded. */
export interface JsonHandler {
  /**
   * A one-column batch of JSON objects as strings to a batch of exactly `schema`, one row out per row in.
   * Absent fields are null where nullable. Leaves that do not fit their type are null (statistics of other writers
   * are not to be trusted); text that is no JSON object gives an all-null row.
   */
  parseJson(strings: EngineData, schema: StructType): EngineData | Promise<EngineData>;
  /**
   * Newline-delimited JSON files to batches of exactly `schema`, in file order, rows in source order; a batch never
   * spans files. Strict: a line that is not a JSON object, or a leaf that does not fit its type, is `MalformedJson`
   * with path and line. Absent fields are null where nullable, else `MalformedJson`. A string-typed field that
   * holds another JSON value gets that value's JSON text. `predicate` is a hint.
   */
  readJsonFiles(
    files: readonly FileMeta[],
    schema: StructType,
    options?: CallOptions & { predicate?: Predicate | undefined },
  ): AsyncIterable<EngineData>;
  /**
   * Writes one JSON object per selected row, without null fields, whole or not at all.
   * `overwrite: false` on a path that exists: `FileAlreadyExists`.
   * @returns the bytes written.
   */
  writeJsonFile(
    path: URL,
    data: AsyncIterable<FilteredEngineData> | Iterable<FilteredEngineData>,
    options: CallOptions & { overwrite: boolean },
  ): Promise<number>;
}

/** What a Parquet footer says. */
export interface ParquetFooter {
  /** The file's schema in Delta types; Parquet field ids under `parquet.field.id`. */
  readonly schema: StructType;
  readonly numRows: number;
  readonly rowGroups: readonly { readonly numRows: number; readonly totalByteSize: number }[];
  readonly keyValueMetadata: ReadonlyMap<string, string>;
  /** What wrote the file, in its own words; undefined where the file, or the handler, does not say. */
  readonly createdBy?: string | undefined;
}

/** What a Parquet file is made of, for people who look at it. */
export interface ParquetLayout {
  readonly footer: ParquetFooter;
  readonly rowGroups: readonly RowGroupLayout[];
}

export interface RowGroupLayout {
  readonly numRows: number;
  readonly columns: readonly ColumnChunkLayout[];
}

/** The values of one leaf column in one row group. */
export interface ColumnChunkLayout {
  /** As the Parquet schema has it, the groups within lists and maps among its parts. */
  readonly path: readonly string[];
  readonly physicalType: string;
  readonly codec: string;
  readonly encodings: readonly string[];
  /** Nulls, and what repeats within a row, count. */
  readonly numValues: number;
  /** Bytes. */
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  /** Offset in the file. */
  readonly start: number;
  readonly hasPageIndex: boolean;
  readonly hasBloomFilter: boolean;
  /** Absent for columns within lists and maps. */
  readonly statistics?: ValueBounds | undefined;
  /** Of a column with a page index, where they were asked for. */
  readonly pages?: readonly PageLayout[] | undefined;
}

/** As far as readers trust what a file says of its values. */
export interface ValueBounds {
  readonly nullCount?: number | undefined;
  /** Literals of the predicate grammar, on the file's own types. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** Rows [start, end) of a row group; nulls are counted only where all its values are. */
export interface PageLayout extends ValueBounds {
  readonly start: number;
  readonly end: number;
}

/** A row group, and whether a read with a predicate decodes it. */
export interface RowGroupVerdict {
  readonly numRows: number;
  /** Uncompressed bytes of all its columns. */
  readonly totalByteSize: number;
  readonly kept: boolean;
  /** Of one that is not decoded: why. Without values where its page index shows that every page can go. */
  readonly reason?: SkipReason | undefined;
  /** Rows that are decoded, where its page index leaves some out. */
  readonly readRows?: number | undefined;
}

/** What a read of Parquet files may leave out. */
export interface ReadHints {
  readonly predicate?: Predicate | undefined;
  readonly firstRow?: number | undefined;
  readonly endRow?: number | undefined;
}

export interface ParquetHandler {
  /**
   * Exactly the requested columns, in the requested order, in file order and row order; a batch never spans files.
   *
   * Column resolution, at every level: a field with `parquet.field.id` metadata matches by Parquet field id; one
   * without, or in a file that has no field id at all, matches by name; no match is all null where nullable, else
   * `Schema`. In a file that carries any field id, a field whose id is not found is absent even if a name matches.
   * Values are converted to the requested type by type-widening rules; timestamps of any unit become microseconds.
   * Fields marked as `MetadataColumn` are generated (see `schema/types.ts`).
   *
   * `predicate` (on physical names) is a hint: rows that provably do not match may be left out, never others.
   * `firstRow` and `endRow` are others: rows of a file before the one and from the other on may be left out (who needs to
   * know which were asks for `rowIndex`).
   */
  readParquetFiles(
    files: readonly FileMeta[],
    schema: StructType,
    options?: CallOptions & ReadHints,
  ): AsyncIterable<EngineData>;
  /**
   * Overwrites. Field ids come from `delta.columnMapping.id` or `parquet.field.id`. `compression` is a codec by its
   * Parquet name in lower case; `Unsupported` where the handler has none of that name. @returns the file written.
   */
  writeParquetFile(
    path: URL,
    data: AsyncIterable<EngineData> | Iterable<EngineData>,
    options?: CallOptions & { compression?: string | undefined },
  ): Promise<FileMeta>;
  /**
   * Which row groups of a file `readParquetFiles` would decode for a predicate. Optional: what cannot tell leaves it
   * out, and explanations end at files. `displayPath` gives the name of a column as people know it.
   */
  explainRowGroups?(
    file: FileMeta,
    schema: StructType,
    predicate: Predicate,
    options?: CallOptions & { displayPath?: (path: readonly string[]) => readonly string[] },
  ): Promise<readonly RowGroupVerdict[]>;
  /**
   * The footer with its column chunks. `pagesOf` is the path of a column whose pages are told as well: it costs a read
   * of that column's page index. Optional: for people who look at a file.
   */
  readParquetLayout?(
    file: FileMeta,
    options?: CallOptions & { pagesOf?: readonly string[] | undefined },
  ): Promise<ParquetLayout>;
  /** Metadata only, with field ids. */
  readParquetFooter(file: FileMeta, options?: CallOptions): Promise<ParquetFooter>;
}

/** Reusable; one output row per input row. */
export interface ExpressionEvaluator {
  evaluate(batch: EngineData): EngineData | Promise<EngineData>;
}

/** Reusable; one nullable boolean column named `output`; only true selects. */
export interface PredicateEvaluator {
  evaluate(batch: EngineData): EngineData | Promise<EngineData>;
}

/**
 * A set of row positions: the content of a deletion vector (`PROTOCOL.md`, "Deletion Vector Format": the 64-bit
 * portable roaring form without its magic number). `free()` it when done.
 */
export interface RowIndexSet {
  readonly cardinality: number;
  /** For rows [start, start + length): 1 where the row is *not* in the set (so: a selection vector), else 0. */
  selection(start: number, length: number): SelectionVector;
  serialize(): Uint8Array;
  free(): void;
}

/** Set operations on row positions; results are new sets. */
export interface RowIndexSets {
  /** `DeletionVector` error where the bytes are not such a set. */
  deserialize(bytes: Uint8Array): RowIndexSet;
  fromRowIndexes(rowIndexes: Iterable<number>): RowIndexSet;
  union(a: RowIndexSet, b: RowIndexSet): RowIndexSet;
  difference(a: RowIndexSet, b: RowIndexSet): RowIndexSet;
}

/** Computing on batches. Three-valued (Kleene) logic; floats in one total order (NaN greatest, −0 = +0). */
export interface EvaluationHandler {
  /**
   * A struct output type gives its fields as columns, any other a single column `output`; names and nullability come
   * from `outputType`. A type or column-count mismatch is `InvalidExpression` at creation.
   */
  newExpressionEvaluator(
    inputSchema: StructType,
    expression: Expression,
    outputType: DataType,
  ): ExpressionEvaluator;
  newPredicateEvaluator(inputSchema: StructType, predicate: Predicate): PredicateEvaluator;
  /** One row, all null. */
  nullRow(schema: StructType): EngineData;
  /** Rows of one scalar per top-level field. A wrong count or type: `InvalidExpression`. */
  createMany(schema: StructType, rows: readonly (readonly Scalar[])[]): EngineData;
  readonly rowIndexSets: RowIndexSets;
}

/** The four handlers. */
export interface Engine {
  readonly storageHandler: StorageHandler;
  readonly jsonHandler: JsonHandler;
  readonly parquetHandler: ParquetHandler;
  readonly evaluationHandler: EvaluationHandler;
}

/** Time and randomness, so that a run can be replayed. */
export interface Runtime {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** A fresh random UUID, lower case with dashes. */
  uuid(): string;
}
