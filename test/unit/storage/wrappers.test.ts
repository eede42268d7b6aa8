import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeltaError, isDeltaError } from '../../../src/errors.ts';
import type { FileMeta, FileSlice, StorageHandler } from '../../../src/kernel/engine.ts';
import { withRangeCoalescing } from '../../../src/storage/coalesce.ts';
import { copyIfAbsent } from '../../../src/storage/copy.ts';
import { withCounting } from '../../../src/storage/counting.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { withRetries } from '../../../src/storage/retry.ts';
import { withScope } from '../../../src/storage/scope.ts';
import { storageContract } from '../../contract/storage-contract.ts';

const at = (name: string) => new URL(`memory:///t/${name}`);
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const code = (expected: string) =>
  expect.toSatisfy((error) => isDeltaError(error) && error.code === expected);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const item of items) result.push(item);
  return result;
}

const wrappers: Record<string, (inner: StorageHandler) => StorageHandler> = {
  forward: (inner) => forward(inner, {}),
  withRetries: (inner) => withRetries(inner),
  withRangeCoalescing: (inner) => withRangeCoalescing(inner),
  withCounting: (inner) => withCounting(inner).storage,
  withScope: (inner) => withScope(inner, [new URL('memory:///t'), new URL('foreign://host/')]),
};

describe.each(Object.entries(wrappers))('%s keeps the contract', (_, wrap) => {
  test.each(storageContract)('$name', async ({ run }) => {
    await run({ storage: wrap(new MemoryStorageHandler()), root: new URL('memory:///t/') });
  });

  test('what a storage lacks stays lacking', () => {
    const { delete: _delete, listRecursive: _list, ...least } = forward(new MemoryStorageHandler(), {});
    const storage = wrap(least);
    expect([storage.delete, storage.listRecursive]).toEqual([undefined, undefined]);
  });
});

describe('withRetries', () => {
  /** Fails as told, in the order of calls: an error, or undefined for going on. */
  function flaky(failures: (unknown | undefined)[]): { storage: StorageHandler; calls: string[] } {
    const inner = new MemoryStorageHandler({ files: { 'memory:///t/a': 'AAA', 'memory:///t/b': 'BBB' } });
    const calls: string[] = [];
    const next = (call: string) => {
      calls.push(call);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    };
    const storage = forward(inner, {
      async *listFrom(path, options) {
        for await (const file of inner.listFrom(path, options)) {
          next(`list ${path.pathname}`);
          yield file;
        }
      },
      async *readFiles(files, options) {
        for await (const bytes of inner.readFiles(files, options)) {
          next(`read ${files.length}`);
          yield bytes;
        }
      },
      async head(path) {
        next('head');
        return inner.head(path);
      },
      async put(path, data, options) {
        await inner.put(path, data, options);
        next('put');
      },
    });
    return { storage, calls };
  }
  const io = () => new DeltaError('IOError', 'for a moment');
  const pauses: number[] = [];
  const options = {
    random: () => 1,
    sleep: async (ms: number) => {
      pauses.push(ms);
    },
  };

  test('repeats IOErrors, with doubled pauses, up to its number of tries', async () => {
    pauses.length = 0;
    const { storage } = flaky([io(), io(), io()]);
    expect((await withRetries(storage, options).head(at('a'))).size).toBe(3);
    expect(pauses).toEqual([100, 200, 400]);
    const { storage: worse, calls } = flaky([io(), io(), io(), io()]);
    await expect(withRetries(worse, options).head(at('a'))).rejects.toEqual(code('IOError'));
    expect(calls.length).toBe(4);
  });

  test('repeats nothing else', async () => {
    for (const error of [
      new DeltaError('FileNotFound', 'no'),
      new DeltaError('PermissionDenied', 'no'),
      new Error('bug'),
    ]) {
      const { storage, calls } = flaky([error]);
      await expect(withRetries(storage, options).head(at('a'))).rejects.toBe(error);
      expect(calls.length).toBe(1);
    }
  });

  test('goes on reading where it broke off', async () => {
    const { storage, calls } = flaky([undefined, io(), io(), undefined]);
    const slices = [{ location: at('a') }, { location: at('b') }];
    expect((await all(withRetries(storage, options).readFiles(slices))).map(text)).toEqual(['AAA', 'BBB']);
    expect(calls).toEqual(['read 2', 'read 2', 'read 1', 'read 1']);
  });

  test('goes on listing where it broke off', async () => {
    const { storage, calls } = flaky([undefined, io()]);
    const files = await all(withRetries(storage, options).listFrom(at('')));
    expect(files.map(({ location }) => location.pathname)).toEqual(['/t/a', '/t/b']);
    expect(calls).toEqual(['list /t/', 'list /t/', 'list /t/a']);
  });

  test('repeats a put only where it may overwrite', async () => {
    const body = new Uint8Array(1);
    const { storage } = flaky([io()]);
    await withRetries(storage, options).put(at('c'), body, { overwrite: true });
    const { storage: once, calls } = flaky([io()]);
    const put = withRetries(once, options).put(at('c'), body, { overwrite: false });
    await expect(put).rejects.toEqual(code('IOError'));
    expect(calls).toEqual(['put']);
  });

  test('an abort ends the pause', async () => {
    const { storage } = flaky([io(), io(), io(), io()]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const head = withRetries(storage, { baseMs: 60_000, maxMs: 60_000, random: () => 1 }).head(
      at('a'),
      controller,
    );
    setTimeout(() => controller.abort(reason), 5);
    await expect(head).rejects.toBe(reason);
  });
});

describe('withRangeCoalescing', () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);
  const range = (start: number, end: number): FileSlice => ({ location: at('f'), range: { start, end } });

  function counted() {
    const inner = new MemoryStorageHandler();
    inner.set(at('f'), bytes);
    inner.set(at('g'), bytes);
    return withCounting(inner);
  }

  test('merges what lies close, in any order, and splits the rest', async () => {
    const { storage, slices } = counted();
    const wanted = [range(500, 510), range(0, 10), range(12, 20), range(515, 520), range(900, 901)];
    const parts = await all(withRangeCoalescing(storage, { maxGap: 5 }).readFiles(wanted));
    expect(slices.map(({ range }) => range)).toEqual([
      { start: 500, end: 520 },
      { start: 0, end: 20 },
      { start: 900, end: 901 },
    ]);
    expect(parts).toEqual(wanted.map(({ range }) => bytes.subarray(range!.start, range!.end)));
  });

  test('merges no more than its limit', async () => {
    const { storage, slices } = counted();
    const wanted = Array.from({ length: 10 }, (_, index) => range(index * 10, index * 10 + 10));
    await all(withRangeCoalescing(storage, { maxBytes: 35 }).readFiles(wanted));
    expect(slices.map(({ range }) => range!.end - range!.start)).toEqual([30, 30, 30, 10]);
  });

  test('gives what its storage gives', async () => {
    const slice = fc
      .record({
        file: fc.constantFrom('f', 'g'),
        start: fc.nat(1_000),
        length: fc.nat(100),
        isWhole: fc.boolean(),
      })
      .map(({ file, start, length, isWhole }) => ({
        location: at(file),
        ...(isWhole ? {} : { range: { start, end: Math.min(start + length, 1_000) } }),
      }));
    await fc.assert(
      fc.asyncProperty(fc.array(slice), fc.nat(50), fc.nat(200), async (slices, maxGap, maxBytes) => {
        const { storage } = counted();
        const merged = await all(withRangeCoalescing(storage, { maxGap, maxBytes }).readFiles(slices));
        const plain = await all(storage.readFiles(slices));
        expect(merged.map((part) => [...part])).toEqual(plain.map((part) => [...part]));
      }),
    );
  });
});

describe('withScope', () => {
  const inner = () =>
    new MemoryStorageHandler({
      files: { 'memory:///t/f': 'in', 'memory:///t2/f': 'sibling', 'memory:///secret': 'out' },
    });

  test.each(['memory:///t2/f', 'memory:///secret', 'memory:///t/..%2Fsecret', 'memory:///t/%2E%2E%2Fsecret'])(
    'refuses %s',
    async (href) => {
      const { storage, counts } = withCounting(inner());
      const scoped = withScope(storage, [new URL('memory:///t')]);
      const location = new URL(href);
      const body = new Uint8Array(1);
      await expect(scoped.head(location)).rejects.toEqual(code('InvalidPath'));
      await expect(all(scoped.readFiles([{ location: at('f') }, { location }]))).rejects.toEqual(
        code('InvalidPath'),
      );
      await expect(all(scoped.listFrom(location))).rejects.toEqual(code('InvalidPath'));
      await expect(all(scoped.listRecursive!(location))).rejects.toEqual(code('InvalidPath'));
      await expect(scoped.put(location, body, { overwrite: true })).rejects.toEqual(code('InvalidPath'));
      await expect(scoped.delete!(location)).rejects.toEqual(code('InvalidPath'));
      await expect(scoped.copyAtomic(location, at('x'))).rejects.toEqual(code('InvalidPath'));
      await expect(scoped.copyAtomic(at('f'), location)).rejects.toEqual(code('InvalidPath'));
      expect(Object.values(counts).every((count) => count === 0)).toBe(true);
    },
  );

  test('lets through what lies below a root', async () => {
    const scoped = withScope(inner(), [new URL('memory:///t')]);
    expect((await scoped.head(at('f'))).size).toBe(2);
    expect((await all(scoped.listFrom(new URL('memory:///t/')))).length).toBe(1);
  });
});

describe('withCounting', () => {
  test('counts requests and bytes; empty ranges are no request', async () => {
    const { storage, counts } = withCounting(new MemoryStorageHandler());
    await storage.put(at('f'), new Uint8Array(10), { overwrite: false });
    await all(
      storage.readFiles([
        { location: at('f') },
        { location: at('f'), range: { start: 2, end: 5 } },
        { location: at('f'), range: { start: 5, end: 5 } },
      ]),
    );
    await storage.head(at('f'));
    expect(counts).toEqual({
      lists: 0,
      reads: 2,
      bytesRead: 13,
      heads: 1,
      puts: 1,
      bytesWritten: 10,
      copies: 0,
      deletes: 0,
    });
  });
});

describe('copyIfAbsent', () => {
  test('a read that differs in length from head publishes nothing', async () => {
    const inner = new MemoryStorageHandler({ files: { 'memory:///t/a': 'whole commit' } });
    const storage = forward(inner, {
      head: async (path): Promise<FileMeta> => ({ ...(await inner.head(path)), size: 20 }),
    });
    await expect(copyIfAbsent(storage, at('a'), at('b'))).rejects.toEqual(code('IOError'));
    expect(inner.paths()).toEqual(['/t/a']);
  });

  test('an error of the look at the destination does not become FileAlreadyExists', async () => {
    const inner = new MemoryStorageHandler();
    const storage = forward(inner, {
      head: async (path) => {
        throw new DeltaError(path.pathname === '/t/a' ? 'FileNotFound' : 'IOError', 'x');
      },
    });
    await expect(copyIfAbsent(storage, at('a'), at('b'))).rejects.toEqual(code('IOError'));
  });
});

describe('MemoryStorageHandler', () => {
  test('times come from its clock; a clone is a world of its own', async () => {
    let time = 1_000;
    const storage = new MemoryStorageHandler({ now: () => time++, files: { 'memory:///t/a': 'A' } });
    storage.set(at('b'), 'B');
    const copy = storage.clone();
    copy.set(at('c'), 'C');
    storage.set(at('a'), 'changed');
    expect((await copy.head(at('a'))).lastModified).toBe(1_000);
    expect((await storage.head(at('a'))).lastModified).toBe(1_003);
    expect([storage.paths(), copy.paths()]).toEqual([
      ['/t/a', '/t/b'],
      ['/t/a', '/t/b', '/t/c'],
    ]);
  });

  test('memory://name is refused, since the name would be a host', async () => {
    await expect(new MemoryStorageHandler().head(new URL('memory://name/f'))).rejects.toEqual(
      code('InvalidUrl'),
    );
  });
});
