import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StaticServer, startStaticServer } from '../../helpers/static-server.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../../helpers/versitygw.ts';

describe('static server', () => {
  let dir: string;
  let server: StaticServer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'static-'));
    await writeFile(join(dir, 'a b.txt'), '0123456789');
    server = await startStaticServer(dir);
  });
  afterAll(async () => {
    await server.close();
    await rm(dir, { recursive: true });
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(new URL(path, server.url), { headers, method });

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['lines=1-2', 200, '0123456789', null],
  ])('%s', async (range, status, body, contentRange) => {
    const response = await get('a%20b.txt', { range });
    expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
      status,
      body,
      contentRange,
    ]);
  });

  it('misbehaves as told', async () => {
    server.faults = { noRange: true, headStatus: 403, noCors: true };
    const response = await get('a%20b.txt', { range: 'bytes=2-4' });
    expect([response.status, await response.text()]).toEqual([200, '0123456789']);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect((await get('a%20b.txt', {}, 'HEAD')).status).toBe(403);
    server.faults = { gzip: true };
    const zipped = await get('a%20b.txt');
    expect([zipped.headers.get('content-encoding'), await zipped.text()]).toEqual(['gzip', '0123456789']);
  });

  it('lists only when told, and stays below its folder', async () => {
    server.faults = {};
    expect((await get('/')).status).toBe(404);
    expect((await get('/%2e%2e%2f%2e%2e%2fetc/passwd')).status).toBe(403);
    server.faults = { listing: true };
    expect(await (await get('/')).text()).toContain('<a href="a%20b.txt">');
  });
});

describe.skipIf(versitygwMissing)('versitygw', () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startVersitygw();
  });
  afterAll(() => s3.stop());

  it('has one winner of a conditional put, and public buckets', async () => {
    await s3.createBucket('open', { public: true });
    await s3.createBucket('closed');
    const client = s3.client();
    const put = (Bucket: string, Body: string) =>
      client.send(new PutObjectCommand({ Bucket, Key: 'k', Body, IfNoneMatch: '*' })).then(
        () => 'won',
        (error: { name: string }) => error.name,
      );
    expect([await put('open', '1'), await put('open', '2'), await put('closed', '1')]).toEqual([
      'won',
      'PreconditionFailed',
      'won',
    ]);
    const stored = await client.send(new GetObjectCommand({ Bucket: 'open', Key: 'k' }));
    expect(await stored.Body?.transformToString()).toBe('1');
    expect(await (await fetch(`${s3.endpoint}/open/k`)).text()).toBe('1');
    expect((await fetch(`${s3.endpoint}/closed/k`)).status).toBe(403);
    client.destroy();
  });
});
