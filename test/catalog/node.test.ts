/** Catalog-managed tables in Node: over memory and S3, with the embedded catalog and Unity Catalog. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type * as CatalogEntry from '../../src/catalog.ts';
import type * as Delta from '../../src/index.ts';
import type * as S3Entry from '../../src/storage/s3.ts';
import type * as UnityEntry from '../../src/unity.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';
import { embeddedTables, unityTables } from './catalogs.ts';
import { phases } from './phases.ts';
import { type CatalogServers, startServers } from './servers.ts';

const load = async <T>(entry: string) => (await import(`delta-kernel-web${entry}`)) as T;

describe('Node', () => {
  let delta: typeof Delta;
  let catalogs: typeof CatalogEntry;
  let s3: S3Server | undefined;
  let servers: CatalogServers | undefined;
  beforeAll(async () => {
    delta = await load('');
    catalogs = await load('/catalog');
    if (versitygwMissing) return;
    [s3, servers] = await Promise.all([startVersitygw(), startServers()]);
    await s3.createBucket('tables');
  });
  afterAll(async () => {
    await servers?.stop();
    await s3?.stop();
  });

  it.each(phases)('memory: $name', async ({ run }) => {
    const records = new catalogs.MemoryRecordStore();
    const storage = new delta.MemoryStorageHandler();
    await run(embeddedTables(delta, catalogs, { records, storage, root: 'memory:///tables/' }));
  });

  describe.skipIf(versitygwMissing)('with S3', () => {
    it.each(phases)('a catalog in memory: $name', async ({ run }) => {
      const { S3StorageHandler } = await load<typeof S3Entry>('/s3');
      const records = new catalogs.MemoryRecordStore();
      const storage = new S3StorageHandler(s3!.client());
      await run(embeddedTables(delta, catalogs, { records, storage, root: 's3://tables/all/' }));
    });

    it.each(phases)('Unity Catalog: $name', async ({ run }) => {
      await run(unityTables(delta, await load<typeof UnityEntry>('/unity'), servers!.unity('node')));
    });
  });
});
