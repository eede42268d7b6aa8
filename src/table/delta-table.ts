/**
 * `DeltaTable`: what most people use. A thin layer over the kernel's snapshot and scan with the default engine.
 *
 * @example
 * const table = await DeltaTable.open('https://host/table/');
 * for await (const batch of table.scan({ columns: ['id'], where: "city = 'NYC'", limit: 10 })) …
 */
import { createEngine } from '../engine/default-engine.ts';
import { DeltaError } from '../errors.ts';
import type { Metadata, Protocol } from '../kernel/actions/types.ts';
import type { WriteOutcome } from '../kernel/checkpoint/outcome.ts';
import type { CallOptions, Engine, Runtime, StorageHandler } from '../kernel/engine.ts';
import { type Condition, toPredicate } from '../kernel/expressions/builders.ts';
import { parsePredicate } from '../kernel/expressions/parser.ts';
import type { Predicate } from '../kernel/expressions/types.ts';
import { type HistoryEntry, type HistoryOptions, history } from '../kernel/history/history.ts';
import type { LogPath } from '../kernel/log/log-path.ts';
import type { GrantOptions } from '../kernel/maintenance/catalog-grant.ts';
import { type CleanupOptions, type CleanupResult, cleanUpLog } from '../kernel/maintenance/cleanup-log.ts';
import { type VacuumOptions, type VacuumResult, vacuum } from '../kernel/maintenance/vacuum.ts';
import { parseTimestamp } from '../kernel/partition-values/temporal.ts';
import type { ScanExplanation } from '../kernel/scan/explain.ts';
import type { ScanFile } from '../kernel/scan/scan-files.ts';
import type { ProjectionOptions } from '../kernel/scan/scan-schema.ts';
import type { StructType } from '../kernel/schema/types.ts';
import { Snapshot } from '../kernel/snapshot/snapshot.ts';
import type { TableProperties } from '../kernel/table-properties.ts';
import { type ChangesOptions, ChangesScan } from './changes-scan.ts';
import { storageFor, tableLocation } from './location.ts';
import { catalogOptions } from './managed-table.ts';
import { fileTotals, type TableDetail, tableDetail } from './table-detail.ts';
import { TableScan } from './table-scan.ts';
import { type Alter, alter } from './write/alter.ts';
import { type AppendOptions, append } from './write/append.ts';
import { fileSystemWriter, type TableWriter, type WriteOptions, type WriteTarget } from './write/commit.ts';
import { type CreateOptions, createAt, type SchemaInput } from './write/create.ts';
import { type DeleteResult, deleteRows } from './write/delete.ts';
import type { RowInput } from './write/input.ts';

/** A filter: text (see `parsePredicate`), a builder (`col('a').gt(1)`) or a plain predicate. */
export type Where = string | Condition;

export interface OpenOptions extends CallOptions {
  /** The version to open; the latest by default. */
  version?: number | undefined;
  /** The version that was the latest at this time: milliseconds, a Date, or ISO 8601 text (UTC without a zone). */
  timestamp?: number | Date | string | undefined;
  /** Reads the table; by default the default engine over the location's storage. */
  engine?: Engine | undefined;
  /** Commits that a catalog ratified and did not publish yet. */
  logTail?: readonly LogPath[] | undefined;
  /** The newest version that a catalog ratified. */
  maxCatalogVersion?: number | undefined;
  /** Clock and UUIDs of all that comes from this table. */
  runtime?: Runtime | undefined;
}

/** A table in a storage of the caller's. */
export interface StoredTable extends OpenOptions {
  storage?: StorageHandler | undefined;
  url: string | URL;
}

/** Where a new table goes: in a storage of the caller's. */
export type CreateLocation = Pick<StoredTable, 'storage' | 'url'>;

export interface FilterOptions extends CallOptions {
  where?: Where | undefined;
}

export interface ScanOptions extends FilterOptions, ProjectionOptions {
  /** At most this many rows, counted after the filter. */
  limit?: number | undefined;
}

/** A Delta table at one version; its own writes move it on to the version that they made. */
export class DeltaTable {
  readonly engine: Engine;
  readonly #writer: TableWriter;
  #snapshot: Snapshot;

  /** @param writer how commits are made: by put-if-absent in the log by default. */
  constructor(engine: Engine, snapshot: Snapshot, writer: TableWriter = fileSystemWriter) {
    this.engine = engine;
    this.#snapshot = snapshot;
    this.#writer = writer;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /**
   * Opens a table by its URL (or path, in Node), or in a storage.
   *
   * Errors: those of `Snapshot.load`; `InvalidUrl` for an address that is none or whose scheme no storage serves.
   */
  static async open(location: string | URL | StoredTable, options: OpenOptions = {}): Promise<DeltaTable> {
    const isUrl = typeof location === 'string' || location instanceof URL;
    const {
      url,
      storage,
      engine: given,
      timestamp,
      ...rest
    } = isUrl ? ({ ...options, url: location } as StoredTable) : { ...options, ...location };
    const root = tableLocation(url);
    const engine = given ?? createEngine({ storage: storage ?? (await storageFor(root)) });
    const snapshot = await Snapshot.load(engine, root, { ...rest, timestamp: toTime(timestamp) });
    return new DeltaTable(engine, snapshot);
  }

  /**
   * Makes a new table, empty, at version 0.
   * @param schema Delta's types, an Arrow schema, or the JSON text of a Delta schema.
   *
   * Errors: `FileAlreadyExists` where there is a table; those of `createTable` for schema, layout and properties;
   * storage's own.
   */
  static async create(
    location: string | URL | CreateLocation,
    schema: SchemaInput,
    options: CreateOptions = {},
  ): Promise<DeltaTable> {
    const { url, storage } =
      typeof location === 'string' || location instanceof URL
        ? { url: location, storage: undefined }
        : location;
    const root = tableLocation(url);
    const engine = options.engine ?? createEngine({ storage: storage ?? (await storageFor(root)) });
    return new DeltaTable(engine, await createAt(engine, root, schema, options));
  }

  get version(): number {
    return this.snapshot.version;
  }

  get schema(): StructType {
    return this.snapshot.schema;
  }

  get protocol(): Protocol {
    return this.snapshot.protocol;
  }

  get metadata(): Metadata {
    return this.snapshot.metadata;
  }

  get properties(): TableProperties {
    return this.snapshot.tableProperties;
  }

  get url(): URL {
    return this.snapshot.tableRoot;
  }

  /** The same version through another engine, such as one over a wrapped storage; commits are made as before. */
  withEngine(engine: Engine): DeltaTable {
    return new DeltaTable(engine, this.#snapshot, this.#writer);
  }

  /** This table at its newest version, which its catalog is asked for: the same object where nothing is new. */
  async refresh(
    options: Pick<OpenOptions, 'logTail' | 'maxCatalogVersion' | 'signal'> = {},
  ): Promise<DeltaTable> {
    const isGiven = options.maxCatalogVersion !== undefined;
    const state = isGiven ? {} : await this.#writer.catalogState({ signal: options.signal });
    const snapshot = await this.snapshot.refresh(this.engine, { ...options, ...state });
    return snapshot === this.snapshot ? this : new DeltaTable(this.engine, snapshot, this.#writer);
  }

  /**
   * Rows as Arrow record batches, in file order, exactly those for which `where` is true.
   * Errors of options (`InvalidExpression`, `Schema` for unknown columns, `InvalidOption`) are thrown here, others
   * while iterating.
   */
  scan(options: ScanOptions = {}): TableScan {
    const { where, limit, signal, ...projection } = options;
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
      throw new DeltaError('InvalidOption', `limit must be a whole number from 0 on, not ${limit}`);
    }
    const scan = this.snapshot.scan({ ...projection, predicate: toWhere(where) });
    return new TableScan(this.engine, scan, { limit, signal });
  }

  /**
   * How many rows there are, or for which `where` is true. From the log where that is exact, else by reading what
   * the filter needs.
   */
  async count({ where, signal }: FilterOptions = {}): Promise<number> {
    if (where === undefined) {
      const { numRecords } = await fileTotals(this.engine, this.snapshot.scan(), { signal });
      if (numRecords !== null) return numRecords;
    }
    let rows = 0;
    for await (const batch of this.scan({ columns: [], where, signal })) rows += batch.numRows;
    return rows;
  }

  /** Live files: all, or those that may hold rows for which `where` is true. Newest commits first. */
  async files(options: FilterOptions = {}): Promise<ScanFile[]> {
    const files: ScanFile[] = [];
    for await (const file of this.liveFiles(options)) files.push(file);
    return files;
  }

  /** The same one by one. */
  liveFiles({ where, signal }: FilterOptions = {}): AsyncGenerator<ScanFile, void, undefined> {
    return this.snapshot.scan({ predicate: toWhere(where) }).files(this.engine, { signal });
  }

  /**
   * Every live file with whether a scan with `where` reads it, and if not why. `rowGroups` also tells which row groups
   * of the files that are kept are decoded: it reads their footers.
   */
  explain({ where, ...options }: FilterOptions & { rowGroups?: boolean } = {}): ScanExplanation {
    return this.snapshot.scan({ predicate: toWhere(where) }).explain(this.engine, options);
  }

  /**
   * Rows that commits of versions `start` to `end` (this version by default) inserted, deleted or updated, with
   * `_change_type`, `_commit_version` and `_commit_timestamp`: all, or those for which `where` is true, which may name
   * these columns too. Text that is no condition is an `InvalidExpression` here; other errors, those of
   * `TableChanges.load` among them, come while iterating.
   */
  changes({ where, ...options }: ChangesOptions): ChangesScan {
    const { runtime, tableRoot } = this.snapshot;
    const end = options.end ?? this.version;
    return new ChangesScan(this.engine, tableRoot, {
      runtime,
      ...catalogOptions(this.snapshot),
      ...options,
      end,
      predicate: toWhere(where),
    });
  }

  /** Commits, newest first: this version and those before it. */
  history(options: HistoryOptions = {}): Promise<HistoryEntry[]> {
    return history(this.engine, this.snapshot, options);
  }

  /**
   * Appends rows: objects by column name, or Arrow tables and record batches. Conflicts with other writers are resolved
   * and retried. Without rows nothing is committed. Rows of an iterable are read once, and their files are used again
   * after a change of the table that they fit; else the error is `MetadataChanged`.
   *
   * Errors, before anything is committed: `Schema` for unknown columns and values that are none of their type;
   * `ConstraintViolation` (NOT NULL, CHECK constraints, invariants, generated columns); `InvalidPartitionValues`;
   * `Unsupported` with the `feature` that the table has and this version cannot honour; storage's own.
   * @returns the version that has the rows; this table is at it from then on.
   */
  async append(rows: RowInput, options: AppendOptions = {}): Promise<number> {
    this.#snapshot = await append(this.#target(), rows, options);
    return this.version;
  }

  /**
   * Deletes the rows for which `where` is true (`TRUE`: all), in deletion vectors where the table has them enabled.
   * Redone on the newer version where another writer changed rows that it reads.
   *
   * Errors: those of {@link DeltaTable.scan} and of conflicts; `Unsupported` for an append-only table.
   */
  async delete(where: Where, options: WriteOptions = {}): Promise<DeleteResult> {
    const { snapshot, result } = await deleteRows(this.#target(), toWhere(where)!, options);
    this.#snapshot = snapshot;
    return result;
  }

  /**
   * Changes columns, properties, constraints or features in one commit:
   * `table.alter((change) => change.addColumn(…).setProperties(…))`. See `TableAlteration` for what there is, and for
   * the errors. Redone on the newer version after a conflict.
   * @returns the version that has the changes; this table is at it from then on.
   */
  async alter(change: Alter, options: WriteOptions = {}): Promise<number> {
    this.#snapshot = await alter(this.#target(), change, options);
    return this.version;
  }

  /** Writes a checkpoint of this version, so that readers need not read all commits before it. */
  async checkpoint(options: CallOptions = {}): Promise<WriteOutcome['result']> {
    const { result, snapshot } = await this.snapshot.checkpoint(this.engine, options);
    this.#snapshot = snapshot;
    return result;
  }

  /**
   * Deletes data files that neither the newest version nor any within the retention needs; `dryRun` only tells which.
   * See `vacuum` of the kernel for the errors.
   */
  async vacuum(options: VacuumOptions = {}): Promise<VacuumResult> {
    return vacuum(this.engine, this.snapshot, { ...(await this.#grant(options)), ...options });
  }

  /**
   * Deletes log files of versions past `delta.logRetentionDuration`, as far as a checkpoint takes their place.
   * See `cleanUpLog` of the kernel for the errors.
   */
  async cleanUpLog(options: CleanupOptions = {}): Promise<CleanupResult> {
    return cleanUpLog(this.engine, this.snapshot, { ...(await this.#grant(options)), ...options });
  }

  /**
   * Publishes the commits of this version that are only staged; nothing where there are none. This table is at the
   * same version, all of it published.
   */
  async publish(options: CallOptions = {}): Promise<number> {
    this.#snapshot = await this.snapshot.publish(this.engine, this.#writer.committer, options);
    return this.version;
  }

  /** Asks the catalog, where it lets its clients delete files of its tables. */
  async #grant({ signal }: CallOptions): Promise<GrantOptions> {
    if (this.#writer.grantsMaintenance !== true) return {};
    const { logTail = [], maxCatalogVersion = this.version } = await this.#writer.catalogState({ signal });
    return { grant: { logTail, maxCatalogVersion } };
  }

  #target(): WriteTarget {
    return { engine: this.engine, snapshot: this.snapshot, ...this.#writer };
  }

  /** What the table is and how large: reads the list of files. */
  detail(options: CallOptions = {}): Promise<TableDetail> {
    return tableDetail(this.engine, this.snapshot, options);
  }
}

function toWhere(where: Where | undefined): Predicate | undefined {
  return typeof where === 'string' ? parsePredicate(where) : where && toPredicate(where);
}

/** A time as `Snapshot.load` takes it; throws `InvalidOption` for text that is none. */
export function toTime(timestamp: number | Date | string | undefined): number | Date | undefined {
  if (typeof timestamp !== 'string') return timestamp;
  if (/^\d+$/.test(timestamp)) return Number(timestamp);
  const micros = parseTimestamp(timestamp, true);
  if (micros === undefined) {
    throw new DeltaError(
      'InvalidOption',
      `${JSON.stringify(timestamp)} is not a time: expected milliseconds, or text like 2024-01-31T12:00:00Z`,
    );
  }
  return Math.floor(Number(micros) / 1000);
}
