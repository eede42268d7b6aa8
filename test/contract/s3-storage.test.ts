import { afterAll, beforeAll, describe, test } from 'vitest';
import { S3StorageHandler } from '../../src/storage/s3.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';
import { storageContract } from './storage-contract.ts';

describe.skipIf(versitygwMissing !== undefined)('S3StorageHandler', () => {
  let server: S3Server;
  let storage: S3StorageHandler;
  beforeAll(async () => {
    server = await startVersitygw();
    await server.createBucket('tables');
    storage = new S3StorageHandler(server.client());
  });
  afterAll(() => server?.stop());

  test.each(storageContract.map((item, index) => ({ ...item, index })))('$name', async ({ run, index }) => {
    await run({ storage, root: new URL(`s3://tables/case%20${index}/100%25/`) });
  });
});
