/** Runs cases of the storage contract inside a Worker: over its R2 binding, or over a web server. */
import { HttpStorageHandler } from '../../../src/storage/http.ts';
import { type R2BucketLike, R2StorageHandler } from '../../../src/storage/r2.ts';
import { type StorageUnderTest, storageContract } from '../storage-contract.ts';

interface Environment {
  readonly BUCKET: R2BucketLike;
  /** Of the files, and of the server that makes them. */
  readonly FILES: string;
  readonly SEEDS: string;
}

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const index = Number(searchParams.get('case'));
    try {
      await storageContract[index]!.run(searchParams.has('http') ? overHttp(env, index) : overR2(env, index));
      return new Response('');
    } catch (error) {
      return new Response(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
    }
  },
};

function overR2({ BUCKET }: Environment, index: number): StorageUnderTest {
  return { storage: new R2StorageHandler(BUCKET), root: new URL(`r2://bucket/case%20${index}/100%25/`) };
}

function overHttp({ FILES, SEEDS }: Environment, index: number): StorageUnderTest {
  const root = new URL(`${FILES}case%20${index}/t/`);
  return {
    // With headers of its own, so that the path that follows redirects itself is taken.
    storage: new HttpStorageHandler({ access: [{ root, headers: { 'X-Key': 'k' } }] }),
    root,
    async seed(name, bytes) {
      const query = new URLSearchParams({ seed: `case ${index}/t/${name}` });
      await fetch(`${SEEDS}?${query}`, { method: 'POST', body: bytes as Uint8Array<ArrayBuffer> });
    },
  };
}
