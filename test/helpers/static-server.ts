/**
 * A web server over a folder, as good or as bad as a test wants: `faults` may change while it runs. It counts what it
 * was asked, because how a handler reads is behaviour.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseRange, TYPES } from '../../scripts/lib/serve.mjs';

export interface Faults {
  /** Ignores `Range`: whole files with 200. */
  noRange?: boolean;
  /** Answers whole files with `Content-Encoding: gzip`, Range or not. */
  gzip?: boolean;
  /** HEAD answers this status. */
  headStatus?: number;
  /** No CORS headers. */
  noCors?: boolean;
  /** CORS without `Access-Control-Expose-Headers`: scripts see neither `Content-Range` nor `ETag`. */
  noExposedHeaders?: boolean;
  /** A path ending in `/` answers an HTML index; otherwise 404, as most hosts do. */
  listing?: boolean;
  /** Handles a request itself and says so by returning true. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface RequestRecord {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly range: string | undefined;
}

export interface StaticServer {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string;
  faults: Faults;
  readonly requests: RequestRecord[];
  close(): Promise<void>;
}

/** Serves the files below `root`. Close it when done. */
export async function startStaticServer(root: string, faults: Faults = {}): Promise<StaticServer> {
  const requests: RequestRecord[] = [];
  const state = { faults };
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', range: request.headers.range });
    answer(resolve(root), state.faults, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    get faults() {
      return state.faults;
    },
    set faults(value: Faults) {
      state.faults = value;
    },
    requests,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

async function answer(
  root: string,
  faults: Faults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!faults.noCors) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*');
    response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS');
    if (!faults.noExposedHeaders) {
      response.setHeader(
        'Access-Control-Expose-Headers',
        'Content-Range, Content-Length, ETag, Last-Modified',
      );
    }
  }
  if (faults.intercept?.(request, response)) return;
  if (request.method === 'OPTIONS') return end(response, 204);
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405);
  if (request.method === 'HEAD' && faults.headStatus !== undefined) return end(response, faults.headStatus);

  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
  const file = join(root, path);
  if (file !== root && !file.startsWith(root + sep)) return end(response, 403);
  const info = await stat(file).catch(() => undefined);
  if (info?.isDirectory() && path.endsWith('/') && faults.listing) return sendIndex(file, response);
  if (!info?.isFile() || path.endsWith('/')) return end(response, 404);
  response.setHeader('Last-Modified', info.mtime.toUTCString());
  response.setHeader('ETag', `"${info.size}-${info.mtimeMs}"`);
  response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
  await sendFile(file, info.size, faults, request, response);
}

async function sendFile(
  file: string,
  size: number,
  faults: Faults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (faults.gzip) {
    const body = gzipSync(await readFile(file));
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  const range = faults.noRange ? undefined : parseRange(request.headers.range, size);
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`);
    return end(response, 416);
  }
  if (!faults.noRange) response.setHeader('Accept-Ranges', 'bytes');
  const { start, end: last } = range ?? { start: 0, end: size - 1 };
  const headers: Record<string, string | number> = { 'Content-Length': last - start + 1 };
  if (range) headers['Content-Range'] = `bytes ${start}-${last}/${size}`;
  response.writeHead(range ? 206 : 200, headers);
  if (request.method === 'HEAD' || size === 0) response.end();
  else createReadStream(file, { start, end: last }).pipe(response);
}

async function sendIndex(directory: string, response: ServerResponse): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  const links = entries.map((entry) => {
    const href = encodeURIComponent(entry.name) + (entry.isDirectory() ? '/' : '');
    return `<a href="${href}">${href}</a>`;
  });
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Index</title><pre>${links.join('\n')}</pre>`);
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
