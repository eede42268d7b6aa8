import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DeltaErrorCode, isDeltaError } from '../../../src/errors.ts';
import type { FileSlice } from '../../../src/kernel/engine.ts';
import { joinPath, resolvePath } from '../../../src/kernel/paths.ts';
import { HttpStorageHandler } from '../../../src/storage/http.ts';
import { type StaticServer, startStaticServer } from '../../helpers/static-server.ts';

const BODY = Array.from({ length: 1_000 }, (_, index) => String(index % 10)).join('');

let base = '';
let server: StaticServer;
let other: StaticServer;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'http-'));
  await mkdir(join(base, 't/_delta_log'), { recursive: true });
  await writeFile(join(base, 't/f.parquet'), BODY);
  await writeFile(join(base, 't/_delta_log/00000000000000000000.json'), '{"a":1}\n');
  server = await startStaticServer(base);
  other = await startStaticServer(base);
});
afterAll(async () => {
  await server.close();
  await other.close();
  await rm(base, { recursive: true });
});
afterEach(() => {
  server.faults = {};
  server.requests.length = 0;
  other.faults = {};
  other.requests.length = 0;
  vi.unstubAllGlobals();
});

const at = (path: string) => new URL(path, server.url);
const FILE = () => at('t/f.parquet');

async function read(
  storage: HttpStorageHandler,
  slices: FileSlice[],
  signal?: AbortSignal,
): Promise<string[]> {
  const parts: string[] = [];
  for await (const bytes of storage.readFiles(slices, { signal }))
    parts.push(new TextDecoder().decode(bytes));
  return parts;
}
const range = (start: number, end: number): FileSlice => ({ location: FILE(), range: { start, end } });

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
async function failsWith(code: DeltaErrorCode, promise: Promise<unknown>): Promise<Error> {
  const error = await errorOf(promise);
  expect(isDeltaError(error) ? error.code : error).toBe(code);
  return error as Error;
}

/** Answers every request itself. */
function answer(how: (request: IncomingMessage, response: ServerResponse) => void): void {
  server.faults = {
    intercept: (request, response) => {
      how(request, response);
      return true;
    },
  };
}

describe('requests', () => {
  test('one per slice or head, GET only, none for an empty range', async () => {
    const storage = new HttpStorageHandler();
    await read(storage, [range(10, 20), range(5, 5), range(0, 1_000)]);
    await storage.head(FILE());
    expect(server.requests.map(({ method, range }) => [method, range])).toEqual([
      ['GET', 'bytes=10-19'],
      ['GET', 'bytes=0-999'],
      ['GET', 'bytes=0-0'],
    ]);
  });

  test('offsets beyond 2^32 are exact', async () => {
    const start = 4.5 * 2 ** 30;
    let asked: string | undefined;
    answer((request, response) => {
      asked = request.headers.range;
      response.writeHead(206, { 'Content-Range': `bytes ${start}-${start + 3}/${5 * 2 ** 30}` }).end('tail');
    });
    expect(await read(new HttpStorageHandler(), [range(start, start + 4)])).toEqual(['tail']);
    expect(asked).toBe('bytes=4831838208-4831838211');
    answer((_, response) =>
      response.writeHead(206, { 'Content-Range': `bytes 0-0/${5 * 2 ** 30}` }).end('x'),
    );
    expect((await new HttpStorageHandler().head(FILE())).size).toBe(5 * 2 ** 30);
  });

  test('lastModified is the server’s', async () => {
    answer((_, response) => {
      const headers = { 'Content-Range': 'bytes 0-0/9', 'Last-Modified': 'Tue, 20 Feb 2024 10:11:12 GMT' };
      response.writeHead(206, headers).end('x');
    });
    expect((await new HttpStorageHandler().head(FILE())).lastModified).toBe(
      Date.UTC(2024, 1, 20, 10, 11, 12),
    );
  });

  test('a server cannot list, and is not written to', async () => {
    const storage = new HttpStorageHandler();
    const listing = storage.listFrom(at('t/_delta_log/'))[Symbol.asyncIterator]();
    await failsWith('Unsupported', listing.next());
    await failsWith('Unsupported', storage.put(at('t/x')));
    await failsWith('Unsupported', storage.copyAtomic(at('t/x'), at('t/y')));
    expect([server.requests.length, 'delete' in storage, 'listRecursive' in storage]).toEqual([
      0,
      false,
      false,
    ]);
  });
});

describe('servers that do as they like with ranges', () => {
  test('Range ignored: the whole file is fetched once and kept', async () => {
    server.faults = { noRange: true };
    const storage = new HttpStorageHandler();
    expect(await read(storage, [range(990, 1_000)])).toEqual(['0123456789']);
    expect(await read(storage, [range(0, 3), range(7, 9)])).toEqual(['012', '78']);
    expect(server.requests.length).toBe(1);
  });

  test('Range ignored on a large file: read to the end of the slice, the rest is cancelled', async () => {
    let sent = 0;
    answer(async (_, response) => {
      response.writeHead(200, { 'Content-Length': 50_000_000 });
      response.on('error', () => undefined);
      while (sent < 50_000_000 && !response.destroyed) {
        if (!response.write(Buffer.alloc(65_536, 'a')))
          await new Promise((resolve) => setTimeout(resolve, 1));
        sent += 65_536;
      }
    });
    const storage = new HttpStorageHandler({ maxWholeBytes: 100_000 });
    expect(await read(storage, [range(99_990, 100_000)])).toEqual(['a'.repeat(10)]);
    const error = await failsWith('Unsupported', read(storage, [range(200_000, 200_001)]));
    expect(error.message).toContain('Range');
    expect(sent).toBeLessThan(49_000_000);
  });

  test('another range than the one asked for: the whole file instead', async () => {
    answer((request, response) => {
      if (request.headers.range === undefined) response.end(BODY);
      else response.writeHead(206, { 'Content-Range': 'bytes 0-9/1000' }).end(BODY.slice(0, 10));
    });
    expect(await read(new HttpStorageHandler(), [range(100, 110)])).toEqual(['0123456789']);
  });

  test('a part without Content-Range is taken when its length is right, else the whole file', async () => {
    answer((request, response) => {
      const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      if (start === undefined) response.end(BODY);
      else response.writeHead(206).end(BODY.slice(Number(start), Math.min(Number(end) + 1, 500)));
    });
    const storage = new HttpStorageHandler();
    expect(await read(storage, [range(3, 6)])).toEqual(['345']);
    expect(await read(storage, [range(498, 502)])).toEqual(['8901']);
  });

  test('a part of a compressed form is not taken for a part of the file', async () => {
    const zipped = gzipSync(BODY);
    answer((request, response) => {
      response.setHeader('Content-Encoding', 'gzip');
      const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      if (start === undefined) return response.end(zipped);
      const [from, to] = [Number(start), Math.min(Number(end) + 1, zipped.length)];
      response.writeHead(206, { 'Content-Range': `bytes ${from}-${to - 1}/${zipped.length}` });
      response.end(zipped.subarray(from, to));
    });
    const storage = new HttpStorageHandler();
    expect((await storage.head(FILE())).size).toBe(1_000);
    expect(await new HttpStorageHandler().head(FILE())).toMatchObject({ size: 1_000 });
    expect(await read(new HttpStorageHandler(), [range(10, 13)])).toEqual(['012']);
    expect(await read(storage, [range(995, 1_000)])).toEqual(['56789']);
  });

  test('a 206 to a request without Range is not the file', async () => {
    answer((_, response) => {
      response.writeHead(206, { 'Content-Range': 'bytes 0-9/1000' }).end(BODY.slice(0, 10));
    });
    await failsWith('Generic', read(new HttpStorageHandler(), [{ location: FILE() }]));
  });

  test('callers that wait for one whole file do not stop one another', async () => {
    let release = () => {};
    answer((request, response) => {
      if (request.headers.range !== undefined) {
        response.writeHead(206, { 'Content-Range': 'bytes 0-0/1000' }).end('0');
        return;
      }
      release = () => response.end(BODY);
    });
    const storage = new HttpStorageHandler();
    const controller = new AbortController();
    const reason = new Error('enough');
    const first = errorOf(read(storage, [range(5, 7)], controller.signal));
    const second = read(storage, [range(8, 10)]);
    await vi.waitFor(() => expect(server.requests.filter(({ range }) => range === undefined).length).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(reason);
    expect(await first).toBe(reason);
    release();
    expect(await second).toEqual(['89']);
  });
});

describe('errors', () => {
  test.each<[number, DeltaErrorCode]>([
    [401, 'Unauthorized'],
    [403, 'PermissionDenied'],
    [404, 'FileNotFound'],
    [410, 'FileNotFound'],
    [400, 'Generic'],
    [408, 'IOError'],
    [429, 'IOError'],
    [500, 'IOError'],
    [503, 'IOError'],
  ])('%i is %s', async (status, code) => {
    answer((_, response) => response.writeHead(status).end('x'));
    const storage = new HttpStorageHandler();
    for (const call of [
      storage.head(FILE()),
      read(storage, [range(0, 9)]),
      read(storage, [{ location: FILE() }]),
    ]) {
      const error = await failsWith(code, call);
      if (code !== 'FileNotFound') expect(error).toMatchObject({ status });
    }
  });

  test('403 is taken for missing only where that is asked for', async () => {
    answer((_, response) => response.writeHead(403).end());
    await failsWith('FileNotFound', new HttpStorageHandler({ forbiddenIsMissing: true }).head(FILE()));
  });

  test('no server, a broken answer, a body cut off: IOError', async () => {
    const storage = new HttpStorageHandler();
    await failsWith('IOError', storage.head(new URL('http://127.0.0.1:1/t/f')));
    answer((request) => request.socket.destroy());
    await failsWith('IOError', read(storage, [{ location: FILE() }]));
    answer((_, response) => {
      response.writeHead(200, { 'Content-Length': 1_000 });
      response.write(BODY.slice(0, 500), () => response.destroy());
    });
    await failsWith('IOError', read(storage, [{ location: FILE() }]));
    answer((_, response) => {
      response.writeHead(206, { 'Content-Length': 100, 'Content-Range': 'bytes 0-99/1000' });
      response.write(BODY.slice(0, 50), () => response.destroy());
    });
    await failsWith('IOError', read(storage, [range(0, 100)]));
  });

  test('a page instead of a table’s file: FileNotFound, or a login after a redirect', async () => {
    answer((_, response) =>
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end('<!doctype html>'),
    );
    await failsWith(
      'FileNotFound',
      new HttpStorageHandler().head(at('t/_delta_log/00000000000000000001.json')),
    );
    await failsWith(
      'FileNotFound',
      read(new HttpStorageHandler(), [{ location: at('t/_delta_log/_last_checkpoint') }]),
    );
    answer((request, response) => {
      if (request.url?.startsWith('/login')) response.setHeader('Content-Type', 'text/html').end('<form>');
      else response.writeHead(302, { Location: '/login' }).end();
    });
    await failsWith('Unauthorized', new HttpStorageHandler().head(FILE()));
  });

  test('a page is told the CORS rule that the server lacks', async () => {
    vi.stubGlobal('location', { origin: 'https://app.example', protocol: 'https:' });
    const fetch = async () => {
      throw new TypeError('Failed to fetch');
    };
    const location = new URL('https://data.example/t/f.parquet?sig=secret');
    const { message } = await failsWith('IOError', read(new HttpStorageHandler({ fetch }), [{ location }]));
    expect(message).toContain('"AllowedOrigins":["https://app.example"]');
    expect(message).toContain('"ExposeHeaders":["Content-Range","Content-Length"');
    expect(message).not.toContain('secret');
    const plain = await failsWith(
      'IOError',
      new HttpStorageHandler({ fetch }).head(new URL('http://data.example/f')),
    );
    expect(plain.message).toContain('use https');
  });

  test('no error shows the signature', async () => {
    for (const status of [302, 400, 401, 403, 404, 500]) {
      answer((_, response) => response.writeHead(status, { Location: 'http://[' }).end());
      const error = await errorOf(new HttpStorageHandler().head(at('t/f?X-Amz-Signature=secret')));
      expect(isDeltaError(error)).toBe(true);
      expect(JSON.stringify({ ...(error as Error), m: (error as Error).message })).not.toContain('secret');
    }
  });

  test('a user name in the URL is refused', async () => {
    await failsWith('InvalidUrl', new HttpStorageHandler().head(new URL('https://me:pw@h/t/f')));
  });
});

describe('credentials', () => {
  test('the signature of a root goes to everything below it', async () => {
    const root = at('t/?sig=a%2Bb');
    const storage = new HttpStorageHandler();
    await storage.head(resolvePath(root, 'f.parquet'));
    await storage.head(joinPath(root, '_delta_log/', '00000000000000000000.json'));
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/t/f.parquet?sig=a%2Bb',
      '/t/_delta_log/00000000000000000000.json?sig=a%2Bb',
    ]);
  });

  test('access: query and headers below the root, nowhere else', async () => {
    const seen: [string, string | undefined][] = [];
    answer((request, response) => {
      seen.push([request.url ?? '', request.headers.authorization]);
      response.writeHead(206, { 'Content-Range': 'bytes 0-0/9' }).end('x');
    });
    const headers = { Authorization: 'Bearer secret' };
    const storage = new HttpStorageHandler({
      access: [{ root: at('t?sig=1'), headers: async () => headers }],
    });
    for (const path of ['t/a', 't/b?own=2', 't2/a', 'a']) await storage.head(at(path));
    expect(seen).toEqual([
      ['/t/a?sig=1', 'Bearer secret'],
      ['/t/b?own=2', 'Bearer secret'],
      ['/t2/a', undefined],
      ['/a', undefined],
    ]);
  });

  test('a redirect takes the range along, and headers to the same origin only', async () => {
    const seen: unknown[] = [];
    other.faults = {
      intercept: (request) => {
        seen.push(['other', request.url, request.headers.range, request.headers['x-key']]);
        return false;
      },
    };
    answer((request, response) => {
      seen.push(['first', request.url, request.headers.range, request.headers['x-key']]);
      const target = request.url?.startsWith('/t/') ? '/moved/f' : `${other.url}t/f.parquet`;
      response.writeHead(307, { Location: target }).end();
    });
    const storage = new HttpStorageHandler({
      access: [{ root: at('t/?sig=1'), headers: { 'X-Key': 'secret' } }],
    });
    expect(await read(storage, [range(3, 6)])).toEqual(['345']);
    expect(seen).toEqual([
      ['first', '/t/f.parquet?sig=1', 'bytes=3-5', 'secret'],
      ['first', '/moved/f', 'bytes=3-5', 'secret'],
      ['other', '/t/f.parquet', 'bytes=3-5', undefined],
    ]);
  });

  test('redirects without end are an error', async () => {
    answer((_, response) => response.writeHead(302, { Location: '/t/f.parquet' }).end());
    const storage = new HttpStorageHandler({ access: [{ root: at('t/'), headers: { 'X-Key': 'k' } }] });
    await failsWith('Generic', storage.head(FILE()));
  });
});
