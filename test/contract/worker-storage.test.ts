import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { bundle } from './runtimes/bundle.ts';
import { type SeedServer, startSeedServer } from './runtimes/seeding.ts';
import { storageContract } from './storage-contract.ts';

const cases = storageContract.map((item, index) => ({ ...item, index }));

// Before and after the change of what `etagDoesNotMatch: '*'` means, and of what `fetch` knows of caching.
describe.each(['2023-01-01', '2026-04-01'])('in workerd as of %s', (compatibilityDate) => {
  let worker: Miniflare;
  let files = '';
  let server: StaticServer;
  let seeds: SeedServer;
  beforeAll(async () => {
    files = await mkdtemp(join(tmpdir(), 'worker-'));
    server = await startStaticServer(files);
    seeds = await startSeedServer(files);
    worker = new Miniflare({
      modules: true,
      script: await bundle(new URL('./runtimes/worker.ts', import.meta.url), 'esm'),
      r2Buckets: ['BUCKET'],
      bindings: { FILES: server.url, SEEDS: seeds.url },
      compatibilityDate,
      cf: false,
    });
    await worker.ready;
  });
  afterAll(async () => {
    await worker?.dispose();
    await server?.close();
    seeds?.close();
    await rm(files, { recursive: true, force: true });
  });

  test.each(cases)('R2StorageHandler: $name', async ({ index }) => {
    const response = await worker.dispatchFetch(`http://worker/?case=${index}`);
    expect(await response.text()).toBe('');
  });

  test.each(cases.filter(({ needs }) => needs === 'read'))('HttpStorageHandler: $name', async ({ index }) => {
    const response = await worker.dispatchFetch(`http://worker/?http&case=${index}`);
    expect(await response.text()).toBe('');
  });
});
