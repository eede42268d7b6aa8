/** `/delta/v1`: the routes of the new generation. */
import {
  invalid,
  type Json,
  json,
  objectOf,
  onlyFields,
  parseBody,
  positiveOf,
  propertiesOf,
  type StubAnswer,
  StubError,
  type StubRequest,
  text,
  textOf,
} from './answers.ts';
import {
  checkColumns,
  checkDomains,
  checkPartitionColumns,
  checkProtocol,
  REQUIRED_PROPERTIES,
  REQUIRED_PROTOCOL,
  SUGGESTED_PROTOCOL,
} from './columns.ts';
import { loadAnswer, type StagedTable, type StubState, type StubTable } from './state.ts';
import { type UpdateContext, updateTable } from './update.ts';

export interface DeltaContext extends UpdateContext {
  readonly state: StubState;
  readonly uuid: () => string;
  /** Without a slash at its end. */
  readonly storageRoot: string;
  /** `config` and `expiration-time-ms` of vended credentials. */
  readonly vend: (location: string, operation: string) => Vended;
  readonly user: string;
}

export interface Vended {
  readonly config: Readonly<Record<string, string>>;
  readonly expirationTimeMs: number | null;
}

const ENDPOINTS = [
  'POST /v1/catalogs/{catalog}/schemas/{schema}/staging-tables',
  'POST /v1/catalogs/{catalog}/schemas/{schema}/tables',
  'GET /v1/catalogs/{catalog}/schemas/{schema}/tables',
  'GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}',
  'POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}',
  'DELETE /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}',
  'HEAD /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}',
  'POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/rename',
  'GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/credentials',
  'POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics',
  'GET /v1/staging-tables/{table_id}/credentials',
  'GET /v1/temporary-path-credentials',
];

const NO_CONTENT: StubAnswer = { status: 204 };

/** @param path the segments after `delta/v1`. */
export async function deltaV1(
  path: readonly string[],
  request: StubRequest,
  context: DeltaContext,
): Promise<StubAnswer> {
  const { method } = request;
  if (path.length === 1 && path[0] === 'config' && method === 'GET') return config(request, context);
  if (path[0] === 'staging-tables' && path[2] === 'credentials' && path.length === 3 && method === 'GET') {
    return stagingCredentials(path[1]!, context);
  }
  if (path[0] !== 'catalogs' || path[2] !== 'schemas' || path.length < 5) return notFound();
  const [, catalog, , schema, kind, table, action] = path as string[];
  if (kind === 'staging-tables' && path.length === 5) {
    return method === 'POST' ? stage(catalog!, schema!, request, context) : notAllowed();
  }
  if (kind !== 'tables') return notFound();
  if (path.length === 5) {
    return method === 'POST' ? create(catalog!, schema!, request, context) : notAllowed();
  }
  const found = () => context.state.table(catalog!, schema!, table!);
  if (path.length === 6) return tableRoute(request, found(), { catalog: catalog!, schema: schema!, context });
  if (path.length === 7)
    return actionRoute(action!, request, found(), { catalog: catalog!, schema: schema!, context });
  return notFound();
}

const notFound = () => text(404, 'Not Found');
const notAllowed = () => text(405, 'Method Not Allowed');

interface Where {
  readonly catalog: string;
  readonly schema: string;
  readonly context: DeltaContext;
}

async function tableRoute(request: StubRequest, table: StubTable, where: Where): Promise<StubAnswer> {
  const { catalog, schema, context } = where;
  switch (request.method) {
    case 'GET':
      return json(loadAnswer(table));
    case 'HEAD':
      return NO_CONTENT;
    case 'POST':
      return json(await updateTable(table, parseBody(request), context));
    case 'DELETE':
      context.state.schema(catalog, schema).tables.delete(table.name);
      return NO_CONTENT;
    default:
      return notAllowed();
  }
}

function actionRoute(action: string, request: StubRequest, table: StubTable, where: Where): StubAnswer {
  const { catalog, schema, context } = where;
  if (action === 'credentials' && request.method === 'GET') {
    const operation = request.query.get('operation');
    if (operation !== 'READ' && operation !== 'READ_WRITE') throw invalid('operation is required.');
    return json({ 'storage-credentials': [credential(table.location, operation, context)] });
  }
  if (action === 'rename' && request.method === 'POST') {
    const body = parseBody(request);
    onlyFields(body, ['new-name']);
    const name = textOf(body['new-name'], 'new-name');
    const { tables } = context.state.schema(catalog, schema);
    if (tables.has(name)) throw nameTaken(catalog, schema, name);
    tables.delete(table.name);
    table.name = name;
    tables.set(name, table);
    return NO_CONTENT;
  }
  if (action === 'metrics' && request.method === 'POST') {
    const body = parseBody(request);
    onlyFields(body, ['table-id', 'report']);
    if (body['table-id'] !== table.id) throw invalid('table-id does not match the table');
    const report = objectOf(body.report ?? {}, 'report');
    onlyFields(report, ['commit-report']);
    table.metrics.push(report);
    return NO_CONTENT;
  }
  return ['credentials', 'rename', 'metrics'].includes(action) ? notAllowed() : notFound();
}

function config({ query }: StubRequest, { state }: DeltaContext): StubAnswer {
  const catalog = query.get('catalog');
  const versions = query.get('protocol-versions');
  if (!catalog || !versions) throw invalid('catalog and protocol-versions are required.');
  if (!state.catalogs.has(catalog)) {
    throw new StubError('NoSuchCatalogException', `Catalog not found: ${catalog}`);
  }
  if (!versions.split(',').some((version) => /^1\.\d+$/.test(version.trim()))) {
    throw invalid(`No protocol version in common: ${versions}`);
  }
  return json({ endpoints: ENDPOINTS, 'protocol-version': '1.0' });
}

function credential(location: string, operation: string, { vend }: DeltaContext): Json {
  const { config: values, expirationTimeMs } = vend(location, operation);
  return { prefix: location, operation, config: values, 'expiration-time-ms': expirationTimeMs };
}

function stage(catalog: string, schema: string, request: StubRequest, context: DeltaContext): StubAnswer {
  const body = parseBody(request);
  onlyFields(body, ['name']);
  const name = textOf(body.name, 'name');
  const { tables } = context.state.schema(catalog, schema);
  if (tables.has(name)) throw nameTaken(catalog, schema, name);
  const id = context.uuid();
  const location = `${context.storageRoot}/__unitystorage/tables/${id}`;
  context.state.staged.set(location, { id, location, owner: context.user, used: false });
  return json({
    'table-id': id,
    'table-type': 'MANAGED',
    location,
    'storage-credentials': [credential(location, 'READ_WRITE', context)],
    'required-protocol': REQUIRED_PROTOCOL,
    'suggested-protocol': SUGGESTED_PROTOCOL,
    'required-properties': { ...REQUIRED_PROPERTIES, 'io.unitycatalog.tableId': id },
    'suggested-properties': {
      'delta.columnMapping.mode': 'name',
      'delta.columnMapping.maxColumnId': null,
      'delta.enableRowTracking': 'true',
    },
  });
}

function stagingCredentials(id: string, context: DeltaContext): StubAnswer {
  const found = [...context.state.staged.values()].find((staged) => staged.id === id);
  if (found === undefined) throw new StubError('NoSuchTableException', `Staging table not found: ${id}`);
  return json({ 'storage-credentials': [credential(found.location, 'READ_WRITE', context)] });
}

function nameTaken(catalog: string, schema: string, name: string): StubError {
  return new StubError('AlreadyExistsException', `Table already exists: ${catalog}.${schema}.${name}`);
}

const CREATE_FIELDS = [
  'name',
  'location',
  'table-type',
  'comment',
  'columns',
  'partition-columns',
  'protocol',
  'properties',
  'domain-metadata',
  'last-commit-timestamp-ms',
  'uniform',
];

function create(catalog: string, schema: string, request: StubRequest, context: DeltaContext): StubAnswer {
  const body = parseBody(request);
  onlyFields(body, CREATE_FIELDS);
  const name = textOf(body.name, 'name');
  const location = textOf(body.location, 'location');
  if (body['table-type'] !== 'MANAGED') throw invalid('table-type must be MANAGED');
  const timestamp = positiveOf(body['last-commit-timestamp-ms'], 'last-commit-timestamp-ms');
  const columns = checkColumns(body.columns);
  const partitionColumns = checkPartitionColumns(body['partition-columns'], columns);
  const protocol = checkProtocol(body.protocol);
  const properties = propertiesOf(body.properties, 'properties');
  const domains = checkDomains(body['domain-metadata'] ?? {}, protocol['writer-features'] as string[]);
  const { tables } = context.state.schema(catalog, schema);
  if (tables.has(name)) throw nameTaken(catalog, schema, name);
  const staged = stagedAt(location, context);
  checkProperties(properties, staged);
  staged.used = true;
  const now = context.now();
  const table: StubTable = {
    id: staged.id,
    name,
    location,
    createdTime: now,
    updatedTime: now,
    etag: `etag-${now}`,
    columns,
    partitionColumns,
    protocol,
    comment: body.comment === undefined ? undefined : String(body.comment),
    properties,
    domains: new Map(Object.entries(domains)),
    lastCommitVersion: 0,
    lastCommitTimestamp: timestamp,
    rows: [],
    published: 0,
    metrics: [],
  };
  tables.set(name, table);
  return json(loadAnswer(table));
}

function stagedAt(location: string, { state, user }: DeltaContext): StagedTable {
  const staged = state.staged.get(location);
  if (staged !== undefined && staged.owner === user && !staged.used) return staged;
  throw new StubError('NoSuchTableException', `Staging table not found: ${location}`);
}

function checkProperties(properties: ReadonlyMap<string, string>, staged: StagedTable): void {
  for (const [key, value] of Object.entries(REQUIRED_PROPERTIES)) {
    if (properties.get(key) !== value) throw invalid(`Property ${key} must be ${value}`);
  }
  if (properties.get('io.unitycatalog.tableId') !== staged.id) {
    throw invalid(`Property io.unitycatalog.tableId must be ${staged.id}`);
  }
}
