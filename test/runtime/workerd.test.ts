import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StaticServer } from '../helpers/static-server.ts';
import { bundleFor } from './bundle.ts';
import { serveFixtures } from './fixtures-server.ts';
import { suite } from './suite.ts';

describe('workerd', () => {
  let dir: string;
  let worker: Miniflare;
  let fixtures: StaticServer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'runtime-workerd-'));
    await bundleFor('workerd-module.ts', ['workerd', 'worker', 'browser'], dir);
    fixtures = await serveFixtures();
    const main = await readFile(join(dir, 'main.js'), 'utf8');
    const wasm = await readFile(join(dir, 'delta_kernel_web.wasm'));
    worker = new Miniflare({
      compatibilityDate: '2026-01-01',
      r2Buckets: ['BUCKET'],
      cf: false,
      modules: [
        { type: 'ESModule', path: 'main.js', contents: main },
        { type: 'CompiledWasm', path: 'delta_kernel_web.wasm', contents: wasm },
      ],
    });
    await worker.ready;
  });
  afterAll(async () => {
    await worker?.dispose();
    await Promise.all([fixtures?.close(), rm(dir, { recursive: true, force: true })]);
  });

  it.each(suite)('$name', async ({ name }) => {
    const query = new URLSearchParams({ case: name, fixtures: fixtures.url });
    const response = await worker.dispatchFetch(`http://worker/?${query}`);
    expect(await response.text()).toBe('ok');
  });
});
