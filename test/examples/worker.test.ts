/** `examples/worker`, bundled by wrangler, in workerd with R2: every route, concurrent requests, and what goes wrong. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { R2RecordStore } from '../../src/catalog/embedded/r2-records.ts';
import { StorageCatalog } from '../../src/catalog.ts';
import { R2StorageHandler } from '../../src/storage/r2.ts';
import { asBinding, bucketOf } from './bucket.ts';
import { rowsOf, SCHEMA, startWorker, TOKEN, type WorkerHost } from './worker-host.ts';

/** Of the free plan. */
const MAX_GZIP_BYTES = 3_000_000;

let host: WorkerHost;
beforeAll(async () => {
  host = await startWorker();
});
afterAll(() => host?.stop());

const call: WorkerHost['call'] = (...request) => host.call(...request);

async function newTable(name: string): Promise<string> {
  expect(await call('PUT', `/tables/${name}`, SCHEMA)).toMatchObject({ status: 201, json: { version: 0 } });
  return `/tables/${name}`;
}

it('fits the free plan', () => {
  console.log(`the Worker of examples/worker: ${(host.upload.gzipBytes / 1e6).toFixed(2)} MB gzip`);
  expect(host.upload.gzipBytes).toBeLessThan(MAX_GZIP_BYTES);
  expect(host.upload.files.filter((file) => file.endsWith('.wasm'))).toHaveLength(1);
});

describe('one client', () => {
  it('makes a table, appends and reads', async () => {
    const table = await newTable('trips');
    const ndjson = '{"id":9007199254740993,"city":"Zürich","fare":12.5}\n\n{"id":2,"city":"Lima"}\n';
    expect((await call('POST', `${table}/rows`, ndjson)).json).toEqual({ version: 1, rows: 2 });
    const array = '[{"id":3,"city":"Oslo","fare":3},{"id":4,"fare":1e3}]';
    expect((await call('POST', `${table}/rows`, array)).json).toEqual({ version: 2, rows: 2 });
    const all = await call('GET', `${table}/rows`);
    expect(all.headers.get('Content-Type')).toBe('application/x-ndjson');
    expect(all.headers.get('Delta-Version')).toBe('2');
    expect(rowsOf(all)).toEqual([
      '{"id":2,"city":"Lima","fare":null}',
      '{"id":3,"city":"Oslo","fare":3.0}',
      '{"id":4,"city":null,"fare":1000.0}',
      '{"id":9007199254740993,"city":"Zürich","fare":12.5}',
    ]);
    const query = new URLSearchParams({ where: "city = 'Zürich' OR fare > 500", columns: 'city,`id`' });
    expect(rowsOf(await call('GET', `${table}/rows?${query}`))).toEqual([
      '{"city":"Zürich","id":9007199254740993}',
      '{"city":null,"id":4}',
    ]);
    expect(rowsOf(await call('GET', `${table}/rows?limit=3`))).toHaveLength(3);
    expect((await call('GET', table)).json).toEqual({
      version: 2,
      columns: [
        { name: 'id', type: 'long', nullable: false },
        { name: 'city', type: 'string', nullable: true },
        { name: 'fare', type: 'double', nullable: true },
      ],
      partitionBy: [],
    });
  });

  it('makes a partitioned table', async () => {
    const answer = await call('PUT', '/tables/parts?partitionBy=city', SCHEMA);
    expect(answer.status).toBe(201);
    await call('POST', '/tables/parts/rows', '{"id":1,"city":"a/b"}');
    expect((await call('GET', '/tables/parts')).json.partitionBy).toEqual(['city']);
    expect(rowsOf(await call('GET', '/tables/parts/rows'))).toEqual(['{"id":1,"city":"a/b","fare":null}']);
  });

  it('publishes what is only ratified', async () => {
    const table = await newTable('staged');
    await call('POST', `${table}/rows`, '{"id":1}');
    const { published, record } = await unpublish('staged');
    expect(JSON.parse(await record()).unpublished).toHaveLength(1);
    // A reader sees the commit while only the catalog lists it.
    expect(rowsOf(await call('GET', `${table}/rows`))).toHaveLength(1);
    expect((await call('POST', `${table}/publish`)).json).toEqual({ version: 1 });
    expect(await published()).toBe(true);
    expect(JSON.parse(await record()).unpublished).toEqual([]);
    expect((await call('POST', `${table}/publish`)).json).toEqual({ version: 1 });
  });

  it('streams more than one batch, and stops when the client does', async () => {
    const table = await newTable('many');
    for (let part = 0; part < 3; part++) {
      const rows = Array.from({ length: 3000 }, (_, id) => `{"id":${part * 3000 + id}}`);
      expect((await call('POST', `${table}/rows`, rows.join('\n'))).status).toBe(200);
    }
    expect(rowsOf(await call('GET', `${table}/rows`))).toHaveLength(9000);
    const response = await host.worker.dispatchFetch(`http://worker${table}/rows`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    const reader = response.body!.getReader();
    expect((await reader.read()).value).toBeDefined();
    await reader.cancel();
    expect((await call('GET', `${table}/rows?limit=1`)).status).toBe(200);
  });
});

/** Takes version 1 back to where a writer is that ratified and then stopped: its file staged, the catalog listing it. */
async function unpublish(name: string) {
  const bucket = await bucketOf(host.worker);
  const key = `_catalog/tables/${name}.json`;
  // The first line is the record's tag.
  const [tag, text] = (await (await bucket.get(key))!.text()).split('\n') as [string, string];
  const record = JSON.parse(text) as { location: string };
  const log = `${new URL(record.location).pathname.slice(1)}_delta_log/`;
  const { objects } = await bucket.list({ prefix: `${log}_staged_commits/` });
  const [staged] = objects;
  const commit = {
    version: 1,
    fileName: staged!.key.split('/').at(-1),
    timestamp: staged!.uploaded.getTime(),
    fileSize: staged!.size,
    fileModificationTimestamp: staged!.uploaded.getTime(),
  };
  const publishedKey = `${log}${'1'.padStart(20, '0')}.json`;
  await bucket.delete(publishedKey);
  await bucket.put(key, `${tag}\n${JSON.stringify({ ...record, latestVersion: 1, unpublished: [commit] })}`);
  return {
    published: async () => (await bucket.head(publishedKey)) !== null,
    record: async () => (await (await bucket.get(key))!.text()).split('\n')[1]!,
  };
}

describe('many clients', () => {
  it('share commits, and each has its own answer', async () => {
    const table = await newTable('shared');
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, client) => {
        const rows = Array.from({ length: 1 + (client % 3) }, (_, row) => `{"id":${client * 10 + row}}`);
        return call('POST', `${table}/rows`, rows.join('\n'));
      }),
    );
    for (const [client, { status, json }] of answers.entries()) {
      expect([status, json.rows]).toEqual([200, 1 + (client % 3)]);
    }
    const versions = new Set(answers.map(({ json }) => json.version as number));
    // Each has its own time to arrive: far fewer commits than requests, not a certain number.
    expect(versions.size).toBeLessThan(20);
    const { json, text } = await call('GET', table);
    expect(json, text).toMatchObject({ version: Math.max(...versions) });
    const ids = rowsOf(await call('GET', `${table}/rows?columns=id`)).map((line) => JSON.parse(line).id);
    const expected = Array.from({ length: 40 }, (_, client) =>
      Array.from({ length: 1 + (client % 3) }, (_, row) => client * 10 + row),
    ).flat();
    expect(ids.sort((a, b) => a - b)).toEqual(expected);
  });

  it('do not suffer from the bad rows of one', async () => {
    const table = await newTable('mixed');
    const bad = ['{"id":null}', '{"id":"text"}', '{"id":1,"unknown":2}'];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, client) =>
        call('POST', `${table}/rows`, bad[client - 4] ?? `{"id":${client}}`),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, client) => (client >= 4 && client < 7 ? 422 : 200)));
    expect(answers.slice(4, 7).map(({ json }) => json.error.code)).toEqual([
      'ConstraintViolation',
      'Schema',
      'Schema',
    ]);
    expect(rowsOf(await call('GET', `${table}/rows`))).toHaveLength(17);
  });

  it('lose no row to a writer that goes through the catalog beside the Worker', async () => {
    const table = await newTable('contended');
    const bucket = asBinding(await bucketOf(host.worker));
    const storage = new R2StorageHandler(bucket);
    const records = new R2RecordStore(bucket);
    const catalog = new StorageCatalog({ records, storage, root: 'r2://bucket/tables/' });
    const outsider = async () => {
      const opened = await catalog.open('contended');
      for (let id = 100; id < 103; id++) await opened.append([{ id: BigInt(id) }]);
    };
    const insiders = async () => {
      for (let id = 0; id < 3; id++) {
        expect((await call('POST', `${table}/rows`, `{"id":${id}}`)).status).toBe(200);
      }
    };
    await Promise.all([outsider(), insiders()]);
    expect((await call('GET', table)).json.version).toBe(6);
    const ids = rowsOf(await call('GET', `${table}/rows?columns=id`)).map((line) => JSON.parse(line).id);
    expect(ids.sort((a, b) => a - b)).toEqual([0, 1, 2, 100, 101, 102]);
  });
});

describe('what goes wrong has a status and a code', () => {
  beforeAll(async () => {
    await newTable('errors');
  });

  it.each<[string, string, string, string | undefined, number, string]>([
    ['no such table', 'GET', '/tables/nothing/rows', undefined, 404, 'TableNotFound'],
    ['no such table to append to', 'POST', '/tables/nothing/rows', '{"id":1}', 404, 'TableNotFound'],
    ['no such table to publish', 'POST', '/tables/nothing/publish', undefined, 404, 'TableNotFound'],
    ['no such route', 'GET', '/elsewhere', undefined, 404, 'NotFound'],
    ['no such method', 'DELETE', '/tables/errors', undefined, 405, 'MethodNotAllowed'],
    ['a name with a path', 'GET', '/tables/..%2Fx', undefined, 400, 'InvalidName'],
    [
      'a predicate that is none',
      'GET',
      '/tables/errors/rows?where=id+%3D',
      undefined,
      400,
      'InvalidExpression',
    ],
    [
      'a predicate on no column',
      'GET',
      '/tables/errors/rows?where=x+%3D+1',
      undefined,
      400,
      'InvalidExpression',
    ],
    ['no such column', 'GET', '/tables/errors/rows?columns=x', undefined, 400, 'Schema'],
    ['a limit that is none', 'GET', '/tables/errors/rows?limit=-1', undefined, 400, 'InvalidOption'],
    ['no rows', 'POST', '/tables/errors/rows', '[]', 400, 'MalformedJson'],
    ['a line that is no JSON', 'POST', '/tables/errors/rows', '{"id":1}\n{"id":', 400, 'MalformedJson'],
    ['a line that is no object', 'POST', '/tables/errors/rows', '{"id":1}\n7', 400, 'MalformedJson'],
    ['too large a body', 'POST', '/tables/errors/rows', ' '.repeat(100_001), 413, 'BodyTooLarge'],
    ['a name that is taken', 'PUT', '/tables/errors', SCHEMA, 409, 'TableExists'],
    ['a schema that is none', 'PUT', '/tables/new', '{"type":"struct"}', 400, 'Schema'],
    ['columns that are not there', 'PUT', '/tables/new?partitionBy=x', SCHEMA, 400, 'Schema'],
  ])('%s', async (_, method, path, body, status, code) => {
    const answer = await call(method, path, body);
    expect({ status: answer.status, code: answer.json?.error.code }).toEqual({ status, code });
    expect(answer.json.error.message).not.toBe('');
  });

  it.each([null, 'wrong', ''])('the token %j', async (token) => {
    const answer = await call('GET', '/tables/errors', undefined, token);
    expect([answer.status, answer.json.error.code]).toEqual([401, 'Unauthorized']);
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it('says which row does not fit', async () => {
    const { json } = await call('POST', '/tables/errors/rows', '{"id":1}\n{"id":2,"fare":"much"}');
    expect(json.error).toMatchObject({ code: 'Schema', column: 'fare' });
    expect(json.error.message).toMatch(/^row 2: /);
  });
});
