/** Where requests go, with endpoints and buckets of every kind: what the SDK makes of them, and what we give it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3StorageHandler } from '../../../src/storage/s3.ts';
import { vendedS3 } from '../../../src/storage/s3-vended.ts';

const CREDENTIALS = { accessKeyId: 'key', secretAccessKey: 'secret' };
let seen: { url: string | undefined; authorization: string | undefined } | undefined;
/** Where every bucket lies; undefined: wherever it is asked for. */
let home: string | undefined;
const server = createServer((request, response) => {
  seen = { url: request.url, authorization: request.headers.authorization };
  const isElsewhere = home !== undefined && !seen.authorization?.includes(`/${home}/s3/`);
  request.resume().on('end', () => {
    if (!isElsewhere) return response.end();
    const error = '<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>';
    response.writeHead(301, { 'Content-Type': 'application/xml', 'x-amz-bucket-region': home }).end(error);
  });
});
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const host = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('IO-14: an endpoint of one’s own', () => {
  it.each([
    ['', 's3://bucket/t/a b.parquet', '/bucket/t/a%20b.parquet'],
    ['/', 's3://bucket/t/a', '/bucket/t/a'],
    ['/prefix', 's3://bucket/t/a', '/prefix/bucket/t/a'],
    ['/prefix/', 's3://my.bucket.name/t/p=1/a', '/prefix/my.bucket.name/t/p%3D1/a'],
  ])('%j with %s', async (prefix, location, path) => {
    const client = new S3Client({
      endpoint: `${host()}${prefix}`,
      region: 'auto',
      forcePathStyle: true,
      credentials: CREDENTIALS,
    });
    const storage = new S3StorageHandler(client, { verifyConditionalPut: false });
    await storage.put(new URL(location), new Uint8Array(1), { overwrite: true });
    expect(seen?.url?.split('?')[0]).toBe(path);
    expect(seen?.authorization).toMatch(/Credential=key\/\d{8}\/auto\/s3\/aws4_request/);
    client.destroy();
  });

  it('is addressed by path with credentials of a catalog, in the region that is said', async () => {
    const keys = async () => CREDENTIALS;
    const options = { endpoint: `${host()}/prefix`, region: 'eu-west-9', verifyConditionalPut: false };
    const storage = vendedS3({ ...options, keys, renew: keys });
    await storage.put(new URL('s3://my.bucket/t/a'), new Uint8Array(1), { overwrite: true });
    expect(seen?.url?.split('?')[0]).toBe('/prefix/my.bucket/t/a');
    expect(seen?.authorization).toContain('/eu-west-9/s3/');
  });
});

it('IO-14: directory buckets have an address of their own', async () => {
  const client = new S3Client({
    region: 'us-east-1',
    credentials: CREDENTIALS,
    disableS3ExpressSessionAuth: true,
  });
  let hostname = '';
  client.middlewareStack.add(
    (_next) =>
      async ({ request }) => {
        hostname = (request as { hostname: string }).hostname;
        return { response: { statusCode: 200, headers: {} }, output: { $metadata: {} } } as never;
      },
    { step: 'deserialize', priority: 'low' },
  );
  const storage = new S3StorageHandler(client, { verifyConditionalPut: false });
  await storage.put(new URL('s3://tables--use1-az4--x-s3/a'), new Uint8Array(1), { overwrite: true });
  expect(hostname).toBe('tables--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com');
});

it('a bucket in another region is found by a client that follows, and named to one that does not', async () => {
  home = 'eu-central-1';
  const options = { endpoint: host(), forcePathStyle: true, region: 'us-east-1', credentials: CREDENTIALS };
  const put = (followRegionRedirects: boolean) => {
    const client = new S3Client({ ...options, followRegionRedirects });
    const storage = new S3StorageHandler(client, { verifyConditionalPut: false });
    return storage.put(new URL('s3://bucket/a'), new Uint8Array(1), { overwrite: true });
  };
  await put(true);
  expect(seen?.authorization).toContain('/eu-central-1/s3/');
  await expect(put(false)).rejects.toMatchObject({ code: 'InvalidOption', status: 301 });
  home = undefined;
});
