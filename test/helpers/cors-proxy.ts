/**
 * A reverse proxy that answers for CORS, as a browser needs it: preflights itself, and the headers on every answer,
 * refusals included (versitygw leaves them out there, S3 does not). The `Host` of a request stays, so that signatures
 * made for the proxy's address hold.
 */
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CorsProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

/** @param target `http://host:port` of the server behind. Close it when done. */
export async function startCorsProxy(target: string): Promise<CorsProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const cors = {
      'access-control-allow-origin': incoming.headers.origin ?? '*',
      'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
      'access-control-allow-headers': incoming.headers['access-control-request-headers'] ?? '*',
      'access-control-expose-headers': 'Content-Range, Content-Length, ETag, Last-Modified',
    };
    if (incoming.method === 'OPTIONS') return outgoing.writeHead(204, cors).end();
    const { method = 'GET', url: path = '/', headers } = incoming;
    const sent = forward({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...cors });
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    return incoming.pipe(sent);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
