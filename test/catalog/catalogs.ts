/** The catalogs of the package, as the cases of `phases.ts` use them. Each runtime passes the entries that it imports. */
import type * as CatalogEntry from '../../src/catalog.ts';
import type * as Delta from '../../src/index.ts';
import type * as UnityEntry from '../../src/unity.ts';
import type { ManagedTables } from './phases.ts';

/** Over a storage, with one record per table in a store. */
export function embeddedTables(
  delta: typeof Delta,
  { StorageCatalog }: typeof CatalogEntry,
  { records, storage, root }: CatalogEntry.StorageCatalogOptions,
): ManagedTables {
  let isBroken = false;
  const reached = <T>(run: () => T): T => {
    if (isBroken) throw new delta.DeltaError('IOError', 'the catalog cannot be reached');
    return run();
  };
  const breaking: CatalogEntry.RecordStore = {
    read: async (key) => reached(() => records.read(key)),
    replace: async (key, text, tag) => reached(() => records.replace(key, text, tag)),
    remove: async (key) => reached(() => records.remove(key)),
    keys: (prefix) => records.keys(prefix),
  };
  const catalog = new StorageCatalog({ records: breaking, storage, root });
  return {
    delta,
    create: (name, schema) => catalog.create(name, schema),
    open: (name) => catalog.open(name),
    committer: (name, tableId) => catalog.catalog.committer(name, tableId),
    load: async (name) => {
      const record = await catalog.catalog.load(name);
      return { ...record, location: new URL(record.location) };
    },
    breakCatalog: () => {
      isBroken = true;
      return () => {
        isBroken = false;
      };
    },
  };
}

/** Where the servers are. */
export interface UnityServers {
  readonly url: string;
  readonly token: string;
  /** `catalog.schema` */
  readonly schema: string;
  readonly s3: { readonly endpoint: string; readonly region: string };
}

/** Of Unity Catalog, in S3 with the keys that it hands out. */
export function unityTables(
  delta: typeof Delta,
  { UnityCatalog, UCCommitter, parseTableName }: typeof UnityEntry,
  { url, token, schema, s3 }: UnityServers,
): ManagedTables {
  let isBroken = false;
  const unity = new UnityCatalog({
    url,
    token: async () => token,
    s3,
    sleep: async () => undefined,
    fetch: async (input, init) => {
      if (isBroken) throw new TypeError('the catalog cannot be reached');
      return fetch(input, init);
    },
  });
  const nameOf = (name: string) => parseTableName(`${schema}.${name}`);
  return {
    delta,
    create: (name, columns) => unity.create(`${schema}.${name}`, columns),
    open: (name) => unity.open(`${schema}.${name}`),
    committer: (name, tableId) => new UCCommitter({ client: unity.client, name: nameOf(name), tableId }),
    load: (name) => unity.client.loadTable(nameOf(name)),
    breakCatalog: () => {
      isBroken = true;
      return () => {
        isBroken = false;
      };
    },
  };
}
