/** The Write tab on S3 and Unity Catalog, beside other writers; what it wrote is read outside of the page. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { DeltaError } from '../../src/errors.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { forward } from '../../src/storage/forward.ts';
import { S3StorageHandler } from '../../src/storage/s3.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { UnityCatalog } from '../../src/unity.ts';
import { type CorsProxy, startCorsProxy } from '../helpers/cors-proxy.ts';
import { rowTexts } from '../helpers/rows.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { UcStub } from '../helpers/uc-stub/stub.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';
import { deltaRs } from '../interop/python.ts';
import { useInspector } from './inspector.ts';
import { stored } from './stored.ts';

const ui = useInspector();
const python = await deltaRs();
let s3: S3Server;

const button = (name: string | RegExp) => ui.page.getByRole('button', { name });
const outcome = () => ui.page.locator('.outcome');
const openHere = (dir: string) => DeltaTable.open({ url: `file://${dir}/`, engine: localEngine() });

async function fill(fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    await ui.page.getByLabel(label, { exact: true }).last().fill(value);
  }
}

async function openWrite(): Promise<void> {
  await ui.tab('write').click();
  await ui.page.locator('.actions').waitFor();
}

async function planAppend(text: string): Promise<void> {
  await ui.page.getByLabel('Or paste CSV or JSON').fill(text);
  await button('Check the rows').click();
  await button('Prepare the commit').click();
  await ui.page.locator('.commit').waitFor();
}

async function planDelete(where: string): Promise<void> {
  await button('Delete rows').click();
  await ui.page.getByLabel('WHERE').fill(where);
  await button('Preview').click();
  await ui.page.locator('.commit').waitFor();
}

async function finish(action: string, version: number): Promise<void> {
  await button(action).click();
  await outcome().getByText(`The table is at version ${version}.`).waitFor();
}

describe.skipIf(versitygwMissing)('S3', () => {
  let proxy: CorsProxy;
  beforeAll(async () => {
    s3 = await startVersitygw();
    proxy = await startCorsProxy(s3.endpoint);
    await s3.createBucket('lake');
  });
  afterAll(async () => {
    await proxy?.close();
    await s3?.stop();
  });

  it('a table is made, appended to and deleted from, beside another writer and with requests that fail', async () => {
    const { accessKeyId, secretAccessKey } = s3.credentials;
    await ui.start('', { serviceWorkers: 'block' });
    await button('New table').click();
    await ui.page.getByLabel('S3', { exact: true }).check();
    await fill({
      'Folder in S3': 's3://lake/tables/cities',
      Endpoint: proxy.url,
      'Access key ID': accessKeyId,
      'Secret access key': secretAccessKey,
      'Name of column 1': 'id',
      'Type of column 1': 'long',
    });
    await button('Add a column').click();
    await fill({ 'Name of column 2': 'city' });
    await button('Prepare the commit').click();
    await button('Create the table').click();
    await ui.page.locator('.facts, .outcome').first().waitFor();
    await openWrite();

    // Another program appends while the commit is looked at.
    await planAppend('id,city\n1,Bern\n2,Zürich\n');
    const dir = join(s3.dir, 'lake/tables/cities');
    const storage = new S3StorageHandler(s3.client());
    const theirs = await DeltaTable.open({ url: 's3://lake/tables/cities', storage });
    await theirs.append([{ id: 3n, city: 'Lima' }]);
    await finish('Append the rows', 2);
    expect(await outcome().textContent()).toContain('Another writer had taken version 1');

    // The commit's requests fail until a person tries again; it is made once.
    await planAppend('id,city\n4,Oslo\n');
    let failed = 0;
    await ui.page.context().route(/00000000000000000003\.json/, (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      failed += 1;
      return route.abort();
    });
    await button('Append the rows').click();
    await button('Try the same commit again').waitFor();
    expect(failed).toBeGreaterThan(2);
    await ui.page.context().unroute(/00000000000000000003\.json/);
    await finish('Try the same commit again', 3);

    await planDelete("city = 'Bern' OR id = 3");
    await finish('Delete the rows', 4);
    const rows = ['{"id":2,"city":"Zürich"}', '{"id":4,"city":"Oslo"}'];
    expect((await rowTexts(await openHere(dir))).sort()).toEqual(rows);
    if ('run' in python) {
      const read = await python.run('read', dir);
      expect([read.version, ...read.rows.map(({ city }) => city).sort()]).toEqual([4, 'Oslo', 'Zürich']);
    }
    expect(`${ui.page.url()} ${await stored(ui.page)}`).not.toContain(secretAccessKey);
  });
});

describe.skipIf(versitygwMissing)('Unity Catalog', () => {
  let stub: UcStub;
  let server: Awaited<ReturnType<UcStub['listen']>>;
  const unity = (canPublish = true) =>
    new UnityCatalog({
      url: server.url,
      token: 'token-of-mine',
      s3: { endpoint: s3.endpoint, forcePathStyle: true },
      onWarning: () => undefined,
      ...(!canPublish && {
        wrapStorage: (inner) =>
          forward(inner, {
            copyAtomic: async () => {
              throw new DeltaError('IOError', 'no copies today');
            },
          }),
      }),
    });
  beforeAll(async () => {
    s3 = await startVersitygw();
    await s3.createBucket('lake');
    const { accessKeyId, secretAccessKey } = s3.credentials;
    stub = new UcStub({
      storageRoot: 's3://lake/uc',
      cors: true,
      tokens: { 'token-of-mine': 'admin' },
      vend: () => ({
        config: { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey },
        expirationTimeMs: null,
      }),
    }).addSchema('main', 'sales');
    server = await stub.listen();
    await unity().create('main.sales.orders', types.struct([field('id', types.long)]));
    const orders = await unity(false).open('main.sales.orders');
    await orders.append([{ id: 1n }], { onWarning: () => undefined });
  });
  afterAll(async () => {
    await server?.close();
    await s3?.stop();
  });

  /** Versions that readers without the catalog see. */
  async function publishedVersions(): Promise<number[]> {
    const [, folder = ''] = /^s3:\/\/lake\/(.*?)\/?$/.exec(
      (await unity().open('main.sales.orders')).url.href,
    )!;
    const names = await readdir(join(s3.dir, 'lake', folder, '_delta_log'));
    return names
      .filter((name) => /^\d{20}\.json$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .sort();
  }

  it('unpublished commits are shown and published; an append is ratified and published', async () => {
    await ui.start();
    await ui.page.getByText('Unity Catalog', { exact: true }).click();
    await ui.page.getByText('Where its tables lie').click();
    await fill({
      Server: server.url,
      Token: 'token-of-mine',
      Table: 'main.sales.orders',
    });
    await ui.page.locator('.more > details[open]').getByLabel('Endpoint', { exact: true }).fill(s3.endpoint);
    await button('Connect').click();
    await ui.page.locator('.facts').waitFor();
    await openWrite();
    await button('Publish').click();
    await ui.page.getByRole('button', { name: 'Publish 1 commit' }).waitFor();
    expect(await ui.page.locator('section[aria-label="Commits to publish"] td').allTextContents()).toEqual([
      '1',
      expect.stringMatching(/^_delta_log\/_staged_commits\/0{19}1\..*\.json$/),
      '_delta_log/00000000000000000001.json',
      expect.stringMatching(/B$/),
    ]);
    await ui.screenshot('write-publish');
    expect(await publishedVersions()).toEqual([0]);
    await button('Publish 1 commit').click();
    await outcome().getByText('Published').waitFor();
    expect(await publishedVersions()).toEqual([0, 1]);

    await button('Append rows').click();
    await planAppend('id\n2\n3\n');
    expect(await ui.text('.commit')).toContain('The catalog decides on it');
    await finish('Append the rows', 2);
    expect(await publishedVersions()).toEqual([0, 1, 2]);
    const orders = await unity().open('main.sales.orders');
    expect((await rowTexts(orders)).sort()).toEqual(['{"id":1}', '{"id":2}', '{"id":3}']);
    expect(`${ui.page.url()} ${await stored(ui.page)}`).not.toContain('token-of-mine');
  });

  it('a table is made in a schema', async () => {
    await ui.start();
    await button('New table').click();
    await ui.page.getByLabel('Unity Catalog', { exact: true }).check();
    await fill({
      Server: server.url,
      Token: 'token-of-mine',
      Name: 'main.sales.made',
      Endpoint: s3.endpoint,
      'Name of column 1': 'city',
    });
    await button('Prepare the commit').click();
    await ui.page.getByRole('heading', { name: 'version 0, CREATE TABLE' }).waitFor();
    await expect(unity().open('main.sales.made')).rejects.toMatchObject({ code: 'TableNotFound' });
    await button('Create the table').click();
    await ui.page.locator('.facts, .outcome').first().waitFor();
    expect((await unity().open('main.sales.made')).schema.fields.map(({ name }) => name)).toEqual(['city']);
  });
});
