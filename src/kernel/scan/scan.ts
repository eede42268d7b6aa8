/**
 * A scan of one version of a table: which files, and how their rows become rows of the table.
 *
 * `execute` does it all; `scanMetadata` gives the files and their transforms to engines that read by themselves;
 * `explain` says why files are read or left out.
 *
 * @example
 * const scan = snapshot.scan({ columns: ['id'], predicate: parsePredicate("city = 'NYC'") });
 * for await (const batch of scan.execute(engine)) …
 */
import { DeltaError, isDeltaError, shownUrl, withContext } from '../../errors.ts';
import { logicalPath } from '../column-mapping/resolve.ts';
import type { CallOptions, Engine, RowGroupVerdict, Runtime } from '../engine.ts';
import type { EngineData, FilteredEngineData } from '../engine-data.ts';
import type { Predicate } from '../expressions/types.ts';
import { systemRuntime } from '../runtime.ts';
import type { StructType } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { checkTypeChanges } from '../type-widening.ts';
import { type ExactFilter, exactFilter } from './exact-filter.ts';
import { ScanExplanation } from './explain.ts';
import { FileSkipping } from './file-skipping.ts';
import { LiveFiles } from './live-files.ts';
import { Plan, type PlanOptions, type PlanPage, type PlanShards, type ShardOptions } from './plan.ts';
import { type ReadAheadLimits, readAhead } from './read-ahead.ts';
import { FileReader } from './read-file.ts';
import { restoreScan, saveScan } from './saved-scan.ts';
import { dataFileMeta, type ScanFile, type ScanMetadata, visitScanFiles } from './scan-files.ts';
import { type ScanOptions, type ScanSchema, scanSchema } from './scan-schema.ts';
import { transformOf } from './transform.ts';

export type { ScanOptions } from './scan-schema.ts';

/** Data files in work: the current one and those whose first rows are asked for ahead. */
const READ_AHEAD = { items: 8, bytes: 32 << 20 };
/** The same where a limit may make them unnecessary. */
const READ_AHEAD_LIMITED = { items: 2, bytes: 32 << 20 };

export interface ExecuteOptions extends CallOptions {
  /** Only rows for which the predicate is true come back. Default false; a `limit` with a predicate implies it. */
  readonly exact?: boolean | undefined;
  /** At most this many rows, counted after the filter. */
  readonly limit?: number | undefined;
}

export interface ReadFilesOptions extends CallOptions {
  /** Only rows for which the predicate is true come back. Default false. */
  readonly exact?: boolean | undefined;
  /** Rows of the first file before this position may be left out; the metadata column `rowIndex` tells which were. */
  readonly firstRow?: number | undefined;
}

/** Rows of one file. */
export interface FileRows {
  readonly file: ScanFile;
  readonly data: EngineData;
}

export interface ScanMetadataOptions extends CallOptions {
  /** Whether files carry their statistics as JSON text. Default true. */
  readonly stats?: boolean | undefined;
}

/** How data files are read. */
interface FileReading extends Pick<ReadFilesOptions, 'signal' | 'firstRow'> {
  readonly schema: ScanSchema;
  readonly ahead: ReadAheadLimits;
}

export class Scan {
  readonly snapshot: SnapshotState;
  readonly options: ScanOptions;
  readonly #schema: ScanSchema;
  readonly #skipping: FileSkipping | undefined;

  /**
   * Errors: `Schema` for unknown or doubled columns; `InvalidExpression` for the predicate; `Unsupported` for columns
   * or type changes that this version cannot read; `InvalidOption`.
   */
  constructor(snapshot: SnapshotState, options: ScanOptions = {}) {
    this.snapshot = snapshot;
    this.options = options;
    try {
      checkTypeChanges(snapshot.schema);
      this.#schema = scanSchema(snapshot, options);
      this.#skipping = options.predicate && new FileSkipping(snapshot, options.predicate);
    } catch (error) {
      throw withContext(error, this.#place());
    }
  }

  /** A scan of {@link Scan.toJSON}'s text, on the same version, without reading anything. */
  static fromJSON(text: string, { runtime = systemRuntime }: { runtime?: Runtime } = {}): Scan {
    const { snapshot, options } = restoreScan(text, runtime);
    return new Scan(snapshot, options);
  }

  /**
   * This scan as text, so that it can be planned or its files read elsewhere. It holds the locations of log files, so
   * the table URL's signature where that has one.
   */
  toJSON(): string {
    return saveScan(this.snapshot, this.options);
  }

  get version(): number {
    return this.snapshot.version;
  }

  get tableRoot(): URL {
    return this.snapshot.tableRoot;
  }

  /** The columns that come out, under logical names and with the nullability that the table declares. */
  get logicalSchema(): StructType {
    return this.#schema.logicalSchema;
  }

  /**
   * What is to be read of each data file, under physical names: no partition columns, generated and hidden columns
   * last. Transforms are expressions over it.
   */
  get physicalSchema(): StructType {
    return this.#schema.physicalSchema;
  }

  /** The predicate on physical names, for readers of data files; what it says of partition columns is unknown. */
  get physicalPredicate(): Predicate | undefined {
    return this.#skipping?.physicalPredicate;
  }

  /** Live files that must be read, in batches, in the order of the log: newest commits first. */
  async *scanMetadata(
    engine: Engine,
    { signal, stats = true }: ScanMetadataOptions = {},
  ): AsyncGenerator<ScanMetadata, void, undefined> {
    const files = new LiveFiles(engine, this.snapshot, {
      signal,
      stats,
      tags: true,
      skipping: this.#skipping,
    });
    for await (const scanFiles of files.kept()) yield this.#withTransforms(scanFiles);
  }

  /** The same files one by one. */
  async *files(
    engine: Engine,
    { signal, stats = true }: ScanMetadataOptions = {},
  ): AsyncGenerator<ScanFile, void, undefined> {
    yield* this.#files(engine, { signal, stats, tags: true });
  }

  /**
   * The same files page by page, each page within a budget: for who may neither run long nor ask for much at once.
   * Errors: `InvalidOption` for a token of another version or predicate.
   *
   * @example
   * let page = await scan.plan(engine, { budget: { requests: 40 } });
   * while (page.token !== undefined) page = await scan.plan(engine, { token: page.token, budget: { requests: 40 } });
   */
  async plan(engine: Engine, options: PlanOptions = {}): Promise<PlanPage> {
    return this.#placed(() => new Plan(engine, this.snapshot, this.#skipping, options).page());
  }

  /**
   * Planning for several workers: the files of recent commits at once, and tokens for parts of the checkpoint that
   * each worker gives to {@link Scan.plan}.
   */
  async shards(engine: Engine, { count, ...options }: ShardOptions): Promise<PlanShards> {
    if (!(Number.isSafeInteger(count) && count > 0)) {
      throw new DeltaError('InvalidOption', `count must be a whole number from 1 on, not ${count}`);
    }
    return this.#placed(() => new Plan(engine, this.snapshot, this.#skipping, options).shards(count));
  }

  /** What makes logical rows of a file's physical ones; undefined where they are the same. */
  transform(file: ScanFile): ReturnType<typeof transformOf> {
    return transformOf(this.#schema, file);
  }

  /**
   * The rows of the table as logical batches, in file order and row order, without deleted ones. Every field is
   * nullable in them: NOT NULL is a duty of writers. Breaking off stops all reads.
   */
  async *execute(engine: Engine, options: ExecuteOptions = {}): AsyncGenerator<EngineData, void, undefined> {
    const { signal, limit = Number.POSITIVE_INFINITY } = options;
    checkLimit(options.limit);
    signal?.throwIfAborted();
    if (limit === 0) return;
    const exact = options.exact ?? options.limit !== undefined;
    const filter = exact ? this.#exactFilter(engine) : undefined;
    let rows = 0;
    const files = this.#files(engine, { signal, stats: false, tags: false });
    const ahead = options.limit === undefined ? READ_AHEAD : READ_AHEAD_LIMITED;
    for await (const { data } of this.#readFiles(engine, files, {
      schema: filter?.readSchema ?? this.#schema,
      ahead,
      signal,
    })) {
      signal?.throwIfAborted();
      const wanted = filter === undefined ? data : await filter.apply(data);
      const rest = limit - rows;
      const limited = wanted.length > rest ? wanted.slice(0, rest) : wanted;
      rows += limited.length;
      if (limited.length > 0) yield limited;
      if (rows >= limit) return;
    }
  }

  /**
   * Every live file with whether it is read, and if not by which rule and values; totals after an iteration.
   * `rowGroups` also reads the footers of the files that are kept, where there is a predicate.
   */
  explain(
    engine: Engine,
    { signal, rowGroups = false }: CallOptions & { rowGroups?: boolean } = {},
  ): ScanExplanation {
    const files = new LiveFiles(engine, this.snapshot, {
      signal,
      stats: true,
      tags: true,
      skipping: this.#skipping,
    });
    return new ScanExplanation(
      () => files.explained(),
      rowGroups ? (file) => this.#rowGroups(engine, file, signal) : undefined,
    );
  }

  /** The row groups of a file that a read decodes; undefined where the engine, or a missing file, does not tell. */
  async #rowGroups(
    engine: Engine,
    file: ScanFile,
    signal: AbortSignal | undefined,
  ): Promise<readonly RowGroupVerdict[] | undefined> {
    const predicate = this.physicalPredicate;
    if (predicate === undefined || engine.parquetHandler.explainRowGroups === undefined) return undefined;
    const { schema, tableProperties, tableRoot } = this.snapshot;
    const meta = dataFileMeta(tableRoot, file);
    const displayPath = (path: readonly string[]) => {
      return logicalPath(schema, path, tableProperties.columnMappingMode);
    };
    const options = { signal, displayPath };
    try {
      return await engine.parquetHandler.explainRowGroups(meta, this.physicalSchema, predicate, options);
    } catch (error) {
      // The log names a file that is gone: that is for a read to report, the log's own verdict stands.
      if (isDeltaError(error, 'FileNotFound')) return undefined;
      throw error;
    }
  }

  /** The rows of given files, which may come from another scan of this version (see {@link Scan.files}). */
  async *readFiles(
    engine: Engine,
    files: Iterable<ScanFile> | AsyncIterable<ScanFile>,
    { signal }: CallOptions = {},
  ): AsyncGenerator<EngineData, void, undefined> {
    for await (const { data } of this.readFileRows(engine, files, { signal })) yield data;
  }

  /**
   * The same with the file of each batch, from a row of the first file on: for who wants to come back to a place of the
   * scan. Batches without rows are left out.
   */
  async *readFileRows(
    engine: Engine,
    files: Iterable<ScanFile> | AsyncIterable<ScanFile>,
    { signal, exact = false, firstRow }: ReadFilesOptions = {},
  ): AsyncGenerator<FileRows, void, undefined> {
    const filter = exact ? this.#exactFilter(engine) : undefined;
    const schema = filter?.readSchema ?? this.#schema;
    const ahead = READ_AHEAD;
    for await (const each of this.#readFiles(engine, files, { schema, ahead, signal, firstRow })) {
      const data = filter === undefined ? each.data : await filter.apply(each.data);
      if (data.length > 0) yield { file: each.file, data };
    }
  }

  #exactFilter(engine: Engine): ExactFilter | undefined {
    if (this.#skipping === undefined) return undefined;
    return exactFilter(engine, this.snapshot, this.#schema, this.#skipping.predicate);
  }

  async *#files(
    engine: Engine,
    options: { signal: AbortSignal | undefined; stats: boolean; tags: boolean },
  ): AsyncGenerator<ScanFile, void, undefined> {
    const files = new LiveFiles(engine, this.snapshot, { ...options, skipping: this.#skipping });
    try {
      for await (const batch of files.kept()) yield* visitScanFiles(batch);
    } catch (error) {
      throw withContext(error, this.#place());
    }
  }

  async *#readFiles(
    engine: Engine,
    files: Iterable<ScanFile> | AsyncIterable<ScanFile>,
    { schema, ahead, signal, firstRow: start }: FileReading,
  ): AsyncGenerator<FileRows, void, undefined> {
    const predicate = this.#skipping?.physicalPredicate;
    const reader = new FileReader(engine, this.tableRoot, schema, { signal, predicate });
    let firstRow = start;
    const open = async function* (file: ScanFile, from: number | undefined) {
      for await (const data of reader.read(file, from)) yield { file, data };
    };
    try {
      yield* readAhead(
        files,
        (file) => {
          const rows = open(file, firstRow);
          firstRow = undefined;
          return rows;
        },
        ({ size }) => size,
        ahead,
      );
    } catch (error) {
      throw withContext(error, this.#place());
    }
  }

  #withTransforms(scanFiles: FilteredEngineData): ScanMetadata {
    const { data } = scanFiles;
    const at = (row: number) => {
      const selectionVector = new Uint8Array(data.length);
      selectionVector[row] = 1;
      const [file] = visitScanFiles({ data, selectionVector });
      return file && this.transform(file);
    };
    return { scanFiles, transforms: { length: data.length, at } };
  }

  async #placed<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw withContext(error, this.#place());
    }
  }

  #place() {
    const { tableRoot, version } = this.snapshot;
    return { table: shownUrl(tableRoot), version };
  }
}

function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return;
  throw new DeltaError('InvalidOption', `limit must be a whole number from 0 on, not ${limit}`);
}
