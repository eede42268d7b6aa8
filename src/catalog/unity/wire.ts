/** Between the models and the JSON of `/delta/v1`. */
import { isLosslessNumber } from 'lossless-json';
import { DeltaError } from '../../errors.ts';
import { asSafeInteger, asString, asStrings, isObject, type JsonObject } from '../../kernel/log/json.ts';
import type { RatifiedCommit } from '../staged-commit.ts';
import type {
  CommitMetrics,
  CreateTableRequest,
  DomainUpdates,
  Operation,
  Protocol,
  StagingTable,
  StorageCredential,
  TableInfo,
  TableUpdate,
  UnityTable,
} from './client.ts';
import { columnsFromWire, columnsToWire } from './columns.ts';

export function protocolToWire({ minReaderVersion, minWriterVersion, ...features }: Protocol): JsonObject {
  return {
    'min-reader-version': minReaderVersion,
    'min-writer-version': minWriterVersion,
    'reader-features': features.readerFeatures ?? [],
    'writer-features': features.writerFeatures ?? [],
  };
}

export function createToWire(request: CreateTableRequest): JsonObject {
  const domains = domainsToWire(request.domains);
  return {
    name: request.name,
    location: request.storedLocation,
    'table-type': 'MANAGED',
    ...(request.comment !== undefined && { comment: request.comment }),
    columns: columnsToWire(request.columns),
    'partition-columns': request.partitionColumns,
    protocol: protocolToWire(request.protocol),
    properties: request.properties,
    ...(Object.keys(domains).length > 0 && { 'domain-metadata': domains }),
    'last-commit-timestamp-ms': request.lastCommitTimestamp,
  };
}

function domainsToWire({ clusteringColumns, rowIdHighWaterMark }: DomainUpdates): JsonObject {
  return {
    ...(clusteringColumns !== undefined && { 'delta.clustering': { clusteringColumns } }),
    ...(rowIdHighWaterMark !== undefined && { 'delta.rowTracking': { rowIdHighWaterMark } }),
  };
}

export function updateToWire(update: TableUpdate): JsonObject {
  const { action } = update;
  switch (action) {
    case 'add-commit':
      return { action, commit: commitToWire(update.commit) };
    case 'set-latest-backfilled-version':
      return { action, 'latest-published-version': update.latestPublishedVersion };
    case 'set-columns':
      return { action, columns: columnsToWire(update.columns) };
    case 'set-partition-columns':
      return { action, 'partition-columns': update.partitionColumns };
    case 'set-protocol':
      return { action, protocol: protocolToWire(update.protocol) };
    case 'set-domain-metadata':
      return { action, updates: domainsToWire(update.updates) };
    default:
      return { ...update };
  }
}

function commitToWire(commit: RatifiedCommit): JsonObject {
  return {
    version: commit.version,
    timestamp: commit.timestamp,
    'file-name': commit.fileName,
    'file-size': commit.fileSize,
    'file-modification-timestamp': commit.fileModificationTimestamp,
  };
}

export function metricsToWire(tableId: string, metrics: CommitMetrics): JsonObject {
  const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const entries = Object.entries(metrics).filter(([, value]) => value !== undefined);
  const report = Object.fromEntries(entries.map(([key, value]) => [kebab(key), value]));
  return { 'table-id': tableId, report: { 'commit-report': report } };
}

/** Throws `CatalogError` for an answer that is not as the API says. */
export function tableFromWire(answer: JsonObject): UnityTable {
  const metadata = required(isObject, answer.metadata, 'metadata');
  const latestVersion = integer(answer['latest-table-version'], 'latest-table-version');
  const list = Array.isArray(answer.commits) ? answer.commits : [];
  const commits = list.map(commitFromWire).sort((a, b) => a.version - b.version);
  checkCommits(commits, latestVersion);
  return {
    tableId: text(metadata['table-uuid'], 'table-uuid'),
    etag: text(metadata.etag, 'etag'),
    tableType: text(metadata['table-type'], 'table-type'),
    location: locationUrl(text(metadata.location, 'location')),
    columns: columnsFromWire(metadata.columns),
    partitionColumns: asStrings(metadata['partition-columns'] ?? []) ?? [],
    properties: texts(metadata.properties),
    isUniform: isObject(answer.uniform),
    commits,
    latestVersion,
  };
}

function checkCommits(commits: readonly RatifiedCommit[], latestVersion: number): void {
  const first = latestVersion - commits.length + 1;
  commits.forEach(({ version }, index) => {
    if (version !== first + index) {
      const versions = commits.map((commit) => commit.version).join(', ');
      throw unexpected(`commits ${versions}, which are no run of versions up to ${latestVersion}`);
    }
  });
}

function commitFromWire(value: unknown): RatifiedCommit {
  const commit = required(isObject, value, 'commits');
  return {
    version: integer(commit.version, 'version'),
    timestamp: integer(commit.timestamp, 'timestamp'),
    fileName: text(commit['file-name'], 'file-name'),
    fileSize: integer(commit['file-size'], 'file-size'),
    fileModificationTimestamp: integer(commit['file-modification-timestamp'], 'file-modification-timestamp'),
  };
}

export function stagingFromWire(answer: JsonObject): StagingTable {
  const protocol = required(isObject, answer['required-protocol'], 'required-protocol');
  const storedLocation = text(answer.location, 'location');
  const properties = required(isObject, answer['required-properties'], 'required-properties');
  return {
    tableId: text(answer['table-id'], 'table-id'),
    location: locationUrl(storedLocation),
    storedLocation,
    credentials: credentialsFromWire(answer),
    requiredProtocol: {
      minReaderVersion: integer(protocol['min-reader-version'], 'min-reader-version'),
      minWriterVersion: integer(protocol['min-writer-version'], 'min-writer-version'),
      readerFeatures: asStrings(protocol['reader-features']) ?? [],
      writerFeatures: asStrings(protocol['writer-features']) ?? [],
    },
    requiredProperties: Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, value === null ? null : text(value, key)]),
    ),
  };
}

export function credentialsFromWire(answer: JsonObject): StorageCredential[] {
  const list = answer['storage-credentials'];
  return (Array.isArray(list) ? list : []).map((value: unknown) => {
    const credential = required(isObject, value, 'storage-credentials');
    const expiration = credential['expiration-time-ms'];
    return {
      prefix: text(credential.prefix, 'prefix'),
      operation: text(credential.operation, 'operation') as Operation,
      config: texts(credential.config),
      expirationTime: isLosslessNumber(expiration) ? integer(expiration, 'expiration-time-ms') : undefined,
    };
  });
}

export function tableInfoFromWire(value: unknown): TableInfo {
  const info = required(isObject, value, 'tables');
  return {
    catalog: text(info.catalog_name, 'catalog_name'),
    schema: text(info.schema_name, 'schema_name'),
    table: text(info.name, 'name'),
    tableId: asString(info.table_id),
    tableType: asString(info.table_type),
    format: asString(info.data_source_format),
    storageLocation: asString(info.storage_location),
  };
}

/** Table locations come without a slash at their end. */
function locationUrl(location: string): URL {
  const withSlash = location.endsWith('/') ? location : `${location}/`;
  if (URL.canParse(withSlash)) return new URL(withSlash);
  throw unexpected('a location that is no URL');
}

export function text(value: unknown, what: string): string {
  return asString(value) ?? unexpectedField(what);
}

function integer(value: unknown, what: string): number {
  return asSafeInteger(value) ?? unexpectedField(what);
}

/** String entries of an object; nulls stand for absent ones. */
function texts(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function required<T>(is: (value: unknown) => value is T, value: unknown, what: string): T {
  return is(value) ? value : unexpectedField(what);
}

function unexpectedField(what: string): never {
  throw unexpected(`no proper "${what}"`);
}

function unexpected(what: string): DeltaError {
  return new DeltaError('CatalogError', `the catalog's answer has ${what}: is this a Unity Catalog server?`);
}
