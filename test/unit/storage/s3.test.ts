import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DeltaErrorCode, isDeltaError } from '../../../src/errors.ts';
import { pathOf } from '../../../src/kernel/engine.ts';
import { publicS3, S3StorageHandler, type S3StorageOptions } from '../../../src/storage/s3.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../../helpers/versitygw.ts';

const body = new TextEncoder().encode('{"commitInfo":{}}\n');
const at = (name: string) => new URL(`s3://tables/t/${name}`);

async function failsWith(code: DeltaErrorCode, promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
  expect(isDeltaError(error) ? error.code : error).toBe(code);
  return error as Error;
}

async function names(files: AsyncIterable<{ location: URL }>): Promise<string[]> {
  const result: string[] = [];
  for await (const { location } of files) result.push(pathOf(location));
  return result;
}

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly condition: string | undefined;
  readonly body: string;
}

/** A store that answers as a test says. */
describe('answers of stores', () => {
  const seen: Seen[] = [];
  let answer: (seen: Seen, response: ServerResponse, request: IncomingMessage) => void = () => undefined;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url = '' } = request;
    const record = { method, url, condition: request.headers['if-none-match'], body: text };
    seen.push(record);
    answer(record, response, request);
  });
  const clients: S3Client[] = [];
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  afterEach(() => {
    seen.length = 0;
    for (const client of clients.splice(0)) client.destroy();
  });

  const endpoint = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  function storage(options: S3StorageOptions = { verifyConditionalPut: false }): S3StorageHandler {
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const common = { region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 };
    const client = new S3Client({ ...common, endpoint: endpoint(), credentials });
    clients.push(client);
    return new S3StorageHandler(client, options);
  }
  function xml(response: ServerResponse, status: number, text: string): void {
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
  }
  const refuse = (response: ServerResponse, status: number, code: string) =>
    xml(response, status, `<Error><Code>${code}</Code><Message>because</Message></Error>`);

  test('409 ConditionalRequestConflict: the same body again, after a jittered pause', async () => {
    const pauses: number[] = [];
    answer = (_, response) => {
      if (seen.length < 4) refuse(response, 409, 'ConditionalRequestConflict');
      else response.end();
    };
    const sleep = async (ms: number) => {
      pauses.push(ms);
    };
    const put = storage({ verifyConditionalPut: false, random: () => 0.5, sleep });
    await put.put(at('f'), body, { overwrite: false });
    expect(pauses).toEqual([25, 50, 100]);
    expect(new Set(seen.map((request) => `${request.method} ${request.condition} ${request.body}`))).toEqual(
      new Set([`PUT * ${new TextDecoder().decode(body)}`]),
    );
  });

  test('409 for ever is IOError, not a conflict', async () => {
    answer = (_, response) => refuse(response, 409, 'ConditionalRequestConflict');
    const sleep = async () => undefined;
    const put = storage({ verifyConditionalPut: false, sleep }).put(at('f'), body, { overwrite: false });
    await failsWith('IOError', put);
    expect(seen.length).toBe(10);
  });

  test('412 after 409 is FileAlreadyExists', async () => {
    answer = (_, response) =>
      seen.length < 2
        ? refuse(response, 409, 'ConditionalRequestConflict')
        : refuse(response, 412, 'PreconditionFailed');
    const options = { verifyConditionalPut: false, sleep: async () => undefined };
    await failsWith('FileAlreadyExists', storage(options).put(at('f'), body, { overwrite: false }));
  });

  test('a put that may overwrite has no condition', async () => {
    answer = (_, response) => response.end();
    await storage().put(at('f'), body, { overwrite: true });
    expect(seen.map(({ condition }) => condition)).toEqual([undefined]);
  });

  test('a store that ignores the condition is found out before anything of the table is written', async () => {
    answer = (_, response) => response.end();
    const handler = storage({});
    const error = await failsWith(
      'Unsupported',
      handler.put(at('_delta_log/0.json'), body, { overwrite: false }),
    );
    expect(error.message).toContain('overwrites');
    await failsWith('Unsupported', handler.put(at('_delta_log/1.json'), body, { overwrite: false }));
    await handler.put(at('data'), body, { overwrite: true });
    expect(seen.filter(({ url }) => /\d\.json/.test(url))).toEqual([]);
    expect(seen.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'DELETE', 'PUT']);
  });

  test('a store that knows no conditions (501) is Unsupported', async () => {
    answer = (_, response) => refuse(response, 501, 'NotImplemented');
    await failsWith('Unsupported', storage({}).put(at('f'), body, { overwrite: false }));
    await failsWith('Unsupported', storage().put(at('f'), body, { overwrite: false }));
  });

  test('the test of a store is made once, and again only after it could not be made', async () => {
    const existing = new Set<string>();
    let isDown = true;
    answer = ({ method, url }, response) => {
      if (isDown) refuse(response, 503, 'SlowDown');
      else if (method === 'PUT' && existing.has(url)) refuse(response, 412, 'PreconditionFailed');
      else {
        existing.add(url);
        response.end();
      }
    };
    const handler = storage({});
    await failsWith('IOError', handler.put(at('a'), body, { overwrite: false }));
    isDown = false;
    seen.length = 0;
    await Promise.all(['a', 'b', 'c'].map((name) => handler.put(at(name), body, { overwrite: false })));
    expect(seen.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'DELETE', 'PUT', 'PUT', 'PUT']);
  });

  test.each<[number, string, DeltaErrorCode]>([
    [404, 'NoSuchKey', 'FileNotFound'],
    [404, 'NoSuchBucket', 'FileNotFound'],
    [403, 'AccessDenied', 'PermissionDenied'],
    [403, 'SignatureDoesNotMatch', 'Unauthorized'],
    [403, 'InvalidAccessKeyId', 'Unauthorized'],
    [400, 'ExpiredToken', 'Unauthorized'],
    [301, 'PermanentRedirect', 'InvalidOption'],
    [400, 'InvalidRequest', 'Generic'],
    [416, 'InvalidRange', 'IOError'],
    [429, 'SlowDown', 'IOError'],
    [500, 'InternalError', 'IOError'],
    [503, 'SlowDown', 'IOError'],
  ])('%i %s is %s', async (status, name, code) => {
    answer = (_, response) => refuse(response, status, name);
    const slices = storage()
      .readFiles([{ location: at('f') }])
      [Symbol.asyncIterator]();
    await failsWith(code, slices.next());
  });

  test('a bucket that does not exist is no empty directory', async () => {
    answer = (_, response) => refuse(response, 404, 'NoSuchBucket');
    const error = await failsWith('FileNotFound', names(storage().listFrom(at(''))));
    expect(error.message).toContain('bucket');
  });

  test('no server, or a body cut off, is IOError', async () => {
    answer = (_, response, request) => request.socket.destroy() && response;
    await failsWith('IOError', storage().head(at('f')));
    answer = (_, response) => {
      response.writeHead(200, { 'Content-Length': 1_000 });
      response.write('short', () => response.destroy());
    };
    await failsWith(
      'IOError',
      storage()
        .readFiles([{ location: at('f') }])
        [Symbol.asyncIterator]()
        .next(),
    );
  });

  test('a store that ignores ranges gives whole objects, which are cut', async () => {
    answer = (_, response) => response.end('0123456789');
    const slices = storage().readFiles([{ location: at('f'), range: { start: 2, end: 5 } }]);
    for await (const bytes of slices) expect(new TextDecoder().decode(bytes)).toBe('234');
  });

  const page = (keys: string[], more = '', encoding = '') => {
    const rest = '<LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size>';
    const contents = keys.map((key) => `<Contents><Key>${key}</Key>${rest}</Contents>`).join('');
    const next = more && `<NextContinuationToken>${more}</NextContinuationToken>`;
    const isTruncated = `<IsTruncated>${more !== ''}</IsTruncated>`;
    return `<ListBucketResult>${isTruncated}${next}${encoding}${contents}</ListBucketResult>`;
  };

  test('pages, also empty ones in the middle, until the last', async () => {
    const pages: Record<string, string> = {
      '': page(['t/a'], 'one'),
      one: page([], 'two'),
      two: page(['t/b'], ''),
    };
    answer = ({ url }, response) => {
      const token = new URL(url, 'http://x').searchParams.get('continuation-token') ?? '';
      xml(response, 200, pages[token]!);
    };
    expect(await names(storage().listFrom(at('')))).toEqual(['/t/a', '/t/b']);
  });

  test.each([
    ['is cut off', page(['t/a']).slice(0, -30)],
    ['is a page of a proxy', '<!doctype html><html><body>Welcome<br></body></html>'],
    ['is empty', ''],
    ['has an object without a time', page(['t/a']).replace(/<LastModified>.*?<.LastModified>/, '')],
  ])('a listing that %s is IOError', async (_, text) => {
    answer = (_seen, response) => xml(response, 200, text);
    await failsWith('IOError', names(storage().listFrom(at(''))));
  });

  test('an error without XML is told by its status', async () => {
    answer = (_, response) => response.writeHead(404, { 'Content-Type': 'text/html' }).end('<br>not here');
    const read = async () => {
      for await (const _ of storage().readFiles([{ location: at('f') }]));
    };
    await failsWith('FileNotFound', read());
    answer = (_, response) => response.writeHead(403).end();
    await failsWith('PermissionDenied', read());
  });

  test('keys are decoded only where the answer says that they are encoded', async () => {
    answer = (_, response) => xml(response, 200, page(['t/a%2Bb+c'], '', '<EncodingType>url</EncodingType>'));
    expect(await names(storage().listFrom(at('')))).toEqual(['/t/a+b c']);
    answer = (_, response) => xml(response, 200, page(['t/a%2Bb+c']));
    expect(await names(storage().listFrom(at('')))).toEqual(['/t/a%2Bb+c']);
  });

  test('what servers list too much is left out: markers, start, deeper levels', async () => {
    answer = (_, response) => xml(response, 200, page(['t/', 't/a', 't/b', 't/c/', 't/d/e', 't/f']));
    expect(await names(storage().listFrom(at('a')))).toEqual(['/t/b', '/t/f']);
  });

  test('directory buckets list without order, and know no StartAfter', async () => {
    answer = (_, response) => xml(response, 200, page(['t/c', 't/a', 't/b']));
    const client = new S3Client({
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      endpoint: endpoint(),
      forcePathStyle: true,
      disableS3ExpressSessionAuth: true,
    });
    clients.push(client);
    const handler = new S3StorageHandler(client);
    const listing = handler.listFrom(new URL('s3://tables--use1-az4--x-s3/t/a'));
    expect(await names(listing)).toEqual(['/t/b', '/t/c']);
    expect(seen[0]?.url).not.toContain('start-after');
  });

  test('an abort surfaces as its reason', async () => {
    answer = () => undefined;
    const controller = new AbortController();
    const reason = new Error('enough');
    const head = storage().head(at('f'), { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(head).rejects.toBe(reason);
  });

  test('dot segments, which a server might resolve, are no keys', async () => {
    await failsWith('InvalidPath', storage().head(new URL('s3://tables/t/..%2Fother')));
    expect(seen).toEqual([]);
  });

  test('public buckets are read unsigned', async () => {
    let authorization: string | undefined = 'none seen';
    answer = (_, response, request) => {
      authorization = request.headers.authorization;
      xml(response, 200, page(['t/a']));
    };
    expect(await names(publicS3({ endpoint: endpoint() }).listFrom(at('')))).toEqual(['/t/a']);
    expect(authorization).toBeUndefined();
  });
});

describe.skipIf(versitygwMissing !== undefined)('a real server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startVersitygw();
    await server.createBucket('tables', { public: true });
    await server.createBucket('private');
  });
  afterAll(() => server?.stop());

  test('listings of more than a page, from any name', async () => {
    const directory = join(server.dir, 'tables/t/_delta_log');
    await mkdir(directory, { recursive: true });
    const log = Array.from({ length: 2_345 }, (_, version) => `${String(version).padStart(20, '0')}.json`);
    await Promise.all(log.map((name) => writeFile(join(directory, name), '{}')));
    const handler = new S3StorageHandler(server.client());
    const paths = log.map((name) => `/t/_delta_log/${name}`);
    expect(await names(handler.listFrom(at('_delta_log/')))).toEqual(paths);
    expect(await names(handler.listFrom(at(`_delta_log/${log[700]}`)))).toEqual(paths.slice(701));
  });

  test('public buckets without credentials; private ones refuse', async () => {
    const handler = publicS3({ endpoint: server.endpoint });
    await new S3StorageHandler(server.client()).put(at('p/f'), body, { overwrite: false });
    expect(await names(handler.listFrom(at('p/')))).toEqual(['/t/p/f']);
    expect((await handler.head(at('p/f'))).size).toBe(body.length);
    await failsWith('PermissionDenied', handler.head(new URL('s3://private/f')));
    await failsWith('PermissionDenied', names(handler.listFrom(new URL('s3://private/'))));
  });

  test('wrong credentials are told from missing files', async () => {
    const client = new S3Client({
      endpoint: server.endpoint,
      region: server.region,
      forcePathStyle: true,
      credentials: { accessKeyId: 'test', secretAccessKey: 'wrong' },
    });
    await failsWith('Unauthorized', names(new S3StorageHandler(client).listFrom(at(''))));
  });
});
