import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { bundle } from './runtimes/bundle.ts';
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
  let pages: Server;
  let files = '';
  const hosts: Record<string, StaticServer> = {};

  beforeAll(async () => {
    files = await mkdtemp(join(tmpdir(), 'browser-'));
    hosts.http = await startStaticServer(files);
    hosts.hidden = await startStaticServer(files, { noExposedHeaders: true });
    hosts.compressed = await startStaticServer(files, { gzip: true, noExposedHeaders: true });
    hosts.rangeless = await startStaticServer(files, { noRange: true });
    const script = await bundle(new URL('./runtimes/browser-page.ts', import.meta.url), 'iife');
    pages = await servePages(script, files);
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
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
});

/** The page, and a way to make files below `files`. */
async function servePages(script: string, files: string): Promise<Server> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').searchParams.get('seed');
    if (name === null) {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>storage</title><script>${script.replaceAll('</script', '<\\/script')}</script>`,
      );
      return;
    }
    (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      await mkdir(dirname(join(files, name)), { recursive: true });
      await writeFile(join(files, name), Buffer.concat(chunks));
      response.end();
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}
