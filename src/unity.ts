/**
 * `delta-kernel-web/unity`: tables of a Unity Catalog by their names.
 *
 * @example
 * const unity = new UnityCatalog({ url: 'https://catalog.example', token: () => session.token() });
 * const table = await unity.open('main.sales.orders');
 * await table.append([{ id: 1n }]);                      // ratified by the catalog, then published
 */
import type { CatalogCommitterOptions } from './catalog/catalog-committer.ts';
import {
  type Operation,
  parseTableName,
  type StagingTable,
  type StorageCredential,
  shownName,
  type TableName,
  type UnityCatalogError,
  type UnityClient,
  type UnityTable,
} from './catalog/unity/client.ts';
import { checkCloud, s3KeysOf, VendedCredentials } from './catalog/unity/credentials.ts';
import { type UnityHttpOptions, UnityRestClient } from './catalog/unity/rest-client.ts';
import { TABLE_ID_PROPERTY, UCCommitter } from './catalog/unity/uc-committer.ts';
import { domainUpdates, withoutSynthetic } from './catalog/unity/updates.ts';
import { createEngine } from './engine/default-engine.ts';
import { DeltaError, isDeltaError, shownUrl } from './errors.ts';
import type { CallOptions, Engine, Runtime, StorageHandler } from './kernel/engine.ts';
import { Snapshot } from './kernel/snapshot/snapshot.ts';
import { DeltaTable, toTime } from './table/delta-table.ts';
import { storageFor } from './table/location.ts';
import { catalogState } from './table/managed-table.ts';
import type { TableWriter } from './table/write/commit.ts';
import { type CreateOptions, createAt, type SchemaInput } from './table/write/create.ts';

export { CatalogCommitter, type CatalogCommitterOptions } from './catalog/catalog-committer.ts';
export type {
  CatalogTable,
  CatalogTableState,
  Ratification,
  RatifiedCommit,
} from './catalog/staged-commit.ts';
export {
  type CommitMetrics,
  type CreateTableRequest,
  type DomainUpdates,
  type Operation,
  parseTableName,
  type SchemaName,
  type StagingTable,
  type StorageCredential,
  type TableInfo,
  type TableName,
  type TableRequirement,
  type TableUpdate,
  UnityCatalogError,
  type UnityClient,
  type UnityTable,
} from './catalog/unity/client.ts';
export { VendedCredentials } from './catalog/unity/credentials.ts';
export { type UnityHttpOptions, UnityRestClient } from './catalog/unity/rest-client.ts';
export { UCCommitter, type UCCommitterTable } from './catalog/unity/uc-committer.ts';

/** What the catalog does not say of a store of S3's kind. */
export interface S3Settings {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly forcePathStyle?: boolean | undefined;
}

export interface UnityCatalogOptions extends UnityHttpOptions, CatalogCommitterOptions {
  readonly s3?: S3Settings | undefined;
  /** Storage of your own for a location (ending in `/`), undefined where this package is to choose. */
  readonly storage?:
    | ((
        location: URL,
        credentials: VendedCredentials,
      ) => StorageHandler | undefined | Promise<StorageHandler | undefined>)
    | undefined;
  /** Wraps the storage of every table, such as to count requests or to hold back what is written. */
  readonly wrapStorage?: ((storage: StorageHandler) => StorageHandler) | undefined;
  readonly runtime?: Runtime | undefined;
}

export interface UnityOpenOptions extends CallOptions {
  readonly version?: number | undefined;
  /** The version that was the latest at this time: milliseconds, a Date, or ISO 8601 text (UTC without a zone). */
  readonly timestamp?: number | Date | string | undefined;
  /** `READ` asks for no more than reading. Default `READ_WRITE`, or `READ` where that is not permitted. */
  readonly access?: Operation | undefined;
}

export type UnityCreateOptions = Omit<CreateOptions, 'engine' | 'runtime' | 'name'>;

/** Attempts to register a table whose answer gets lost. */
const REGISTER_ATTEMPTS = 3;

export class UnityCatalog {
  readonly client: UnityClient;
  readonly #options: UnityCatalogOptions;

  /** Throws `InvalidUrl`. */
  constructor(options: UnityCatalogOptions) {
    this.#options = options;
    this.client = new UnityRestClient(options);
  }

  /**
   * Opens a table by its name, `catalog.schema.table`. Its writes go through the catalog.
   *
   * Errors: `TableNotFound`, `Unauthorized`, `PermissionDenied`; `Unsupported` for tables in storage that this package
   * does not have; those of `Snapshot.load`.
   */
  async open(tableName: string, options: UnityOpenOptions = {}): Promise<DeltaTable> {
    const name = parseTableName(tableName);
    const { signal, version, timestamp, access } = options;
    const { runtime } = this.#options;
    const table = await this.client.loadTable(name, { signal });
    const { location, tableId } = table;
    const credentials = new VendedCredentials(() => this.#vend(name, access), location);
    const engine = await this.#engine(location, credentials);
    const load = { version, timestamp: toTime(timestamp), signal, runtime };
    if (!isManaged(table)) return new DeltaTable(engine, await Snapshot.load(engine, location, load));
    const snapshot = await Snapshot.load(engine, location, { ...load, ...catalogState(location, table) });
    checkIdentity(snapshot, name, tableId);
    return new DeltaTable(engine, snapshot, this.#writer(name, tableId, location));
  }

  /**
   * Makes a table, with what the catalog requires of its tables: version 0 is written, then registered.
   *
   * Errors: `CatalogError` for a name that is taken; those of `open` and of `createTable`.
   */
  async create(
    tableName: string,
    schema: SchemaInput,
    options: UnityCreateOptions = {},
  ): Promise<DeltaTable> {
    const name = parseTableName(tableName);
    const { signal, properties = {}, ...rest } = options;
    const staging = await this.client.createStagingTable(name, { signal });
    const { location, tableId } = staging;
    const engine = await this.#engine(location, this.#stagingCredentials(name, staging));
    const writer = this.#writer(name, tableId, location);
    const { runtime, onWarning } = this.#options;
    const created = {
      onWarning,
      ...rest,
      signal,
      runtime,
      properties: requiredProperties(staging, properties),
    };
    const snapshot = await createAt(engine, location, schema, created, writer);
    // The table is there now: telling the catalog of it is not given up half-way.
    await this.#register(name, staging, engine, snapshot);
    return new DeltaTable(engine, snapshot, writer);
  }

  #writer(name: TableName, tableId: string, location: URL): TableWriter {
    const { client } = this;
    const { onWarning } = this.#options;
    return {
      committer: new UCCommitter({ client, name, tableId }, { onWarning }),
      catalogState: async (options) => {
        const table = await client.loadTable(name, options);
        if (table.tableId === tableId) return catalogState(location, table);
        throw new DeltaError('CatalogError', `${shownName(name)} is another table by now: open it again`);
      },
      reportCommit: (counts, options) => client.reportMetrics(name, tableId, counts, options),
    };
  }

  async #vend(name: TableName, access: Operation | undefined): Promise<StorageCredential[]> {
    try {
      return await this.client.tableCredentials(name, access ?? 'READ_WRITE');
    } catch (error) {
      if (access !== undefined || !isDeltaError(error, 'PermissionDenied')) throw error;
      return this.client.tableCredentials(name, 'READ');
    }
  }

  /** Those of the staging answer first; later ones by the table's name, once it has one. */
  #stagingCredentials(name: TableName, { credentials, tableId, location }: StagingTable): VendedCredentials {
    let given: readonly StorageCredential[] | undefined = credentials;
    const vend = async () => {
      const first = given;
      given = undefined;
      if (first !== undefined && first.length > 0) return first;
      try {
        return await this.client.tableCredentials(name, 'READ_WRITE');
      } catch (error) {
        if (!isDeltaError(error, 'TableNotFound')) throw error;
        return this.client.stagingCredentials(name.catalog, tableId);
      }
    };
    return new VendedCredentials(vend, location);
  }

  async #engine(location: URL, credentials: VendedCredentials): Promise<Engine> {
    const { wrapStorage = (storage: StorageHandler) => storage } = this.#options;
    return createEngine({ storage: wrapStorage(await this.#storage(location, credentials)) });
  }

  async #storage(location: URL, credentials: VendedCredentials): Promise<StorageHandler> {
    const { storage, s3 } = this.#options;
    const own = await storage?.(location, credentials);
    if (own !== undefined) return own;
    checkCloud(location);
    if (!/^s3[an]?:$/.test(location.protocol)) return storageFor(location);
    // Only tables in S3 need the SDK.
    const { vendedS3 } = await import('./storage/s3-vended.ts');
    return vendedS3({
      ...s3,
      keys: async () => s3KeysOf(await credentials.current()),
      renew: async () => s3KeysOf(await credentials.renewed()),
    });
  }

  async #register(name: TableName, staging: StagingTable, engine: Engine, snapshot: Snapshot): Promise<void> {
    const { storedLocation, tableId } = staging;
    const { metadata, protocol } = snapshot;
    const domains = [];
    for (const domain of ['delta.clustering', 'delta.rowTracking']) {
      const configuration = await snapshot.getSystemDomainMetadata(engine, domain);
      if (configuration !== undefined) domains.push({ domain, configuration, removed: false });
    }
    const request = {
      name: name.table,
      storedLocation,
      columns: metadata.schema,
      partitionColumns: metadata.partitionColumns,
      protocol,
      properties: withoutSynthetic(metadata.configuration),
      domains: domainUpdates(domains),
      comment: metadata.description,
      lastCommitTimestamp: await snapshot.timestamp(engine),
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.client.createTable(name, request);
      } catch (error) {
        const isTaken = (error as UnityCatalogError).type === 'AlreadyExistsException';
        if (!isTaken && !isDeltaError(error, 'IOError')) throw error;
        if (await this.#isRegistered(name, tableId)) return;
        if (isTaken || attempt === REGISTER_ATTEMPTS) throw error;
      }
    }
  }

  async #isRegistered(name: TableName, tableId: string): Promise<boolean> {
    try {
      return (await this.client.loadTable(name)).tableId === tableId;
    } catch (error) {
      if (isDeltaError(error, 'TableNotFound')) return false;
      throw error;
    }
  }
}

function isManaged({ properties }: UnityTable): boolean {
  return ['catalogManaged', 'catalogOwned-preview'].some(
    (feature) => properties[`delta.feature.${feature}`] === 'supported',
  );
}

/** The folder must hold the table that the catalog means. */
function checkIdentity({ metadata, tableRoot }: Snapshot, name: TableName, tableId: string): void {
  const found = metadata.configuration[TABLE_ID_PROPERTY];
  if (found === undefined || found === tableId) return;
  throw new DeltaError(
    'CatalogError',
    `${shownName(name)} is ${tableId} in the catalog, but its folder holds the table ${found}`,
    { table: shownUrl(tableRoot) },
  );
}

/** What the server asks for wins; a property of the user's that says otherwise is a mistake. */
function requiredProperties(
  { requiredProperties: required, requiredProtocol }: StagingTable,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const result: Record<string, string> = { ...given };
  for (const feature of requiredProtocol.writerFeatures ?? [])
    result[`delta.feature.${feature}`] = 'supported';
  for (const [key, value] of Object.entries(required)) {
    if (value === null) continue;
    if (given[key] !== undefined && given[key] !== value) {
      throw new DeltaError('InvalidOption', `the catalog requires ${key} = ${value}, not ${given[key]}`);
    }
    result[key] = value;
  }
  return result;
}
