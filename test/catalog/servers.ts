/** An S3 server and a Unity Catalog stub that hands out its keys, as pages and Workers of any origin may reach them. */
import { UcStub } from '../helpers/uc-stub/stub.ts';
import { startVersitygw } from '../helpers/versitygw.ts';
import type { UnityServers } from './catalogs.ts';

export interface CatalogServers {
  /** For a schema of its own: `cat.<name>`. */
  unity(name: string): UnityServers;
  readonly stub: UcStub;
  stop(): Promise<void>;
}

const TOKEN = 'catalog-token';

export async function startServers(): Promise<CatalogServers> {
  const s3 = await startVersitygw();
  await s3.createBucket('lake');
  const { accessKeyId, secretAccessKey } = s3.credentials;
  const stub = new UcStub({
    cors: true,
    storageRoot: 's3://lake/uc',
    tokens: { [TOKEN]: 'admin' },
    // Without a session token, which versitygw would refuse.
    vend: () => ({
      config: { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey },
      expirationTimeMs: null,
    }),
  });
  const server = await stub.listen();
  const { endpoint, region } = s3;
  return {
    stub,
    unity(name) {
      stub.addSchema('cat', name);
      return { url: server.url, token: TOKEN, schema: `cat.${name}`, s3: { endpoint, region } };
    },
    stop: async () => {
      await server.close();
      await s3.stop();
    },
  };
}
