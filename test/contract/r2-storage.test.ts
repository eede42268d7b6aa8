import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from './runtimes/bundle.ts';
import { storageContract } from './storage-contract.ts';

// Before and after the change of what `etagDoesNotMatch: '*'` means.
describe.each(['2023-01-01', '2026-04-01'])('R2StorageHandler in workerd as of %s', (compatibilityDate) => {
  let worker: Miniflare;
  beforeAll(async () => {
    const script = await bundle(new URL('./runtimes/r2-worker.ts', import.meta.url), 'esm');
    worker = new Miniflare({ modules: true, script, r2Buckets: ['BUCKET'], compatibilityDate, cf: false });
    await worker.ready;
  });
  afterAll(() => worker.dispose());

  test.each(storageContract.map((item, index) => ({ ...item, index })))('$name', async ({ index }) => {
    const response = await worker.dispatchFetch(`http://worker/?case=${index}`);
    expect(await response.text()).toBe('');
  });
});
