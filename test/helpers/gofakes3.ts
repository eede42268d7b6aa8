/**
 * An S3 server that takes session tokens, and a guard before it that knows which of them are good: the server itself
 * checks none. Objects are kept in memory.
 */
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { gofakes3Path } from '../../scripts/lib/tools.mjs';
import { freePort, startServer } from './server-process.ts';

export interface TokenS3 {
  /** Of the guard. */
  readonly endpoint: string;
  /** `METHOD /path token` of every request, in order. */
  readonly requests: string[];
  /** Tokens that the guard lets pass; what has another is answered `400 ExpiredToken`. */
  readonly goodTokens: Set<string>;
  stop(): Promise<void>;
}

/** Why tests are to be skipped: the server is not installed. Never in CI, where its absence is a failure. */
export const gofakes3Missing =
  existsSync(gofakes3Path) || process.env.CI ? undefined : 'no gofakes3: `node scripts/setup.mjs s3`';

export async function startTokenS3(bucket: string): Promise<TokenS3> {
  if (!existsSync(gofakes3Path)) throw new Error('no gofakes3: run `node scripts/setup.mjs s3`');
  const port = await freePort();
  const args = ['-backend', 'memory', '-host', `127.0.0.1:${port}`, '-initialbucket', bucket];
  const store = await startServer(gofakes3Path, args, { cwd: tmpdir(), health: `http://127.0.0.1:${port}/` });
  const requests: string[] = [];
  const goodTokens = new Set<string>();
  const guard = createServer((request, response) => {
    const token = String(request.headers['x-amz-security-token'] ?? '');
    requests.push(`${request.method} ${request.url} ${token}`);
    if (goodTokens.has(token)) forward(request, response, port);
    else request.resume().on('end', () => expired(response));
  });
  await new Promise<void>((done) => guard.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${(guard.address() as AddressInfo).port}`,
    requests,
    goodTokens,
    stop: async () => {
      guard.closeAllConnections();
      await new Promise((done) => guard.close(done));
      await store.stop();
    },
  };
}

/** As S3 answers a request whose session has ended. */
function expired(response: ServerResponse): void {
  const body = '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>';
  response.writeHead(400, { 'Content-Type': 'application/xml' }).end(body);
}

function forward(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = request;
  const onward = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
