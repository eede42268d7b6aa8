import { describe, expect, it } from 'vitest';
import { parseLastCheckpointHint } from '../../../src/kernel/log/last-checkpoint-hint.ts';
import { listLog } from '../../../src/kernel/log/listing.ts';
import { commitFileName, fileNameOf, logRootOf } from '../../../src/kernel/log/log-path.ts';
import { commits, countingStorage, logStorage, rowEngine, TABLE_ROOT, v } from '../../helpers/row-engine.ts';

const logRoot = logRootOf(TABLE_ROOT);
const hintOf = (version: number, rest = {}) => JSON.stringify({ version, size: 1, ...rest });

async function list(
  files: Record<string, string>,
  { canList = true, ...options }: { canList?: boolean; target?: number } = {},
) {
  const storage = countingStorage(logStorage(files), { canList });
  const listing = await listLog(rowEngine(storage), logRoot, options);
  return {
    names: listing.files.map(({ file }) => fileNameOf(file.location)),
    newerExist: listing.newerExist,
    requests: storage.requests,
  };
}

describe('_last_checkpoint', () => {
  it('says a version, parts, and the file of a V2 checkpoint', () => {
    expect(parseLastCheckpointHint('{"version":10,"size":5}')).toEqual({ version: 10 });
    expect(parseLastCheckpointHint('{"version":10,"size":5,"parts":3}')).toEqual({ version: 10, parts: 3 });
    expect(parseLastCheckpointHint('{"version":10,"v2Checkpoint":{"path":"x.json"}}')).toEqual({
      version: 10,
      v2Path: 'x.json',
    });
  });

  // CP-06
  it('takes parts 1 as one file', () => {
    expect(parseLastCheckpointHint('{"version":10,"size":5,"parts":1}')).toEqual({ version: 10 });
  });

  // CP-03
  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"version":"10"}',
    '{"version":-1}',
    '{"version":1.5}',
    '{"size":1}',
    '{"version":9007199254740993}',
  ])('makes nothing of %s', (text) => {
    expect(parseLastCheckpointHint(text)).toBeUndefined();
  });
});

describe('listing', () => {
  it('asks for the listing and the hint side by side, and for nothing else in a short log', async () => {
    const files = { ...commits(12), [`${v(10)}.checkpoint.parquet`]: 'x', _last_checkpoint: hintOf(10) };
    const { names, requests } = await list(files);
    expect(names).toHaveLength(14);
    expect(requests.sort()).toEqual(['get _last_checkpoint', `list ${v(0)}`]);
  });

  it('stops at the version that is wanted', async () => {
    const { names, newerExist } = await list({ ...commits(12) }, { target: 3 });
    expect(names).toEqual([0, 1, 2, 3].map(commitFileName));
    expect(newerExist).toBe(true);
  });

  // LR-02
  it('passes over names that mean nothing, before and after the digits', async () => {
    const strays = [
      '.x.crc',
      '_SUCCESS',
      `${v(1)}.json.tmp`,
      `${v(1)}.checkpoint.xyz`,
      '_commits/a.json',
      'zzz',
    ];
    const { names } = await list({ ...commits(1), ...Object.fromEntries(strays.map((name) => [name, 'x'])) });
    expect(names).toEqual([0, 1].map(commitFileName));
  });

  it('starts a second listing of a long log at the hint', async () => {
    const files = {
      ...commits(1500),
      [`${v(1400)}.checkpoint.parquet`]: 'x',
      _last_checkpoint: hintOf(1400),
    };
    const { names, requests } = await list(files);
    expect(names).toEqual([`${v(1400)}.checkpoint.parquet`, ...range(1400, 1500).map(commitFileName)]);
    expect(requests).toContain(`list ${v(1400)}`);
    expect(requests).toHaveLength(3);
  });

  // CP-01
  it('lists the rest where the hint names a checkpoint that is gone', async () => {
    const { names } = await list({ ...commits(1500), _last_checkpoint: hintOf(1400) });
    expect(names).toHaveLength(1501);
  });

  it('searches backwards for a checkpoint when an old version of a long log is wanted', async () => {
    const files = {
      ...commits(5000),
      [`${v(2100)}.checkpoint.parquet`]: 'x',
      _last_checkpoint: hintOf(4990),
    };
    const { names, requests } = await list(files, { target: 4200 });
    expect(names).toContain(`${v(2100)}.checkpoint.parquet`);
    expect(names.at(-1)).toBe(commitFileName(4200));
    expect(requests.filter((request) => request.startsWith('list'))).toEqual(
      [0, 3201, 2201, 1201].map((start) => `list ${v(start)}`),
    );
  });

  it('lists everything where the version wanted is far beyond the log', async () => {
    const { names } = await list({ ...commits(1200) }, { target: 1e12 });
    expect(names).toHaveLength(1201);
  });

  it('reports failures of the hint other than absence', async () => {
    const storage = logStorage(commits(1));
    const failing = {
      ...countingStorage(storage),
      // biome-ignore lint/correctness/useYield: fails before it yields
      async *readFiles(): AsyncGenerator<Uint8Array> {
        throw Object.assign(new Error('no'), { name: 'DeltaError', code: 'PermissionDenied' });
      },
    };
    await expect(listLog(rowEngine(failing), logRoot)).rejects.toMatchObject({ code: 'PermissionDenied' });
  });
});

describe('a storage that cannot list', () => {
  it('probes commits in growing windows until one is missing', async () => {
    const { names, requests } = await list(commits(6), { canList: false });
    expect(names).toEqual(range(0, 6).map(commitFileName));
    expect(requests.filter((request) => request.startsWith('head')).slice(1)).toEqual(
      range(0, 11).map((version) => `head ${commitFileName(version)}`),
    );
  });

  it('starts at the checkpoint that the hint names: classic, in parts, V2', async () => {
    const uuid = `${v(10)}.checkpoint.3a0d65cd-4056-49b8-937b-95f9e3ee90e5.json`;
    const parts = [1, 2].map((part) => `${v(10)}.checkpoint.000000000${part}.0000000002.parquet`);
    const later = range(10, 11).map(commitFileName);
    for (const [checkpoint, hint] of [
      [[`${v(10)}.checkpoint.parquet`], hintOf(10)],
      [parts, hintOf(10, { parts: 2 })],
      [[uuid], hintOf(10, { v2Checkpoint: { path: uuid } })],
    ] as const) {
      const files = Object.fromEntries(checkpoint.map((name) => [name, 'x']));
      const { names } = await list({ ...commits(11), ...files, _last_checkpoint: hint }, { canList: false });
      expect(names).toEqual([...checkpoint, ...later]);
    }
  });

  it('starts at 0 where the hint is newer than the version wanted or names nothing', async () => {
    const files = { ...commits(11), _last_checkpoint: hintOf(10) };
    expect((await list(files, { canList: false })).names).toEqual(range(0, 11).map(commitFileName));
    const withCheckpoint = { ...files, [`${v(10)}.checkpoint.parquet`]: 'x' };
    expect((await list(withCheckpoint, { canList: false, target: 3 })).names).toEqual(
      range(0, 3).map(commitFileName),
    );
  });

  it('shows a gap instead of ending before it', async () => {
    const { [commitFileName(2)]: _, ...files } = commits(3);
    expect((await list(files, { canList: false })).names).toEqual([0, 1, 3].map(commitFileName));
  });

  it('refuses a server that has every file', async () => {
    const storage = {
      ...countingStorage(logStorage({}), { canList: false }),
      head: async (location: URL) => ({ location, size: 100, lastModified: 0 }),
    };
    await expect(listLog(rowEngine(storage), logRoot)).rejects.toMatchObject({
      code: 'Unsupported',
      message: expect.stringMatching(/404/),
    });
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
