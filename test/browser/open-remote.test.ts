/** Tables in S3 and of a Unity Catalog, opened from the start: real servers, and no key anywhere but in memory. */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { UnityCatalog } from '../../src/unity.ts';
import { type CorsProxy, startCorsProxy } from '../helpers/cors-proxy.ts';
import { UcStub } from '../helpers/uc-stub/stub.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';
import { useInspector } from './inspector.ts';
import { samples } from './inspector-tables.ts';
import { stored } from './stored.ts';

const ui = useInspector();
let s3: S3Server;
let proxy: CorsProxy;

const closeTable = () => ui.page.getByRole('button', { name: 'Close the table' }).click();

describe.skipIf(versitygwMissing)('S3', () => {
  beforeAll(async () => {
    s3 = await startVersitygw();
    proxy = await startCorsProxy(s3.endpoint);
    await s3.createBucket('open', { public: true });
    await s3.createBucket('closed');
    for (const bucket of ['open', 'closed']) {
      await mkdir(join(s3.dir, bucket, 'tables'), { recursive: true });
      await cp(join(samples, 'trips'), join(s3.dir, bucket, 'tables/trips'), { recursive: true });
    }
  });
  afterAll(async () => {
    await proxy?.close();
    await s3?.stop();
  });

  const form = async (table: string, fields: Record<string, string> = {}) => {
    const opened = ui.page.locator('.more > details[open]');
    if ((await opened.count()) === 0) await ui.page.getByText('S3 with keys').click();
    const all = { 'Table in S3': table, Endpoint: proxy.url, ...fields };
    for (const [label, value] of Object.entries(all))
      await opened.getByLabel(label, { exact: true }).fill(value);
    await ui.page.getByRole('button', { name: 'Open from S3' }).click();
  };
  const keys = () => ({
    'Access key ID': s3.credentials.accessKeyId,
    'Secret access key': s3.credentials.secretAccessKey,
  });
  const failure = async () => {
    await ui.page.locator('.failure').waitFor();
    return ui.text('.failure');
  };

  it('a public bucket opens without keys, and again from its link', async () => {
    await ui.start();
    await form('s3://open/tables/trips');
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Version: '7', Rows: '2,800', Files: '7' });
    const link = new URL(ui.page.url()).hash;
    expect(Object.fromEntries(new URLSearchParams(link.slice(1)))).toEqual({
      url: 's3://open/tables/trips',
      endpoint: new URL('/', proxy.url).href,
    });
    await ui.page.context().close();
    await ui.start(link);
    await ui.page.locator('.facts').waitFor();
  });

  it('a private one opens with keys; a reload asks for them again; they are nowhere', async () => {
    await ui.start();
    await form('s3://closed/tables/trips', { ...keys(), Region: 'us-east-1' });
    await ui.page.locator('.facts').waitFor();
    await ui.tab('data').click();
    await ui.page.locator('.grid td:not(.spacer)').first().waitFor();
    const link = new URL(ui.page.url()).hash;
    expect(link).toContain('access=keys');
    expect(`${link} ${await stored(ui.page)}`).not.toMatch(/test-secret|"test"|=test\b/);

    await ui.tab('overview').click();
    await ui.page.goBack();
    await ui.page.locator('.grid td:not(.spacer)').first().waitFor();

    // In this tab they are known.
    await closeTable();
    await ui.page.getByRole('link', { name: 's3://closed/tables/trips' }).click();
    await ui.page.locator('.facts').waitFor();
    await ui.tab('data').click();

    await ui.page.reload();
    await ui.page.getByRole('heading', { name: 'This table was opened with keys' }).waitFor();
    expect(await ui.text('.unlock')).toContain('a reload forgets them');
    await ui.screenshot('unlock');
    for (const [label, value] of Object.entries(keys())) await ui.page.getByLabel(label).fill(value);
    await ui.page.getByRole('button', { name: 'Go on' }).click();
    await ui.page.locator('.grid td:not(.spacer)').first().waitFor();
    expect(await stored(ui.page)).not.toContain('test-secret');
  });

  it('failures say what to do', async () => {
    const cases: [string, Record<string, string>, string][] = [
      [
        's3://closed/tables/trips',
        {},
        'The bucket is not public, or does not let everybody list it. Open it with keys',
      ],
      [
        's3://closed/tables/trips',
        { 'Access key ID': 'test', 'Secret access key': 'wrong-key' },
        'The store does not take the keys.',
      ],
      ['s3://closed/tables/trips', { ...keys(), Region: 'eu-west-7' }, 'open it again with its region'],
      ['s3://gone/trips', keys(), 'There is no such bucket at http://127.0.0.1'],
      ['s3://closed/tables/none', keys(), 'the folder that holds _delta_log'],
      ['s3://open/tables/trips', { Endpoint: 'http://127.0.0.1:9' }, 'check region and endpoint'],
    ];
    await ui.start();
    for (const [table, fields, advice] of cases) {
      await form(table, fields);
      const shown = await failure();
      expect(shown).toContain(advice);
      expect(shown).not.toMatch(/wrong-key|test-secret/);
      await closeTable();
    }
    await form('s3://closed/tables/trips', { 'Access key ID': 'half' });
    expect(await ui.text('[role=alert]')).toBe('Access key and secret key go together.');
  });

  it('a folder of tables leads to the table in it', async () => {
    await ui.start();
    await form('s3://closed/tables', keys());
    expect(await failure()).toContain('There is a table trips.');
    await ui.page.getByRole('button', { name: 'Open trips' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(new URL(ui.page.url()).hash).toContain('access=keys');
  });
});

describe.skipIf(versitygwMissing)('Unity Catalog', () => {
  let stub: UcStub;
  let server: Awaited<ReturnType<UcStub['listen']>>;
  beforeAll(async () => {
    s3 = await startVersitygw();
    await s3.createBucket('lake');
    const { accessKeyId, secretAccessKey } = s3.credentials;
    stub = new UcStub({
      storageRoot: 's3://lake/uc',
      cors: true,
      tokens: { 'token-of-mine': 'admin', 'token-of-another': 'guest' },
      pageSize: 2,
      vend: () => ({
        config: { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey },
        expirationTimeMs: null,
      }),
    })
      .addSchema('main', 'sales')
      .addSchema('main', 'hr.private')
      .addSchema('other', 'empty')
      .addSchema('third', 'empty');
    server = await stub.listen();
    const unity = new UnityCatalog({
      url: server.url,
      token: 'token-of-mine',
      s3: { endpoint: s3.endpoint, forcePathStyle: true },
    });
    const schema = types.struct([field('id', types.long), field('city', types.string)]);
    const orders = await unity.create('main.sales.orders', schema);
    await orders.append([1n, 2n, 3n].map((id) => ({ id, city: 'Bern' })));
    await unity.create('main.`hr.private`.people', schema);
  });
  afterAll(async () => {
    await server?.close();
    await s3?.stop();
  });

  const connect = async (fields: Record<string, string>) => {
    const opened = ui.page.locator('.more > details[open]');
    if ((await opened.count()) === 0) {
      await ui.page.getByText('Unity Catalog', { exact: true }).click();
      await ui.page.getByText('Where its tables lie').click();
    }
    const all = { Server: server.url, Token: 'token-of-mine', Endpoint: s3.endpoint, ...fields };
    for (const [label, value] of Object.entries(all))
      await opened.getByLabel(label, { exact: true }).fill(value);
    await ui.page.getByRole('button', { name: 'Connect' }).click();
  };

  it('is browsed down to a table, which opens with what the catalog hands out', async () => {
    await ui.start();
    await connect({});
    const names = () => ui.page.locator('.entries button').allTextContents();
    await ui.page.getByRole('button', { name: 'main', exact: true }).waitFor();
    // More than a page of the server's list.
    expect(await names()).toEqual(['main', 'other', 'third']);
    await ui.page.getByRole('button', { name: 'other' }).click();
    await ui.page.getByRole('button', { name: 'empty' }).click();
    await ui.page.getByText('No tables here that the token may see.').waitFor();
    await ui.page.getByRole('button', { name: 'catalogs' }).click();
    await ui.page.getByRole('button', { name: 'main', exact: true }).click();
    await ui.page.getByRole('button', { name: 'sales' }).waitFor();
    expect(await names()).toEqual(['sales', 'hr.private']);
    await ui.page.getByRole('button', { name: 'hr.private' }).click();
    await ui.page.getByRole('button', { name: 'people' }).waitFor();
    await ui.screenshot('unity-browse');
    await ui.page.getByRole('button', { name: 'people' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Version: '0', Rows: '0' });
  });

  it('a table opens by its name; a reload asks for the token; it is nowhere', async () => {
    await ui.start();
    await connect({ Table: 'main.sales.orders' });
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Version: '1', Rows: '3' });
    const parameters = new URLSearchParams(new URL(ui.page.url()).hash.slice(1));
    expect(Object.fromEntries(parameters)).toEqual({
      catalog: new URL('/', server.url).href,
      table: 'main.sales.orders',
      endpoint: new URL('/', s3.endpoint).href,
      access: 'token',
    });
    expect(await stored(ui.page)).not.toMatch(/token-of-mine|test-secret/);
    await ui.page.reload();
    await ui.page.getByRole('heading', { name: 'This table was opened with a token' }).waitFor();
    // Whoever made the link may have named a server of their own.
    expect(await ui.text('.unlock')).toContain(`The requests go to ${server.url}/`);
    await ui.page.getByLabel('Token', { exact: true }).fill('token-of-mine');
    await ui.page.getByRole('button', { name: 'Go on' }).click();
    await ui.page.locator('.facts').waitFor();
  });

  it('failures say what to do, of browsing too', async () => {
    const Table = 'main.sales.orders';
    const cases: [Record<string, string>, string][] = [
      [{ Token: 'my-wrong-one', Table }, 'does not take the token'],
      [{ Token: 'token-of-another', Table }, 'needs USE CATALOG'],
      [{ Table: 'main.sales.none' }, 'Check the name, catalog.schema.table'],
      [{ Table: 'orders' }, 'expected catalog.schema.table'],
      [{ Server: 'http://127.0.0.1:9', Table }, 'authorization, content-type'],
    ];
    await ui.start();
    for (const [fields, advice] of cases) {
      await connect(fields);
      await ui.page.locator('.failure').waitFor();
      const shown = await ui.text('.failure');
      expect(shown).toContain(advice);
      expect(shown).not.toMatch(/token-of-|my-wrong-one/);
      await closeTable();
    }
    await connect({ Token: 'my-wrong-one', Table: '' });
    await ui.page.locator('.browser .failure').waitFor();
    expect(await ui.text('.failure')).toContain('does not take the token');
  });
});
