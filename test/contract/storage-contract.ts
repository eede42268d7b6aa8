/**
 * What every `StorageHandler` does, as cases that run in any runtime (they import nothing but the contract): a test
 * file gives each case an empty directory of the storage under test.
 */
import { isDeltaError } from '../../src/errors.ts';
import {
  type CallOptions,
  type FileMeta,
  type FileSlice,
  locationOf,
  pathOf,
  type StorageHandler,
} from '../../src/kernel/engine.ts';

export interface StorageUnderTest {
  readonly storage: StorageHandler;
  /** An empty directory, ending in `/`. */
  readonly root: URL;
  /** Makes a file without the storage's help, where it cannot write; `name` is below `root`, not encoded. */
  seed?(name: string, bytes: Uint8Array): Promise<void>;
}

export interface StorageCase {
  readonly name: string;
  /** What the storage has to be able to do, besides reading. */
  readonly needs: 'read' | 'list' | 'write';
  run(subject: StorageUnderTest): Promise<void>;
}

/** Names that some layer or other has mangled. */
const NAMES = [
  'a b',
  '50%',
  'a%2Fb',
  'a%20b',
  'a#b',
  'a?b',
  'a+b',
  'a&b=c;d,e@f$',
  "it's (1)!~",
  '[x]{y}^',
  'é',
  '日本',
  '😀',
  '\ufffd',
  'x=A%2FA',
];

class Subject {
  readonly storage: StorageHandler;
  readonly root: URL;
  readonly #seed: StorageUnderTest['seed'];

  constructor({ storage, root, seed }: StorageUnderTest) {
    this.storage = storage;
    this.root = root;
    this.#seed = seed;
  }

  at(name: string): URL {
    return locationOf(this.root, pathOf(this.root) + name);
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const bytes = new TextEncoder().encode(text);
      if (this.#seed) await this.#seed(name, bytes);
      else await this.storage.put(this.at(name), bytes, { overwrite: false });
    }
  }

  put(name: string, text: string, overwrite = false): Promise<void> {
    return this.storage.put(this.at(name), new TextEncoder().encode(text), { overwrite });
  }

  async text(name: string): Promise<string> {
    return (await this.texts([{ location: this.at(name) }]))[0] ?? 'no slice came';
  }

  async texts(slices: readonly FileSlice[], options?: CallOptions): Promise<string[]> {
    const bytes = await collect(this.storage.readFiles(slices, options));
    return bytes.map((slice) => new TextDecoder('utf-8', { fatal: true }).decode(slice));
  }

  slice(name: string, start?: number, end?: number): FileSlice {
    const location = this.at(name);
    return start === undefined || end === undefined ? { location } : { location, range: { start, end } };
  }

  /** Names below the root, as a listing gives them. */
  async names(from = '', options?: CallOptions): Promise<string[]> {
    return (await collect(this.storage.listFrom(this.at(from), options))).map((file) => this.nameOf(file));
  }

  nameOf({ location }: FileMeta): string {
    const [base, path] = [pathOf(this.root), pathOf(location)];
    check(path.startsWith(base), `${location.href} is not below ${this.root.href}`);
    return path.slice(base.length);
  }
}

function define(
  needs: StorageCase['needs'],
  cases: Readonly<Record<string, (subject: Subject) => Promise<void>>>,
): StorageCase[] {
  return Object.entries(cases).map(([name, run]) => ({
    name,
    needs,
    run: (subject) => run(new Subject(subject)),
  }));
}

const reading = define('read', {
  'readFiles gives a whole file': async (s) => {
    await s.write({ f: 'hello, world' });
    equal(await s.texts([s.slice('f')]), ['hello, world']);
  },
  'readFiles gives ranges in the order asked for, of several files': async (s) => {
    await s.write({ f: '0123456789', 'sub/g': 'abcdefghij' });
    const slices = [
      s.slice('f', 7, 10),
      s.slice('sub/g', 0, 3),
      s.slice('f', 0, 1),
      s.slice('f'),
      s.slice('f', 2, 8),
    ];
    equal(await s.texts(slices), ['789', 'abc', '0', '0123456789', '234567']);
  },
  'readFiles keeps the order of many slices': async (s) => {
    const digits = Array.from({ length: 40 }, (_, index) => String(index).padStart(2, '0'));
    await s.write({ f: digits.join('') });
    equal(await s.texts(digits.map((_, index) => s.slice('f', index * 2, index * 2 + 2))), digits);
  },
  'readFiles gives an empty file as no bytes': async (s) => {
    await s.write({ empty: '' });
    equal(await s.texts([s.slice('empty'), s.slice('empty', 0, 0)]), ['', '']);
  },
  'readFiles gives no bytes for an empty range': async (s) => {
    await s.write({ f: 'abc' });
    equal(await s.texts([s.slice('f', 1, 1), s.slice('f', 3, 3), s.slice('f', 1, 2)]), ['', '', 'b']);
  },
  'readFiles of no slices gives nothing': async (s) => {
    equal(await s.texts([]), []);
  },
  'readFiles of a missing file is FileNotFound': async (s) => {
    await fails('FileNotFound', s.texts([s.slice('missing')]));
    await fails('FileNotFound', s.texts([s.slice('missing', 0, 4)]));
    await fails('FileNotFound', s.texts([s.slice('no/such/directory')]));
  },
  'readFiles gives what comes before a missing file': async (s) => {
    await s.write({ f: 'abc' });
    const slices = s.storage
      .readFiles([s.slice('f'), s.slice('missing'), s.slice('f')])
      [Symbol.asyncIterator]();
    equal(new TextDecoder().decode((await slices.next()).value), 'abc');
    await fails('FileNotFound', slices.next());
  },
  'readFiles beyond the end is IOError, not a short result': async (s) => {
    await s.write({ f: 'abc', empty: '' });
    await fails('IOError', s.texts([s.slice('f', 1, 4)]));
    await fails('IOError', s.texts([s.slice('f', 3, 4)]));
    await fails('IOError', s.texts([s.slice('f', 100, 200)]));
    await fails('IOError', s.texts([s.slice('empty', 0, 1)]));
  },
  'readFiles refuses what is no range': async (s) => {
    await s.write({ f: 'abc' });
    for (const [start, end] of [
      [2, 1],
      [-1, 2],
      [0.5, 2],
      [0, Number.NaN],
      [0, 2 ** 60],
    ] as const) {
      await fails('InvalidOption', s.texts([s.slice('f', start, end)]));
    }
  },
  'readFiles may be stopped early': async (s) => {
    await s.write({ f: 'abc' });
    for await (const bytes of s.storage.readFiles(Array.from({ length: 20 }, () => s.slice('f')))) {
      equal(bytes.byteLength, 3);
      break;
    }
    equal(await s.text('f'), 'abc');
  },
  'readFiles gives bytes that are the caller’s own': async (s) => {
    await s.write({ f: 'abc' });
    const [bytes] = await collect(s.storage.readFiles([s.slice('f')]));
    bytes?.fill(0);
    equal(await s.text('f'), 'abc');
  },
  'readFiles of a large file is exact at every offset': async (s) => {
    const text = Array.from({ length: 40_000 }, (_, index) => String(index).padStart(8, '0')).join('');
    await s.write({ f: text });
    equal((await s.text('f')) === text, true);
    for (const start of [0, 65_535, 65_536, 131_071, 319_992]) {
      equal(await s.texts([s.slice('f', start, start + 8)]), [text.slice(start, start + 8)]);
    }
  },
  'head tells place and size': async (s) => {
    await s.write({ 'sub/f': 'abc', empty: '' });
    const meta = await s.storage.head(s.at('sub/f'));
    equal([meta.location.href, meta.size], [s.at('sub/f').href, 3]);
    check(
      Number.isSafeInteger(meta.lastModified) && meta.lastModified >= 0,
      `lastModified ${meta.lastModified}`,
    );
    equal((await s.storage.head(s.at('empty'))).size, 0);
  },
  'head of what is no file is FileNotFound': async (s) => {
    await s.write({ 'sub/f': 'abc' });
    await fails('FileNotFound', s.storage.head(s.at('missing')));
    await fails('FileNotFound', s.storage.head(s.at('sub')));
    await fails('FileNotFound', s.storage.head(s.at('no/such/directory')));
  },
  'every name can be read': async (s) => {
    await s.write(Object.fromEntries(NAMES.map((name) => [`dir/${name}`, name])));
    for (const name of NAMES) {
      equal(await s.text(`dir/${name}`), name);
      equal((await s.storage.head(s.at(`dir/${name}`))).size, new TextEncoder().encode(name).length);
    }
  },
  'a location survives being written down': async (s) => {
    await s.write(Object.fromEntries(NAMES.map((name) => [name, name])));
    for (const name of NAMES) equal(await s.texts([{ location: new URL(s.at(name).href) }]), [name]);
  },
  'locations of other schemes are Unsupported': async (s) => {
    const location = new URL('foreign://host/path');
    await fails('Unsupported', s.storage.head(location));
    await fails('Unsupported', s.texts([{ location }]));
  },
  'an aborted call rejects with the signal’s reason': async (s) => {
    await s.write({ f: 'abc' });
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    equal(await reasonOf(s.storage.head(s.at('f'), { signal })), reason);
    equal(await reasonOf(s.texts([s.slice('f')], { signal })), reason);
  },
  'aborting between slices rejects, and does not end early': async (s) => {
    await s.write({ f: 'abcdef' });
    const controller = new AbortController();
    const slices = Array.from({ length: 30 }, () => s.slice('f', 0, 3));
    const reading = s.storage.readFiles(slices, { signal: controller.signal })[Symbol.asyncIterator]();
    await reading.next();
    const reason = new Error('enough');
    controller.abort(reason);
    equal(await reasonOf(reading.next()), reason);
  },
});

const listing = define('list', {
  'listFrom sorts by UTF-8 bytes': async (s) => {
    // UTF-16 order would put 😀 (a surrogate pair) before U+FFFD.
    const sorted = ['.x', '0', '10', '9', 'Z', '_x', 'a', 'a.b', 'a0', 'é', '日', '\ue000', '\ufffd', '😀'];
    await s.write(Object.fromEntries([...sorted].reverse().map((name) => [name, name])));
    equal(await s.names(), sorted);
  },
  'listFrom of a name gives what is strictly greater': async (s) => {
    await s.write({ a: '1', b: '2', 'b!': '3', c: '4' });
    equal(await s.names('b'), ['b!', 'c']);
    equal(await s.names('aa'), ['b', 'b!', 'c']);
    equal(await s.names('c'), []);
    equal(await s.names('0'), ['a', 'b', 'b!', 'c']);
  },
  'listFrom of a log starts at a version': async (s) => {
    const name = (version: number) => `_delta_log/${String(version).padStart(20, '0')}.json`;
    await s.write(Object.fromEntries([8, 9, 10, 11].map((version) => [name(version), '{}'])));
    equal(await s.names(`_delta_log/${'9'.padStart(20, '0')}`), [9, 10, 11].map(name));
    equal(await s.names(name(9)), [10, 11].map(name));
  },
  'listFrom gives one level': async (s) => {
    await s.write({ a: '1', 'd/x': '2', 'd/e/y': '3', z: '4' });
    equal(await s.names(), ['a', 'z']);
    equal(await s.names('d/'), ['d/x']);
    equal(await s.names('d'), ['z']);
  },
  'listFrom does not show siblings whose name begins alike': async (s) => {
    await s.write({ 't/f': '1', 't2/g': '2', t3: '3' });
    equal(await s.names('t/'), ['t/f']);
  },
  'listFrom of a directory that does not exist is empty': async (s) => {
    equal(await s.names('no/such/'), []);
    equal(await s.names('no/such/name'), []);
    equal(await s.names(), []);
  },
  'listFrom tells sizes and times': async (s) => {
    await s.write({ 'd/f': 'abc', 'd/empty': '' });
    const files = await collect(s.storage.listFrom(s.at('d/')));
    equal(
      files.map((file) => [s.nameOf(file), file.size]),
      [
        ['d/empty', 0],
        ['d/f', 3],
      ],
    );
    for (const { lastModified } of files)
      check(Number.isSafeInteger(lastModified) && lastModified >= 0, 'lastModified');
    equal(
      files.map(({ location }) => location.href),
      [s.at('d/empty').href, s.at('d/f').href],
    );
  },
  'listFrom gives locations that can be read, whatever the name': async (s) => {
    await s.write(Object.fromEntries(NAMES.map((name) => [`d/${name}`, name])));
    const files = await collect(s.storage.listFrom(s.at('d/')));
    equal(files.map((file) => s.nameOf(file)).sort(), NAMES.map((name) => `d/${name}`).sort());
    equal(
      await s.texts(files),
      files.map((file) => s.nameOf(file).slice(2)),
    );
  },
  'listFrom starts after any name': async (s) => {
    await s.write(Object.fromEntries(NAMES.map((name) => [`d/${name}`, name])));
    const all = await s.names('d/');
    for (const [index, name] of all.entries()) equal(await s.names(name), all.slice(index + 1));
  },
  'listFrom in a directory of any name': async (s) => {
    await s.write(Object.fromEntries(NAMES.map((name) => [`${name}/f`, name])));
    for (const name of NAMES) equal(await s.names(`${name}/`), [`${name}/f`]);
  },
  'listFrom that is aborted rejects with the signal’s reason': async (s) => {
    await s.write({ a: '1', b: '2', c: '3' });
    const reason = new Error('enough');
    equal(await reasonOf(s.names('', { signal: AbortSignal.abort(reason) })), reason);
  },
  'listRecursive gives all files below a directory': async (s) => {
    await s.write({ 'd/a': '1', 'd/e/b': '22', 'd/e/f/c d': '333', x: '4' });
    const files = await collect(s.storage.listRecursive!(s.at('d/')));
    const found = files.map((file) => `${s.nameOf(file)} ${file.size}`).sort();
    equal(found, ['d/a 1', 'd/e/b 2', 'd/e/f/c d 3']);
    equal(await collect(s.storage.listRecursive!(s.at('no/such/'))), []);
  },
});

const writing = define('write', {
  'put makes a file, and its directories': async (s) => {
    await s.put('a/b/c', 'abc');
    await s.put('empty', '');
    equal([await s.text('a/b/c'), await s.text('empty')], ['abc', '']);
  },
  'put over a file is FileAlreadyExists and leaves it': async (s) => {
    await s.put('f', 'first');
    await fails('FileAlreadyExists', s.put('f', 'second'));
    equal(await s.text('f'), 'first');
  },
  'put over an empty file is FileAlreadyExists': async (s) => {
    await s.put('f', '');
    await fails('FileAlreadyExists', s.put('f', 'second'));
    equal(await s.text('f'), '');
  },
  'put with overwrite replaces, longer or shorter': async (s) => {
    await s.put('f', 'first', true);
    await s.put('f', 'the second', true);
    equal(await s.text('f'), 'the second');
    await s.put('f', '3rd', true);
    equal([await s.text('f'), (await s.storage.head(s.at('f'))).size], ['3rd', 3]);
  },
  'put keeps nothing of the caller’s buffer': async (s) => {
    const buffer = new TextEncoder().encode('..abc..');
    await s.storage.put(s.at('f'), buffer.subarray(2, 5), { overwrite: false });
    buffer.fill(0);
    equal(await s.text('f'), 'abc');
  },
  'put leaves nothing else in the directory': async (s) => {
    await s.put('d/a', '1');
    await s.put('d/a', '2', true);
    await s.put('d/a', '3').catch(() => undefined);
    equal(await s.names('d/'), ['d/a']);
    equal(
      (await collect(s.storage.listRecursive!(s.at('')))).map((file) => s.nameOf(file)),
      ['d/a'],
    );
  },
  'put at the path of a directory is InvalidPath': async (s) => {
    await fails('InvalidPath', s.put('d/', 'x'));
    await fails('InvalidPath', s.put('d/', 'x', true));
    equal(await s.names(), []);
  },
  'put that was aborted before it was sent writes nothing': async (s) => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const put = s.storage.put(s.at('f'), new Uint8Array(3), { overwrite: false, signal });
    equal(await reasonOf(put), reason);
    await fails('FileNotFound', s.storage.head(s.at('f')));
  },
  'put is seen whole by readers and listings': async (s) => {
    const bodies = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
    await s.put('f', bodies[0]!);
    const writer = (async () => {
      for (const body of [...bodies, ...bodies]) await s.put('f', body, true);
    })();
    let isDone = false;
    writer.then(
      () => {
        isDone = true;
      },
      () => {
        isDone = true;
      },
    );
    do {
      const [text, [listed]] = await Promise.all([s.text('f'), collect(s.storage.listFrom(s.at('')))]);
      check(bodies.includes(text), `${text.length} bytes, not one of the bodies`);
      equal(listed?.size, 200_000);
    } while (!isDone);
    await writer;
  },
  '50 writers of one path: one wins, and its body is stored': async (s) => {
    const bodies = Array.from({ length: 50 }, (_, index) => `writer ${index} `.repeat(100 + index));
    const outcomes = await Promise.allSettled(bodies.map((body) => s.put('d/f', body)));
    const winners = bodies.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        check(isDeltaError(outcome.reason, 'FileAlreadyExists'), String(outcome.reason));
    }
    equal(winners.length, 1);
    equal((await s.text('d/f')) === winners[0], true);
    equal(await s.names('d/'), ['d/f']);
  },
  'delete removes, and is content where there is nothing': async (s) => {
    await s.put('d/f', 'abc');
    await s.put('d/g', 'def');
    await s.storage.delete!(s.at('d/f'));
    await s.storage.delete!(s.at('d/f'));
    await s.storage.delete!(s.at('no/such/file'));
    await fails('FileNotFound', s.storage.head(s.at('d/f')));
    equal(await s.names('d/'), ['d/g']);
    await s.put('d/f', 'again');
    equal(await s.text('d/f'), 'again');
  },
  'delete takes any name, and only that one': async (s) => {
    await s.write(Object.fromEntries(NAMES.map((name) => [name, name])));
    for (const [index, name] of NAMES.entries()) {
      await s.storage.delete!(s.at(name));
      equal((await s.names()).length, NAMES.length - index - 1);
    }
  },
  'copyAtomic copies the bytes': async (s) => {
    await s.put('staged/a b', 'line 1\nline 2\n');
    await s.storage.copyAtomic(s.at('staged/a b'), s.at('d/copy'));
    equal([await s.text('d/copy'), await s.text('staged/a b')], ['line 1\nline 2\n', 'line 1\nline 2\n']);
    await s.put('empty', '');
    await s.storage.copyAtomic(s.at('empty'), s.at('empty copy'));
    equal(await s.text('empty copy'), '');
  },
  'copyAtomic is independent of its source': async (s) => {
    await s.put('a', 'before');
    await s.storage.copyAtomic(s.at('a'), s.at('b'));
    await s.put('a', 'after', true);
    equal(await s.text('b'), 'before');
  },
  'copyAtomic onto a file is FileAlreadyExists and leaves it': async (s) => {
    await s.put('a', 'new');
    await s.put('b', 'old');
    await fails('FileAlreadyExists', s.storage.copyAtomic(s.at('a'), s.at('b')));
    equal(await s.text('b'), 'old');
  },
  'copyAtomic without source: FileAlreadyExists or FileNotFound by the destination': async (s) => {
    await s.put('b', 'published');
    await fails('FileAlreadyExists', s.storage.copyAtomic(s.at('missing'), s.at('b')));
    await fails('FileNotFound', s.storage.copyAtomic(s.at('missing'), s.at('also missing')));
    equal(await s.names(), ['b']);
  },
  '10 copies to one destination: one wins': async (s) => {
    const names = Array.from({ length: 10 }, (_, index) => `staged/${index}`);
    for (const name of names) await s.put(name, `body of ${name}`);
    const outcomes = await Promise.allSettled(
      names.map((name) => s.storage.copyAtomic(s.at(name), s.at('d/f'))),
    );
    const winners = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    equal(winners.length, 1);
    equal(await s.text('d/f'), `body of ${winners[0]}`);
  },
});

/** Listing and writing cases need a storage that can; the rest every storage passes. */
export const storageContract: readonly StorageCase[] = [...reading, ...listing, ...writing];

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const item of items) result.push(item);
  return result;
}

function check(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function equal(actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  const isData = typeof expected === 'object' && !(expected instanceof Error);
  if (!isData || a !== b) throw new Error(`got ${a ?? String(actual)} (${String(actual)}), expected ${b}`);
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
}

async function fails(code: string, promise: Promise<unknown>): Promise<void> {
  const error = await reasonOf(promise);
  const found = isDeltaError(error) ? error.code : String(error);
  check(found === code, `expected ${code}, got ${found}: ${isDeltaError(error) ? error.message : ''}`);
}
