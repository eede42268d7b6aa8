/**
 * New tables: the transaction that makes version 0.
 *
 * @example
 * const creation = createTable('memory:///t/', schema, { partitionBy: ['city'] });
 * const transaction = await creation.build(engine, new FileSystemCommitter());
 * await transaction.commit(engine);
 */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { DomainMetadata, Metadata, Protocol } from '../actions/types.ts';
import type { Committer } from '../committer/committer.ts';
import type { CallOptions, Engine, Runtime } from '../engine.ts';
import { fileNameOf, logRootOf } from '../log/log-path.ts';
import { systemRuntime } from '../runtime.ts';
import { parseSchema, schemaToJson } from '../schema/schema-json.ts';
import type { StructType } from '../schema/types.ts';
import { checkSchemaForWrite } from '../schema/write-rules.ts';
import { parseTableRoot, Snapshot } from '../snapshot/snapshot.ts';
import type { ColumnMappingMode } from '../table-properties.ts';
import { assignColumnIds, freshPhysicalName, withoutColumnIds } from './column-ids.ts';
import {
  featuresOfProperties,
  featuresOfSchema,
  protocolOf,
  sortProperties,
  withDependencies,
} from './enable-features.ts';
import { clusteringDomain, partitionColumnsOf } from './layout.ts';
import { emptySegment } from './post-commit.ts';
import { Transaction, type TransactionOptions } from './transaction.ts';

export interface CreateTableOptions extends TransactionOptions {
  /**
   * Table properties. Those of the protocol turn on the features that they need; `delta.feature.<name>` =
   * `supported` asks for a feature by name; names without `delta.` are the user's own.
   */
  readonly properties?: Readonly<Record<string, string>> | undefined;
  readonly partitionBy?: readonly string[] | undefined;
  /** Column paths. Not together with `partitionBy`. */
  readonly clusterBy?: readonly (string | readonly string[])[] | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** `commitInfo.engineInfo`. */
  readonly engineInfo?: string | undefined;
  /** Clock and UUIDs; the machine's by default. */
  readonly runtime?: Runtime | undefined;
}

/** A table that is about to be made. */
export interface TableCreation {
  /**
   * Checks that there is no table yet, and gives the transaction that makes it; data files may be added to it.
   * Errors: `FileAlreadyExists` where `_delta_log/` is not empty.
   */
  build(engine: Engine, committer: Committer, options?: CallOptions): Promise<Transaction<Snapshot>>;
}

/**
 * Errors: `Schema` for names or types that no table may have and for layouts that do not fit the schema,
 * `InvalidOption` for properties that cannot be set, `ParseError` for values that they cannot have, `Unsupported` for
 * features that this kernel does not write.
 */
export function createTable(
  tableRoot: URL | string,
  schema: StructType,
  options: CreateTableOptions = {},
): TableCreation {
  const root = parseTableRoot(tableRoot);
  try {
    const table = designTable(schema, options);
    return { build: (engine, committer, call = {}) => build(engine, committer, root, table, options, call) };
  } catch (error) {
    throw withContext(error, { table: shownUrl(root) });
  }
}

interface TableDesign {
  readonly protocol: Protocol;
  readonly metadata: Metadata;
  readonly domains: readonly DomainMetadata[];
  readonly parameters: Readonly<Record<string, string>>;
}

function designTable(given: StructType, options: CreateTableOptions): TableDesign {
  const { runtime = systemRuntime, partitionBy = [], clusterBy = [] } = options;
  if (partitionBy.length > 0 && clusterBy.length > 0) {
    throw new DeltaError(
      'InvalidOption',
      'a table is either partitioned or clustered: partitionBy and clusterBy',
    );
  }
  const { stored, signals } = sortProperties(options.properties ?? {});
  const asked = [...signals, ...featuresOfProperties(stored), ...featuresOfSchema(given)];
  const features = withDependencies(clusterBy.length > 0 ? [...asked, 'clustering'] : asked);
  const mode = columnMappingMode(stored);
  checkSchemaForWrite(given, { columnMapping: mode !== 'none' });
  const { schema, properties } = mapColumns(given, mode, runtime);
  const partitionColumns = partitionColumnsOf(schema, partitionBy);
  const configuration = {
    ...inCommitTimestamps(stored, features),
    ...properties,
    ...(features.has('rowTracking') && rowTrackingColumns(runtime)),
  };
  const { name, description } = options;
  const schemaString = schemaToJson(schema);
  const metadata: Metadata = {
    id: runtime.uuid(),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    format: { provider: 'parquet', options: {} },
    schemaString,
    // As it will be read.
    schema: parseSchema(schemaString),
    partitionColumns,
    createdTime: runtime.now(),
    configuration,
  };
  const domains = clusterBy.length > 0 ? [clusteringDomain(schema, clusterBy, mode)] : [];
  const parameters = {
    isManaged: 'false',
    partitionBy: JSON.stringify(partitionColumns),
    clusterBy: JSON.stringify(
      clusterBy.map((column) => (typeof column === 'string' ? column : column.join('.'))),
    ),
    properties: JSON.stringify(stored),
  };
  return { protocol: protocolOf(features), metadata, domains, parameters };
}

/** A value that is none shows when the transaction is made; here it counts as no mapping. */
function columnMappingMode(stored: Readonly<Record<string, string>>): ColumnMappingMode {
  const mode = stored['delta.columnMapping.mode']?.trim().toLowerCase();
  return mode === 'name' || mode === 'id' ? mode : 'none';
}

function mapColumns(
  given: StructType,
  mode: ColumnMappingMode,
  runtime: Runtime,
): { readonly schema: StructType; readonly properties: Readonly<Record<string, string>> } {
  const plain = withoutColumnIds(given);
  if (mode === 'none') return { schema: plain, properties: {} };
  const { schema, maxColumnId } = assignColumnIds(plain, 0, () => freshPhysicalName(runtime));
  return { schema, properties: { 'delta.columnMapping.maxColumnId': String(maxColumnId) } };
}

/** `PROTOCOL.md`, "Catalog-managed tables": commits of such tables carry their time. */
function inCommitTimestamps(
  stored: Readonly<Record<string, string>>,
  features: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const key = 'delta.enableInCommitTimestamps';
  if (!features.has('catalogManaged')) return stored;
  if (stored[key] !== undefined && stored[key].toLowerCase() !== 'true') {
    throw new DeltaError('InvalidOption', `catalog-managed tables need ${key} = true`, {
      feature: 'catalogManaged',
    });
  }
  return { ...stored, [key]: 'true' };
}

/** `PROTOCOL.md`, "Row Tracking": names of the columns that keep ids of rewritten rows, unlike any other column's. */
function rowTrackingColumns(runtime: Runtime): Record<string, string> {
  return {
    'delta.rowTracking.materializedRowIdColumnName': `_row-id-col-${runtime.uuid()}`,
    'delta.rowTracking.materializedRowCommitVersionColumnName': `_row-commit-version-col-${runtime.uuid()}`,
  };
}

async function build(
  engine: Engine,
  committer: Committer,
  tableRoot: URL,
  { protocol, metadata, domains, parameters }: TableDesign,
  options: CreateTableOptions,
  call: CallOptions,
): Promise<Transaction<Snapshot>> {
  const logRoot = logRootOf(tableRoot);
  await checkNoTable(engine, tableRoot, logRoot, call);
  const { runtime = systemRuntime, engineInfo, enforcedFeatures } = options;
  const base = Snapshot.fromParts({
    logSegment: emptySegment(tableRoot, logRoot),
    protocol,
    metadata,
    runtime,
  });
  const transaction = new Transaction({
    base,
    committer,
    makeSnapshot: Snapshot.fromParts,
    enforcedFeatures,
    newProtocol: protocol,
    newMetadata: metadata,
    systemDomains: domains,
  }).withOperation('CREATE TABLE', parameters);
  return engineInfo === undefined ? transaction : transaction.withEngineInfo(engineInfo);
}

async function checkNoTable(
  engine: Engine,
  tableRoot: URL,
  logRoot: URL,
  { signal }: CallOptions,
): Promise<void> {
  for await (const { location } of engine.storageHandler.listFrom(logRoot, { signal })) {
    const name = fileNameOf(location);
    throw new DeltaError('FileAlreadyExists', `there is a table already: its log holds ${name}`, {
      table: shownUrl(tableRoot),
      path: `_delta_log/${name}`,
    });
  }
}
