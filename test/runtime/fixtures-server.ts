import { fileURLToPath } from 'node:url';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';

/** The fixture tables over HTTP, from a host that cannot list. */
export function serveFixtures(): Promise<StaticServer> {
  return startStaticServer(fileURLToPath(new URL('../fixtures/spark-4.2', import.meta.url)));
}
