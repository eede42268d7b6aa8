/** A static web server on the loopback interface, with Range: enough for the inspector and its samples. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

/** Content types by extension of what is served. */
export const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.wasm': 'application/wasm',
};

/** @returns the URL, once the server listens. */
export function serve(root, port) {
  const server = createServer((request, response) => answer(root, request, response));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://localhost:${server.address().port}/`));
  });
}

function answer(root, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return response.writeHead(405).end();
  const file = locate(root, request.url);
  const info = file && statSync(file, { throwIfNoEntry: false });
  if (!info?.isFile()) return response.writeHead(404).end();

  const headers = {
    'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
    'Last-Modified': info.mtime.toUTCString(),
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'no-cache',
  };
  const range = parseRange(request.headers.range, info.size);
  if (range === 'unsatisfiable')
    return response.writeHead(416, { 'Content-Range': `bytes */${info.size}` }).end();
  const { start, end } = range ?? { start: 0, end: info.size - 1 };
  if (range) headers['Content-Range'] = `bytes ${start}-${end}/${info.size}`;
  response.writeHead(range ? 206 : 200, { ...headers, 'Content-Length': end - start + 1 });
  if (request.method === 'HEAD' || info.size === 0) response.end();
  else createReadStream(file, { start, end }).pipe(response);
}

/** The file that a request names, never outside `root`. */
function locate(root, url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined; // a malformed escape names no file: the caller answers 404
  }
  const file = normalize(join(root, path.endsWith('/') ? `${path}index.html` : path));
  return file.startsWith(root + sep) && !file.includes('\0') ? file : undefined;
}

/** First and last byte of a single range; undefined where there is none or it is malformed (RFC 9110, 14.2). */
export function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [from, to] = [match[1], match[2]];
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return 'unsatisfiable';
  return { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
