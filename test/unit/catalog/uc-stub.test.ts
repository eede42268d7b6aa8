/** The stub answers as the server was seen to answer: the exchanges of its API notes, one by one. */
import { beforeEach, describe, expect, it } from 'vitest';
import { UcStub } from '../../helpers/uc-stub/stub.ts';

const API = 'http://uc/api/2.1/unity-catalog';
const TABLE = '/delta/v1/catalogs/cat/schemas/sch/tables/t';
const FEATURES = ['catalogManaged', 'v2Checkpoint', 'vacuumProtocolCheck', 'deletionVectors'];

let stub: UcStub;
let id: string;
let location: string;

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends
  body: any;
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await stub.fetch(`${API}${path}`, {
    method,
    ...(body !== undefined && {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

function createBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 't',
    location,
    'table-type': 'MANAGED',
    columns: {
      type: 'struct',
      fields: [
        { name: 'id', type: 'long', nullable: true, metadata: {} },
        {
          name: 'a',
          type: { type: 'array', 'element-type': 'integer', 'contains-null': true },
          nullable: true,
          metadata: {},
        },
      ],
    },
    'partition-columns': [],
    protocol: {
      'min-reader-version': 3,
      'min-writer-version': 7,
      'reader-features': FEATURES,
      'writer-features': [...FEATURES, 'inCommitTimestamp'],
    },
    properties: {
      'delta.enableInCommitTimestamps': 'true',
      'delta.checkpoint.writeStatsAsJson': 'true',
      'delta.checkpointPolicy': 'v2',
      'delta.checkpoint.writeStatsAsStruct': 'true',
      'delta.enableDeletionVectors': 'true',
      'io.unitycatalog.tableId': id,
    },
    'last-commit-timestamp-ms': 1_795_993_674_895,
    ...changes,
  };
}

async function staged(): Promise<Answer> {
  const answer = await call('POST', '/delta/v1/catalogs/cat/schemas/sch/staging-tables', { name: 't' });
  id = answer.body['table-id'];
  location = answer.body.location;
  return answer;
}

const create = (changes?: Record<string, unknown>) =>
  call('POST', '/delta/v1/catalogs/cat/schemas/sch/tables', createBody(changes));

const addCommit = (version: number, file = `f${version}.json`) => ({
  action: 'add-commit',
  commit: {
    version,
    timestamp: 1000 + version,
    'file-name': file,
    'file-size': 97,
    'file-modification-timestamp': 1,
  },
});
const backfilled = (version: number) => ({
  action: 'set-latest-backfilled-version',
  'latest-published-version': version,
});
const update = (...updates: unknown[]) =>
  call('POST', TABLE, { requirements: [{ type: 'assert-table-uuid', uuid: id }], updates });

beforeEach(async () => {
  stub = new UcStub().addSchema('cat', 'sch');
  await staged();
});

describe('create', () => {
  it('stages with what version 0 must have, and registers', async () => {
    const answer = await staged();
    expect(answer.body['required-protocol']['writer-features']).toEqual([...FEATURES, 'inCommitTimestamp']);
    expect(answer.body['required-properties']['io.unitycatalog.tableId']).toBe(id);
    expect(location).toBe(`memory:///uc/__unitystorage/tables/${id}`);
    const created = await create();
    expect(created.status).toBe(200);
    expect(created.body.metadata).toMatchObject({ 'table-uuid': id, 'last-commit-version': 0, location });
    expect(created.body.metadata.properties).toMatchObject({
      'delta.feature.inCommitTimestamp': 'supported',
      'delta.lastUpdateVersion': '0',
    });
    expect(created.body).toMatchObject({ commits: [], 'latest-table-version': 0 });
  });

  it.each([
    [{ location: 'memory:///uc/elsewhere' }, 404, 'NoSuchTableException'],
    [
      { protocol: { 'min-reader-version': 3, 'min-writer-version': 7 } },
      400,
      'InvalidParameterValueException',
    ],
    [{ properties: {} }, 400, 'InvalidParameterValueException'],
    [{ 'last-commit-timestamp-ms': null }, 400, 'InvalidParameterValueException'],
    [{ columns: { type: 'struct', fields: [] } }, 400, 'InvalidParameterValueException'],
    [{ 'partition-columns': ['x'] }, 400, 'InvalidParameterValueException'],
    [
      { 'domain-metadata': { 'delta.rowTracking': { rowIdHighWaterMark: 1 } } },
      400,
      'InvalidParameterValueException',
    ],
    [{ something: 1 }, 400, 'InvalidParameterValueException'],
  ])('refuses %j', async (changes, status, type) => {
    const answer = await create(changes);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ type, code: status, stack: null });
  });

  it('refuses camelCase types, malformed JSON, a second use of a location, a taken name', async () => {
    const type = { type: 'array', elementType: 'integer', containsNull: true };
    const columns = { type: 'struct', fields: [{ name: 'a', type, nullable: true, metadata: {} }] };
    expect((await create({ columns })).body.error.message).toContain('Unrecognized field "elementType"');
    const malformed = await call('POST', '/delta/v1/catalogs/cat/schemas/sch/tables', '{');
    expect(malformed.body.error.message).toContain('failed to parse a JSON document');
    await create();
    expect((await create({ name: 'u' })).status).toBe(404);
    expect((await create()).body.error).toMatchObject({ type: 'AlreadyExistsException', code: 409 });
  });
});

describe('commits', () => {
  beforeEach(async () => {
    await create();
  });

  it('lists what is unpublished, newest first; a notice still lists the last one in its own answer', async () => {
    await update(addCommit(1));
    const second = await update(addCommit(2), backfilled(0));
    expect(second.body.commits.map((commit: { version: number }) => commit.version)).toEqual([2, 1]);
    const notice = await update(backfilled(2));
    expect(notice.body.commits.map((commit: { version: number }) => commit.version)).toEqual([2]);
    const fresh = await call('GET', TABLE);
    expect(fresh.body).toMatchObject({ commits: [], 'latest-table-version': 2 });
    expect(fresh.body.metadata['last-commit-version']).toBe(0);
  });

  it('takes the same file of a version again, and no other', async () => {
    await update(addCommit(1, 'a.json'));
    expect((await update(addCommit(1, 'a.json'))).status).toBe(200);
    const other = await update(addCommit(1, 'b.json'));
    expect(other.status).toBe(409);
    expect(other.body.error).toMatchObject({
      type: 'CommitVersionConflictException',
      message: 'Commit version already accepted. Current table version is 1',
    });
    await update(addCommit(2), backfilled(1));
    expect((await update(addCommit(1, 'a.json'))).status).toBe(409);
  });

  it('holds ten unpublished commits', async () => {
    for (let version = 1; version <= 10; version++)
      expect((await update(addCommit(version))).status).toBe(200);
    const full = await update(addCommit(11));
    expect(full.status).toBe(429);
    expect(full.body.error).toMatchObject({
      type: 'ResourceExhaustedException',
      message: `Max number of commits per table reached: ${id}`,
    });
    expect((await update(addCommit(11), backfilled(10))).status).toBe(200);
  });

  it.each([
    [[addCommit(1), addCommit(2)], 'Duplicate action: add-commit'],
    [[addCommit(3)], 'Commit version must be the next version after the latest commit 1, but got 3'],
    [[backfilled(9)], 'Should not backfill version 9 while the last version committed is 1'],
    [
      [addCommit(2), backfilled(2)],
      'Latest backfilled version 2 cannot be greater than the last commit version = 1',
    ],
    [[], 'updates must not be empty.'],
    [[{ action: 'nonsense' }], "Could not resolve type id 'nonsense'"],
    [[{ ...addCommit(2), commit: { ...addCommit(2).commit, timestamp: 0 } }], 'timestamp must be'],
  ])('refuses %j', async (updates, message) => {
    await update(addCommit(1));
    const before = (await call('GET', TABLE)).body;
    const answer = await update(...updates);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(message);
    expect((await call('GET', TABLE)).body).toEqual(before);
  });

  it('requires the table to be the one that was meant', async () => {
    const without = await call('POST', TABLE, { requirements: [], updates: [addCommit(1)] });
    expect(without.body.error.message).toBe('assert-table-uuid requirement is required.');
    const requirements = [{ type: 'assert-table-uuid', uuid: 'another' }];
    const wrong = await call('POST', TABLE, { requirements, updates: [addCommit(1)] });
    expect(wrong.body.error).toMatchObject({ code: 409, type: 'UpdateRequirementConflictException' });
  });

  it('moves etag and last-commit-version with metadata only', async () => {
    const etag = async () => (await call('GET', TABLE)).body.metadata.etag;
    const first = await etag();
    await update(addCommit(1));
    expect(await etag()).toBe(first);
    const changed = await update(addCommit(2), { action: 'set-properties', updates: { a: '1' } });
    expect(changed.body.metadata.properties.a).toBe('1');
    expect(changed.body.metadata['last-commit-version']).toBe(2);
    expect(await etag()).not.toBe(first);
  });
});

describe('everything else', () => {
  it('answers 404 by what is missing, in the shape of the generation', async () => {
    const get = (path: string) => call('GET', `/delta/v1/catalogs/${path}`);
    expect((await get('x/schemas/sch/tables/t')).body.error.type).toBe('NoSuchCatalogException');
    expect((await get('cat/schemas/x/tables/t')).body.error.type).toBe('NoSuchSchemaException');
    expect((await get('cat/schemas/sch/tables/x')).body.error.type).toBe('NoSuchTableException');
    const old = await call('GET', '/tables?catalog_name=cat&schema_name=x');
    expect(old).toMatchObject({ status: 404, body: { error_code: 'SCHEMA_NOT_FOUND' } });
    expect(await call('GET', '/delta/v1/temporary-path-credentials')).toMatchObject({ status: 404 });
    expect(await get('cat/schemas/sch/tables')).toMatchObject({ status: 405 });
    expect(await call('POST', '/catalogs', { name: 'cat' })).toMatchObject({
      status: 400,
      body: { error_code: 'CATALOG_ALREADY_EXISTS', message: 'Catalog already exists: cat' },
    });
  });

  it('asks for tokens in the older shape on all paths', async () => {
    stub = new UcStub({ tokens: { secret: 'admin', other: 'someone' } }).addSchema('cat', 'sch');
    const status = async (authorization?: string) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const response = await stub.fetch(`${API}${TABLE}`, { headers });
      return [response.status, ((await response.json()) as { error_code?: string }).error_code];
    };
    expect(await status()).toEqual([401, 'UNAUTHENTICATED']);
    expect(await status('Bearer x')).toEqual([401, 'UNAUTHENTICATED']);
    expect(await status('Bearer other')).toEqual([403, 'PERMISSION_DENIED']);
    expect(await status('Bearer secret')).toEqual([404, undefined]);
  });

  it('serves the same over HTTP, and breaks connections when told to', async () => {
    const server = await stub.listen();
    const url = `${server.url}/api/2.1/unity-catalog/catalogs`;
    expect(await (await fetch(url)).json()).toMatchObject({ catalogs: [{ name: 'cat' }] });
    stub.before = () => 'drop';
    await expect(fetch(url)).rejects.toThrow();
    await server.close();
  });
});
