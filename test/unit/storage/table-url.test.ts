import { describe, expect, test } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { pathOf } from '../../../src/kernel/engine.ts';
import { tableUrl } from '../../../src/storage/table-url.ts';

const cwd = new URL('file:///home/me/my%20work/');

describe('equal spellings of one root', () => {
  test.each([
    [
      'https://h/b/table/',
      ['https://h/b/table', 'https://h/b/table//', ' https://H/b/table \n', 'https://h/b/x/../table'],
    ],
    ['s3://b/table/', ['s3://b/table', 's3://b/table//', 's3a://b/table', 's3n://b/table/', 'S3://b/table']],
    ['s3://b/', ['s3://b', 's3://b/', 's3://b//']],
    [
      'file:///a/b/',
      ['/a/b', '/a/b/', '/a//b//', 'file:/a/b', 'file:///a/b', 'file://localhost/a/b', '/a/./c/../b'],
    ],
    ['file:///a%20b/', ['/a b', 'file:///a b', 'file:///a%20b']],
    ['https://h/a%20b/', ['https://h/a b', 'https://h/a%20b']],
    ['s3://b/a%20b/', ['s3://b/a b', 's3://b/a%20b']],
    ['file:///home/me/my%20work/t/', ['t', './t', 't/', '../my work/t']],
    ['memory:///name/', ['memory:///name', 'memory:///name/']],
    ['file:///C:/a/b/', ['C:\\a\\b', 'C:/a/b', 'C:\\a\\b\\']],
    ['file://server/share/t/', ['\\\\server\\share\\t']],
  ])('%s', (root, spellings) => {
    for (const text of spellings) expect(tableUrl(text, { cwd }).href).toBe(root);
    expect(tableUrl(new URL(root)).href).toBe(root);
  });
});

describe('characters of names', () => {
  test.each([
    ['/data/50%', '/data/50%/'],
    ['/data/a%20b', '/data/a%20b/'],
    ['/data/a#b?c', '/data/a#b?c/'],
    ['/data/a\\b', '/data/a\\b/'],
    ['s3://b/50%', '/50%/'],
    ['s3://b/a#b?c', '/a#b?c/'],
    ['s3://b/a//b', '/a//b/'],
    ['s3://b/a%252Fb', '/a%2Fb/'],
    ['https://h/50%', '/50%/'],
    ['https://h/a+b', '/a+b/'],
    ['https://h/é', '/é/'],
    ['file:///a#b', '/a#b/'],
  ])('%s is the directory %s', (text, path) => {
    expect(pathOf(tableUrl(text, { cwd }))).toBe(path);
  });

  test('a signed query stays, only the path gets a slash', () => {
    const url = tableUrl('https://h/t?sv=1&sig=a%2Bb%3D');
    expect(url.href).toBe('https://h/t/?sv=1&sig=a%2Bb%3D');
  });
});

test.each([
  '',
  '   ',
  'https://',
  'https://h/t#v2',
  'https://me:pw@h/t',
  's3:///key',
  's3:b/key',
  'file:relative',
  'memory:name',
  'https://h/%ff',
  's3://b/%ff',
])('%j is refused', (text) => {
  expect(() => tableUrl(text, { cwd })).toThrow(expect.toSatisfy((e) => isDeltaError(e, 'InvalidUrl')));
});

test('a path is refused where there are no paths', () => {
  expect(() => tableUrl('/data/t')).toThrow(expect.toSatisfy((e) => isDeltaError(e, 'InvalidUrl')));
});

test('errors show neither query nor password', () => {
  for (const text of [
    'https://h/%ff?sig=secret',
    'https://me:secret@h/t',
    'https://h/t?sig=secret#x',
    'https://[?sig=secret',
  ]) {
    expect(() => tableUrl(text)).toThrow(
      expect.toSatisfy((error: Error) => !error.message.includes('secret')),
    );
  }
});
