/**
 * {@link ParquetHandler} over the WASM core. The core decodes bytes; which bytes, when and how many of them is decided
 * here: one speculative read of a file's end, column chunks in merged ranges, and the next row groups on their way
 * while one is decoded.
 */
import { DeltaError, shownUrl } from '../errors.ts';
import type {
  CallOptions,
  FileMeta,
  ParquetFooter,
  ParquetHandler,
  ParquetLayout,
  ReadHints,
  RowGroupVerdict,
  StorageHandler,
} from '../kernel/engine.ts';
import type { EngineData } from '../kernel/engine-data.ts';
import type { Predicate } from '../kernel/expressions/types.ts';
import type { StructType } from '../kernel/schema/types.ts';
import { ArrowEngineData, toRecordBatch } from './arrow-engine-data.ts';
import { concatBytes } from './bytes.ts';
import type { CoreSource } from './core-source.ts';
import { FooterCache } from './footer-cache.ts';
import { ParquetFile, type ParquetIo } from './parquet-file.ts';
import { parquetLayout } from './parquet-layout.ts';
import { type FilePruner, filePruner, type PrunedRowGroups } from './parquet-pruning.ts';
import { prefetchOrdered } from './prefetch.ts';
import { type Unshredding, unshredding } from './variant-shredding.ts';
import type { ByteRange, FileBytes, ParquetWriteOptions, RowRanges, WasmCore } from './wasm/core.ts';

export interface ParquetHandlerOptions {
  /** Bytes read from the end of a file in the hope that they hold its footer. Default 64 KiB. */
  tailBytes?: number;
  /** Files up to this size are read whole, with one request. Default 256 KiB. */
  wholeFileBytes?: number;
  /** Unwanted bytes worth reading to save a request. Default 256 KiB. */
  gapBytes?: number;
  /** Longer ranges are read by several requests at the same time. Default 16 MiB. */
  maxRequestBytes?: number;
  /** Files opened ahead, at most. Default 8. */
  filesAhead?: number;
  /** Row groups in work or read ahead, at most. Default 8. */
  rowGroupsAhead?: number;
  /** Encoded bytes in work or read ahead, at most; a single row group is always let through. Default 64 MiB. */
  readAheadBytes?: number;
  /** Rows of a batch, at most. Default 65536. */
  batchRows?: number;
  /** Decoded bytes of a batch, about. Default 16 MiB. */
  batchBytes?: number;
  /** Page indexes are used for row groups of which at least so many bytes would be read. Default 1 MiB. */
  pageIndexMinBytes?: number;
  /** Footers kept, in bytes. Default 8 MiB. */
  footerCacheBytes?: number;
  /** Compression of written files. Default snappy. */
  compression?: ParquetWriteOptions['compression'];
  /** Rows of a written row group, at most. Default 1048576. */
  maxRowGroupRows?: number;
}

const DEFAULTS: Required<ParquetHandlerOptions> = {
  tailBytes: 64 << 10,
  wholeFileBytes: 256 << 10,
  gapBytes: 256 << 10,
  maxRequestBytes: 16 << 20,
  filesAhead: 8,
  rowGroupsAhead: 8,
  readAheadBytes: 64 << 20,
  batchRows: 65_536,
  batchBytes: 16 << 20,
  pageIndexMinBytes: 1 << 20,
  footerCacheBytes: 8 << 20,
  compression: 'snappy',
  maxRowGroupRows: 1 << 20,
};

/** A row group (or rows of it) to read; `last` of its file. */
interface RowGroupTask {
  readonly file: ParquetFile;
  readonly rowGroup: number;
  readonly rows: RowRanges | undefined;
  readonly ranges: readonly ByteRange[];
  /** Where variants of the file are shredded. */
  readonly unshredding: Unshredding | undefined;
  last: boolean;
}

/** What is read of a file, and what is not. */
interface FilePlan {
  readonly tasks: readonly RowGroupTask[];
  readonly pruned: PrunedRowGroups | undefined;
}

/** Hints of a read: row groups without a wanted row are left out. */
interface WantedRows {
  readonly pruner: FilePruner | undefined;
  readonly firstRow: number;
  readonly endRow: number;
}

export class DefaultParquetHandler implements ParquetHandler {
  readonly #core: CoreSource;
  readonly #io: ParquetIo;
  readonly #options: Required<ParquetHandlerOptions>;

  constructor(storage: StorageHandler, core: CoreSource, options: ParquetHandlerOptions = {}) {
    this.#core = core;
    this.#options = { ...DEFAULTS, ...options };
    this.#io = { storage, options: this.#options, cache: new FooterCache(this.#options.footerCacheBytes) };
  }

  async *readParquetFiles(
    files: readonly FileMeta[],
    schema: StructType,
    options: CallOptions & ReadHints = {},
  ): AsyncGenerator<EngineData, void, undefined> {
    const { signal, predicate, firstRow = 0, endRow = Number.POSITIVE_INFINITY } = options;
    const core = await this.#core.load();
    const opened = new OpenFiles();
    const pruner = predicate && filePruner(core, schema, predicate, this.#options);
    try {
      const { rowGroupsAhead: limit, readAheadBytes: budget } = this.#options;
      const chunks = prefetchOrdered(
        this.#tasks(core, files, schema, { pruner, firstRow, endRow }, opened, signal),
        { signal, limit, budget, weight: (task) => lengthOf(task.ranges) },
        async (task, inner) => ({ task, chunks: await task.file.read(task.ranges, inner) }),
      );
      for await (const { task, chunks: bytes } of chunks) {
        for (const batch of this.#decode(task, schema, bytes)) {
          signal?.throwIfAborted();
          yield batch;
        }
        if (task.last) opened.close(task.file);
      }
    } finally {
      opened.closeAll();
      pruner?.free();
    }
  }

  async explainRowGroups(
    file: FileMeta,
    schema: StructType,
    predicate: Predicate,
    { signal, displayPath }: Parameters<NonNullable<ParquetHandler['explainRowGroups']>>[3] = {},
  ): Promise<RowGroupVerdict[]> {
    const core = await this.#core.load();
    const pruner = filePruner(core, schema, predicate, { ...this.#options, displayPath });
    try {
      return await this.#opened(file, { signal }, async (parquet) => {
        const wanted = { pruner, firstRow: 0, endRow: Number.POSITIVE_INFINITY };
        const { tasks, pruned } = await this.#filePlan(parquet, schema, wanted, signal);
        const byRowGroup = new Map(tasks.map((task) => [task.rowGroup, task]));
        return parquet.core.footer.rowGroups.map((group, at): RowGroupVerdict => {
          const rows = byRowGroup.get(at)?.rows;
          if (rows !== undefined) return { ...group, kept: true, readRows: lengthOf(rows) };
          const reason = pruned?.get(at)?.();
          return reason === undefined ? { ...group, kept: true } : { ...group, kept: false, reason };
        });
      });
    } finally {
      pruner?.free();
    }
  }

  async readParquetFooter(file: FileMeta, options: CallOptions = {}): Promise<ParquetFooter> {
    return this.#opened(file, options, async (parquet) => parquet.core.footer);
  }

  async readParquetLayout(
    file: FileMeta,
    options: CallOptions & { pagesOf?: readonly string[] | undefined } = {},
  ): Promise<ParquetLayout> {
    return this.#opened(file, options, (parquet) => parquetLayout(parquet, options));
  }

  async #opened<T>(
    file: FileMeta,
    { signal }: CallOptions,
    look: (parquet: ParquetFile) => Promise<T>,
  ): Promise<T> {
    const parquet = await ParquetFile.open(this.#io, await this.#core.load(), file, signal);
    try {
      return await look(parquet);
    } finally {
      parquet.close();
    }
  }

  async writeParquetFile(
    path: URL,
    data: AsyncIterable<EngineData> | Iterable<EngineData>,
    { signal, compression }: CallOptions & { compression?: string | undefined } = {},
  ): Promise<FileMeta> {
    const bytes = await this.#encode(
      path,
      data,
      codecNamed(compression ?? this.#options.compression),
      signal,
    );
    const { storage, cache } = this.#io;
    cache.forget(path);
    await storage.put(path, bytes, { signal, overwrite: true });
    const written = await storage.head(path, { signal });
    if (written.size !== bytes.length) {
      const message = `wrote ${bytes.length} bytes, but the file has ${written.size}`;
      throw new DeltaError('IOError', message, { path: shownUrl(path) });
    }
    return written;
  }

  async #encode(
    path: URL,
    data: AsyncIterable<EngineData> | Iterable<EngineData>,
    compression: ParquetWriteOptions['compression'],
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const core = await this.#core.load();
    const { maxRowGroupRows } = this.#options;
    let writer: ReturnType<WasmCore['parquetWriter']> | undefined;
    const parts: Uint8Array[] = [];
    try {
      for await (const batch of data) {
        signal?.throwIfAborted();
        writer ??= core.parquetWriter(batch.schema, { compression, maxRowGroupRows });
        parts.push(writer.write(toRecordBatch(batch)));
      }
      if (!writer) {
        const message = 'a Parquet file needs at least one batch, to know its schema';
        throw new DeltaError('Schema', message, { path: shownUrl(path) });
      }
      parts.push(writer.finish());
      return concatBytes(parts);
    } finally {
      writer?.free();
    }
  }

  /** The row groups to read, file by file; files are opened, and their row groups chosen, ahead. */
  async *#tasks(
    core: WasmCore,
    files: readonly FileMeta[],
    schema: StructType,
    wanted: WantedRows,
    opened: OpenFiles,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<RowGroupTask, void, undefined> {
    const planned = prefetchOrdered(
      files,
      { signal, limit: this.#options.filesAhead },
      async (meta, inner) => {
        const file = opened.add(await ParquetFile.open(this.#io, core, meta, inner));
        return { file, ...(await this.#filePlan(file, schema, wanted, inner)) };
      },
    );
    for await (const { file, tasks } of planned) {
      if (tasks.length === 0) opened.close(file);
      else tasks.at(-1)!.last = true;
      yield* tasks;
    }
  }

  async #filePlan(
    file: ParquetFile,
    schema: StructType,
    { pruner, firstRow, endRow }: WantedRows,
    signal: AbortSignal | undefined,
  ): Promise<FilePlan> {
    const unshred = file.step(() => unshredding(schema, file.core));
    const read = unshred?.readSchema ?? schema;
    const rowGroups = rowGroupsWithin(file, firstRow, endRow);
    const pruned = await pruner?.rowGroups(file, rowGroups, costIn(file, read), signal);
    const tasks: RowGroupTask[] = [];
    for (const rowGroup of rowGroups) {
      if (pruned?.has(rowGroup)) continue;
      const whole = file.step(() => file.core.plan(read, rowGroup));
      // Page indexes are loaded for the columns of `schema` only.
      const rows = unshred ? undefined : await pruner?.rows(file, rowGroup, lengthOf(whole), signal);
      if (rows?.length === 0) {
        pruned?.set(rowGroup, () => pruner!.reasonOfPages());
        continue;
      }
      const ranges = rows ? file.step(() => file.core.plan(read, rowGroup, rows)) : whole;
      tasks.push({ file, rowGroup, rows, ranges, unshredding: unshred, last: false });
    }
    return { tasks, pruned };
  }

  *#decode(task: RowGroupTask, schema: StructType, chunks: readonly FileBytes[]): Generator<EngineData> {
    const { file, rowGroup, rows, unshredding: unshred } = task;
    const read = unshred?.readSchema ?? schema;
    const { numRows, totalByteSize } = file.core.footer.rowGroups[rowGroup]!;
    const fitting = Math.floor((this.#options.batchBytes * numRows) / Math.max(totalByteSize, 1));
    const batchSize = Math.max(1, Math.min(this.#options.batchRows, fitting));
    const batches = file.step(() =>
      file.core.decode(read, rowGroup, chunks, { batchSize, filePath: file.path, ...(rows && { rows }) }),
    );
    try {
      for (;;) {
        const next = file.step(() => batches.next());
        if (next.done) return;
        const batch = unshred ? file.step(() => unshred.restore(next.value)) : next.value;
        yield new ArrowEngineData(batch, schema);
      }
    } finally {
      batches.return?.();
    }
  }
}

/** Files that are open in the WASM core, so that none outlives the read, however it ends. */
class OpenFiles {
  readonly #files = new Set<ParquetFile>();
  #ended = false;

  add(file: ParquetFile): ParquetFile {
    // Opened for a read that has ended meanwhile.
    if (this.#ended) file.close();
    else this.#files.add(file);
    return file;
  }

  close(file: ParquetFile): void {
    this.#files.delete(file);
    file.close();
  }

  closeAll(): void {
    this.#ended = true;
    for (const file of this.#files) file.close();
    this.#files.clear();
  }
}

const CODECS = ['uncompressed', 'snappy', 'zstd', 'gzip', 'brotli', 'lz4_raw'] as const;

function codecNamed(name: string): ParquetWriteOptions['compression'] {
  const codec = CODECS.find((known) => known === name);
  if (codec !== undefined) return codec;
  throw new DeltaError('Unsupported', `Parquet files with ${name}: the codecs are ${CODECS.join(', ')}`);
}

function lengthOf(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Row groups with rows from `firstRow` on, before `endRow`. */
function rowGroupsWithin({ core }: ParquetFile, firstRow: number, endRow: number): number[] {
  let end = 0;
  return Array.from(core.footer.rowGroups.entries()).flatMap(([rowGroup, { numRows }]) => {
    const start = end;
    end += numRows;
    return numRows > 0 && end > firstRow && start < endRow ? [rowGroup] : [];
  });
}

/** Bytes that reading a row group of a file costs. */
function costIn(file: ParquetFile, schema: StructType): (rowGroup: number) => number {
  return (rowGroup) => file.step(() => lengthOf(file.core.plan(schema, rowGroup)));
}
