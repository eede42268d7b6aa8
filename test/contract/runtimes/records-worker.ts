/** Runs a case of the contract for record stores over an R2 bucket: answers '' or what went wrong. */
import { type R2RecordBucket, R2RecordStore } from '../../../src/catalog/embedded/r2-records.ts';
import { recordStoreContract } from '../record-store-contract.ts';

export default {
  async fetch(request: Request, { BUCKET }: { BUCKET: R2RecordBucket }): Promise<Response> {
    const index = Number(new URL(request.url).searchParams.get('case'));
    try {
      await recordStoreContract[index]!.run(() => new R2RecordStore(BUCKET, { prefix: `case ${index}/` }));
      return new Response('');
    } catch (error) {
      return new Response(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
    }
  },
};
