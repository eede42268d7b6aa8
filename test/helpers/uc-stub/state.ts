/** Catalogs, schemas, tables and their commits, as the server keeps them in its database. */
import { type Json, StubError } from './answers.ts';

export interface CommitRow {
  readonly version: number;
  readonly timestamp: number;
  readonly 'file-name': string;
  readonly 'file-size': number;
  readonly 'file-modification-timestamp': number;
}

export interface StagedTable {
  readonly id: string;
  readonly location: string;
  readonly owner: string;
  used: boolean;
}

export interface StubTable {
  readonly id: string;
  name: string;
  readonly location: string;
  readonly createdTime: number;
  updatedTime: number;
  etag: string;
  columns: Json;
  partitionColumns: readonly string[];
  protocol: Json;
  comment: string | undefined;
  /** As given. What the server adds is in {@link syntheticProperties}. */
  properties: Map<string, string>;
  domains: Map<string, unknown>;
  lastCommitVersion: number;
  lastCommitTimestamp: number;
  /** Ascending; the last commit's row stays when it is published. */
  rows: CommitRow[];
  published: number;
  readonly metrics: Json[];
}

export interface StubSchema {
  readonly id: string;
  readonly tables: Map<string, StubTable>;
}

export class StubState {
  readonly catalogs = new Map<string, { readonly id: string; readonly schemas: Map<string, StubSchema> }>();
  readonly staged = new Map<string, StagedTable>();

  schema(catalog: string, schema: string): StubSchema {
    const found = this.catalogs.get(catalog);
    if (found === undefined) throw new StubError('NoSuchCatalogException', `Catalog not found: ${catalog}`);
    const inside = found.schemas.get(schema);
    if (inside !== undefined) return inside;
    throw new StubError('NoSuchSchemaException', `Schema not found: ${catalog}.${schema}`);
  }

  table(catalog: string, schema: string, name: string): StubTable {
    const table = this.schema(catalog, schema).tables.get(name);
    if (table !== undefined) return table;
    throw new StubError('NoSuchTableException', `Table not found: ${catalog}.${schema}.${name}`);
  }
}

/** The last row ever accepted; 0 without any. */
export function latestVersion(table: StubTable): number {
  return table.rows.at(-1)?.version ?? 0;
}

export function unpublished({ rows, published }: StubTable): CommitRow[] {
  return rows.filter(({ version }) => version > published);
}

/** Properties that answers carry and that no client may write back. */
function syntheticProperties(table: StubTable): [string, string][] {
  const { protocol, domains } = table;
  const features = (protocol['writer-features'] ?? []) as string[];
  const clustering = domains.get('delta.clustering') as { clusteringColumns: unknown } | undefined;
  const tracking = domains.get('delta.rowTracking') as { rowIdHighWaterMark: unknown } | undefined;
  return [
    ['delta.minReaderVersion', String(protocol['min-reader-version'])],
    ['delta.minWriterVersion', String(protocol['min-writer-version'])],
    ...features.map((feature): [string, string] => [`delta.feature.${feature}`, 'supported']),
    ['delta.lastUpdateVersion', String(table.lastCommitVersion)],
    ['delta.lastCommitTimestamp', String(table.lastCommitTimestamp)],
    ...(clustering
      ? [['delta.clusteringColumns', JSON.stringify(clustering.clusteringColumns)] as [string, string]]
      : []),
    ...(tracking
      ? [['delta.rowTracking.rowIdHighWaterMark', String(tracking.rowIdHighWaterMark)] as [string, string]]
      : []),
  ];
}

/** The answer to load, create and commit. `listed` overrides the commits, for the stale answer after a notice. */
export function loadAnswer(table: StubTable, listed: readonly CommitRow[] = unpublished(table)): Json {
  return {
    metadata: {
      etag: table.etag,
      'table-type': 'MANAGED',
      'table-uuid': table.id,
      location: table.location,
      'created-time': table.createdTime,
      'updated-time': table.updatedTime,
      columns: table.columns,
      'partition-columns': table.partitionColumns,
      properties: Object.fromEntries([...table.properties, ...syntheticProperties(table)]),
      'last-commit-version': table.lastCommitVersion,
      'last-commit-timestamp-ms': table.lastCommitTimestamp,
    },
    commits: [...listed].reverse(),
    'latest-table-version': latestVersion(table),
  };
}
