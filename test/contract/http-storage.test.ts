import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { HttpStorageHandler } from '../../src/storage/http.ts';
import { type Faults, type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { storageContract } from './storage-contract.ts';

const hosts: Record<string, Faults> = {
  'a good host': {},
  'a host that ignores Range': { noRange: true },
  'a host that compresses everything': { gzip: true },
  'a host that refuses HEAD': { headStatus: 403 },
};

describe.each(Object.entries(hosts))('HttpStorageHandler on %s', (_, faults) => {
  let base = '';
  let server: StaticServer;
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'http-'));
    server = await startStaticServer(base, faults);
  });
  afterAll(async () => {
    await server.close();
    await rm(base, { recursive: true });
  });

  const cases = storageContract.filter(({ needs }) => needs === 'read');
  test.each(cases.map((item, index) => ({ ...item, index })))('$name', async ({ run, index }) => {
    await run({
      storage: new HttpStorageHandler(),
      root: new URL(`${server.url}case%20${index}/t/?sig=a%2Bb`),
      async seed(name, bytes) {
        const file = join(base, `case ${index}/t`, name);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, bytes);
      },
    });
  });
});
