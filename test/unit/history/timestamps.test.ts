import { describe, expect, it } from 'vitest';
import {
  firstVersionAfter,
  latestVersionAsOf,
  type TimestampOptions,
  timestampRangeToVersions,
} from '../../../src/kernel/history/timestamps.ts';
import { LogPath } from '../../../src/kernel/log/log-path.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import {
  add,
  commits,
  countingStorage,
  features,
  lines,
  logStorage,
  metadataOf,
  PROTOCOL,
  rowEngine,
  TABLE_ROOT,
  v,
} from '../../helpers/row-engine.ts';

const UUID = '3a0d65cd-4056-49b8-937b-95f9e3ee90e5';
const timesOf = (...times: number[]) =>
  Object.fromEntries(times.map((time, index) => [`${v(index)}.json`, time]));
const checkpoint = (version: number) => ({
  [`${v(version)}.checkpoint.parquet`]: lines(PROTOCOL, metadataOf()),
});
const outOfRange = { code: 'TimestampOutOfRange', table: 'memory:///t/' };

async function open(files: Record<string, string>, times: Record<string, number>) {
  const engine = rowEngine(logStorage(files, times));
  const snapshot = await Snapshot.load(engine, TABLE_ROOT);
  return {
    engine,
    snapshot,
    asOf: (time: number, options?: TimestampOptions) => latestVersionAsOf(engine, snapshot, time, options),
    firstFrom: (time: number, options?: TimestampOptions) =>
      firstVersionAfter(engine, snapshot, time, options),
  };
}

/** A commit with an in-commit timestamp, and whatever else it does. */
const ict = (time: number, ...actions: unknown[]) =>
  lines({ commitInfo: { inCommitTimestamp: time, operation: 'WRITE' } }, ...actions);
const ICT = 'delta.enableInCommitTimestamps';
const ENABLED_AT = {
  version: 'delta.inCommitTimestampEnablementVersion',
  timestamp: 'delta.inCommitTimestampEnablementTimestamp',
};
const withIct = (configuration: Record<string, string> = {}) => [
  features([], ['inCommitTimestamp']),
  metadataOf({ [ICT]: 'true', ...configuration }),
];

describe('times of files', () => {
  it('find the latest version at a time and the first from it on', async () => {
    const { asOf, firstFrom } = await open(commits(3), timesOf(100, 200, 300, 400));
    expect(await Promise.all([100, 199, 200, 399, 400, 9999].map((time) => asOf(time)))).toEqual([
      0, 0, 1, 2, 3, 3,
    ]);
    expect(await Promise.all([0, 100, 101, 200, 400].map((time) => firstFrom(time)))).toEqual([
      0, 0, 1, 1, 3,
    ]);
    await expect(asOf(99)).rejects.toMatchObject(outOfRange);
    await expect(firstFrom(401)).rejects.toMatchObject(outOfRange);
  });

  it('are made ascending where they are not', async () => {
    // 100, 500, 501, 502, 600
    const { asOf, firstFrom } = await open(commits(4), timesOf(100, 500, 300, 500, 600));
    expect(await Promise.all([499, 500, 501, 502].map((time) => asOf(time)))).toEqual([0, 1, 2, 3]);
    expect(await Promise.all([300, 501, 502, 503].map((time) => firstFrom(time)))).toEqual([1, 2, 3, 4]);
  });

  it('reach back to commits before the checkpoint', async () => {
    const { asOf, snapshot } = await open(
      { ...commits(4), ...checkpoint(3) },
      timesOf(100, 200, 300, 400, 500),
    );
    expect(snapshot.logSegment.commits).toHaveLength(1);
    expect(await asOf(250)).toBe(1);
  });

  it('end at the first commit that is missing, and at a version that can be built', async () => {
    const { [`${v(0)}.json`]: _, [`${v(1)}.json`]: __, ...rest } = commits(6);
    const times = timesOf(0, 0, 300, 400, 500, 600, 700);
    const { asOf, firstFrom } = await open({ ...rest, ...checkpoint(4) }, times);
    expect(await asOf(500)).toBe(4);
    await expect(asOf(450)).rejects.toMatchObject(outOfRange);
    expect(await asOf(450, { kind: 'published' })).toBe(3);
    expect(await firstFrom(1)).toBe(4);
    expect(await firstFrom(1, { kind: 'published' })).toBe(2);
  });

  it('need a version that can be built', async () => {
    const { [`${v(0)}.json`]: _, [`${v(1)}.json`]: __, [`${v(2)}.json`]: ___, ...rest } = commits(3);
    const { asOf, snapshot, engine } = await open({ ...rest, ...checkpoint(2) }, timesOf(0, 0, 0, 400));
    await expect(asOf(400)).rejects.toMatchObject({ code: 'NoRecreatableCommit' });
    expect(await asOf(400, { kind: 'published' })).toBe(3);
    expect(await snapshot.timestamp(engine)).toBe(400);
  });

  it('fall back to what the writer said where the storage knows no times', async () => {
    const files = commits(1);
    files[`${v(1)}.json`] = lines({ commitInfo: { timestamp: 700 } }, add('x'));
    const { snapshot, engine } = await open(files, timesOf(0, 0));
    expect(await snapshot.timestamp(engine)).toBe(700);
    await expect(latestVersionAsOf(engine, snapshot, 1)).rejects.toMatchObject({
      code: 'MissingData',
      version: 0,
    });
  });
});

describe('in-commit timestamps', () => {
  it('from the start on are what counts, not the files', async () => {
    const files = {
      [`${v(0)}.json`]: ict(100, ...withIct()),
      [`${v(1)}.json`]: ict(200),
      [`${v(2)}.json`]: ict(300),
    };
    const { asOf, firstFrom, snapshot, engine } = await open(files, timesOf(9000, 8000, 7000));
    expect(await Promise.all([100, 199, 200, 300, 301].map((time) => asOf(time)))).toEqual([0, 0, 1, 2, 2]);
    expect(await Promise.all([99, 100, 101, 300].map((time) => firstFrom(time)))).toEqual([0, 0, 1, 2]);
    await expect(asOf(99)).rejects.toMatchObject(outOfRange);
    await expect(firstFrom(301)).rejects.toMatchObject(outOfRange);
    expect(await snapshot.timestamp(engine)).toBe(300);
  });

  it('enabled in mid-history divide the search', async () => {
    const enabled = withIct({ [ENABLED_AT.version]: '2', [ENABLED_AT.timestamp]: '1000' });
    const files = {
      ...commits(1),
      [`${v(2)}.json`]: ict(1000, ...enabled),
      [`${v(3)}.json`]: ict(1500),
      [`${v(4)}.json`]: ict(2000),
    };
    // The files of versions 2 to 4 have misleading times.
    const { asOf, firstFrom } = await open(files, timesOf(100, 200, 5, 5, 5));
    expect(await Promise.all([100, 200, 999, 1000, 1499, 1500, 3000].map((time) => asOf(time)))).toEqual([
      0, 1, 1, 2, 2, 3, 4,
    ]);
    expect(await Promise.all([1, 150, 201, 1000, 1001, 2000].map((time) => firstFrom(time)))).toEqual([
      0, 1, 2, 2, 3, 4,
    ]);
    await expect(asOf(99)).rejects.toMatchObject(outOfRange);
    await expect(firstFrom(2001)).rejects.toMatchObject(outOfRange);
  });

  it('are searched without reading every commit', async () => {
    const files: Record<string, string> = { [`${v(0)}.json`]: ict(0, ...withIct()) };
    for (let version = 1; version < 100; version++) files[`${v(version)}.json`] = ict(version * 10);
    const engine = rowEngine(countingStorage(logStorage(files)));
    const snapshot = await Snapshot.load(engine, TABLE_ROOT);
    engine.reads.length = 0;
    expect(await latestVersionAsOf(engine, snapshot, 555)).toBe(55);
    expect(engine.reads.length).toBeLessThanOrEqual(8);
  });

  it.each([
    ['without a version', { [ENABLED_AT.timestamp]: '1000' }],
    ['without a time', { [ENABLED_AT.version]: '0' }],
    ['after this version', { [ENABLED_AT.version]: '5', [ENABLED_AT.timestamp]: '1000' }],
  ])('enabled %s are refused', async (_, configuration) => {
    const { asOf, snapshot, engine } = await open(
      { [`${v(0)}.json`]: ict(100, ...withIct(configuration)) },
      {},
    );
    await expect(asOf(100)).rejects.toMatchObject({ code: 'InvalidLog' });
    await expect(snapshot.timestamp(engine)).rejects.toMatchObject({ code: 'InvalidLog' });
  });

  it('that are missing are an error', async () => {
    const { snapshot, engine } = await open({ [`${v(0)}.json`]: lines(...withIct()) }, {});
    await expect(snapshot.timestamp(engine)).rejects.toMatchObject({
      code: 'InvalidLog',
      version: 0,
      path: `_delta_log/${v(0)}.json`,
    });
  });

  // UC-04
  it('of staged commits come from the staged files', async () => {
    const managed = [features(['catalogManaged'], ['inCommitTimestamp']), metadataOf({ [ICT]: 'true' })];
    const name = `${v(1)}.${UUID}.json`;
    const engine = rowEngine(
      logStorage({ [`${v(0)}.json`]: ict(100, ...managed), [`_staged_commits/${name}`]: ict(200) }),
    );
    const catalog = { logTail: [LogPath.stagedCommit(TABLE_ROOT, name, 5, 10)], maxCatalogVersion: 1 };
    const snapshot = await Snapshot.load(engine, TABLE_ROOT, catalog);
    expect(await snapshot.timestamp(engine)).toBe(200);
    expect(await latestVersionAsOf(engine, snapshot, 150)).toBe(0);
    expect(await Snapshot.load(engine, TABLE_ROOT, { ...catalog, timestamp: 150 })).toMatchObject({
      version: 0,
    });
    expect(await Snapshot.load(engine, TABLE_ROOT, { ...catalog, timestamp: 200 })).toMatchObject({
      version: 1,
    });
  });

  it('come from the checksum where the commit is gone', async () => {
    const crc = JSON.stringify({
      numMetadata: 1,
      numProtocol: 1,
      protocol: withIct()[0] && features([], ['inCommitTimestamp']).protocol,
      metadata: metadataOf({ [ICT]: 'true' }).metaData,
      inCommitTimestampOpt: 4321,
    });
    const state = lines(...withIct());
    const { snapshot, engine } = await open(
      { [`${v(4)}.checkpoint.parquet`]: state, [`${v(4)}.crc`]: crc },
      {},
    );
    expect(await snapshot.timestamp(engine)).toBe(4321);
    const without = await open({ [`${v(4)}.checkpoint.parquet`]: state }, {});
    await expect(without.snapshot.timestamp(without.engine)).rejects.toMatchObject({
      code: 'MissingData',
      version: 4,
    });
  });
});

describe('ranges', () => {
  it('hold the versions between two times', async () => {
    const { engine, snapshot } = await open(commits(3), timesOf(100, 200, 300, 400));
    const range = (start: number, end?: number) => timestampRangeToVersions(engine, snapshot, start, end);
    expect(await range(150, 350)).toEqual({ start: 1, end: 2 });
    expect(await range(200, 200)).toEqual({ start: 1, end: 1 });
    expect(await range(0)).toEqual({ start: 0, end: 3 });
    await expect(range(210, 290)).rejects.toMatchObject({ code: 'EmptyTimestampRange' });
    await expect(range(300, 200)).rejects.toMatchObject({ code: 'InvalidTimestampRange' });
    await expect(range(500, 600)).rejects.toMatchObject({ code: 'TimestampOutOfRange' });
    await expect(range(Number.NaN)).rejects.toMatchObject({ code: 'InvalidOption' });
  });
});

describe('Snapshot.load with a timestamp', () => {
  it('opens the version of that time', async () => {
    const engine = rowEngine(logStorage(commits(3), timesOf(100, 200, 300, 400)));
    expect((await Snapshot.load(engine, TABLE_ROOT, { timestamp: 250 })).version).toBe(1);
    expect((await Snapshot.load(engine, TABLE_ROOT, { timestamp: new Date(5000) })).version).toBe(3);
    await expect(Snapshot.load(engine, TABLE_ROOT, { timestamp: 250, version: 1 })).rejects.toMatchObject({
      code: 'InvalidOption',
    });
  });
});
