import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeltaErrorCode, isDeltaError } from '../../../src/errors.ts';
import { FileSystemStorageHandler } from '../../../src/storage/node.ts';

const storage = new FileSystemStorageHandler();
let base = '';
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'files-'));
});
afterAll(() => rm(base, { recursive: true }));

const at = (name: string) => pathToFileURL(join(base, name));
const put = (url: URL, overwrite = false) => storage.put(url, new Uint8Array(3), { overwrite });
async function failsWith(code: DeltaErrorCode, promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
  expect(isDeltaError(error) ? error.code : error).toBe(code);
}

describe('FileSystemStorageHandler', () => {
  test('a writer that died leaves nothing that listings show', async () => {
    await mkdir(join(base, 'log'));
    await writeFile(join(base, 'log/.delta-kernel-web-0190b5a0-7d5c-7000-8000-000000000000.tmp'), 'half');
    await put(at('log/a'));
    const found: string[] = [];
    for await (const { location } of storage.listFrom(new URL(`${at('log').href}/`)))
      found.push(location.href);
    for await (const { location } of storage.listRecursive(new URL(`${at('log').href}/`)))
      found.push(location.href);
    expect(found).toEqual([at('log/a').href, at('log/a').href]);
  });

  test('a put that fails cleans up', async () => {
    await put(at('once/f'));
    await failsWith('FileAlreadyExists', put(at('once/f')));
    expect(await readdir(join(base, 'once'))).toEqual(['f']);
  });

  test('directories and files in one another’s place are no conflict of writers', async () => {
    await put(at('file'));
    await failsWith('InvalidPath', put(at('file/below')));
    await failsWith('InvalidPath', put(at('file/below/deeper')));
    await mkdir(join(base, 'directory'));
    await failsWith('InvalidPath', put(at('directory'), true));
    await failsWith('FileNotFound', storage.head(at('directory')));
    await failsWith(
      'FileNotFound',
      storage
        .readFiles([{ location: at('directory') }])
        [Symbol.asyncIterator]()
        .next(),
    );
    await failsWith('FileNotFound', storage.head(at('file/below')));
  });

  test('links are followed', async () => {
    await put(at('real'));
    await mkdir(join(base, 'links'));
    await symlink(join(base, 'real'), join(base, 'links/file'));
    await symlink(base, join(base, 'links/loop'));
    await symlink(join(base, 'nowhere'), join(base, 'links/broken'));
    const found: [string, number][] = [];
    for await (const { location, size } of storage.listFrom(new URL(`${at('links').href}/`))) {
      found.push([location.href, size]);
    }
    expect(found).toEqual([[at('links/file').href, 3]]);
  });

  test.skipIf(process.getuid?.() === 0)('what is not permitted says so', async () => {
    await mkdir(join(base, 'closed'));
    await put(at('closed/f'));
    await chmod(join(base, 'closed'), 0o500);
    await failsWith('PermissionDenied', put(at('closed/g')));
  });

  test.each(['file:///a%00b', 'file:///a%2Fb', `file:///${'x'.repeat(300)}`])(
    '%s is InvalidPath',
    async (href) => {
      await failsWith('InvalidPath', storage.head(new URL(href)));
    },
  );
});
