/** What log cleanup deletes, and that the versions it keeps stay readable. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type CleanupOptions, cleanUpLog } from '../../../src/kernel/maintenance/cleanup-log.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { type Action, add, featureProtocol, metadata, protocol } from '../../helpers/log-builder.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2024, 5, 1);
/** The cutoff is thirty days before the last midnight. */
const NOW = MIDNIGHT + DAY / 2;
const runtime = { now: () => NOW, uuid: () => crypto.randomUUID() };
const schema = types.struct([field('id', types.long)]);
const v = (version: number) => String(version).padStart(20, '0');

let time = 0;
let storage: MemoryStorageHandler;
const root = new URL('memory:///t/');
beforeEach(() => {
  storage = new MemoryStorageHandler({ now: () => time });
});

const engine = () => testEngine(storage);
const load = (version?: number) => Snapshot.load(engine(), root, { version, runtime });

/** Days before the cutoff; negative: after it. */
function put(name: string, days: number, content = 'x'): void {
  time = MIDNIGHT - (30 + days) * DAY;
  storage.set(new URL(`_delta_log/${name}`, root), content);
}

function commit(version: number, days: number, ...actions: readonly Action[]): void {
  const lines = actions.map((action) => {
    const file = action.add as object | undefined;
    return JSON.stringify(file === undefined ? action : { add: { size: 1, ...file } });
  });
  put(`${v(version)}.json`, days, lines.join('\n'));
}

async function checkpoint(version: number, options = {}): Promise<void> {
  await (await load(version)).checkpoint(engine(), options);
}

async function run(options: CleanupOptions = {}) {
  const snapshot = await load();
  return cleanUpLog(engine(), snapshot, options);
}

const names = () => storage.paths().map((path) => path.slice('/t/_delta_log/'.length));

/** Six versions, one a day; 0 to 3 at or before the cutoff. */
function sixVersions(theProtocol = protocol(), configuration: Record<string, string> = {}): void {
  commit(0, 3, theProtocol, metadata(schema, { configuration }), add('f0'));
  for (let version = 1; version < 6; version += 1) commit(version, 3 - version, add(`f${version}`));
}

describe('with checkpoints', () => {
  beforeEach(async () => {
    sixVersions();
    for (const version of [1, 2, 4]) await checkpoint(version);
    for (const name of [
      `${v(0)}.crc`,
      `${v(2)}.crc`,
      `${v(0)}.${v(1)}.compacted.json`,
      `${v(2)}.${v(3)}.compacted.json`,
      `${v(3)}.${v(4)}.compacted.json`,
    ])
      put(name, 0);
    put(`_staged_commits/${v(1)}.5fba94ed-9794-4965-ba6e-6ee3c0d22af9.json`, 0);
    put(`_staged_commits/${v(3)}.5fba94ed-9794-4965-ba6e-6ee3c0d22af9.json`, 0);
    put('something.else', 10);
  });

  const EXPECTED = [
    `${v(0)}.${v(1)}.compacted.json`,
    `${v(0)}.crc`,
    `${v(0)}.json`,
    `${v(1)}.checkpoint.parquet`,
    `${v(1)}.json`,
    `${v(2)}.${v(3)}.compacted.json`,
    `_staged_commits/${v(1)}.5fba94ed-9794-4965-ba6e-6ee3c0d22af9.json`,
  ];

  it('deletes what lies before the newest one that is old enough, oldest first', async () => {
    const before = names();
    const told = await run({ dryRun: true });
    expect(told).toEqual({ keptFrom: 2, files: EXPECTED });
    expect(names()).toEqual(before);
    expect(await run()).toEqual(told);
    expect(names()).toEqual(before.filter((name) => !EXPECTED.includes(name)));
    for (const version of [2, 3, 4, 5]) {
      const files = [];
      for await (const file of (await load(version)).scan().files(engine())) files.push(file.path);
      expect(files).toHaveLength(version + 1);
    }
    expect(await run()).toEqual({ keptFrom: 2, files: [] });
  });

  it('goes by midnight: a commit of the day of the cutoff stays', async () => {
    commit(3, -0.25, add('f3'));
    commit(2, -0.25, add('f2'));
    expect((await run({ dryRun: true })).keptFrom).toBe(1);
  });

  it('leaves the log alone where the table says so', async () => {
    commit(5, -2, metadata(schema, { configuration: { 'delta.enableExpiredLogCleanup': 'false' } }));
    expect(await run()).toEqual({ keptFrom: undefined, files: [] });
  });

  it("keeps as long as the table's property says", async () => {
    commit(5, -2, metadata(schema, { configuration: { 'delta.logRetentionDuration': 'interval 28 days' } }));
    expect((await run({ dryRun: true })).keptFrom).toBe(4);
    commit(5, -2, metadata(schema, { configuration: { 'delta.logRetentionDuration': 'interval 40 days' } }));
    expect(await run()).toEqual({ keptFrom: undefined, files: [] });
  });
});

it('deletes nothing where no complete checkpoint is old enough', async () => {
  sixVersions();
  put(`${v(1)}.checkpoint.0000000001.0000000002.parquet`, 1);
  put(`${v(2)}.checkpoint.parquet`, 1, '');
  expect(await run()).toEqual({ keptFrom: undefined, files: [] });
});

it('goes by in-commit timestamps where commits have them', async () => {
  const at = (days: number) => ({ commitInfo: { inCommitTimestamp: MIDNIGHT - (30 + days) * DAY } });
  const configuration = { 'delta.enableInCommitTimestamps': 'true' };
  const theProtocol = protocol(1, 7, { writer: ['inCommitTimestamp'] });
  // By their files all are old.
  commit(0, 9, at(2), theProtocol, metadata(schema, { configuration }));
  commit(1, 9, at(1), add('a'));
  commit(2, 9, at(-1), add('b'));
  for (const version of [1, 2]) await checkpoint(version);
  expect((await run({ dryRun: true })).keptFrom).toBe(1);
});

describe('sidecars', () => {
  const sidecars = () => names().filter((name) => name.startsWith('_sidecars/'));
  const written = async (version: number) => {
    const before = sidecars();
    time = MIDNIGHT - 33 * DAY;
    await checkpoint(version, { sidecarRows: 1 });
    return sidecars().filter((name) => !before.includes(name));
  };

  it('go with the last checkpoint that names them, once they are a day old', async () => {
    sixVersions(featureProtocol('v2Checkpoint'));
    const first = await written(1);
    const kept = await written(3);
    const later = await written(5);
    expect([first.length, kept.length, later.length]).toEqual([2, 4, 6]);
    put('_sidecars/orphan.parquet', 1);
    put('_sidecars/being-written.parquet', -30.1);
    const { keptFrom, files } = await run();
    expect(keptFrom).toBe(3);
    expect(files.filter((name) => name.startsWith('_sidecars/'))).toEqual(
      [...first, '_sidecars/orphan.parquet'].sort(),
    );
    expect(sidecars()).toEqual([...kept, ...later, '_sidecars/being-written.parquet'].sort());
  });

  it('that are missing make a checkpoint that nothing may rely on', async () => {
    sixVersions(featureProtocol('v2Checkpoint'));
    await written(1);
    const [lost] = await written(3);
    await checkpoint(5, { sidecarRows: 100 });
    await storage.delete(new URL(`_delta_log/${lost}`, root));
    expect((await run({ dryRun: true })).keptFrom).toBe(1);
  });

  it('are not deleted, nor is anything, where a remaining checkpoint cannot be read', async () => {
    sixVersions(featureProtocol('v2Checkpoint'));
    await written(1);
    await written(3);
    put(`${v(4)}.checkpoint.parquet`, 0, 'no parquet');
    const snapshot = await load(3);
    const before = names();
    await expect(cleanUpLog(engine(), snapshot)).rejects.toMatchObject({ code: 'Parquet', version: 4 });
    expect(names()).toEqual(before);
  });
});

describe('is refused', () => {
  it('over a storage that cannot delete', async () => {
    sixVersions();
    const snapshot = await load();
    Object.assign(storage, { delete: undefined });
    await expect(cleanUpLog(engine(), snapshot)).rejects.toMatchObject({ code: 'Unsupported' });
  });

  it('of a catalog-managed table', async () => {
    const theProtocol = protocol(3, 7, {
      reader: ['catalogManaged'],
      writer: ['catalogManaged', 'inCommitTimestamp'],
    });
    const configuration = { 'delta.enableInCommitTimestamps': 'true' };
    commit(0, 9, { commitInfo: { inCommitTimestamp: 1 } }, theProtocol, metadata(schema, { configuration }));
    const snapshot = await Snapshot.load(engine(), root, { maxCatalogVersion: 0, runtime });
    await expect(cleanUpLog(engine(), snapshot)).rejects.toMatchObject({
      code: 'Unsupported',
      feature: 'catalogManaged',
    });
  });
});
