/** `examples/worker` with tables in S3: of a Unity Catalog server, and of the catalog in R2. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UcStub } from '../helpers/uc-stub/stub.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';
import { rowsOf, SCHEMA, startWorker, TOKEN, type WorkerHost } from './worker-host.ts';

describe.skipIf(versitygwMissing)('the Worker with tables in S3', () => {
  let s3: S3Server;
  let stub: UcStub;
  let server: Awaited<ReturnType<UcStub['listen']>>;
  let host: WorkerHost;

  beforeAll(async () => {
    s3 = await startVersitygw();
    await s3.createBucket('lake');
    const { accessKeyId, secretAccessKey } = s3.credentials;
    stub = new UcStub({
      storageRoot: 's3://lake/uc',
      tokens: { 'uc-token': 'admin' },
      // Without a session token, which versitygw would refuse.
      vend: () => ({
        config: { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey },
        expirationTimeMs: null,
      }),
    }).addSchema('main', 'sales');
    server = await stub.listen();
    host = await startWorker();
  });
  afterAll(async () => {
    await host?.stop();
    await server?.close();
    await s3?.stop();
  });

  const endpoint = () => ({ AWS_ENDPOINT_URL: s3.endpoint, AWS_REGION: s3.region });
  const unity = () => ({ UC_URL: server.url, UC_TOKEN: 'uc-token', UC_SCHEMA: 'main.sales', ...endpoint() });

  async function makesAndReads(name: string): Promise<void> {
    const table = `/tables/${name}`;
    const made = await host.call('PUT', table, SCHEMA);
    expect(made.status, made.text).toBe(201);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, id) => host.call('POST', `${table}/rows`, `{"id":${id}}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect((await host.call('POST', `${table}/publish`)).status).toBe(200);
    expect(rowsOf(await host.call('GET', `${table}/rows?columns=id&where=id+%3E+1`))).toEqual([
      '{"id":2}',
      '{"id":3}',
      '{"id":4}',
    ]);
    expect(await host.call('PUT', table, SCHEMA)).toMatchObject({ status: 409 });
  }

  it('commits through Unity Catalog', async () => {
    await host.rebind(unity());
    await makesAndReads('orders');
    const { published, rows } = stub.table('main', 'sales', 'orders');
    expect(published).toBe(rows.at(-1)!.version);
  });

  it('commits through the catalog in R2', async () => {
    const { accessKeyId, secretAccessKey } = s3.credentials;
    const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    await host.rebind({ S3_URL: 's3://lake/tables/', ...keys, ...endpoint() });
    await makesAndReads('orders');
  });

  it('says what the catalog refuses, and that a catalog that is down may be tried again', async () => {
    await host.rebind({ ...unity(), UC_TOKEN: 'wrong' });
    const refused = await host.call('GET', '/tables/orders/rows');
    expect([refused.status, refused.json.error.code]).toEqual([502, 'Unauthorized']);
    expect(refused.text).not.toContain('wrong');
    await host.rebind(unity());
    stub.before = () => 'drop';
    const down = await host.call('GET', '/tables/orders/rows');
    stub.before = undefined;
    expect([down.status, down.json.error.code, down.headers.get('Retry-After')]).toEqual([
      503,
      'IOError',
      '1',
    ]);
    expect((await host.call('GET', '/tables/orders/rows', undefined, TOKEN)).status).toBe(200);
  });

  it('names a variable that is missing', async () => {
    const { UC_SCHEMA: _, ...rest } = unity();
    await host.rebind(rest);
    const { status, json } = await host.call('GET', '/tables/orders');
    expect([status, json.error.message]).toEqual([500, 'UC_URL needs UC_SCHEMA: catalog.schema']);
  });
});
