/** Runs cases of the storage contract inside a Worker, over its R2 binding. */
import { type R2BucketLike, R2StorageHandler } from '../../../src/storage/r2.ts';
import { storageContract } from '../storage-contract.ts';

export default {
  async fetch(request: Request, env: { BUCKET: R2BucketLike }): Promise<Response> {
    const index = Number(new URL(request.url).searchParams.get('case'));
    const storage = new R2StorageHandler(env.BUCKET);
    try {
      await storageContract[index]!.run({ storage, root: new URL(`r2://bucket/case%20${index}/100%25/`) });
      return new Response('');
    } catch (error) {
      return new Response(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
    }
  },
};
