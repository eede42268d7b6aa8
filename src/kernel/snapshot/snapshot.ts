/**
 * A table at one version: immutable, shareable, without open files. Everything else starts here.
 *
 * @example
 * const snapshot = await Snapshot.load(engine, new URL('https://host/table/'));
 * for await (const batch of snapshot.scan().execute(engine)) …
 */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { Metadata, Protocol } from '../actions/types.ts';
import { type CheckpointOptions, writeCheckpoint } from '../checkpoint/checkpoint.ts';
import type { WriteOutcome } from '../checkpoint/outcome.ts';
import { type ChecksumOptions, writeChecksum } from '../checkpoint/write-checksum.ts';
import type { Committer } from '../committer/committer.ts';
import { type CallOptions, type Engine, locationOf, pathOf, type Runtime } from '../engine.ts';
import { versionTimestamp } from '../history/commit-times.ts';
import { latestVersionAsOf } from '../history/timestamps.ts';
import type { Checksum } from '../log/checksum.ts';
import { type KnownState, loadProtocolAndMetadata } from '../log/protocol-metadata.ts';
import type { LogSegment } from '../log/types.ts';
import { systemRuntime } from '../runtime.ts';
import { Scan, type ScanOptions } from '../scan/scan.ts';
import type { StructType } from '../schema/types.ts';
import { checkReadSupport, isFeatureSupported } from '../table-features/protocol-support.ts';
import { type TableProperties, tableProperties } from '../table-properties.ts';
import { TableAlteration } from '../transaction/alter-table.ts';
import { publish } from '../transaction/publish.ts';
import { Transaction, type TransactionOptions } from '../transaction/transaction.ts';
import {
  type ApplicationState,
  findDomainMetadata,
  findSetTransaction,
  readApplicationState,
} from './app-state.ts';
import { checkCatalogManaged, targetVersion, type VersionOptions } from './catalog-options.ts';
import { CLUSTERING_DOMAIN, parseClusteringColumns } from './clustering.ts';
import { loadSegment, refreshSegment, sameSegment } from './load-segment.ts';
import type { SnapshotParts, SnapshotState } from './state.ts';

export type { SnapshotParts } from './state.ts';

export interface SnapshotOptions extends VersionOptions, CallOptions {
  /** The version that was the latest at this time (ms since the epoch, or a date). Not together with `version`. */
  timestamp?: number | Date | undefined;
  /** Clock and UUIDs of this snapshot and of all that comes from it; the machine's by default. */
  runtime?: Runtime | undefined;
}

export type RefreshOptions = VersionOptions & CallOptions;

export class Snapshot implements SnapshotState {
  readonly version: number;
  readonly tableRoot: URL;
  readonly logSegment: LogSegment;
  readonly protocol: Protocol;
  readonly metadata: Metadata;
  readonly schema: StructType;
  readonly tableProperties: TableProperties;
  readonly runtime: Runtime;
  /** The checksum of exactly this version, where it was read or written. */
  readonly checksum: Checksum | undefined;
  /** The in-commit timestamp of this version in ms, where it is known without reading the commit. */
  readonly inCommitTimestamp: number | undefined;

  private constructor(parts: SnapshotParts) {
    this.logSegment = parts.logSegment;
    this.version = parts.logSegment.version;
    this.tableRoot = parts.logSegment.tableRoot;
    this.protocol = parts.protocol;
    this.metadata = parts.metadata;
    this.schema = parts.metadata.schema;
    this.tableProperties = tableProperties(parts.protocol, parts.metadata);
    this.runtime = parts.runtime;
    this.checksum = parts.checksum;
    this.inCommitTimestamp = parts.inCommitTimestamp ?? parts.checksum?.inCommitTimestamp;
  }

  /**
   * Opens a table. Costs one listing and one read of `_last_checkpoint` side by side, then one read of the version's
   * checksum, or of commits and checkpoint side by side where there is none.
   *
   * @param tableRoot the table's folder, with or without a `/` at its end; a query (a signature) is kept.
   *
   * Errors: `TableNotFound`; `MissingVersion`; `InvalidLog` and `InvalidCheckpoint` for a log with versions missing;
   * `MissingProtocol`, `MissingMetadata`, `MissingMetadataAndProtocol`; `InvalidProtocol`; `Unsupported` with the
   * `feature`; `MaxCatalogVersion` for a catalog-managed table without `maxCatalogVersion` and the reverse;
   * `LogTailVersionsNotContiguous`; `TimestampOutOfRange`; `InvalidOption`; `InvalidUrl`; and storage's own.
   */
  static async load(
    engine: Engine,
    tableRoot: URL | string,
    options: SnapshotOptions = {},
  ): Promise<Snapshot> {
    const root = parseTableRoot(tableRoot);
    const { timestamp, ...rest } = options;
    if (timestamp === undefined) return loadVersion(engine, root, options);
    if (rest.version !== undefined) {
      throw new DeltaError('InvalidOption', 'version and timestamp cannot be given together');
    }
    const latest = await loadVersion(engine, root, rest);
    const version = await latestVersionAsOf(engine, latest, timestamp, { signal: options.signal });
    return version === latest.version ? latest : loadVersion(engine, root, { ...rest, version });
  }

  /** A snapshot of parts that are known already: no I/O, nothing is checked. For the kernel itself. */
  static fromParts(parts: SnapshotParts): Snapshot {
    return new Snapshot(parts);
  }

  /**
   * This table at a newer version (the latest by default), reading only what is new; this same object where nothing
   * is. The result is as a fresh `load` would give it. An older `version` is `InvalidOption`: load it.
   */
  async refresh(engine: Engine, options: RefreshOptions = {}): Promise<Snapshot> {
    const { signal, logTail, maxCatalogVersion } = options;
    const target = targetVersion(options, this.tableRoot);
    checkCatalogManaged(this.protocol, maxCatalogVersion, this.tableRoot);
    if (target === this.version) return this;
    if (target !== undefined && target < this.version) {
      throw new DeltaError(
        'InvalidOption',
        `cannot refresh version ${this.version} to ${target}: load it instead`,
        {
          table: shownUrl(this.tableRoot),
          version: target,
        },
      );
    }
    const segment = await refreshSegment(engine, this.logSegment, { target, logTail, signal });
    if (sameSegment(segment, this.logSegment)) return this;
    const known = isContinuation(segment, this.logSegment) ? this : undefined;
    return fromSegment(engine, segment, { signal, maxCatalogVersion, runtime: this.runtime, known });
  }

  /**
   * A scan of this version. Options are checked here (`Schema`, `InvalidExpression`, `Unsupported`), nothing is read.
   */
  scan(options: ScanOptions = {}): Scan {
    return new Scan(this, options);
  }

  /**
   * A change of this table, built on this version. Throws `Unsupported` where this kernel may not write to the table.
   */
  transaction(committer: Committer, options: TransactionOptions = {}): Transaction<Snapshot> {
    return new Transaction({ base: this, committer, makeSnapshot: Snapshot.fromParts, ...options });
  }

  /** A change of this table's columns, properties and features: see {@link TableAlteration}. */
  alterTable(committer: Committer, options: TransactionOptions = {}): TableAlteration<Snapshot> {
    return new TableAlteration(this, committer, Snapshot.fromParts, options);
  }

  /**
   * Makes the commits that only the catalog knows ordinary files of the log, so that others find them and the log can
   * be maintained; this same object where there are none. See `publish` for what it throws.
   */
  publish(engine: Engine, committer: Committer, options: CallOptions = {}): Promise<Snapshot> {
    return publish(engine, this, committer, Snapshot.fromParts, options);
  }

  /**
   * The newest version that an application recorded with its transactions, undefined where it has none or the record
   * is older than `delta.setTransactionRetentionDuration`.
   */
  async getAppIdVersion(
    engine: Engine,
    appId: string,
    options: CallOptions = {},
  ): Promise<number | undefined> {
    const transaction = await findSetTransaction(engine, this.logSegment, this.checksum, appId, options);
    if (transaction === undefined) return undefined;
    const retention = this.tableProperties.setTransactionRetentionDuration;
    const { lastUpdated, version } = transaction;
    const isExpired =
      retention !== undefined && lastUpdated !== undefined && lastUpdated <= this.runtime.now() - retention;
    return isExpired ? undefined : version;
  }

  /**
   * The configuration of a user domain, undefined where there is none. Names that start with `delta.` belong to
   * the protocol: `InvalidOption`.
   */
  async getDomainMetadata(
    engine: Engine,
    domain: string,
    options: CallOptions = {},
  ): Promise<string | undefined> {
    if (domain.startsWith('delta.')) {
      throw new DeltaError(
        'InvalidOption',
        `the domain ${domain} is reserved: names starting with "delta." are`,
      );
    }
    return this.getSystemDomainMetadata(engine, domain, options);
  }

  /** As {@link Snapshot.getDomainMetadata}, for the protocol's own domains. For the kernel itself. */
  async getSystemDomainMetadata(
    engine: Engine,
    domain: string,
    options: CallOptions = {},
  ): Promise<string | undefined> {
    const found = await findDomainMetadata(engine, this.logSegment, this.checksum, domain, options);
    return found?.configuration;
  }

  /**
   * The transactions of all applications, those past `delta.setTransactionRetentionDuration` among them, and all domains,
   * the protocol's own among them: for people who look at a table.
   */
  applicationState(engine: Engine, options: CallOptions = {}): Promise<ApplicationState> {
    return readApplicationState(engine, this.logSegment, this.checksum, options);
  }

  /**
   * The columns that the table is clustered by, as paths of logical names; undefined where it is not clustered
   * (`PROTOCOL.md`, "Clustered Table").
   */
  async clusteringColumns(engine: Engine, options: CallOptions = {}): Promise<string[][] | undefined> {
    if (!isFeatureSupported(this.protocol, 'clustering')) return undefined;
    const configuration = await this.getSystemDomainMetadata(engine, CLUSTERING_DOMAIN, options);
    if (configuration === undefined) return undefined;
    return parseClusteringColumns(configuration, this.schema, this.tableProperties.columnMappingMode);
  }

  /** Writes this version's checkpoint; see `writeCheckpoint` for the errors. */
  checkpoint(engine: Engine, options: CheckpointOptions = {}): Promise<WriteOutcome<Snapshot>> {
    return writeCheckpoint(engine, this, Snapshot.fromParts, options);
  }

  /** Writes this version's checksum; see `writeChecksum` for the errors. */
  writeChecksum(engine: Engine, options: ChecksumOptions = {}): Promise<WriteOutcome<Snapshot>> {
    return writeChecksum(engine, this, Snapshot.fromParts, options);
  }

  /** The time of this version in ms since the epoch: its in-commit timestamp, or its commit file's. */
  timestamp(engine: Engine, options: CallOptions = {}): Promise<number> {
    return versionTimestamp(engine, this, this.inCommitTimestamp, options);
  }
}

interface FromSegment extends CallOptions {
  readonly maxCatalogVersion: number | undefined;
  readonly runtime: Runtime;
  readonly known?: KnownState | undefined;
}

async function loadVersion(engine: Engine, tableRoot: URL, options: SnapshotOptions): Promise<Snapshot> {
  const { logTail, maxCatalogVersion, runtime = systemRuntime, signal } = options;
  const target = targetVersion(options, tableRoot);
  const segment = await loadSegment(engine, tableRoot, { target, logTail, signal });
  return fromSegment(engine, segment, { maxCatalogVersion, runtime, signal });
}

async function fromSegment(
  engine: Engine,
  logSegment: LogSegment,
  { known, signal, maxCatalogVersion, runtime }: FromSegment,
): Promise<Snapshot> {
  const { tableRoot, version } = logSegment;
  const place = { table: shownUrl(tableRoot), version };
  try {
    const { protocol, metadata, checksum } = await loadProtocolAndMetadata(engine, logSegment, {
      known,
      signal,
    });
    checkReadSupport(protocol);
    checkCatalogManaged(protocol, maxCatalogVersion, tableRoot);
    return Snapshot.fromParts({ logSegment, protocol, metadata, runtime, checksum });
  } catch (error) {
    throw withContext(error, place);
  }
}

/** Whether all commits between two segments are in the newer one, so that replaying those is enough. */
function isContinuation(newer: LogSegment, older: LogSegment): boolean {
  return newer.version >= older.version && (newer.checkpointVersion ?? 0) <= older.version;
}

/** The canonical form of a table's URL: one spelling per path, ending in `/`. Throws `InvalidUrl`. */
export function parseTableRoot(tableRoot: URL | string): URL {
  let url: URL;
  try {
    url = new URL(tableRoot);
  } catch (cause) {
    throw new DeltaError('InvalidUrl', `${JSON.stringify(String(tableRoot))} is not an absolute URL`, {
      cause,
    });
  }
  const path = pathOf(url);
  const root = locationOf(url, path.endsWith('/') ? path : `${path}/`);
  root.hash = '';
  return root;
}
