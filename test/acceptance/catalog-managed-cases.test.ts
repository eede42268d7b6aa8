/** Cases from the field of tables whose commits move from the catalog to the log while somebody reads them. */
import { expect, it } from 'vitest';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import { StorageCatalog } from '../../src/catalog.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import type { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { forward } from '../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { testEngine } from '../helpers/test-engine.ts';

const SCHEMA = types.struct([field('id', types.long)]);

/** Eight commits that are only staged, and what publishes them. */
async function stagedTable() {
  const storage = new MemoryStorageHandler();
  let isPublishing = false;
  const withholding = forward(storage, {
    copyAtomic: async (...args) => {
      if (!isPublishing) throw new Error('withheld');
      await storage.copyAtomic(...args);
    },
  });
  const catalog = new StorageCatalog({
    records: new MemoryRecordStore(),
    storage: withholding,
    engine: testEngine(withholding),
    root: 'memory:///tables/',
  });
  const table = await catalog.create('t', SCHEMA);
  const onWarning = () => undefined;
  for (let id = 1; id <= 8; id++) await table.append([{ id: BigInt(id) }], { onWarning });
  const open = () => catalog.open('t');
  const publish = async () => {
    isPublishing = true;
    const opened = await open();
    await opened.publish();
    return opened;
  };
  return { open, publish, engine: testEngine(storage) };
}

it('UC-07: a plan goes on, and a refresh finds nothing new, after staged commits were published', async () => {
  const { open, publish, engine } = await stagedTable();
  const { snapshot } = await open();
  expect(kindsOf(snapshot)).toContain('stagedCommit');
  const first = await snapshot.scan().plan(engine, { budget: { requests: 3 } });
  expect(first.token).toBeDefined();
  const { snapshot: published } = await publish();
  expect(kindsOf(published)).not.toContain('stagedCommit');
  // The rest of the plan, by whoever opened the table before and by whoever opens it now.
  for (const later of [snapshot, (await open()).snapshot]) {
    const paths = first.files.map(({ path }) => path);
    let token = first.token;
    while (token !== undefined) {
      const page = await later.scan().plan(engine, { token, budget: { requests: 3 } });
      paths.push(...page.files.map(({ path }) => path));
      token = page.token;
    }
    expect(paths.sort()).toEqual(await pathsOf(published, engine));
  }
  const refreshed = await snapshot.refresh(engine, { logTail: [], maxCatalogVersion: 8 });
  expect(refreshed.version).toBe(8);
  expect(await pathsOf(refreshed, engine)).toEqual(await pathsOf(published, engine));
  expect(await refreshed.timestamp(engine)).toBe(await snapshot.timestamp(engine));
});

function kindsOf({ logSegment }: Snapshot): string[] {
  return logSegment.commits.map(({ kind }) => kind);
}

async function pathsOf(snapshot: Snapshot, engine: ReturnType<typeof testEngine>): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of snapshot.scan().files(engine)) paths.push(path);
  return paths.sort();
}
