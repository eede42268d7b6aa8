import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { FileSystemStorageHandler } from '../../src/storage/node.ts';
import { storageContract } from './storage-contract.ts';

describe('FileSystemStorageHandler', () => {
  let base = '';
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'storage 100% é-'));
  });
  afterAll(() => rm(base, { recursive: true }));

  test.each(storageContract.map((item, index) => ({ ...item, index })))('$name', async ({ run, index }) => {
    await run({
      storage: new FileSystemStorageHandler(),
      root: pathToFileURL(`${join(base, `case ${index}`)}/`),
    });
  });
});
