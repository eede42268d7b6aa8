/** New tables, wherever they go. */
import {
  DeltaTable,
  parseSchema,
  type StorageHandler,
  type StructType,
  type WarningListener,
} from 'delta-kernel-web';
import type { NewTable } from '../protocol-write.ts';
import { locate } from '../sources.ts';

export interface Creation {
  /** Where the table's files go. */
  readonly storage: StorageHandler;
  /** Makes it in a wrapped storage. @returns its version. */
  readonly run: (storage: StorageHandler, signal: AbortSignal) => Promise<number>;
}

interface CreationOptions {
  readonly engineInfo: string;
  readonly onWarning: WarningListener;
}

/** Errors: `Schema`, `InvalidOption` for what no table may be. */
export async function createTableOf(table: NewTable, options: CreationOptions): Promise<Creation> {
  const { place, partitionBy, properties, description } = table;
  const schema = schemaOf(table);
  const create = {
    ...options,
    partitionBy,
    properties: Object.fromEntries(properties),
    ...(description !== '' && { description }),
  };
  if (place.kind === 'catalog') return inBrowserCatalog(place.table, schema, create);
  if (place.kind === 'unity') return inUnity(place, schema, create);
  const { url, storage } = await locate(place);
  return {
    storage: storage!,
    run: async (held, signal) =>
      (await DeltaTable.create({ url, storage: held }, schema, { ...create, signal })).version,
  };
}

type CreateOptions = CreationOptions & Pick<NewTable, 'partitionBy'> & { properties: Record<string, string> };

async function inBrowserCatalog(name: string, schema: StructType, create: CreateOptions): Promise<Creation> {
  const { OpfsStorageHandler } = await import('delta-kernel-web/opfs');
  const { browserCatalog } = await import('../sources.ts');
  return {
    storage: new OpfsStorageHandler(),
    run: async (storage, signal) =>
      (await (await browserCatalog(storage)).create(name, schema, { ...create, signal })).version,
  };
}

type UnityPlace = Extract<NewTable['place'], { kind: 'unity' }>;

/** The catalog says where the table goes only when it is asked to make it, so the storage in between is put in there. */
async function inUnity(place: UnityPlace, schema: StructType, create: CreateOptions): Promise<Creation> {
  const { unityOf } = await import('../sources.ts');
  const storage = new LateStorage();
  return {
    storage,
    run: async (held, signal) => {
      const unity = await unityOf(place, (inner) => {
        storage.inner = inner;
        return held;
      });
      return (await unity.create(place.table, schema, { ...create, signal })).version;
    },
  };
}

/** A storage that is known later. */
class LateStorage implements StorageHandler {
  inner: StorageHandler | undefined;

  get #known(): StorageHandler {
    if (this.inner === undefined) throw new Error('the catalog has not said where the table goes');
    return this.inner;
  }

  listFrom(...args: Parameters<StorageHandler['listFrom']>) {
    return this.#known.listFrom(...args);
  }

  readFiles(...args: Parameters<StorageHandler['readFiles']>) {
    return this.#known.readFiles(...args);
  }

  copyAtomic(...args: Parameters<StorageHandler['copyAtomic']>) {
    return this.#known.copyAtomic(...args);
  }

  put(...args: Parameters<StorageHandler['put']>) {
    return this.#known.put(...args);
  }

  head(...args: Parameters<StorageHandler['head']>) {
    return this.#known.head(...args);
  }
}

/** Errors: `Schema` for names and types that are none. */
function schemaOf({ columns }: NewTable): StructType {
  const fields = columns.map(({ name, type, nullable }) => ({
    name,
    type: type.trim().startsWith('{') ? JSON.parse(type) : type.trim(),
    nullable,
    metadata: {},
  }));
  return parseSchema(JSON.stringify({ type: 'struct', fields }));
}
