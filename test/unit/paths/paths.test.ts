import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { compareUtf8, locationOf, pathOf } from '../../../src/kernel/engine.ts';
import {
  canonicalPath,
  encodeLogPath,
  joinPath,
  relativePath,
  resolvePath,
} from '../../../src/kernel/paths.ts';
import { sharedDir, sharedMissing } from '../../helpers/shared.ts';

const root = new URL('s3://bucket/my%20table/');

describe('resolvePath: one decoding', () => {
  // add.path and the name on disk, as Spark wrote them.
  test.each([
    ['x=A%252FA/f.parquet', 'x=A%2FA/f.parquet'],
    ['x=B%20B/f.parquet', 'x=B B/f.parquet'],
    ['d=2023-11-05%2000%253A00%253A00/f', 'd=2023-11-05 00%3A00%3A00/f'],
    ['_2=bar+%252521/f', '_2=bar+%2521/f'],
    ['p=é%253D%253A%253F%2523&+/f', 'p=é%3D%3A%3F%23&+/f'],
    ['special%20p@%23h', 'special p@#h'],
    ['a%3Fb%23c', 'a?b#c'],
    ['%E6%97%A5%F0%9F%98%80', '日😀'],
    ['a/./b/../c', 'a/c'],
  ])('%s is the file %s', (logPath, file) => {
    expect(pathOf(resolvePath(root, logPath))).toBe(`/my table/${file}`);
  });

  // Written unencoded by other writers (delta-rs#3577): a name, not a query.
  test.each(['a b', '50%', '100%/x', 'a#b', 'a?b', 'é', 'x=[1]|~$!;,', 'a%zz'])('unencoded %s', (name) => {
    expect(pathOf(resolvePath(root, name))).toBe(`/my table/${name}`);
  });

  test('survives serialisation of the location', () => {
    const location = resolvePath(root, 'a%253F%20+%5C^b');
    expect(pathOf(new URL(location.href))).toBe('/my table/a%3F +\\^b');
  });
});

describe('resolvePath: roots', () => {
  test.each(['https://h/b/t', 'https://h/b/t/', 's3://b/t', 's3://b/t/', 's3://b'])('below %s', (text) => {
    const joined = resolvePath(new URL(text), 'x/f.parquet').href;
    expect(joined).toBe(`${text.replace(/\/$/, '')}/x/f.parquet`);
  });

  test('a signed query goes below the root only', () => {
    const signed = new URL('https://h/b/t/?sig=1%2B2&se=3');
    expect(resolvePath(signed, 'f').href).toBe('https://h/b/t/f?sig=1%2B2&se=3');
    expect(resolvePath(signed, 'https://h/b/t/f').search).toBe('?sig=1%2B2&se=3');
    expect(resolvePath(signed, '/b/t/f').search).toBe('?sig=1%2B2&se=3');
    expect(resolvePath(signed, 'https://h/b/t2/f').search).toBe('');
    expect(resolvePath(signed, 'https://other/b/t/f').search).toBe('');
    expect(resolvePath(signed, '/b/t2/f').search).toBe('');
    expect(resolvePath(signed, 'https://h/b/t/f?own=1').search).toBe('?own=1');
  });
});

describe('resolvePath: absolute paths', () => {
  test.each([
    ['s3://other-bucket/src/part-0.parquet', 's3://other-bucket/src/part-0.parquet'],
    ['abfss://c@a.dfs.core.windows.net/f', 'abfss://c@a.dfs.core.windows.net/f'],
    ['file:/abs/f', 'file:///abs/f'],
    ['https://h/f?x=1', 'https://h/f?x=1'],
    ['/abs/f', 's3://bucket/abs/f'],
    ['//evil.example/f', 's3://bucket//evil.example/f'],
  ])('%s', (logPath, href) => {
    expect(resolvePath(root, logPath).href).toBe(href);
  });

  test('a colon later in the name makes no scheme', () => {
    expect(pathOf(resolvePath(root, 'p=a:b/f'))).toBe('/my table/p=a:b/f');
  });
});

describe('resolvePath refuses', () => {
  test.each([
    '..%2F..%2Fsecret/f.parquet',
    '%2e%2e/x',
    '%2E./x',
    'a/../../t2/f',
    '../my%20table-sibling/f',
    '..//Users/f',
    '/../x',
    'a//../../../x',
    '',
    '.',
    'a/..',
    '%ff',
    'urn:x',
    '\ud800',
  ])('%j', (logPath) => {
    expect(() => resolvePath(root, logPath)).toThrow(
      expect.toSatisfy((error) => isDeltaError(error, 'InvalidPath')),
    );
  });

  test('and shows no signature', () => {
    const attempt = () => resolvePath(new URL('https://h/t/?sig=secret'), '../x');
    expect(attempt).toThrow(
      expect.toSatisfy((error) => !JSON.stringify({ ...error, m: error.message }).includes('secret')),
    );
  });

  test('no relative path ever leaves the root', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '%2F',
      '%2e',
      'a',
      '%',
      '%25',
      '2e',
      '',
      '\\',
      '?',
      '#',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const logPath = `x${pieces.join('')}`;
        try {
          const location = resolvePath(root, logPath);
          if (location.protocol !== 's3:') return;
          expect(location.href.startsWith(root.href)).toBe(true);
          expect(pathOf(location).split('/')).not.toContain('..');
        } catch (error) {
          expect(isDeltaError(error, 'InvalidPath')).toBe(true);
        }
      }),
    );
  });
});

describe('canonicalPath', () => {
  test.each([
    ['/a/p', 'file:/a/p'],
    ['/a/p', 'file:///a/p'],
    ['/a/p', 'file://localhost/a/p'],
    ['/a%20b/p@%23h', 'file:/a%20b/p@%23h'],
    ['p=a%2520b/f', 'p=a%2520b/f'],
    ['a%20b', 'a b'],
    ['a/./b', 'a/b'],
    ['S3://b/k', 's3://b/k'],
  ])('%s and %s are one file', (a, b) => {
    expect(canonicalPath(a)).toBe(canonicalPath(b));
  });

  test.each([
    ['/a', 'a'],
    ['/../a', 'a'],
    ['a%2520b', 'a%20b'],
    ['s3://b/k', 's3://c/k'],
    ['s3%3A//b/k', 's3://b/k'],
    ['file://host/a', '/a'],
    ['a//b', 'a/b'],
  ])('%s and %s are two files', (a, b) => {
    expect(canonicalPath(a)).not.toBe(canonicalPath(b));
  });

  const shared = sharedDir();
  test.skipIf(shared === undefined).each(['normal', 'special'])(
    `golden table canonicalized-paths-%s-a${shared === undefined ? ` (${sharedMissing})` : ''}`,
    (kind) => {
      const log = join(shared!, `corpus/tables/golden/canonicalized-paths-${kind}-a/delta/_delta_log`);
      const pathOfAction = (version: number, action: string) =>
        readFileSync(join(log, `${String(version).padStart(20, '0')}.json`), 'utf8')
          .split('\n')
          .filter((line) => line.includes(`{"${action}":`))
          .map((line) => JSON.parse(line)[action].path as string);
      expect(pathOfAction(1, 'remove').map(canonicalPath)).toEqual(pathOfAction(0, 'add').map(canonicalPath));
    },
  );
});

describe('encodeLogPath', () => {
  test.each([
    ['p=a%2Fb%25c/f', 'p=a%252Fb%2525c/f'],
    ['p=a b/f', 'p=a%20b/f'],
    ['x"#%<>?[\\]^`{|}y', 'x%22%23%25%3C%3E%3F%5B%5C%5D%5E%60%7B%7C%7Dy'],
    ['é😀\u0001\u007f', '%C3%A9%F0%9F%98%80%01%7F'],
    ["a+b=c:d@e&f;g,h$i!j~k*l'(m)", "a+b=c:d@e&f;g,h$i!j~k*l'(m)"],
    ['a:b/f', 'a%3Ab/f'],
  ])('%s → %s', (path, logPath) => {
    expect(encodeLogPath(path)).toBe(logPath);
  });

  test('resolvePath undoes it', () => {
    const segment = fc.string({ unit: 'binary', minLength: 1 }).filter((s) => !/^\.\.?$|\//.test(s));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), (segments) => {
        const path = segments.join('/');
        expect(relativePath(root, resolvePath(root, encodeLogPath(path)))).toBe(path);
      }),
    );
  });
});

describe('joinPath and relativePath', () => {
  test('names are not encoded, the query is kept', () => {
    const signed = new URL('https://h/t?sig=1');
    expect(joinPath(signed, '_delta_log/', 'a b%.json').href).toBe(
      'https://h/t/_delta_log/a%20b%25.json?sig=1',
    );
    expect(joinPath(signed, '_delta_log/').href).toBe('https://h/t/_delta_log/?sig=1');
    expect(joinPath(signed, 'a', 'b').pathname).toBe('/t/a/b');
  });

  test('a sibling whose name starts alike is outside', () => {
    expect(relativePath(new URL('s3://b/t'), new URL('s3://b/t2/f'))).toBeUndefined();
    expect(relativePath(new URL('s3://b/t/'), new URL('s3://c/t/f'))).toBeUndefined();
    expect(relativePath(new URL('s3://b/t'), new URL('s3://b/t/'))).toBeUndefined();
    expect(relativePath(new URL('s3://b/t'), new URL('s3://b/t/a%2520b'))).toBe('a%20b');
  });
});

describe('locations', () => {
  test('+ is literal and escaped, since S3 reads it as a space', () => {
    expect(locationOf(root, '/a+b').href).toBe('s3://bucket/a%2Bb');
    expect(pathOf(new URL('https://h/a+b'))).toBe('/a+b');
  });

  test('every path comes back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        if (/^\.\.?$/.test(name) || /(^|\/)\.\.?(\/|$)/.test(name)) return;
        expect(pathOf(new URL(locationOf(root, `/${name}`).href))).toBe(`/${name}`);
      }),
    );
  });

  test('compareUtf8 is the order of UTF-8 bytes', () => {
    const encoder = new TextEncoder();
    const unit = fc.constantFrom(
      'a',
      'z',
      '\u007f',
      'é',
      '\ud7ff',
      '\ue000',
      '\ufffd',
      '\uffff',
      '😀',
      '\u{10ffff}',
    );
    fc.assert(
      fc.property(fc.string({ unit }), fc.string({ unit }), (a, b) => {
        const bytes = Buffer.compare(encoder.encode(a), encoder.encode(b));
        expect(Math.sign(compareUtf8(a, b))).toBe(bytes);
      }),
    );
  });
});
