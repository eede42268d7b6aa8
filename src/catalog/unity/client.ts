/** Unity Catalog's API for Delta tables as models and one interface, without HTTP. Times in ms since the Unix epoch. */
import { DeltaError } from '../../errors.ts';
import type { CommitMetadata } from '../../kernel/committer/commit-metadata.ts';
import type { CallOptions } from '../../kernel/engine.ts';
import type { StructType } from '../../kernel/schema/types.ts';
import type { CatalogTableState, RatifiedCommit } from '../staged-commit.ts';

export type Protocol = NonNullable<CommitMetadata['newProtocol']>;
export type Metadata = NonNullable<CommitMetadata['newMetadata']>;
export type Operation = 'READ' | 'READ_WRITE';

export interface SchemaName {
  readonly catalog: string;
  readonly schema: string;
}

export interface TableName extends SchemaName {
  readonly table: string;
}

/** Where a credential is good for, and what it is: keys such as `s3.access-key-id`. */
export interface StorageCredential {
  readonly prefix: string;
  readonly operation: Operation;
  readonly config: Readonly<Record<string, string>>;
  /** Undefined where it does not expire, or the server does not say. */
  readonly expirationTime: number | undefined;
}

/** A place for a table that is to be made, and what its version 0 must have. */
export interface StagingTable {
  readonly tableId: string;
  /** Ends in `/`. */
  readonly location: URL;
  /** As the server spells it: it compares texts. */
  readonly storedLocation: string;
  readonly credentials: readonly StorageCredential[];
  readonly requiredProtocol: Protocol;
  /** Null: any value will do. */
  readonly requiredProperties: Readonly<Record<string, string | null>>;
}

export interface UnityTable extends CatalogTableState {
  readonly tableId: string;
  readonly etag: string;
  readonly tableType: string;
  /** Ends in `/`. */
  readonly location: URL;
  readonly columns: StructType;
  readonly partitionColumns: readonly string[];
  /** With those that the server adds (`delta.feature.…`, `delta.lastUpdateVersion`, …). */
  readonly properties: Readonly<Record<string, string>>;
  /** Whether Iceberg metadata is kept beside the table's own. */
  readonly isUniform: boolean;
}

export interface DomainUpdates {
  readonly clusteringColumns?: readonly (readonly string[])[] | undefined;
  readonly rowIdHighWaterMark?: bigint | undefined;
}

export interface CreateTableRequest {
  readonly name: string;
  readonly storedLocation: string;
  readonly columns: StructType;
  readonly partitionColumns: readonly string[];
  readonly protocol: Protocol;
  readonly properties: Readonly<Record<string, string>>;
  readonly domains: DomainUpdates;
  readonly comment?: string | undefined;
  /** In-commit timestamp of version 0. */
  readonly lastCommitTimestamp: number;
}

export type TableRequirement =
  | { readonly type: 'assert-table-uuid'; readonly uuid: string }
  | { readonly type: 'assert-etag'; readonly etag: string };

export type TableUpdate =
  | { readonly action: 'add-commit'; readonly commit: RatifiedCommit }
  | { readonly action: 'set-latest-backfilled-version'; readonly latestPublishedVersion: number }
  | { readonly action: 'set-properties'; readonly updates: Readonly<Record<string, string>> }
  | { readonly action: 'remove-properties'; readonly removals: readonly string[] }
  | { readonly action: 'set-columns'; readonly columns: StructType }
  | { readonly action: 'set-partition-columns'; readonly partitionColumns: readonly string[] }
  | { readonly action: 'set-table-comment'; readonly comment: string }
  | { readonly action: 'set-protocol'; readonly protocol: Protocol }
  | { readonly action: 'set-domain-metadata'; readonly updates: DomainUpdates }
  | { readonly action: 'remove-domain-metadata'; readonly domains: readonly string[] };

/** Counts of a commit, for the catalog's statistics. */
export interface CommitMetrics {
  readonly numFilesAdded?: number | undefined;
  readonly numBytesAdded?: number | undefined;
  readonly numFilesRemoved?: number | undefined;
  readonly numBytesRemoved?: number | undefined;
  readonly numRowsInserted?: number | undefined;
  readonly numRowsRemoved?: number | undefined;
  readonly numRowsUpdated?: number | undefined;
}

export interface TableInfo extends TableName {
  readonly tableId: string | undefined;
  readonly tableType: string | undefined;
  readonly format: string | undefined;
  readonly storageLocation: string | undefined;
}

/**
 * What is asked of a server. Reads are repeated after transient failures, everything else is one attempt.
 *
 * Errors: `UnityCatalogError`s with the server's `type` and the codes `TableNotFound` (catalog, schema or table),
 * `Unauthorized`, `PermissionDenied`, `TooManyUnpublishedCommits`, `Unsupported`, `CatalogError` for other refusals,
 * `IOError` for everything transient; of what is not a read, an `IOError` leaves open whether it was done.
 */
export interface UnityClient {
  /** The version of the protocol that is spoken from here on. `Unsupported` where there is none in common. */
  handshake(catalog: string, options?: CallOptions): Promise<string>;
  createStagingTable(name: TableName, options?: CallOptions): Promise<StagingTable>;
  createTable(schema: SchemaName, request: CreateTableRequest, options?: CallOptions): Promise<void>;
  loadTable(name: TableName, options?: CallOptions): Promise<UnityTable>;
  tableExists(name: TableName, options?: CallOptions): Promise<boolean>;
  /** All of it or nothing. The answer says no more than that: load the table to see it. */
  updateTable(
    name: TableName,
    requirements: readonly TableRequirement[],
    updates: readonly TableUpdate[],
    options?: CallOptions,
  ): Promise<void>;
  tableCredentials(
    name: TableName,
    operation: Operation,
    options?: CallOptions,
  ): Promise<StorageCredential[]>;
  stagingCredentials(catalog: string, tableId: string, options?: CallOptions): Promise<StorageCredential[]>;
  renameTable(name: TableName, newName: string, options?: CallOptions): Promise<void>;
  dropTable(name: TableName, options?: CallOptions): Promise<void>;
  reportMetrics(
    name: TableName,
    tableId: string,
    metrics: CommitMetrics,
    options?: CallOptions,
  ): Promise<void>;
  listCatalogs(options?: CallOptions): AsyncIterable<string>;
  listSchemas(catalog: string, options?: CallOptions): AsyncIterable<string>;
  listTables(schema: SchemaName, options?: CallOptions): AsyncIterable<TableInfo>;
}

/** A refusal or failure of the server, with its own name for it. */
export class UnityCatalogError extends DeltaError {
  /** `error.type` of the server (`CommitVersionConflictException`, …), undefined where it gave none. */
  readonly type: string | undefined;

  constructor(type: string | undefined, ...rest: ConstructorParameters<typeof DeltaError>) {
    super(...rest);
    this.type = type;
  }
}

const NAME = /^(?:`((?:[^`]|``)+)`|([^.`]+))\.(?:`((?:[^`]|``)+)`|([^.`]+))\.(?:`((?:[^`]|``)+)`|([^.`]+))$/;

/** `catalog.schema.table`; parts with dots or backticks between backticks, as in SQL. Throws `InvalidOption`. */
export function parseTableName(text: string): TableName {
  const found = NAME.exec(text);
  if (found === null) {
    const message = `${JSON.stringify(text)} is no table name: expected catalog.schema.table, with \`…\` around dots`;
    throw new DeltaError('InvalidOption', message);
  }
  const part = (quoted: number) => found[quoted]?.replaceAll('``', '`') ?? found[quoted + 1]!;
  return { catalog: part(1), schema: part(3), table: part(5) };
}

/** For people. */
export function shownName({ catalog, schema, table }: TableName): string {
  return [catalog, schema, table]
    .map((part) => (/[.`]/.test(part) ? `\`${part.replaceAll('`', '``')}\`` : part))
    .join('.');
}
