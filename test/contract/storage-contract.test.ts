/** The contract's cases can fail: each kind of fault that a storage may have is found by the case made for it. */
import { expect, test } from 'vitest';
import { type FileMeta, pathOf, type StorageHandler } from '../../src/kernel/engine.ts';
import { forward } from '../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { storageContract } from './storage-contract.ts';

async function all(files: AsyncIterable<FileMeta>): Promise<FileMeta[]> {
  const result: FileMeta[] = [];
  for await (const file of files) result.push(file);
  return result;
}

const faults: Record<string, { found: string[]; make(inner: StorageHandler): Partial<StorageHandler> }> = {
  'sorts by UTF-16': {
    found: ['listFrom sorts by UTF-8 bytes'],
    make: (inner) => ({
      async *listFrom(path, options) {
        const files = await all(inner.listFrom(path, options));
        yield* files.sort((a, b) => (pathOf(a.location) < pathOf(b.location) ? -1 : 1));
      },
    }),
  },
  'lists from a name, that name included': {
    found: ['listFrom of a name gives what is strictly greater', 'listFrom starts after any name'],
    make: (inner) => ({
      async *listFrom(path, options) {
        const file = path.pathname.endsWith('/') ? undefined : await inner.head(path).catch(() => undefined);
        if (file !== undefined) yield file;
        yield* inner.listFrom(path, options);
      },
    }),
  },
  'lists recursively': {
    found: ['listFrom gives one level'],
    make: (inner) => ({
      listFrom: (path, options) =>
        path.pathname.endsWith('/') ? inner.listRecursive!(path, options) : inner.listFrom(path, options),
    }),
  },
  'overwrites always': {
    found: [
      'put over a file is FileAlreadyExists and leaves it',
      '50 writers of one path: one wins, and its body is stored',
      '10 copies to one destination: one wins',
    ],
    make: (inner) => ({
      put: (path, data) => inner.put(path, data, { overwrite: true }),
      copyAtomic: async (source, destination) => {
        for await (const bytes of inner.readFiles([{ location: source }])) {
          await inner.put(destination, bytes, { overwrite: true });
        }
      },
    }),
  },
  'checks before it writes, not while': {
    found: ['50 writers of one path: one wins, and its body is stored'],
    make: (inner) => ({
      async put(path, data, { overwrite }) {
        const exists = await inner.head(path).then(
          () => true,
          () => false,
        );
        await inner.put(path, data, { overwrite: overwrite || !exists });
      },
    }),
  },
  'reads short at the end': {
    found: ['readFiles beyond the end is IOError, not a short result'],
    make: (inner) => ({
      async *readFiles(files, options) {
        for (const { location, range } of files) {
          const { size } = await inner.head(location);
          const cut = range && { start: Math.min(range.start, size), end: Math.min(range.end, size) };
          yield* inner.readFiles([{ location, range: cut }], options);
        }
      },
    }),
  },
  'ends early when aborted': {
    found: ['aborting between slices rejects, and does not end early'],
    make: (inner) => ({
      async *readFiles(files, options) {
        for (const file of files) {
          if (options?.signal?.aborted) return;
          yield* inner.readFiles([file]);
        }
      },
    }),
  },
};

test.each(Object.entries(faults))('a storage that %s is found out', async (_, { found, make }) => {
  const failed: string[] = [];
  for (const { name, run } of storageContract) {
    const inner = new MemoryStorageHandler();
    const storage = forward(inner, make(inner));
    await run({ storage, root: new URL('memory:///t/') }).catch(() => failed.push(name));
  }
  expect(failed).toEqual(expect.arrayContaining(found));
});
