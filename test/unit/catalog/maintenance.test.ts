/** Vacuum and log cleanup of tables that a catalog manages: with its leave, and never what it still lists. */
import { describe, expect, it } from 'vitest';
import { MemoryRecordStore } from '../../../src/catalog/embedded/memory-records.ts';
import { StorageCatalog } from '../../../src/catalog.ts';
import { cleanUpLog } from '../../../src/kernel/maintenance/cleanup-log.ts';
import { vacuum } from '../../../src/kernel/maintenance/vacuum.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { UnityCatalog } from '../../../src/unity.ts';
import { testEngine } from '../../helpers/test-engine.ts';
import { UcStub } from '../../helpers/uc-stub/stub.ts';

const DAY = 86_400_000;
const SCHEMA = types.struct([field('id', types.long)]);
const strict = {
  onWarning: (warning: Error) => {
    throw warning;
  },
};

/** A table of so many days: a row a day, every fifth day all rows but the day's are deleted, a checkpoint every ten days. */
async function world({ days = 10, ...options }: { days?: number; maintenance?: boolean } = {}) {
  let now = Date.UTC(2024, 0, 1);
  const clock = () => now;
  const runtime = { now: clock, uuid: () => crypto.randomUUID() };
  const memory = new MemoryStorageHandler({ now: clock });
  let isPublishing = true;
  const storage = forward(memory, {
    copyAtomic: async (...args) => {
      if (!isPublishing) throw new Error('withheld');
      await memory.copyAtomic(...args);
    },
  });
  const records = new MemoryRecordStore();
  const engine = testEngine(storage);
  const catalog = new StorageCatalog({
    records,
    storage,
    engine,
    runtime,
    root: 'memory:///tables/',
    ...options,
  });
  const properties = { 'delta.checkpointInterval': '10' };
  const table = await catalog.create('t', SCHEMA, { properties, ...strict });
  for (let day = 1; day <= days; day++) {
    now += DAY;
    await table.append([{ id: BigInt(day) }], strict);
    if (day % 5 === 0) await table.delete(`id < ${day}`, strict);
  }
  const names = async (folder: string) => {
    const found: string[] = [];
    for await (const { location } of memory.listFrom(new URL(folder, table.url))) {
      found.push(location.pathname.split('/').at(-1)!);
    }
    return found;
  };
  const withhold = () => {
    isPublishing = false;
  };
  const later = (days: number) => {
    now += days * DAY;
  };
  return { catalog, records, engine, table, names, withhold, later };
}

const versionOf = (name: string) => Number(name.slice(0, 20));

describe('an embedded catalog', () => {
  it('lets its tables be vacuumed and their logs be cleaned up: nothing that is needed goes', async () => {
    const { catalog, table, names } = await world({ days: 50 });
    expect(table.version).toBe(60);
    const before = (await names('./')).length;
    const { files } = await table.vacuum();
    // Files of the last seven days, and those removed in them, stay.
    expect(files.length).toBeGreaterThan(35);
    expect((await names('./')).length).toBe(before - files.length);
    const { keptFrom, files: log } = await table.cleanUpLog();
    // 30 days ago was day 20, of version 24: the checkpoint before that is of version 20.
    expect(keptFrom).toBe(20);
    expect(log.filter((name) => /^\d{20}\.json$/.test(name)).map(versionOf)).toEqual([...Array(20).keys()]);
    const staged = await names('_delta_log/_staged_commits/');
    expect(staged.map(versionOf).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, at) => 21 + at),
    );
    const opened = await catalog.open('t');
    expect([opened.version, await opened.count()]).toEqual([60, 1]);
    const weekAgo = await catalog.open('t', { version: 52 });
    // Day 44: the row that day 40 left, and those of the days 41 to 44.
    expect(await weekAgo.count()).toBe(5);
    expect(await opened.append([{ id: 99n }])).toBe(61);
  }, 60_000);

  it('keeps staged files that it lists, although they are published', async () => {
    const { catalog, records, table, names, later } = await world({ days: 25 });
    // Two commits of which the catalog was never told that they are published, as after a writer that stopped.
    const record = await catalog.catalog.load('t');
    const staged = await names('_delta_log/_staged_commits/');
    const commits = [29, 30].map((version) => ({
      version,
      fileName: staged.find((name) => versionOf(name) === version)!,
      timestamp: 1,
      fileSize: 1,
      fileModificationTimestamp: 1,
    }));
    const read = await records.read('tables/t.json');
    const text = JSON.stringify({ ...JSON.parse(read!.text), unpublished: commits });
    await records.replace('tables/t.json', text, read!.tag);
    expect(record.latestVersion).toBe(30);
    later(60);
    const { keptFrom } = await table.cleanUpLog();
    expect(keptFrom).toBe(30);
    expect((await names('_delta_log/_staged_commits/')).map(versionOf)).toEqual([29, 30]);
  });

  it('has nothing deleted while a commit waits to be published', async () => {
    const { table, names, withhold } = await world();
    withhold();
    await table.append([{ id: 99n }], { onWarning: () => undefined });
    const before = await names('./');
    await expect(table.vacuum()).rejects.toMatchObject({
      code: 'Unsupported',
      version: 13,
      message: expect.stringContaining('publish it first'),
    });
    expect(await names('./')).toEqual(before);
  });

  it('may keep it from its clients', async () => {
    const { table, engine } = await world({ maintenance: false });
    const refused = { code: 'Unsupported', feature: 'catalogManaged' };
    await expect(table.vacuum()).rejects.toMatchObject(refused);
    await expect(table.cleanUpLog()).rejects.toMatchObject(refused);
    await expect(vacuum(engine, table.snapshot)).rejects.toMatchObject(refused);
    await expect(cleanUpLog(engine, table.snapshot)).rejects.toMatchObject(refused);
  });

  it('is asked at the time, and what it says counts: a table that was replaced is left alone', async () => {
    const { catalog, table, names } = await world();
    await catalog.drop('t');
    await catalog.create('t', SCHEMA, strict);
    const before = await names('./');
    await expect(table.vacuum()).rejects.toMatchObject({ code: 'CatalogError' });
    expect(await names('./')).toEqual(before);
  });
});

it('Unity Catalog gives no leave', async () => {
  const stub = new UcStub().addSchema('cat', 'sch');
  const memory = new MemoryStorageHandler();
  const unity = new UnityCatalog({ url: 'http://uc', fetch: stub.fetch, storage: () => memory });
  const table = await unity.create('cat.sch.t', SCHEMA);
  await expect(table.vacuum()).rejects.toMatchObject({ code: 'Unsupported', feature: 'catalogManaged' });
  await expect(table.cleanUpLog()).rejects.toMatchObject({ code: 'Unsupported', feature: 'catalogManaged' });
});
