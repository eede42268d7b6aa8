/**
 * `delta-kernel-web/catalog`: a catalog without a server, in a storage that can compare and swap.
 *
 * @example
 * const catalog = new StorageCatalog({
 *   records: new R2RecordStore(env.BUCKET),
 *   storage: new R2StorageHandler(env.BUCKET),
 *   root: 'r2://bucket/tables/',
 * });
 * const table = await catalog.open('orders');
 *
 * It orders commits, and nothing else: no users, no permissions, no audit, no credentials. Whoever may write to the
 * storage may write to every table, and to the catalog.
 */

import type { CatalogCommitterOptions } from './catalog/catalog-committer.ts';
import { EmbeddedCatalog, type EmbeddedCatalogOptions } from './catalog/embedded/embedded-catalog.ts';
import type { RecordStore } from './catalog/embedded/record-store.ts';
import { createEngine } from './engine/default-engine.ts';
import type { CallOptions, Engine, Runtime, StorageHandler } from './kernel/engine.ts';
import { systemRuntime } from './kernel/runtime.ts';
import { Snapshot } from './kernel/snapshot/snapshot.ts';
import { DeltaTable, toTime } from './table/delta-table.ts';
import { tableLocation } from './table/location.ts';
import { catalogState } from './table/managed-table.ts';
import type { TableWriter } from './table/write/commit.ts';
import { type CreateOptions, createAt, type SchemaInput } from './table/write/create.ts';

export { CatalogCommitter, type CatalogCommitterOptions } from './catalog/catalog-committer.ts';
export { EmbeddedCatalog, type EmbeddedCatalogOptions } from './catalog/embedded/embedded-catalog.ts';
export { MemoryRecordStore } from './catalog/embedded/memory-records.ts';
export { type OpfsRecordOptions, OpfsRecordStore } from './catalog/embedded/opfs-records.ts';
export { type R2RecordBucket, R2RecordStore } from './catalog/embedded/r2-records.ts';
export type { RecordStore, StoredRecord } from './catalog/embedded/record-store.ts';
export type { TableRecord } from './catalog/embedded/table-record.ts';
export {
  type CatalogTable,
  type CatalogTableState,
  logTailOf,
  type Ratification,
  type RatifiedCommit,
} from './catalog/staged-commit.ts';

export interface StorageCatalogOptions extends EmbeddedCatalogOptions, CatalogCommitterOptions {
  readonly records: RecordStore;
  readonly storage: StorageHandler;
  /** Folder for new tables, each in a folder of its own. */
  readonly root: string | URL;
  /**
   * Whether `vacuum` and `cleanUpLog` of its tables work. Default true: nobody else would delete what is not needed any
   * more.
   */
  readonly maintenance?: boolean | undefined;
  readonly engine?: Engine | undefined;
  readonly runtime?: Runtime | undefined;
}

export interface CatalogOpenOptions extends CallOptions {
  readonly version?: number | undefined;
  /** The version that was the latest at this time: milliseconds, a Date, or ISO 8601 text (UTC without a zone). */
  readonly timestamp?: number | Date | string | undefined;
}

export type CatalogCreateOptions = Omit<CreateOptions, 'engine' | 'runtime'>;

/** The features of every table of a catalog: readers and writers must know that it has one. */
const FEATURES = {
  'delta.feature.catalogManaged': 'supported',
  'delta.feature.vacuumProtocolCheck': 'supported',
};

export class StorageCatalog {
  readonly catalog: EmbeddedCatalog;
  readonly #options: StorageCatalogOptions;
  readonly #engine: Engine;
  readonly #root: URL;

  constructor(options: StorageCatalogOptions) {
    this.#options = options;
    this.catalog = new EmbeddedCatalog(options.records, options);
    this.#engine = options.engine ?? createEngine({ storage: options.storage });
    this.#root = tableLocation(options.root);
  }

  /** Names of all tables, in any order. */
  list(): AsyncIterable<string> {
    return this.catalog.list();
  }

  /** Errors: `TableNotFound`, and those of `Snapshot.load`. */
  async open(name: string, options: CatalogOpenOptions = {}): Promise<DeltaTable> {
    const record = await this.catalog.load(name, options);
    const location = new URL(record.location);
    const { runtime } = this.#options;
    const { timestamp, ...rest } = options;
    const load = { ...rest, timestamp: toTime(timestamp), runtime, ...catalogState(location, record) };
    const snapshot = await Snapshot.load(this.#engine, location, load);
    return new DeltaTable(this.#engine, snapshot, this.#writer(name, record.tableId, location));
  }

  /** Errors: `CatalogError` for a name that is taken, and those of `createTable`. */
  async create(name: string, schema: SchemaInput, options: CatalogCreateOptions = {}): Promise<DeltaTable> {
    const { runtime = systemRuntime } = this.#options;
    const { properties, ...rest } = options;
    const tableId = runtime.uuid();
    const location = new URL(`${tableId}/`, this.#root);
    const writer = this.#writer(name, tableId, location);
    const { onWarning } = this.#options;
    const created = { onWarning, ...rest, runtime, properties: { ...properties, ...FEATURES } };
    const snapshot = await createAt(this.#engine, location, schema, created, writer);
    await this.catalog.register(name, tableId, location);
    return new DeltaTable(this.#engine, snapshot, writer);
  }

  /** Forgets a table; its files stay. Idempotent. */
  drop(name: string): Promise<void> {
    return this.catalog.drop(name);
  }

  #writer(name: string, tableId: string, location: URL): TableWriter {
    const table = this.catalog.table(name, tableId);
    const { onWarning, maintenance: grantsMaintenance = true } = this.#options;
    return {
      committer: this.catalog.committer(name, tableId, { onWarning }),
      grantsMaintenance,
      catalogState: async (options) => catalogState(location, await table.load(options)),
    };
  }
}
