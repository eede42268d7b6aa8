import { describe, expect, it } from 'vitest';
import { fileNameOf, LogPath, parseLogFile } from '../../../src/kernel/log/log-path.ts';
import { buildLogSegment } from '../../../src/kernel/log/log-segment.ts';
import type { LogFile } from '../../../src/kernel/log/types.ts';
import { TABLE_ROOT, v } from '../../helpers/row-engine.ts';

const UUID = '3a0d65cd-4056-49b8-937b-95f9e3ee90e5';
const UUID2 = '80a083e8-7026-4e79-81be-64bd76c43a11';
const logRoot = new URL('_delta_log/', TABLE_ROOT);

/** Names, with `!` in front for an empty file. */
function files(...names: string[]): LogFile[] {
  return names.map((name) => {
    const size = name.startsWith('!') ? 0 : 10;
    const location = new URL(name.replace('!', ''), logRoot);
    const file = parseLogFile({ location, size, lastModified: 0 });
    if (file === undefined) throw new Error(`${name} is not a log file`);
    return file;
  });
}
const json = (from: number, to = from) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${v(from + i)}.json`);
const part = (version: number, of: number, n: number) =>
  `${v(version)}.checkpoint.${String(of).padStart(10, '0')}.${String(n).padStart(10, '0')}.parquet`;
const staged = (version: number) => LogPath.stagedCommit(TABLE_ROOT, `${v(version)}.${UUID}.json`, 1, 10);
const published = (version: number) => LogPath.commit(TABLE_ROOT, `${v(version)}.json`, 1, 10);

function build(
  names: string[],
  options: { target?: number; logTail?: LogPath[]; newerExist?: boolean } = {},
) {
  const segment = buildLogSegment({ tableRoot: TABLE_ROOT, logRoot, files: files(...names), ...options });
  return {
    version: segment.version,
    commits: segment.commits.map(({ version }) => version),
    checkpoint: segment.checkpoint.map(({ file }) => fileNameOf(file.location)),
    checkpointVersion: segment.checkpointVersion,
    compactions: segment.compactions.map(({ version, endVersion }) => [version, endVersion]),
    checksum: segment.checksum?.version,
    latestCommit: segment.latestCommit?.version,
    kinds: segment.commits.map(({ kind }) => kind),
    maxPublishedVersion: segment.maxPublishedVersion,
  };
}
const failure = (code: string, message: RegExp) =>
  expect.objectContaining({ code, table: 'memory:///t/', message: expect.stringMatching(message) });

describe('log segment', () => {
  it('has all commits without a checkpoint', () => {
    expect(build(json(0, 2))).toMatchObject({
      version: 2,
      commits: [0, 1, 2],
      checkpoint: [],
      latestCommit: 2,
    });
  });

  it('starts at the newest complete checkpoint and drops what is older', () => {
    const names = [...json(0, 6), `${v(2)}.checkpoint.parquet`, `${v(4)}.checkpoint.parquet`, `${v(3)}.crc`];
    expect(build(names)).toMatchObject({
      version: 6,
      commits: [5, 6],
      checkpointVersion: 4,
      checksum: undefined,
      latestCommit: 6,
    });
    expect(build(names, { target: 3 })).toMatchObject({
      version: 3,
      commits: [3],
      checkpointVersion: 2,
      checksum: 3,
    });
    expect(build(names, { target: 4 })).toMatchObject({ version: 4, commits: [], latestCommit: 4 });
  });

  it('loads from a checkpoint alone', () => {
    expect(build([`${v(4)}.checkpoint.parquet`])).toMatchObject({
      version: 4,
      commits: [],
      latestCommit: undefined,
      maxPublishedVersion: 4,
    });
  });

  it('ignores multi-part checkpoints with a part missing or empty, and empty checkpoints', () => {
    const complete = [part(4, 1, 2), part(4, 2, 2)];
    expect(build([...json(0, 4), ...complete])).toMatchObject({ checkpoint: complete, commits: [] });
    expect(build([...json(0, 4), ...complete].reverse()).checkpoint).toEqual(complete);
    expect(build([...json(0, 4), part(4, 1, 2)])).toMatchObject({ checkpoint: [], commits: [0, 1, 2, 3, 4] });
    expect(build([...json(0, 4), part(4, 1, 2), `!${part(4, 2, 2)}`])).toMatchObject({ checkpoint: [] });
    expect(build([...json(0, 4), part(4, 1, 2), part(4, 2, 3)])).toMatchObject({ checkpoint: [] });
    expect(build([...json(0, 4), `!${v(3)}.checkpoint.parquet`])).toMatchObject({ checkpoint: [] });
  });

  it('prefers, of one version, V2 to multi-part to classic, then more parts, then the greater name', () => {
    const classic = `${v(4)}.checkpoint.parquet`;
    const two = [part(4, 1, 2), part(4, 2, 2)];
    const three = [part(4, 1, 3), part(4, 2, 3), part(4, 3, 3)];
    const v2 = [`${v(4)}.checkpoint.${UUID}.json`, `${v(4)}.checkpoint.${UUID2}.parquet`];
    expect(build([...json(4), classic, ...two]).checkpoint).toEqual(two);
    expect(build([...json(4), ...three, classic, ...two]).checkpoint).toEqual(three);
    expect(build([...json(4), v2[1]!, ...three, classic, v2[0]!]).checkpoint).toEqual([v2[1]]);
  });

  // LR-08
  it('names the versions that are missing', () => {
    expect(() => build([...json(0, 1), ...json(3)])).toThrow(
      failure('InvalidLog', /version 2 is missing.*catalog/),
    );
    expect(() => build(json(5, 6))).toThrow(
      failure('InvalidLog', /truncated: versions 0 to 4 are missing.*catalog/),
    );
    expect(() => build([...json(5), `${v(5)}.crc`])).toThrow(failure('InvalidLog', /versions 0 to 4/));
    expect(() => build([`${v(4)}.checkpoint.parquet`, ...json(7)])).toThrow(
      failure('InvalidCheckpoint', /versions 5 to 6 are missing/),
    );
    expect(() => build([...json(5, 6), part(5, 1, 2)])).toThrow(
      failure('InvalidLog', /multi-part.*5 is incomplete/),
    );
    expect(() => build([])).toThrow(failure('TableNotFound', /no Delta table/));
    expect(() => build([`${v(5)}.crc`])).toThrow(failure('TableNotFound', /no Delta table/));
  });

  it('tells a version that is not there from one that is no longer there', () => {
    expect(() => build(json(0, 3), { target: 7 })).toThrow(
      expect.objectContaining({
        code: 'MissingVersion',
        version: 7,
        message: expect.stringMatching(/latest is 3/),
      }),
    );
    expect(() => build([], { target: 7, newerExist: true })).toThrow(
      failure('MissingVersion', /no longer there/),
    );
  });

  it('keeps the newest checksum from the checkpoint on, unless it is empty', () => {
    const crc = (version: number) => `${v(version)}.crc`;
    const names = [...json(0, 6), `${v(3)}.checkpoint.parquet`];
    expect(build([...names, crc(2), crc(3), crc(5)]).checksum).toBe(5);
    expect(build([...names, crc(3), `!${crc(5)}`]).checksum).toBe(3);
    expect(build([...names, crc(2), crc(3), crc(5)], { target: 4 }).checksum).toBe(3);
  });

  // LR-01
  it('keeps compacted files inside the commits, empty ones never', () => {
    const compacted = (from: number, to: number) => `${v(from)}.${v(to)}.compacted.json`;
    const names = [...json(0, 6), `${v(2)}.checkpoint.parquet`];
    const all = [compacted(1, 4), compacted(3, 5), compacted(4, 9), `!${compacted(4, 5)}`];
    expect(build([...names, ...all]).compactions).toEqual([[3, 5]]);
  });

  it('keeps empty commits: they are commits without actions', () => {
    expect(build([...json(0, 1), `!${v(2)}.json`]).version).toBe(2);
  });
});

describe('log tail', () => {
  it('replaces published commits of the same versions, which still count as published', () => {
    expect(build(json(0, 4), { logTail: [staged(3), staged(4), staged(5)], target: 5 })).toMatchObject({
      version: 5,
      commits: [0, 1, 2, 3, 4, 5],
      kinds: ['commit', 'commit', 'commit', 'stagedCommit', 'stagedCommit', 'stagedCommit'],
      maxPublishedVersion: 4,
    });
  });

  it('hides published commits above the target', () => {
    expect(build(json(0, 6), { logTail: [staged(4)], target: 4 })).toMatchObject({
      version: 4,
      maxPublishedVersion: 4,
    });
    expect(build(json(0, 3), { logTail: [staged(4), staged(5)], target: 4 })).toMatchObject({
      version: 4,
      maxPublishedVersion: 3,
    });
  });

  it('may start before the checkpoint and may be a whole table', () => {
    const names = [...json(0, 4), `${v(4)}.checkpoint.parquet`];
    expect(build(names, { logTail: [staged(3), staged(4), staged(5)], target: 5 })).toMatchObject({
      commits: [5],
    });
    const atCheckpoint = build(names, { logTail: [staged(3), staged(4)], target: 4 });
    expect(atCheckpoint).toMatchObject({ commits: [], latestCommit: 4 });
    expect(build([], { logTail: [staged(0), staged(1)], target: 1 })).toMatchObject({
      version: 1,
      maxPublishedVersion: undefined,
    });
  });

  it('is not joined to the log across a gap', () => {
    expect(() => build(json(0, 2), { logTail: [staged(4)], target: 4 })).toThrow(
      failure('InvalidLog', /version 3 is missing/),
    );
  });

  it('says that the tail is short where the target is beyond', () => {
    expect(() => build(json(0, 2), { logTail: [], target: 4 })).toThrow(
      failure('MissingVersion', /log tail must hold/),
    );
  });

  it('counts its published entries, up to the first that is not', () => {
    expect(build(json(0, 2), { logTail: [published(3), staged(4), published(5)] }).maxPublishedVersion).toBe(
      3,
    );
    // A published commit beyond a gap does not count.
    expect(build([...json(0, 2), ...json(4)], { logTail: [staged(3), staged(4)] }).maxPublishedVersion).toBe(
      2,
    );
  });

  it('makes no use of compacted files over its versions', () => {
    const names = [...json(0, 4), `${v(1)}.${v(2)}.compacted.json`, `${v(2)}.${v(4)}.compacted.json`];
    expect(build(names, { logTail: [staged(3), staged(4)] }).compactions).toEqual([[1, 2]]);
  });
});
