/** The client against the stub: what it sends, what it makes of answers, where tokens go. */
import { LosslessNumber } from 'lossless-json';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseTableName, shownName } from '../../../src/catalog/unity/client.ts';
import { UnityRestClient } from '../../../src/catalog/unity/rest-client.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { UcStub } from '../../helpers/uc-stub/stub.ts';

const NAME = { catalog: 'cat', schema: 'sch', table: 't' };
const NESTED: StructType = types.struct([
  field('id', types.long, { metadata: { big: new LosslessNumber('9007199254740993') } }),
  field('price', types.decimal(10, 2), { nullable: false }),
  field('m', types.map(types.string, types.array(types.struct([field('x y', types.variant)]), false), true)),
]);

let stub: UcStub;
let client: UnityRestClient;
let pauses: number[];

function clientOf(options: Partial<ConstructorParameters<typeof UnityRestClient>[0]> = {}): UnityRestClient {
  return new UnityRestClient({
    url: 'http://uc:8080',
    fetch: stub.fetch,
    random: () => 1,
    sleep: async (ms) => {
      pauses.push(ms);
    },
    ...options,
  });
}

beforeEach(() => {
  pauses = [];
  stub = new UcStub().addSchema('cat', 'sch');
  client = clientOf();
});

async function createTable(name = NAME): Promise<string> {
  const staging = await client.createStagingTable(name);
  const properties = Object.entries(staging.requiredProperties).map(([key, value]) => [key, value ?? '']);
  await client.createTable(name, {
    name: name.table,
    storedLocation: staging.storedLocation,
    columns: NESTED,
    partitionColumns: ['price'],
    protocol: staging.requiredProtocol,
    properties: Object.fromEntries(properties),
    domains: {},
    lastCommitTimestamp: 1_700_000_000_000,
  });
  return staging.tableId;
}

const commit = (version: number) => ({
  version,
  fileName: `${String(version).padStart(20, '0')}.00000000-0000-4000-8000-000000000000.json`,
  timestamp: 1000 + version,
  fileSize: 10,
  fileModificationTimestamp: 5,
});

describe('tables', () => {
  it('are created and loaded with the same nested columns, exact numbers among their metadata', async () => {
    const tableId = await createTable();
    const table = await client.loadTable(NAME);
    expect(table).toMatchObject({ tableId, latestVersion: 0, commits: [], partitionColumns: ['price'] });
    expect(table.location.href).toBe(`memory:///uc/__unitystorage/tables/${tableId}/`);
    expect(table.columns).toEqual(NESTED);
    const sent = stub.table('cat', 'sch', 't').columns as { fields: { type: unknown }[] };
    expect(sent.fields[2]!.type).toMatchObject({ type: 'map', 'value-contains-null': true });
    expect(stub.requests.filter((request) => request.includes('/config'))).toEqual([
      'GET /delta/v1/config?catalog=cat&protocol-versions=1.0',
    ]);
  });

  it('list commits oldest first; a notice removes them', async () => {
    const uuid = await createTable();
    const requirements = [{ type: 'assert-table-uuid' as const, uuid }];
    await client.updateTable(NAME, requirements, [{ action: 'add-commit', commit: commit(1) }]);
    await client.updateTable(NAME, requirements, [{ action: 'add-commit', commit: commit(2) }]);
    const table = await client.loadTable(NAME);
    expect(table.commits).toEqual([commit(1), commit(2)]);
    await client.updateTable(NAME, requirements, [
      { action: 'set-latest-backfilled-version', latestPublishedVersion: 2 },
    ]);
    expect(await client.loadTable(NAME)).toMatchObject({ commits: [], latestVersion: 2 });
  });

  it('are renamed, measured, dropped, and known to exist or not', async () => {
    const tableId = await createTable();
    await client.reportMetrics(NAME, tableId, { numFilesAdded: 2, numBytesAdded: 100 });
    expect(stub.table('cat', 'sch', 't').metrics).toEqual([
      { 'commit-report': { 'num-files-added': 2, 'num-bytes-added': 100 } },
    ]);
    await client.renameTable(NAME, 'u');
    expect(await client.tableExists(NAME)).toBe(false);
    expect(await client.tableExists({ ...NAME, table: 'u' })).toBe(true);
    await client.dropTable({ ...NAME, table: 'u' });
    expect(await client.tableExists({ ...NAME, table: 'u' })).toBe(false);
  });

  it('may have names that URLs would take apart', async () => {
    stub.addSchema('c/a', 's?#');
    const name = { catalog: 'c/a', schema: 's?#', table: 't %2F.ü' };
    await createTable(name);
    expect((await client.loadTable(name)).latestVersion).toBe(0);
    await expect(client.loadTable({ ...NAME, table: '..' })).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('come with credentials, for a table and for a staging table', async () => {
    const config = { 's3.access-key-id': 'a', 's3.secret-access-key': 'b' };
    stub = new UcStub({ vend: () => ({ config, expirationTimeMs: 5000 }) }).addSchema('cat', 'sch');
    client = clientOf();
    const tableId = await createTable();
    expect(await client.tableCredentials(NAME, 'READ')).toEqual([
      {
        prefix: `memory:///uc/__unitystorage/tables/${tableId}`,
        operation: 'READ',
        config,
        expirationTime: 5000,
      },
    ]);
    expect(await client.stagingCredentials('cat', tableId)).toMatchObject([{ operation: 'READ_WRITE' }]);
  });
});

describe('lists', () => {
  it('go on until there is no token, over empty pages too', async () => {
    stub = new UcStub({ pageSize: 2 });
    for (const schema of ['a', 'b', 'c', 'd', 'e']) stub.addSchema('cat', schema);
    client = clientOf();
    const names: string[] = [];
    for await (const name of client.listSchemas('cat')) names.push(name);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    stub.before = ({ query }) => ({
      status: 200,
      contentType: 'application/json',
      body: query.has('page_token')
        ? '{"catalogs":[{"name":"x"}],"next_page_token":""}'
        : '{"catalogs":[],"next_page_token":"1"}',
    });
    const catalogs: string[] = [];
    for await (const name of client.listCatalogs()) catalogs.push(name);
    expect(catalogs).toEqual(['x']);
  });

  it('tell tables with their ids', async () => {
    const tableId = await createTable();
    const tables = [];
    for await (const table of client.listTables(NAME)) tables.push(table);
    expect(tables).toMatchObject([{ ...NAME, tableId, tableType: 'MANAGED', format: 'DELTA' }]);
  });
});

describe('failures', () => {
  const answer = (status: number, body: unknown) => ({
    status,
    contentType: 'application/json',
    body: JSON.stringify(body),
  });

  it.each([
    [404, { error: { type: 'NoSuchSchemaException', message: 'gone', code: 404 } }, 'TableNotFound'],
    [404, { error_code: 'TABLE_NOT_FOUND', message: 'gone', details: [] }, 'TableNotFound'],
    [401, { error_code: 'UNAUTHENTICATED', message: 'no' }, 'Unauthorized'],
    [403, { error: { type: 'PermissionDeniedException', message: 'no', code: 403 } }, 'PermissionDenied'],
    [409, { error: { type: 'UpdateRequirementConflictException', message: 'x', code: 409 } }, 'CatalogError'],
    [429, { error: { type: 'ResourceExhaustedException', message: 'x' } }, 'TooManyUnpublishedCommits'],
    [400, { error_code: 'X', details: [{ reason: 'RESOURCE_EXHAUSTED' }] }, 'TooManyUnpublishedCommits'],
    [501, { error: { type: 'NotImplementedException', message: 'x' } }, 'Unsupported'],
    [418, 'a teapot', 'CatalogError'],
  ])('%i %j is %s', async (status, body, code) => {
    await client.handshake('cat');
    stub.before = () => answer(status, body);
    await expect(client.loadTable(NAME)).rejects.toMatchObject({ name: 'DeltaError', code, status });
    expect(pauses).toEqual([]);
  });

  it('of reads are repeated thrice with growing pauses, of writes never', async () => {
    await createTable();
    let failures = 0;
    stub.before = () => {
      failures++;
      return failures % 2 === 0 ? 'drop' : answer(503, {});
    };
    await expect(client.loadTable(NAME)).rejects.toMatchObject({ code: 'IOError' });
    expect(failures).toBe(4);
    expect(pauses).toEqual([500, 1000, 1500]);
    await expect(client.dropTable(NAME)).rejects.toMatchObject({ code: 'IOError' });
    expect(failures).toBe(5);
    stub.before = () => (failures++ < 6 ? 'drop' : undefined);
    expect((await client.loadTable(NAME)).latestVersion).toBe(0);
  });

  it('of a page instead of JSON leave open whether a write was done', async () => {
    await client.handshake('cat');
    stub.before = () => ({ status: 200, contentType: 'text/html', body: '<html>log in</html>' });
    const update = { action: 'add-commit' as const, commit: commit(1) };
    await expect(client.updateTable(NAME, [], [update])).rejects.toMatchObject({ code: 'IOError' });
  });

  it('name what a server lacks', async () => {
    stub.before = () => ({ status: 404, contentType: 'text/plain', body: 'Not Found' });
    await expect(client.loadTable(NAME)).rejects.toMatchObject({ code: 'Unsupported' });
    stub.before = ({ segments }) =>
      segments[2] === 'config' ? answer(200, { endpoints: [], 'protocol-version': '1.0' }) : undefined;
    await expect(client.loadTable(NAME)).rejects.toThrow(/does not have GET \/v1\/catalogs/);
    stub.before = () => answer(200, { endpoints: [], 'protocol-version': '2.0' });
    await expect(clientOf().handshake('cat')).rejects.toMatchObject({ code: 'Unsupported' });
  });

  it.each([
    { metadata: {} },
    { metadata: null, 'latest-table-version': 1 },
    { 'latest-table-version': 9_007_199_254_740_992 },
  ])('of answers that are none: %j', async (body) => {
    await client.handshake('cat');
    stub.before = () => answer(200, body);
    await expect(client.loadTable(NAME)).rejects.toMatchObject({ code: 'CatalogError' });
  });

  it('of commits with a gap', async () => {
    const uuid = await createTable();
    await client.updateTable(
      NAME,
      [{ type: 'assert-table-uuid', uuid }],
      [{ action: 'add-commit', commit: commit(1) }],
    );
    stub.after = (_, { body, ...rest }) => ({
      ...rest,
      body: body!.replace('"latest-table-version":1', '"latest-table-version":3'),
    });
    await expect(client.loadTable(NAME)).rejects.toThrow(/commits 1, which are no run of versions up to 3/);
  });
});

describe('tokens', () => {
  it('are asked for before every request and sent as bearer tokens', async () => {
    const seen: (string | null)[] = [];
    stub.before = ({ headers }) => {
      seen.push(headers.get('authorization'));
      return undefined;
    };
    let next = 0;
    client = clientOf({ token: async () => `token-${next++}` });
    await createTable();
    await client.loadTable(NAME);
    expect(seen).toEqual(['Bearer token-0', 'Bearer token-1', 'Bearer token-2', 'Bearer token-3']);
  });

  it('appear in no error, even if the server repeats them', async () => {
    stub.before = ({ headers }) => ({
      status: 403,
      contentType: 'application/json',
      body: JSON.stringify({
        error_code: 'PERMISSION_DENIED',
        message: `no: ${headers.get('authorization')}`,
      }),
    });
    const error = await clientOf({ token: 's3cret' })
      .loadTable(NAME)
      .catch((failure: unknown) => failure as Error);
    expect(error).toMatchObject({ code: 'PermissionDenied' });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('s3cret');
    await expect(clientOf({ token: 'a\nb' }).loadTable(NAME)).rejects.toMatchObject({ code: 'Unauthorized' });
    expect(() => clientOf({ url: 'http://user:pass@uc' })).toThrow(
      expect.objectContaining({ code: 'InvalidUrl' }),
    );
  });

  it('do not follow redirects to another host; writes follow none', async () => {
    const seen: string[] = [];
    const fetch = async (input: string | URL | Request, init?: RequestInit) => {
      const url = new URL(input.toString());
      seen.push(`${url.host} ${new Headers(init?.headers).get('authorization')}`);
      if (url.host === 'uc:8080' && !url.pathname.endsWith('/config')) {
        return new Response(null, { status: 307, headers: { Location: `http://elsewhere${url.pathname}` } });
      }
      return stub.fetch(input, init);
    };
    await createTable();
    client = clientOf({ token: 'secret', fetch });
    expect((await client.loadTable(NAME)).latestVersion).toBe(0);
    expect(seen).toEqual(['uc:8080 Bearer secret', 'uc:8080 Bearer secret', 'elsewhere null']);
    await expect(client.dropTable(NAME)).rejects.toMatchObject({ code: 'CatalogError', status: 307 });
  });
});

describe('names', () => {
  it.each([
    ['a.b.c', { catalog: 'a', schema: 'b', table: 'c' }],
    ['`a.x`.b.`c``d`', { catalog: 'a.x', schema: 'b', table: 'c`d' }],
    ['a b.ü.c-d', { catalog: 'a b', schema: 'ü', table: 'c-d' }],
  ])('%s', (text, name) => {
    expect(parseTableName(text)).toEqual(name);
    expect(shownName(name)).toBe(text);
  });

  it.each(['a.b', 'a.b.c.d', '', '..', '`a.b.c', 'a..c'])('%j is none', (text) => {
    expect(() => parseTableName(text)).toThrow(expect.objectContaining({ code: 'InvalidOption' }));
  });
});
