/**
 * Small tables in memory, their log written action by action: for logs that no well-behaved writer makes.
 *
 * @example
 * const log = new LogBuilder().commit(protocol(), metadata(schema), add('f.parquet'));
 * await log.parquet('f.parquet', schema, [[1n], [2n]]);
 * const table = await log.open();
 */
import type { DefaultEngine } from '../../src/engine/default-engine.ts';
import { locationOf, pathOf } from '../../src/kernel/engine.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { resolvePath } from '../../src/kernel/paths.ts';
import { schemaToJson } from '../../src/kernel/schema/schema-json.ts';
import { type DataType, field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { DeltaTable, type OpenOptions } from '../../src/table/delta-table.ts';
import { testEngine } from './test-engine.ts';

export type Action = Readonly<Record<string, unknown>>;

export class LogBuilder {
  readonly storage: MemoryStorageHandler;
  readonly engine: DefaultEngine;
  readonly root: URL;
  #next = 0;
  readonly #commits = new Map<string, readonly Action[]>();
  readonly #sizes = new Map<string, number>();

  constructor(root = 'memory:///t/') {
    let now = 1_700_000_000_000;
    // Each file is a second younger than the one before.
    this.storage = new MemoryStorageHandler({
      now: () => {
        now += 1000;
        return now;
      },
    });
    this.engine = testEngine(this.storage);
    this.root = new URL(root);
  }

  /** The next version, with one line per action. Sizes of files that come later are filled in by `open`. */
  commit(...actions: readonly Action[]): this {
    const name = commitName(this.#next);
    this.#commits.set(name, actions);
    return this.text(name, this.#lines(actions));
  }

  #lines(actions: readonly Action[]): string {
    return actions.map((action) => `${JSON.stringify(this.#withSize(action))}\n`).join('');
  }

  #withSize(action: Action): Action {
    const file = action.add as { path: string; size?: number } | undefined;
    if (file === undefined || file.size !== undefined) return action;
    return { add: { ...file, size: this.#sizes.get(resolvePath(this.root, file.path).href) ?? 1000 } };
  }

  /** The next version, or the one that is named, as text. */
  text(name: string, content: string | Uint8Array): this {
    const version = /^_delta_log\/(\d{20})\.json$/.exec(name);
    if (version !== null) this.#next = Number(version[1]) + 1;
    this.storage.set(this.url(name), content);
    return this;
  }

  /** Leaves versions out. */
  skip(versions = 1): this {
    this.#next += versions;
    return this;
  }

  /** A file of the table, by its path on disk (not encoded). */
  url(name: string): URL {
    const path = pathOf(new URL(name.split('/').map(encodeURIComponent).join('/'), this.root));
    return locationOf(this.root, path);
  }

  /** A data file, rows as values in the order of `schema`. */
  async parquet(name: string, schema: StructType, rows: readonly (readonly ScalarValue[])[]): Promise<this> {
    await this.engine.ready();
    const scalars = rows.map((row) =>
      row.map((value, index) => ({ type: schema.fields[index]!.type, value })),
    );
    const data = this.engine.evaluationHandler.createMany(schema, scalars);
    const { location, size } = await this.engine.parquetHandler.writeParquetFile(this.url(name), [data]);
    this.#sizes.set(location.href, size);
    return this;
  }

  /** Bytes of a data file. */
  sizeOf(name: string): number {
    return this.#sizes.get(this.url(name).href)!;
  }

  /** A classic checkpoint of a version, which holds `actions`. */
  checkpoint(version: number, ...actions: readonly Action[]): Promise<this> {
    const name = `_delta_log/${String(version).padStart(20, '0')}.checkpoint.parquet`;
    return this.parquet(
      name,
      CHECKPOINT_SCHEMA,
      actions.map((action) => checkpointRow(this.#withSize(action))),
    );
  }

  open(options: OpenOptions = {}): Promise<DeltaTable> {
    for (const [name, actions] of this.#commits) this.storage.set(this.url(name), this.#lines(actions));
    return DeltaTable.open(this.root, { engine: this.engine, ...options });
  }
}

export function commitName(version: number): string {
  return `_delta_log/${String(version).padStart(20, '0')}.json`;
}

export function protocol(
  minReaderVersion = 1,
  minWriterVersion = 2,
  features: { reader?: readonly string[]; writer?: readonly string[] } = {},
): Action {
  const { reader, writer } = features;
  return {
    protocol: {
      minReaderVersion,
      minWriterVersion,
      ...(reader !== undefined && { readerFeatures: reader }),
      ...(writer !== undefined && { writerFeatures: writer }),
    },
  };
}

/** The protocol with which tables with `features` (reader and writer) are made today. */
export function featureProtocol(...features: readonly string[]): Action {
  return protocol(3, 7, { reader: features, writer: features });
}

export function metadata(
  schema: StructType,
  options: { partitionColumns?: readonly string[]; configuration?: Readonly<Record<string, string>> } = {},
): Action {
  return {
    metaData: {
      id: '5fba94ed-9794-4965-ba6e-6ee3c0d22af9',
      format: { provider: 'parquet', options: {} },
      schemaString: schemaToJson(schema),
      partitionColumns: options.partitionColumns ?? [],
      configuration: options.configuration ?? {},
      createdTime: 1_700_000_000_000,
    },
  };
}

/** An add whose fields may be replaced; `stats` is given as an object or as text, the size is found. */
export function add(path: string, fields: Readonly<Record<string, unknown>> = {}): Action {
  const { stats, ...rest } = fields;
  const text = typeof stats === 'object' && stats !== null ? JSON.stringify(stats) : stats;
  return {
    add: {
      path,
      partitionValues: {},
      modificationTime: 1_700_000_000_000,
      dataChange: true,
      ...(text !== undefined && { stats: text }),
      ...rest,
    },
  };
}

export function remove(path: string, fields: Readonly<Record<string, unknown>> = {}): Action {
  return { remove: { path, deletionTimestamp: 1_700_000_000_000, dataChange: true, ...fields } };
}

const textMap = types.map(types.string, types.string);
const textList = types.array(types.string);

/** The columns of a classic checkpoint that small tables need. */
const CHECKPOINT_SCHEMA = types.struct([
  field(
    'protocol',
    types.struct([
      field('minReaderVersion', types.integer),
      field('minWriterVersion', types.integer),
      field('readerFeatures', textList),
      field('writerFeatures', textList),
    ]),
  ),
  field(
    'metaData',
    types.struct([
      field('id', types.string),
      field('format', types.struct([field('provider', types.string), field('options', textMap)])),
      field('schemaString', types.string),
      field('partitionColumns', textList),
      field('configuration', textMap),
      field('createdTime', types.long),
    ]),
  ),
  field(
    'add',
    types.struct([
      field('path', types.string),
      field('partitionValues', textMap),
      field('size', types.long),
      field('modificationTime', types.long),
      field('dataChange', types.boolean),
      field('stats', types.string),
    ]),
  ),
]);

/** One row of a checkpoint: an action's fields by name, as the schema's scalars. */
function checkpointRow(action: Action): ScalarValue[] {
  return CHECKPOINT_SCHEMA.fields.map(({ name, type }) => toScalar(action[name], type));
}

function toScalar(value: unknown, type: DataType): ScalarValue {
  if (value === undefined || value === null) return null;
  switch (type.kind) {
    case 'struct':
      return type.fields.map((child) => toScalar((value as Action)[child.name], child.type));
    case 'map':
      return Object.entries(value as Action).map(([key, item]) => [key, item as string | null]);
    case 'primitive':
      return type.name === 'long' ? BigInt(value as number) : (value as ScalarValue);
    default:
      return value as ScalarValue;
  }
}
