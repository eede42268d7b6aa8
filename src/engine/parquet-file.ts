/** One Parquet file for reading: its footer in the WASM core, and the bytes that decoding needs. */
import { DeltaError, shownUrl, withContext } from '../errors.ts';
import type { FileMeta, StorageHandler } from '../kernel/engine.ts';
import { concatBytes } from './bytes.ts';
import type { FooterCache } from './footer-cache.ts';
import { type MergeOptions, mergeRanges, readOne, readSlices, splitRange } from './io.ts';
import type { ByteRange, FileBytes, ParquetFileCore, WasmCore } from './wasm/core.ts';

export interface ParquetIoOptions extends MergeOptions {
  /** Bytes read from the end of a file in the hope that they hold its footer. */
  tailBytes: number;
  /** Files up to this size are read whole, with one request. */
  wholeFileBytes: number;
}

/** What the opening of a file needs. */
export interface ParquetIo {
  readonly storage: StorageHandler;
  readonly options: ParquetIoOptions;
  readonly cache: FooterCache;
}

/** Magic number, an empty footer's length and the magic number again. */
const MIN_FILE_BYTES = 12;
/** Longer buffers cannot cross into 32-bit WASM memory. */
const MAX_RANGE_BYTES = 0x7fff_ffff;

/** An opened file; `close()` frees its footer. */
export class ParquetFile {
  readonly path: string;
  readonly core: ParquetFileCore;
  readonly #io: ParquetIo;
  readonly #location: URL;
  readonly #tail: FileBytes;
  #closed = false;

  private constructor(io: ParquetIo, location: URL, tail: FileBytes, core: ParquetFileCore) {
    this.#io = io;
    this.#location = location;
    this.#tail = tail;
    this.core = core;
    this.path = shownUrl(location);
  }

  /**
   * Reads and parses the footer: one request for the end of the file, a second one where the footer is longer, and a
   * `head` first where the size is not known. No request for a file whose footer is cached.
   */
  static async open(
    io: ParquetIo,
    wasm: WasmCore,
    file: FileMeta,
    signal: AbortSignal | undefined,
  ): Promise<ParquetFile> {
    // A size that no Parquet file has is no size to trust: the file may be missing, or larger than its log says.
    const meta = file.size >= MIN_FILE_BYTES ? file : await io.storage.head(file.location, { signal });
    return inFile(file.location, async () => {
      const cached = io.cache.get(meta);
      const tail = cached ?? (await readTail(io, wasm, meta, signal));
      const footerBytes = wasm.parquetTailLength(tail.bytes);
      const core = wasm.openParquet(tail.bytes.subarray(-footerBytes), meta.size);
      if (!cached) io.cache.set(meta, tail);
      return new ParquetFile(io, file.location, tail, core);
    });
  }

  /** The bytes of `ranges` (ascending), from what is already here and by as few requests as pay. */
  async read(ranges: readonly ByteRange[], signal: AbortSignal | undefined): Promise<FileBytes[]> {
    const [here, there] = partition(ranges, (range) => this.holds(range));
    const merged = mergeRanges(there, this.#io.options);
    const chunks = merged.length === 0 ? [] : await this.#request(merged, signal);
    return [...chunks, ...here.map((range) => this.#fromTail(range))];
  }

  /** Whether a range needs no request. */
  holds(range: ByteRange): boolean {
    return range.start >= this.#tail.start;
  }

  /** Runs a step on this file; its errors name the file. A file that was closed meanwhile, as its read ended, has none. */
  step<T>(run: () => T): T {
    if (this.#closed) throw new DeltaError('Internal', 'the file is closed', { path: this.path });
    try {
      return run();
    } catch (error) {
      throw withContext(error, { path: this.path });
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.core.free();
  }

  /**
   * Each range in one buffer; a long one comes by several requests at the same time. They begin before the file's end
   * that is already here, and reach into it at most.
   */
  async #request(ranges: readonly ByteRange[], signal: AbortSignal | undefined): Promise<FileBytes[]> {
    for (const { start, end } of ranges) {
      if (end - start <= MAX_RANGE_BYTES) continue;
      const message = `${end - start} bytes are needed at once: at most 2^31 − 1`;
      throw new DeltaError('Unsupported', message, { path: this.path });
    }
    const { start: tailStart } = this.#tail;
    const parts = ranges.map(({ start, end }) => {
      return splitRange({ start, end: Math.min(end, tailStart) }, this.#io.options.maxRequestBytes);
    });
    const slices = await readSlices(this.#io.storage, this.#location, parts.flat(), signal);
    let next = 0;
    return ranges.map(({ start, end }, i) => {
      const read = slices.slice(next, next + parts[i]!.length);
      next += read.length;
      const rest = end > tailStart ? [this.#fromTail({ start: tailStart, end }).bytes] : [];
      return { start, bytes: concatBytes([...read, ...rest]) };
    });
  }

  #fromTail({ start, end }: ByteRange): FileBytes {
    const { bytes, start: tailStart } = this.#tail;
    return { start, bytes: bytes.subarray(start - tailStart, end - tailStart) };
  }
}

async function readTail(
  { storage, options }: ParquetIo,
  wasm: WasmCore,
  { location, size }: FileMeta,
  signal: AbortSignal | undefined,
): Promise<FileBytes> {
  if (size < MIN_FILE_BYTES) {
    throw new DeltaError('Parquet', `not a Parquet file: it has ${size} bytes`);
  }
  const start = size <= options.wholeFileBytes ? 0 : Math.max(0, size - options.tailBytes);
  const bytes = await readOne(storage, location, signal, { start, end: size });
  const needed = wasm.parquetTailLength(bytes);
  if (needed > size) {
    throw new DeltaError('Parquet', `the footer claims ${needed} bytes of a file of ${size}`);
  }
  if (needed <= bytes.length) return { start, bytes };
  const rest = await readOne(storage, location, signal, { start: size - needed, end: start });
  return { start: size - needed, bytes: concatBytes([rest, bytes]) };
}

async function inFile<T>(location: URL, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw withContext(error, { path: shownUrl(location) });
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
