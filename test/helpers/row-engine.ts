/**
 * A small engine for tests of the kernel's log handling: rows of plain JSON behind {@link EngineData}, read strictly
 * by name. "Parquet" files are NDJSON with typed fields by name, so that checkpoints can be written by hand; what a
 * real Parquet reader does is tested elsewhere.
 */
import { LosslessNumber, parse } from 'lossless-json';
import { DeltaError } from '../../src/errors.ts';
import type { Engine, EvaluationHandler, FileMeta, StorageHandler } from '../../src/kernel/engine.ts';
import type { Column, EngineData, SelectionVector } from '../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import type { DataType, StructType } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';

type Json = Record<string, unknown>;

export interface ReadRecord {
  readonly file: string;
  readonly columns: readonly string[];
  readonly hasPredicate: boolean;
}

export interface RowEngine extends Engine {
  /** Files that the JSON and Parquet handlers were asked for. */
  readonly reads: ReadRecord[];
}

/** @param rowsPerBatch so that files of several batches can be had. */
export function rowEngine(storage: StorageHandler, rowsPerBatch = 1000): RowEngine {
  const reads: ReadRecord[] = [];
  async function* read(
    files: readonly FileMeta[],
    schema: StructType,
    options: { predicate?: unknown } = {},
  ) {
    for (const { location } of files) {
      const file = location.pathname.slice(location.pathname.indexOf('/_delta_log/') + '/_delta_log/'.length);
      reads.push({
        file,
        columns: schema.fields.map(({ name }) => name),
        hasPredicate: options.predicate !== undefined,
      });
      const [bytes] = await collect(storage.readFiles([{ location }]));
      const rows = parseLines(new TextDecoder().decode(bytes), file);
      for (let start = 0; start < rows.length; start += rowsPerBatch) {
        yield new RowData(schema, rows.slice(start, start + rowsPerBatch));
      }
    }
  }
  const unused = () => {
    throw new Error('not part of the test engine');
  };
  return {
    reads,
    storageHandler: storage,
    jsonHandler: { readJsonFiles: read, parseJson: unused, writeJsonFile: unused },
    parquetHandler: { readParquetFiles: read, writeParquetFile: unused, readParquetFooter: unused },
    evaluationHandler: {} as EvaluationHandler,
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function parseLines(text: string, path: string): Json[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parse(line) as Json];
    } catch (cause) {
      throw new DeltaError('MalformedJson', 'not a JSON object', { path, line: index + 1, cause });
    }
  });
}

export class RowData implements EngineData {
  readonly schema: StructType;
  readonly #rows: readonly Json[];

  constructor(schema: StructType, rows: readonly Json[]) {
    this.schema = schema;
    this.#rows = rows;
  }

  get length() {
    return this.#rows.length;
  }

  column(path: readonly string[]): Column | undefined {
    let type: DataType = this.schema;
    for (const name of path) {
      const found: DataType | undefined =
        type.kind === 'struct' ? type.fields.find((field) => field.name === name)?.type : undefined;
      if (found === undefined) return undefined;
      type = found;
    }
    const values = this.#rows.map((row) =>
      path.reduce<unknown>((value, name) => (value as Json | null | undefined)?.[name], row),
    );
    return new RowColumn(type, values);
  }

  appendColumns(): EngineData {
    throw new Error('not part of the test engine');
  }

  select(selection: SelectionVector): EngineData {
    return new RowData(
      this.schema,
      this.#rows.filter((_, row) => selection[row] !== 0),
    );
  }

  slice(start: number, end: number): EngineData {
    return new RowData(this.schema, this.#rows.slice(start, end));
  }
}

class RowColumn implements Column {
  readonly type: DataType;
  readonly #values: readonly unknown[];

  constructor(type: DataType, values: readonly unknown[]) {
    this.type = type;
    this.#values = values;
  }

  get length() {
    return this.#values.length;
  }
  isNull(row: number) {
    return (this.#values[row] ?? null) === null;
  }
  getString(row: number) {
    const value = this.#values[row] ?? null;
    if (value === null || typeof value === 'string') return value;
    return jsonText(value);
  }
  getNumber(row: number) {
    return this.isNull(row) ? null : Number(this.#values[row]);
  }
  getBigInt(row: number) {
    return this.isNull(row) ? null : BigInt(String(this.#values[row]));
  }
  getBoolean(row: number) {
    return this.isNull(row) ? null : (this.#values[row] as boolean);
  }
  getStringMap(row: number) {
    if (this.isNull(row)) return null;
    return new Map(Object.entries(this.#values[row] as Record<string, string | null>));
  }
  getValue(row: number): ScalarValue {
    return (this.#values[row] ?? null) as ScalarValue;
  }
}

/** JSON text of a parsed value, numbers as they were written. */
function jsonText(value: unknown): string {
  if (value instanceof LosslessNumber) return value.value;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${jsonText(item)}`)
    .join(',')}}`;
}

export const TABLE_ROOT = new URL('memory:///t/');

/** Actions of a first commit. */
export const PROTOCOL = { protocol: { minReaderVersion: 1, minWriterVersion: 2 } };
export const SCHEMA_STRING = JSON.stringify({
  type: 'struct',
  fields: [{ name: 'id', type: 'long', nullable: true, metadata: {} }],
});
export const metadataOf = (configuration: Record<string, string> = {}, id = 'm') => ({
  metaData: {
    id,
    format: { provider: 'parquet', options: {} },
    schemaString: SCHEMA_STRING,
    partitionColumns: [],
    configuration,
  },
});
export const features = (readerFeatures: string[], writerOnly: string[] = []) => ({
  protocol: {
    minReaderVersion: 3,
    minWriterVersion: 7,
    readerFeatures,
    writerFeatures: [...readerFeatures, ...writerOnly],
  },
});
export const add = (path: string, rest: Json = {}) => ({
  add: { path, partitionValues: {}, size: 1, modificationTime: 0, dataChange: true, ...rest },
});
export const remove = (path: string, rest: Json = {}) => ({ remove: { path, dataChange: true, ...rest } });

export const lines = (...actions: unknown[]): string =>
  actions.map((action) => `${JSON.stringify(action)}\n`).join('');
export const v = (version: number): string => String(version).padStart(20, '0');

/** A storage with the files of one `_delta_log`, by name. */
export function logStorage(
  files: Readonly<Record<string, string>>,
  times: Readonly<Record<string, number>> = {},
): MemoryStorageHandler {
  let time = 1000;
  const storage = new MemoryStorageHandler({ now: () => time });
  for (const [name, content] of Object.entries(files)) {
    time = times[name] ?? 1000;
    storage.set(new URL(`_delta_log/${name}`, TABLE_ROOT), content);
  }
  return storage;
}

/** Commits 0 to `last`: a table from its start, one file per commit. */
export function commits(last: number, first = 0): Record<string, string> {
  const files: Record<string, string> = {};
  for (let version = first; version <= last; version++) {
    const actions = version === 0 ? [PROTOCOL, metadataOf(), add('f0')] : [add(`f${version}`)];
    files[`${v(version)}.json`] = lines(...actions);
  }
  return files;
}

/** A storage that counts its requests and can be told that it does not list. */
export function countingStorage(
  inner: StorageHandler,
  options: { canList?: boolean } = {},
): StorageHandler & { readonly requests: string[]; readonly maxInFlight: () => number } {
  const requests: string[] = [];
  let inFlight = 0;
  let most = 0;
  const name = (url: URL) => url.pathname.slice(url.pathname.indexOf('/_delta_log/') + '/_delta_log/'.length);
  const enter = async (request: string) => {
    requests.push(request);
    most = Math.max(most, ++inFlight);
    await new Promise((done) => setTimeout(done, 2));
    inFlight--;
  };
  return {
    requests,
    maxInFlight: () => most,
    async *listFrom(path, o) {
      if (options.canList === false) throw new DeltaError('Unsupported', 'this storage cannot list');
      await enter(`list ${name(path)}`);
      yield* inner.listFrom(path, o);
    },
    async *readFiles(files, o) {
      for (const { location } of files) await enter(`get ${name(location)}`);
      yield* inner.readFiles(files, o);
    },
    async head(path, o) {
      await enter(`head ${name(path)}`);
      return inner.head(path, o);
    },
    put: (path, data, o) => inner.put(path, data, o),
    copyAtomic: (source, destination, o) => inner.copyAtomic(source, destination, o),
  };
}
