/**
 * The default engine, which decodes a log file once for each schema: a run reads the same few hundreds of times. Every
 * read still asks the storage, so it can fail.
 */
import { concatBytes } from '../../src/engine/bytes.ts';
import type { Engine, FileMeta, StorageHandler } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import type { StructType } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { testEngine } from '../helpers/test-engine.ts';

type Format = 'json' | 'parquet';

/** What was decoded, by content and schema. One for all engines of a run. */
export class DecodedFiles {
  readonly #known = new Map<string, Promise<EngineData[]>>();
  readonly #schemas = new WeakMap<StructType, number>();
  /** Numbers of schemas by their text. */
  readonly #numbers = new Map<string, number>();
  readonly #storage = new MemoryStorageHandler();
  readonly #engine = testEngine(this.#storage);
  #files = 0;

  decode(format: Format, bytes: Uint8Array, schema: StructType): Promise<EngineData[]> {
    const key = `${format} ${this.#number(schema)}\n${Buffer.from(bytes).toString('latin1')}`;
    let batches = this.#known.get(key);
    if (batches === undefined) {
      batches = this.#decode(format, bytes, schema);
      this.#known.set(key, batches);
    }
    return batches;
  }

  async #decode(format: Format, bytes: Uint8Array, schema: StructType): Promise<EngineData[]> {
    const location = new URL(`memory:///decoded/${this.#files++}`);
    this.#storage.set(location, bytes);
    const files = [{ location, size: bytes.length, lastModified: 0 }];
    const { jsonHandler, parquetHandler } = this.#engine;
    const read =
      format === 'json'
        ? jsonHandler.readJsonFiles(files, schema)
        : parquetHandler.readParquetFiles(files, schema);
    const batches: EngineData[] = [];
    for await (const batch of read) batches.push(batch);
    return batches;
  }

  /** Equal schemas have one number. */
  #number(schema: StructType): number {
    let number = this.#schemas.get(schema);
    if (number === undefined) {
      const text = JSON.stringify(schema);
      number = this.#numbers.get(text) ?? this.#numbers.size;
      this.#numbers.set(text, number);
      this.#schemas.set(schema, number);
    }
    return number;
  }
}

export function rememberingEngine(storage: StorageHandler, decoded: DecodedFiles): Engine {
  const { storageHandler, jsonHandler, parquetHandler, evaluationHandler } = testEngine(storage);
  const reader = (format: Format) => {
    return async function* (files: readonly FileMeta[], schema: StructType) {
      for (const { location } of files) {
        const parts: Uint8Array[] = [];
        for await (const part of storage.readFiles([{ location }])) parts.push(part);
        yield* await decoded.decode(format, concatBytes(parts), schema);
      }
    };
  };
  return {
    storageHandler,
    evaluationHandler,
    jsonHandler: {
      parseJson: (strings, schema) => jsonHandler.parseJson(strings, schema),
      writeJsonFile: (path, data, options) => jsonHandler.writeJsonFile(path, data, options),
      readJsonFiles: reader('json'),
    },
    parquetHandler: {
      readParquetFooter: (file, options) => parquetHandler.readParquetFooter(file, options),
      writeParquetFile: (path, data, options) => parquetHandler.writeParquetFile(path, data, options),
      readParquetFiles: reader('parquet'),
    },
  };
}
