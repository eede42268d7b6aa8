/** Catalog-managed tables in a page: in memory, in the browser's own storage, and in S3 through Unity Catalog. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { versitygwMissing } from '../helpers/versitygw.ts';
import { bundleFor } from '../runtime/bundle.ts';
import type { UnityServers } from './catalogs.ts';
import type { Kind } from './page.ts';
import { phases } from './phases.ts';
import { type CatalogServers, startServers } from './servers.ts';

const cases = phases.map(({ name }, index) => ({ name, index }));

describe('Chromium', () => {
  let dir: string;
  let browser: Browser;
  let page: Page;
  let app: StaticServer;
  let servers: CatalogServers | undefined;
  beforeAll(async () => {
    if (!versitygwMissing) servers = await startServers();
    dir = await mkdtemp(join(tmpdir(), 'catalog-chromium-'));
    await bundleFor('../catalog/page.ts', ['browser'], dir);
    const html = '<!doctype html><script type="module" src="./main.js"></script>';
    await writeFile(join(dir, 'index.html'), html);
    app = await startStaticServer(dir);
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(`${app.url}index.html`);
    await page.waitForFunction(() => typeof globalThis.runPhases === 'function');
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await servers?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const run = (kind: Kind, index: number, servers?: UnityServers) =>
    page.evaluate(([k, i, s]) => globalThis.runPhases(k, i, s), [kind, index, servers] as const);

  const runInWorker = (kind: Kind, index: number, servers?: UnityServers) =>
    page.evaluate(([k, i, s]) => globalThis.runPhasesInWorker(k, i, s), [kind, index, servers] as const);

  it.each(cases)('memory: $name', ({ index }) => run('memory', index));
  it.each(cases)('OPFS: $name', ({ index }) => run('opfs', index));

  it('OPFS in a worker of the page: two writers', () => runInWorker('opfs', 1));

  describe.skipIf(versitygwMissing)('S3 through Unity Catalog, both of other origins', () => {
    it.each(cases)('$name', async ({ index }) => {
      await run('unity', index, servers!.unity(`page${index}`));
      // It was the browser that asked: across origins, so with a preflight for the token.
      expect(servers!.stub.requests.some((request) => request.startsWith('OPTIONS '))).toBe(true);
    });

    // Without a DOM, and so without the parser for XML that the SDK has for pages.
    it('in a worker of the page: two writers', () => runInWorker('unity', 1, servers!.unity('worker')));
  });
});
