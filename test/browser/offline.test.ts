/** The page without a network: its service worker, from a folder of a host that goes away. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { bundleDemo, MAX_TRANSFER } from '../../scripts/build-demo.mjs';
import { type PageFiles, pageFiles, weigh } from '../../scripts/lib/page-files.mjs';
import { buildServiceWorker } from '../../scripts/lib/service-worker.mjs';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';

/** Where the page lies on its host. */
const FOLDER = 'tools/inspector/';

let dir: string;
let files: PageFiles;
let host: StaticServer;
let context: BrowserContext;
let page: Page;
const browser = launchChromium();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'offline-'));
  files = await bundleDemo(join(dir, FOLDER));
});
afterAll(async () => {
  await (await browser).close();
  await rm(dir, { recursive: true, force: true });
});
afterEach(async () => {
  await context?.close();
  await host?.close();
});

async function start(): Promise<void> {
  host = await startStaticServer(dir);
  context = await (await browser).newContext();
  page = await context.newPage();
  await page.goto(`${host.url}${FOLDER}index.html`);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
}

async function openSample(name: string): Promise<void> {
  await page.locator('.sample', { hasText: name }).click();
  await page.locator('.facts').waitFor();
}

/** Addresses that the page's caches hold, below its folder. */
const kept = () =>
  page.evaluate(async (folder) => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = (await Promise.all(caches_.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => new URL(url).pathname.replace(`/${folder}`, '')).sort();
  }, FOLDER);

it('shows itself and the samples that were open, with all tabs, when the host is gone', async () => {
  await start();
  await openSample('Customers');
  await expect.poll(kept, { timeout: 20_000 }).toContain('samples/customers/');
  await expect.poll(kept).toEqual(expect.arrayContaining([...files.first, ...files.later]));

  await context.setOffline(true);
  await host.close();
  await page.reload();
  await page.locator('.facts').waitFor();
  const facts = await page.locator('.fact dd').allTextContents();
  expect(facts).toContain('540');
  for (const [tab, text] of [
    ['data', 'Customer 0'],
    ['history', 'RENAME COLUMN'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await page.locator('#panel').getByText(text).first().waitFor();
  }
  await page.getByRole('button', { name: 'Close the table' }).click();
  await page.locator('.sample', { hasText: 'Inventory' }).click();
  await page.locator('.failure').waitFor();
  expect(await page.locator('.failure').textContent()).toContain('This browser is offline.');
});

it('keeps nothing but the page and samples: no other table, no address with a query', async () => {
  await start();
  await page.reload();
  const fetched = [
    `${host.url}${FOLDER}main.js?sig=SECRET`,
    `${host.url}${FOLDER}elsewhere/_delta_log/00000000000000000000.json`,
    `${host.url}tables/trips/_delta_log/00000000000000000000.json`,
    `${host.url.replace('127.0.0.1', 'localhost')}${FOLDER}main.js`,
  ];
  await page.evaluate((urls) => Promise.all(urls.map((url) => fetch(url).catch(() => undefined))), fetched);
  const secret = { headers: { Authorization: 'Bearer SECRET' }, cache: 'no-store' } as const;
  await page.evaluate((init) => fetch('./table-worker.js', init), secret);
  const before = host.requests.filter(({ url }) => url.endsWith('/table-worker.js')).length;
  await page.evaluate((init) => fetch('./table-worker.js', init), secret);
  // What has credentials goes to the host each time.
  expect(host.requests.filter(({ url }) => url.endsWith('/table-worker.js')).length).toBe(before + 1);
  const allowed = new Set([...files.first, ...files.later]);
  expect((await kept()).filter((path) => !allowed.has(path))).toEqual([]);
});

it('tells of a newer version, takes it when that is wanted, and removes the old one', async () => {
  await start();
  const names = () => page.evaluate(() => caches.keys());
  const [old] = await names();
  const outdir = join(dir, FOLDER);
  await appendFile(join(outdir, 'style.css'), '\n:root { --newer: 1 }\n');
  await buildServiceWorker(outdir, files);
  await page.reload();
  await page.getByText('A newer version of this page is ready.').waitFor();
  const newer = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--newer'));
  expect(await newer()).toBe('');
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect.poll(newer).toBe('1');
  await expect.poll(names).not.toContain(old);
});

it('its first load weighs at most 1.5 MB compressed, and neither S3 nor Unity Catalog nor SQL is in it', {
  timeout: 300_000,
}, () => {
  // Compressing takes its time where the build has not done it already.
  const weights = weigh(join(dir, FOLDER), files.first);
  expect(weights.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'index.html',
      'main.js',
      'table-worker.js',
      'style.css',
      'delta_kernel_web.wasm',
    ]),
  );
  const lazy = /^(unity|s3|duckdb|editor|history|files)/;
  expect(files.first.filter((name) => lazy.test(name))).toEqual([]);
  expect(files.later.filter((name) => lazy.test(name)).length).toBeGreaterThan(3);
  expect(weights.reduce((sum, { compressed }) => sum + compressed, 0)).toBeLessThan(MAX_TRANSFER);
  // Counted: what is imported from the start, not what is loaded when it is needed.
  const outputs = {
    'o/main.js': { entryPoint: 'a/main.tsx', imports: [{ path: 'o/x.js', kind: 'import-statement' }] },
    'o/x.js': { imports: [{ path: 'o/late.js', kind: 'dynamic-import' }] },
    'o/late.js': { imports: [] },
  };
  const counted = pageFiles(join(dir, FOLDER), { outputs } as unknown as Parameters<typeof pageFiles>[1]);
  expect(counted.first).toEqual(['delta_kernel_web.wasm', 'index.html', 'main.js', 'style.css', 'x.js']);
});
