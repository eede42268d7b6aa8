/** {@link JsonHandler} over the WASM core: NDJSON to Arrow batches and back. */
import { shownUrl, withContext } from '../errors.ts';
import type { CallOptions, FileMeta, JsonHandler, StorageHandler } from '../kernel/engine.ts';
import type { EngineData, FilteredEngineData } from '../kernel/engine-data.ts';
import type { StructType } from '../kernel/schema/types.ts';
import { ArrowEngineData, toRecordBatch } from './arrow-engine-data.ts';
import { ByteCache } from './byte-cache.ts';
import { concatBytes } from './bytes.ts';
import type { CoreSource } from './core-source.ts';
import { readOne } from './io.ts';
import { ndjsonOf } from './json-writer.ts';
import { prefetchOrdered } from './prefetch.ts';
import type { WasmCore } from './wasm/core.ts';

export interface JsonHandlerOptions {
  /** Bytes of one file that become one batch, about. Default 2 MiB. */
  batchBytes?: number;
  /** Files read ahead, at most. Default 8. */
  readAhead?: number;
  /** Bytes read ahead, at most. Default 64 MiB. */
  readAheadBytes?: number;
  /** Bytes of files kept for the next read by the same `FileMeta`, at most. Default 8 MiB. */
  cacheBytes?: number;
}

const NEWLINE = 10;
/** What a kept file costs besides its bytes, about. */
const ENTRY_BYTES = 256;

export class DefaultJsonHandler implements JsonHandler {
  readonly #storage: StorageHandler;
  readonly #core: CoreSource;
  readonly #options: Required<JsonHandlerOptions>;
  /**
   * Opening a table and planning its scans read the same commits. By the listing's own objects, not by URL: what is
   * listed anew is read anew, whatever its size and time.
   */
  readonly #cache: ByteCache<FileMeta, Uint8Array>;

  constructor(storage: StorageHandler, core: CoreSource, options: JsonHandlerOptions = {}) {
    this.#storage = storage;
    this.#core = core;
    this.#options = {
      batchBytes: options.batchBytes ?? 2 << 20,
      readAhead: options.readAhead ?? 8,
      readAheadBytes: options.readAheadBytes ?? 64 << 20,
      cacheBytes: options.cacheBytes ?? 8 << 20,
    };
    this.#cache = new ByteCache(this.#options.cacheBytes);
  }

  parseJson(strings: EngineData, schema: StructType): EngineData | Promise<EngineData> {
    const batch = toRecordBatch(strings);
    const parse = (core: WasmCore) => new ArrowEngineData(core.parseJsonColumn(batch, schema), schema);
    const core = this.#core.current;
    return core ? parse(core) : this.#core.load().then(parse);
  }

  async *readJsonFiles(
    files: readonly FileMeta[],
    schema: StructType,
    options: CallOptions = {},
  ): AsyncGenerator<EngineData, void, undefined> {
    const core = await this.#core.load();
    const { readAhead: limit, readAheadBytes: budget } = this.#options;
    const contents = prefetchOrdered(
      files,
      { signal: options.signal, limit, budget, weight: (file) => file.size },
      async (file, signal) => ({ file, bytes: await this.#bytesOf(file, signal) }),
    );
    for await (const { file, bytes } of contents) {
      for (const batch of this.#parse(core, file, bytes, schema)) {
        options.signal?.throwIfAborted();
        yield batch;
      }
    }
  }

  async #bytesOf(file: FileMeta, signal: AbortSignal): Promise<Uint8Array> {
    const cached = this.#cache.get(file);
    if (cached !== undefined) return cached;
    const bytes = await readOne(this.#storage, file.location, signal);
    this.#cache.set(file, bytes, bytes.length + ENTRY_BYTES);
    return bytes;
  }

  *#parse(core: WasmCore, file: FileMeta, bytes: Uint8Array, schema: StructType): Generator<EngineData> {
    for (const { lines, firstLine } of splitLines(bytes, this.#options.batchBytes)) {
      let batch: EngineData;
      try {
        batch = new ArrowEngineData(core.parseNdjson(lines, schema, firstLine), schema);
      } catch (error) {
        throw withContext(error, { path: shownUrl(file.location) });
      }
      if (batch.length > 0) yield batch;
    }
  }

  async writeJsonFile(
    path: URL,
    data: AsyncIterable<FilteredEngineData> | Iterable<FilteredEngineData>,
    options: CallOptions & { overwrite: boolean },
  ): Promise<number> {
    const parts: Uint8Array[] = [];
    for await (const { data: batch, selectionVector } of data) {
      options.signal?.throwIfAborted();
      for (const part of ndjsonOf(batch, selectionVector)) parts.push(part);
    }
    const bytes = concatBytes(parts);
    await this.#storage.put(path, bytes, options);
    return bytes.length;
  }
}

/** Complete lines in chunks of about `size` bytes, each with the 1-based number of its first line. */
export function* splitLines(
  bytes: Uint8Array,
  size: number,
): Generator<{ lines: Uint8Array; firstLine: number }> {
  let firstLine = 1;
  for (let start = 0; start < bytes.length; ) {
    const newline = start + size >= bytes.length ? -1 : bytes.indexOf(NEWLINE, start + size - 1);
    const end = newline < 0 ? bytes.length : newline + 1;
    const lines = bytes.subarray(start, end);
    yield { lines, firstLine };
    if (end < bytes.length) firstLine += countNewlines(lines);
    start = end;
  }
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
