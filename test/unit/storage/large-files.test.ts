/** Files of more than 4 GiB, which are holes but for a few bytes: read where 32 bits do not reach. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { DirectoryStorageHandler } from '../../../src/storage/directory.ts';
import { FileSystemStorageHandler } from '../../../src/storage/node.ts';

const SIZE = 5 * 2 ** 30;
const START = 4.5 * 2 ** 30;

let dir: string;
let path: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'large-'));
  path = join(dir, 'f.parquet');
  const file = await open(path, 'w');
  await file.truncate(SIZE);
  await file.write('there', START);
  await file.write('PAR1', SIZE - 4);
  await file.close();
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function check(storage: StorageHandler, location: URL): Promise<void> {
  expect((await storage.head(location)).size).toBe(SIZE);
  const slices = [
    { location, range: { start: START, end: START + 5 } },
    { location, range: { start: SIZE - 4, end: SIZE } },
    { location, range: { start: START % 2 ** 32, end: (START % 2 ** 32) + 5 } },
  ];
  const texts: string[] = [];
  for await (const bytes of storage.readFiles(slices)) texts.push(new TextDecoder().decode(bytes));
  expect(texts).toEqual(['there', 'PAR1', '\0\0\0\0\0']);
}

describe('IO-10: a file of 5 GiB', () => {
  it('of the file system', () => check(new FileSystemStorageHandler(), pathToFileURL(path)));

  // Node's own blob of a file counts its size in 32 bits: this one reads where it is told to.
  it('of a picked folder', async () => {
    const slice = (start: number, end: number) => ({
      arrayBuffer: async () => {
        const file = await open(path);
        const { buffer } = await file.read(new Uint8Array(end - start), 0, end - start, start);
        await file.close();
        return buffer.buffer;
      },
    });
    const file = { name: 'f.parquet', size: SIZE, lastModified: 1, webkitRelativePath: 't/f.parquet', slice };
    const storage = new DirectoryStorageHandler([file as unknown as File]);
    await check(storage, new URL('f.parquet', storage.root));
  });
});
