/**
 * A real S3 server for tests: versitygw over a temporary folder, on a free port of the loopback interface. It checks
 * signatures, answers CORS, and makes `If-None-Match: *` atomic. Keys lie as files below `dir`.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { versitygwPath } from '../../scripts/lib/tools.mjs';
import { freePort, startServer } from './server-process.ts';

export interface S3Server {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Bucket `b` is the folder `<dir>/b`. */
  readonly dir: string;
  /** A client with the server's credentials, path-style. */
  client(): S3Client;
  /** Creates a bucket whose objects any origin may read; `public` also without credentials. */
  createBucket(name: string, options?: { public?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
const REGION = 'us-east-1';

/**
 * Why S3 tests are to be skipped: the server is not installed. Undefined where it is; never in CI, where its absence
 * makes `startVersitygw` fail.
 */
export const versitygwMissing =
  existsSync(versitygwPath) || process.env.CI ? undefined : 'no versitygw: `node scripts/setup.mjs s3`';

/** Starts a server; stop it when done. Tests skip themselves where {@link versitygwMissing} is set. */
export async function startVersitygw(): Promise<S3Server> {
  if (!existsSync(versitygwPath)) throw new Error('no versitygw: run `node scripts/setup.mjs s3`');
  const base = await mkdtemp(join(tmpdir(), 'versitygw-'));
  const dir = join(base, 'data');
  await mkdir(dir);
  const port = await freePort();
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', '--cors-allow-origin', '*', '--health', '/health'];
  const server = await startServer(versitygwPath, [...args, 'posix', dir], {
    cwd: base,
    env: { ROOT_ACCESS_KEY: CREDENTIALS.accessKeyId, ROOT_SECRET_KEY: CREDENTIALS.secretAccessKey },
    health: `http://127.0.0.1:${port}/health`,
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const client = () =>
    new S3Client({ endpoint, region: REGION, credentials: CREDENTIALS, forcePathStyle: true });
  return {
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    dir,
    client,
    createBucket: (name, options) => createBucket(client(), name, options?.public ?? false),
    stop: async () => {
      await server.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

async function createBucket(client: S3Client, Bucket: string, isPublic: boolean): Promise<void> {
  await client.send(new CreateBucketCommand({ Bucket }));
  const rule = {
    AllowedOrigins: ['*'],
    AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['Content-Range', 'ETag', 'Content-Length', 'Last-Modified'],
  };
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }));
  if (isPublic) {
    const statement = (Action: string, Resource: string) => ({
      Effect: 'Allow',
      Principal: '*',
      Action,
      Resource,
    });
    const Statement = [
      statement('s3:GetObject', `arn:aws:s3:::${Bucket}/*`),
      statement('s3:ListBucket', `arn:aws:s3:::${Bucket}`),
    ];
    await client.send(
      new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }),
    );
  }
  client.destroy();
}
