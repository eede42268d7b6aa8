import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { bundleFor } from './bundle.ts';
import { serveFixtures } from './fixtures-server.ts';
import { suite } from './suite.ts';

describe('Chromium', () => {
  let dir: string;
  let browser: Browser;
  let page: Page;
  let app: StaticServer;
  let fixtures: StaticServer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'runtime-chromium-'));
    await bundleFor('chromium-page.ts', ['browser'], dir);
    await writeFile(
      join(dir, 'index.html'),
      '<!doctype html><script type="module" src="./main.js"></script>',
    );
    [app, fixtures] = await Promise.all([startStaticServer(dir), serveFixtures()]);
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(`${app.url}index.html`);
    await page.waitForFunction(() => typeof globalThis.runCase === 'function');
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([app?.close(), fixtures?.close(), rm(dir, { recursive: true, force: true })]);
  });

  it.each(suite)('$name', async ({ name }) => {
    await page.evaluate(([name, url]) => globalThis.runCase(name!, url!), [name, fixtures.url]);
  });
});
