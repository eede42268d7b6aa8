/** Record stores of the embedded catalog: memory, R2 in workerd, OPFS in Chromium. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { recordStoreContract } from './record-store-contract.ts';
import { bundle } from './runtimes/bundle.ts';
import { pageWith, type SeedServer, startSeedServer } from './runtimes/seeding.ts';

const cases = recordStoreContract.map((item, index) => ({ ...item, index }));

describe('MemoryRecordStore', () => {
  test.each(cases)('$name', async ({ run }) => {
    const store = new MemoryRecordStore();
    await run(() => store);
  });
});

describe.each(['2023-01-01', '2026-04-01'])('R2RecordStore in workerd as of %s', (compatibilityDate) => {
  let worker: Miniflare;
  beforeAll(async () => {
    worker = new Miniflare({
      modules: true,
      script: await bundle(new URL('./runtimes/records-worker.ts', import.meta.url), 'esm'),
      r2Buckets: ['BUCKET'],
      compatibilityDate,
      cf: false,
    });
    await worker.ready;
  });
  afterAll(() => worker?.dispose());

  test.each(cases)('$name', async ({ index }) => {
    const response = await worker.dispatchFetch(`http://worker/?case=${index}`);
    expect(await response.text()).toBe('');
  });
});

describe('OpfsRecordStore in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let seeds: SeedServer;
  let files = '';
  beforeAll(async () => {
    files = await mkdtemp(join(tmpdir(), 'records-'));
    const script = await bundle(new URL('./runtimes/records-page.ts', import.meta.url), 'iife');
    seeds = await startSeedServer(files, pageWith(script));
    browser = await launchChromium();
    page = await (await browser.newContext()).newPage();
    await page.goto(seeds.url);
  });
  afterAll(async () => {
    await browser?.close();
    seeds?.close();
    await rm(files, { recursive: true, force: true });
  });

  test.each(cases)('$name', async ({ index }) => {
    expect(await page.evaluate(`runRecordCase(${index})`)).toBe('');
  });

  test('two pages count, and no count is lost', async () => {
    const second = await page.context().newPage();
    await second.goto(seeds.url);
    await Promise.all([page.evaluate('countUp(20)'), second.evaluate('countUp(20)')]);
    expect(await page.evaluate('counted()')).toBe('40');
    await second.close();
  });
});
