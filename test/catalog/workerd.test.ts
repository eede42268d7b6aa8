/** Catalog-managed tables in workerd: in memory, in R2, and in S3 through Unity Catalog. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versitygwMissing } from '../helpers/versitygw.ts';
import { bundleFor } from '../runtime/bundle.ts';
import { phases } from './phases.ts';
import { type CatalogServers, startServers } from './servers.ts';
import type { WorkerRun } from './worker.ts';

const cases = phases.map(({ name }, index) => ({ name, index }));

describe('workerd', () => {
  let dir: string;
  let worker: Miniflare;
  let servers: CatalogServers | undefined;
  beforeAll(async () => {
    if (!versitygwMissing) servers = await startServers();
    dir = await mkdtemp(join(tmpdir(), 'catalog-workerd-'));
    await bundleFor('../catalog/worker.ts', ['workerd', 'worker', 'browser'], dir);
    worker = new Miniflare({
      compatibilityDate: '2026-01-01',
      cf: false,
      r2Buckets: ['BUCKET'],
      modules: [
        { type: 'ESModule', path: 'main.js', contents: await readFile(join(dir, 'main.js'), 'utf8') },
        {
          type: 'CompiledWasm',
          path: 'delta_kernel_web.wasm',
          contents: await readFile(join(dir, 'delta_kernel_web.wasm')),
        },
      ],
    });
    await worker.ready;
  });
  afterAll(async () => {
    await worker?.dispose();
    await servers?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function run(request: WorkerRun): Promise<void> {
    const response = await worker.dispatchFetch('http://worker/', {
      method: 'POST',
      body: JSON.stringify(request),
    });
    expect(await response.text()).toBe('');
  }

  it.each(cases)('memory: $name', ({ index }) => run({ kind: 'memory', index }));
  it.each(cases)('R2: $name', ({ index }) => run({ kind: 'r2', index }));

  describe.skipIf(versitygwMissing)('S3 through Unity Catalog', () => {
    it.each(cases)('$name', ({ index }) => run({ kind: 'unity', index, servers: servers!.unity('worker') }));
  });
});
