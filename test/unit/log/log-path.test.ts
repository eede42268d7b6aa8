import { describe, expect, it } from 'vitest';
import { LogPath, logRootOf, parseLogFile } from '../../../src/kernel/log/log-path.ts';
import { v } from '../../helpers/row-engine.ts';

const UUID = '3a0d65cd-4056-49b8-937b-95f9e3ee90e5';
const parse = (name: string) =>
  parseLogFile({ location: new URL(`memory:///t/_delta_log/${name}`), lastModified: 1, size: 2 });

describe('names of log files', () => {
  it.each([
    [`${v(7)}.json`, { kind: 'commit', version: 7 }],
    [`${v(7)}.crc`, { kind: 'checksum', version: 7 }],
    [`${v(7)}.checkpoint.parquet`, { kind: 'classicCheckpoint', version: 7 }],
    [`${v(7)}.checkpoint.${UUID}.parquet`, { kind: 'uuidCheckpoint', version: 7 }],
    [`${v(7)}.checkpoint.${UUID}.json`, { kind: 'uuidCheckpoint', version: 7 }],
    [
      `${v(7)}.checkpoint.0000000002.0000000003.parquet`,
      { kind: 'multipartCheckpoint', version: 7, part: 2, numParts: 3 },
    ],
    [`${v(4)}.${v(9)}.compacted.json`, { kind: 'compactedCommit', version: 4, endVersion: 9 }],
  ])('%s', (name, expected) => {
    expect(parse(name)).toMatchObject(expected);
  });

  // LR-02, LR-20: names without a meaning are never an error.
  it.each([
    `.${v(0)}.json.crc`,
    '._last_checkpoint.crc',
    '_SUCCESS',
    '_last_checkpoint',
    `${v(1)}.json.tmp`,
    `${v(1)}.checkpoint.xyz`,
    `${v(1)}.checkpoint.short.parquet`,
    `${v(1)}.${UUID}.json`,
    '1.json',
    '000000000000000000001.json',
    '-0000000000000000001.json',
    `${v(1)}.checkpoint.0000000004.0000000003.parquet`,
    `${v(1)}.checkpoint.0000000000.0000000003.parquet`,
    `${v(9)}.${v(4)}.compacted.json`,
    'folder/',
  ])('ignores %s', (name) => {
    expect(parse(name)).toBeUndefined();
  });

  it.each(['00009007199254740992.json', '09223372036854775807.checkpoint.parquet'])('refuses %s', (name) => {
    expect(() => parse(name)).toThrow(expect.objectContaining({ code: 'InvalidLogPath', path: name }));
  });

  it('takes the greatest version that a number holds', () => {
    expect(parse('00009007199254740991.json')?.version).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('LogPath', () => {
  const root = new URL('https://host/a%20b/t/?sig=x');

  it('places staged and published commits, with the query of the table', () => {
    const staged = LogPath.stagedCommit(root, `${v(7)}.${UUID}.json`, 5, 10);
    expect(staged).toMatchObject({ kind: 'stagedCommit', version: 7, file: { lastModified: 5, size: 10 } });
    expect(staged.file.location.href).toBe(
      `https://host/a%20b/t/_delta_log/_staged_commits/${v(7)}.${UUID}.json?sig=x`,
    );
    const published = LogPath.commit(root, `${v(8)}.json`, 5, 10);
    expect(published).toMatchObject({ kind: 'commit', version: 8 });
    expect(published.file.location.href).toBe(`https://host/a%20b/t/_delta_log/${v(8)}.json?sig=x`);
    expect(logRootOf(root).href).toBe('https://host/a%20b/t/_delta_log/?sig=x');
  });

  it.each([
    ['a published name', root, `${v(7)}.json`, 1],
    ['a path', root, `x/${v(7)}.${UUID}.json`, 1],
    ['a short version', root, `7.${UUID}.json`, 1],
    ['a root without /', new URL('https://host/t'), `${v(7)}.${UUID}.json`, 1],
    ['a root in a log', new URL('https://host/t/_delta_log/'), `${v(7)}.${UUID}.json`, 1],
    ['a negative size', root, `${v(7)}.${UUID}.json`, -1],
    ['a size that is no number', root, `${v(7)}.${UUID}.json`, Number.NaN],
  ])('refuses %s for a staged commit', (_, tableRoot, name, size) => {
    expect(() => LogPath.stagedCommit(tableRoot, name, 0, size)).toThrow(
      expect.objectContaining({ code: 'InvalidLogPath' }),
    );
  });

  it('refuses a staged name for a published commit and a root that is no URL', () => {
    expect(() => LogPath.commit(root, `${v(7)}.${UUID}.json`, 0, 1)).toThrow(
      expect.objectContaining({ code: 'InvalidLogPath' }),
    );
    expect(() => LogPath.commit('t/', `${v(7)}.json`, 0, 1)).toThrow(
      expect.objectContaining({ code: 'InvalidUrl' }),
    );
  });
});
