/** The browser's cache must not make ranges of one file wait for each other. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../helpers/chromium.ts';
import { bundle } from './runtimes/bundle.ts';
import { pageWith } from './runtimes/seeding.ts';

const LATENCY_MS = 100;
const RANGES = 20;

let script = '';
let inFlight = 0;
let mostInFlight = 0;
/** The page, and a file that browsers may cache, every answer late. */
const server = createServer((request, response) => {
  if (request.url === '/') {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(pageWith(script));
    return;
  }
  inFlight += 1;
  mostInFlight = Math.max(mostInFlight, inFlight);
  const [, start = 0, end = 0] = (/bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []).map(Number);
  setTimeout(() => {
    inFlight -= 1;
    response.writeHead(206, {
      'Content-Range': `bytes ${start}-${end}/1000`,
      'Cache-Control': 'max-age=3600',
      ETag: '"1"',
    });
    response.end('x'.repeat(end - start + 1));
  }, LATENCY_MS);
});
beforeAll(async () => {
  script = await bundle(new URL('./runtimes/ranges-page.ts', import.meta.url), 'iife');
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('IO-08: ranges of one file are fetched side by side', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    expect(await page.evaluate(`readRanges('${url}file', ${RANGES})`)).toBe(10 * RANGES);
    // Six connections to a host are what the browser has for HTTP/1.1; its cache would let one pass at a time.
    expect(mostInFlight).toBeGreaterThan(3);
  } finally {
    await browser.close();
  }
});
