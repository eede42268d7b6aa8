import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { bundle } from './runtimes/bundle.ts';
import { pageWith, type SeedServer, startSeedServer } from './runtimes/seeding.ts';
import { type StorageCase, storageContract } from './storage-contract.ts';

const every: StorageCase['needs'][] = ['read', 'list', 'write'];
const kinds: [kind: string, what: string, needs: StorageCase['needs'][]][] = [
  ['opfs', 'OpfsStorageHandler', every],
  ['picked', 'DirectoryStorageHandler over a picked folder', every],
  ['dropped', 'DirectoryStorageHandler over a dropped folder', ['read', 'list']],
  ['input', 'DirectoryStorageHandler over the files of an input', ['read', 'list']],
  ['http', 'HttpStorageHandler across origins', ['read']],
  ['hidden', 'HttpStorageHandler across origins, no header exposed', ['read']],
  ['compressed', 'HttpStorageHandler across origins, compressed unseen', ['read']],
  ['rangeless', 'HttpStorageHandler across origins, Range ignored', ['read']],
];

describe('in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let seeds: SeedServer;
  let files = '';
  const hosts: Record<string, StaticServer> = {};

  beforeAll(async () => {
    files = await mkdtemp(join(tmpdir(), 'browser-'));
    hosts.http = await startStaticServer(files);
    hosts.hidden = await startStaticServer(files, { noExposedHeaders: true });
    hosts.compressed = await startStaticServer(files, { gzip: true, noExposedHeaders: true });
    hosts.rangeless = await startStaticServer(files, { noRange: true });
    const script = await bundle(new URL('./runtimes/browser-page.ts', import.meta.url), 'iife');
    seeds = await startSeedServer(files, pageWith(script));
    browser = await launchChromium();
    page = await (await browser.newContext()).newPage();
    await page.goto(seeds.url);
  });
  afterAll(async () => {
    await browser?.close();
    seeds?.close();
    for (const host of Object.values(hosts)) await host.close();
    await rm(files, { recursive: true, force: true });
  });

  describe.each(kinds)('%s: %s', (kind, _, needs) => {
    const cases = storageContract.map((item, index) => ({ ...item, index }));
    test.each(cases.filter((item) => needs.includes(item.needs)))('$name', async ({ index }) => {
      const host = hosts[kind];
      const call = JSON.stringify([host ? 'http' : kind, index, host?.url ?? '']);
      expect(await page.evaluate(`runStorageCase(...${call})`)).toBe('');
    });
  });

  test('OPFS: writers in two pages, one wins', async () => {
    const second = await page.context().newPage();
    await second.goto(seeds.url);
    for (let round = 0; round < 5; round++) {
      const race = `raceInOpfs('${round}', 20)`;
      const [a, b] = await Promise.all([page.evaluate<number>(race), second.evaluate<number>(race)]);
      expect(a + b).toBe(1);
    }
    await second.close();
  });

  test('a server without CORS rule: the error tells the rule', async () => {
    await writeFile(join(files, 'f'), 'abc');
    const { http } = hosts;
    const head = `headOrError('${http!.url}f?sig=secret')`;
    expect(await page.evaluate(head)).toBe('size 3');
    http!.faults = { noCors: true };
    const message = await page.evaluate<string>(head);
    http!.faults = {};
    expect(message).toMatch(/^IOError: /);
    expect(message).toContain(`"AllowedOrigins":["${new URL(seeds.url).origin}"]`);
    expect(message).toContain('"ExposeHeaders":["Content-Range"');
    expect(message).not.toContain('secret');
  });

  test('a folder picked through an input', async () => {
    const folder = join(files, 'my table 100%');
    await mkdir(join(folder, '_delta_log'), { recursive: true });
    await writeFile(join(folder, '_delta_log/0.json'), '{}');
    await writeFile(join(folder, 'é.parquet'), 'PAR1');
    await page.setInputFiles('input', folder);
    const found = await page.evaluate<string[]>('readInput()');
    expect(found).toEqual([
      'directory:///my%20table%20100%25/',
      '/my table 100%/é.parquet: PAR1',
      '/my table 100%/_delta_log/0.json: {}',
      'Unsupported',
    ]);
  });
});
