/** Unity Catalog's `/delta/v1` over HTTP. */
import { DeltaError, isDeltaError } from '../../errors.ts';
import type { CallOptions } from '../../kernel/engine.ts';
import { asString, asStrings, isObject, type JsonObject } from '../../kernel/log/json.ts';
import {
  type CommitMetrics,
  type CreateTableRequest,
  type Operation,
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
} from './client.ts';
import { UnityHttp, type UnityHttpOptions, type UnityRequest } from './http.ts';
import {
  createToWire,
  credentialsFromWire,
  metricsToWire,
  stagingFromWire,
  tableFromWire,
  tableInfoFromWire,
  text,
  updateToWire,
} from './wire.ts';

export type { UnityHttpOptions } from './http.ts';

const PROTOCOL_VERSIONS = '1.0';
const SCHEMA = '/v1/catalogs/{catalog}/schemas/{schema}';
const TABLE = `${SCHEMA}/tables/{table}`;

/** What a server says that it can do. */
interface Config {
  readonly version: string;
  readonly endpoints: ReadonlySet<string>;
}

export class UnityRestClient implements UnityClient {
  readonly #http: UnityHttp;
  /** One handshake per catalog. */
  readonly #configs = new Map<string, Promise<Config>>();

  /** Throws `InvalidUrl`. */
  constructor(options: UnityHttpOptions) {
    this.#http = new UnityHttp(options);
  }

  async handshake(catalog: string, options: CallOptions = {}): Promise<string> {
    return (await this.#config(catalog, options)).version;
  }

  async createStagingTable(name: TableName, options: CallOptions = {}): Promise<StagingTable> {
    const { catalog, schema, table } = name;
    const answer = await this.#call(catalog, `POST ${SCHEMA}/staging-tables`, {
      ...options,
      path: [...schemaPath({ catalog, schema }), 'staging-tables'],
      body: { name: table },
    });
    return stagingFromWire(answer);
  }

  async createTable(
    schema: SchemaName,
    request: CreateTableRequest,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#call(schema.catalog, `POST ${SCHEMA}/tables`, {
      ...options,
      path: [...schemaPath(schema), 'tables'],
      body: createToWire(request),
    });
  }

  async loadTable(name: TableName, options: CallOptions = {}): Promise<UnityTable> {
    return tableFromWire(
      await this.#call(name.catalog, `GET ${TABLE}`, { ...options, path: tablePath(name) }),
    );
  }

  async tableExists(name: TableName, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.#call(name.catalog, `HEAD ${TABLE}`, { ...options, path: tablePath(name) });
      return true;
    } catch (error) {
      // The answer to HEAD has no body that could say what is missing.
      if (isDeltaError(error, 'TableNotFound') || (isDeltaError(error) && error.status === 404)) return false;
      throw error;
    }
  }

  async updateTable(
    name: TableName,
    requirements: readonly TableRequirement[],
    updates: readonly TableUpdate[],
    options: CallOptions = {},
  ): Promise<void> {
    await this.#call(name.catalog, `POST ${TABLE}`, {
      ...options,
      path: tablePath(name),
      body: { requirements, updates: updates.map(updateToWire) },
    });
  }

  async tableCredentials(
    name: TableName,
    operation: Operation,
    options: CallOptions = {},
  ): Promise<StorageCredential[]> {
    const answer = await this.#call(name.catalog, `GET ${TABLE}/credentials`, {
      ...options,
      path: [...tablePath(name), 'credentials'],
      query: { operation },
    });
    return credentialsFromWire(answer);
  }

  async stagingCredentials(
    catalog: string,
    tableId: string,
    options: CallOptions = {},
  ): Promise<StorageCredential[]> {
    const answer = await this.#call(catalog, 'GET /v1/staging-tables/{table_id}/credentials', {
      ...options,
      path: ['delta', 'v1', 'staging-tables', tableId, 'credentials'],
    });
    return credentialsFromWire(answer);
  }

  async renameTable(name: TableName, newName: string, options: CallOptions = {}): Promise<void> {
    await this.#call(name.catalog, `POST ${TABLE}/rename`, {
      ...options,
      path: [...tablePath(name), 'rename'],
      body: { 'new-name': newName },
    });
  }

  async dropTable(name: TableName, options: CallOptions = {}): Promise<void> {
    await this.#call(name.catalog, `DELETE ${TABLE}`, { ...options, path: tablePath(name) });
  }

  async reportMetrics(
    name: TableName,
    tableId: string,
    metrics: CommitMetrics,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#call(name.catalog, `POST ${TABLE}/metrics`, {
      ...options,
      path: [...tablePath(name), 'metrics'],
      body: metricsToWire(tableId, metrics),
    });
  }

  async *listCatalogs(options: CallOptions = {}): AsyncIterable<string> {
    for await (const item of this.#pages('catalogs', {}, options)) yield nameOf(item);
  }

  async *listSchemas(catalog: string, options: CallOptions = {}): AsyncIterable<string> {
    for await (const item of this.#pages('schemas', { catalog_name: catalog }, options)) yield nameOf(item);
  }

  /** From the older API: `/delta/v1` cannot list. */
  async *listTables({ catalog, schema }: SchemaName, options: CallOptions = {}): AsyncIterable<TableInfo> {
    const query = { catalog_name: catalog, schema_name: schema };
    for await (const item of this.#pages('tables', query, options)) yield tableInfoFromWire(item);
  }

  /** Until there is no token: a page may be empty while more follow. */
  async *#pages(
    list: string,
    query: Readonly<Record<string, string>>,
    { signal }: CallOptions,
  ): AsyncIterable<unknown> {
    let token: string | undefined;
    do {
      const pageQuery = token === undefined ? query : { ...query, page_token: token };
      const answer = await this.#http.request({ method: 'GET', path: [list], query: pageQuery, signal });
      const items = answer?.[list];
      if (Array.isArray(items)) yield* items;
      const next = asString(answer?.next_page_token);
      if (next === token && next) throw new DeltaError('CatalogError', `the list of ${list} does not end`);
      token = next === '' ? undefined : next;
    } while (token !== undefined);
  }

  /** @param endpoint as the server names it in its configuration; one that it does not name is not called. */
  async #call(catalog: string, endpoint: string, request: Omit<UnityRequest, 'method'>): Promise<JsonObject> {
    const { endpoints } = await this.#config(catalog, { signal: request.signal });
    if (!endpoints.has(endpoint)) {
      throw new DeltaError('Unsupported', `this server does not have ${endpoint}: it may be too old`);
    }
    const method = endpoint.split(' ', 1)[0] as UnityRequest['method'];
    return (await this.#http.request({ method, ...request })) ?? {};
  }

  #config(catalog: string, options: CallOptions): Promise<Config> {
    let config = this.#configs.get(catalog);
    if (config === undefined) {
      config = this.#readConfig(catalog, options);
      this.#configs.set(catalog, config);
      config.catch(() => this.#configs.delete(catalog));
    }
    return config;
  }

  async #readConfig(catalog: string, { signal }: CallOptions): Promise<Config> {
    const query = { catalog, 'protocol-versions': PROTOCOL_VERSIONS };
    const path = ['delta', 'v1', 'config'];
    const answer = await this.#http
      .request({ method: 'GET', path, query, signal })
      .catch((error: unknown) => {
        throw isDeltaError(error) && error.status === 404 && (error as UnityCatalogError).type === undefined
          ? new UnityCatalogError(undefined, 'Unsupported', NO_API, { status: 404, cause: error })
          : error;
      });
    const version = text(answer?.['protocol-version'], 'protocol-version');
    if (!/^1\.\d+$/.test(version)) {
      throw new DeltaError('Unsupported', `the catalog speaks version ${version} of its protocol, not 1`);
    }
    return { version, endpoints: new Set(asStrings(answer?.endpoints) ?? []) };
  }
}

const NO_API =
  "the server has no Delta API (/delta/v1): is the catalog's url right, and the server 0.6 or newer?";

function schemaPath({ catalog, schema }: SchemaName): string[] {
  return ['delta', 'v1', 'catalogs', catalog, 'schemas', schema];
}

function tablePath(name: TableName): string[] {
  return [...schemaPath(name), 'tables', name.table];
}

function nameOf(item: unknown): string {
  return text(isObject(item) ? item.name : undefined, 'name');
}
