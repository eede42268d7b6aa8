/** What a write that fails leaves behind: nothing, unless a commit of it may exist. And rows that are read only once. */
import { describe, expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { fileSystemWriter } from '../../../src/table/write/commit.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const url = new URL('memory:///t/');
const schema = types.struct([field('p', types.string), field('id', types.long)]);
const quick = { pauses: { sleep: async () => {} } };
const isCommit = (path: URL) => /\/_delta_log\/\d+\.json$/.test(path.pathname);
const lost = () => new DeltaError('IOError', 'the connection was lost');

type Put = StorageHandler['put'];

/** A table of two partitions with rows 0 to 9, and its files. */
class World {
  readonly storage = new MemoryStorageHandler();
  readonly engine = testEngine(this.storage);

  async create(properties: Record<string, string> = {}): Promise<this> {
    const table = await DeltaTable.create({ storage: this.storage, url }, schema, {
      engine: this.engine,
      partitionBy: ['p'],
      properties,
    });
    await table.append(Array.from({ length: 10 }, (_, id) => ({ p: id < 5 ? 'a' : 'b', id })));
    return this;
  }

  open(changes: Partial<StorageHandler> = {}): Promise<DeltaTable> {
    const engine = testEngine(forward(this.storage, changes));
    return DeltaTable.open({ storage: this.storage, url }, { engine });
  }

  /** A table before whose next commit another writer commits. */
  async openBehind(other: (world: World) => Promise<unknown>): Promise<DeltaTable> {
    let isFirst = true;
    const put: Put = async (path, data, options) => {
      if (isFirst && isCommit(path)) {
        isFirst = false;
        await other(this);
      }
      await this.storage.put(path, data, options);
    };
    return this.open({ put });
  }

  files(): string[] {
    return this.storage.paths().filter((path) => !path.includes('/_delta_log/'));
  }

  async alter(change: (alteration: ReturnType<Snapshot['alterTable']>) => unknown): Promise<void> {
    const alteration = (await Snapshot.load(this.engine, url)).alterTable(fileSystemWriter.committer);
    change(alteration);
    const result = await (await alteration.build(this.engine)).commit(this.engine);
    expect(result.status).toBe('committed');
  }

  async ids(): Promise<number[]> {
    const rows = await rowTexts(await this.open(), { columns: ['id'] });
    return rows.map((row) => JSON.parse(row).id as number).sort((a, b) => a - b);
  }
}

const TEN = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const NEW = [
  { p: 'a', id: 10 },
  { p: 'b', id: 11 },
];

describe('a write that fails', () => {
  it.each<[string, Record<string, string>]>([
    ['with files written anew', {}],
    ['with deletion vectors', { 'delta.enableDeletionVectors': 'true' }],
    ['with change files', { 'delta.enableChangeDataFeed': 'true' }],
  ])('for a conflict takes its files along: a deletion %s', async (_what, properties) => {
    const world = await new World().create(properties);
    const table = await world.openBehind(async () => (await world.open()).delete('id = 1'));
    const before = world.files().length;
    await expect(table.delete('id = 2', { ...quick, maxAttempts: 1 })).rejects.toMatchObject({
      code: expect.stringMatching(/^Concurrent|Generic/),
    });
    const others = world.files().length - before;
    const alone = await new World().create(properties);
    const count = alone.files().length;
    await (await alone.open()).delete('id = 1');
    expect(others).toBe(alone.files().length - count);
    expect(await world.ids()).toEqual(TEN.filter((id) => id !== 1));
  });

  it('for a conflict, and is redone, leaves only the files of the second attempt', async () => {
    const world = await new World().create();
    const table = await world.openBehind(async () => (await world.open()).delete('id = 1'));
    await table.delete('id = 2', quick);
    // Two files of ten rows; one is written anew by each of two writers.
    expect(world.files()).toHaveLength(4);
    expect(await world.ids()).toEqual(TEN.filter((id) => id !== 1 && id !== 2));
  });

  it('for want of attempts takes its files along', async () => {
    const world = await new World().create();
    const table = await world.openBehind(async () => (await world.open()).append(NEW, quick));
    const failed = table.append([{ p: 'a', id: 99 }], { ...quick, maxAttempts: 1 });
    await expect(failed).rejects.toMatchObject({ code: 'Generic' });
    expect(world.files()).toHaveLength(4);
    expect(await world.ids()).toEqual([...TEN, 10, 11]);
  });

  it('in a file of it takes the others along', async () => {
    const world = await new World().create();
    let files = 0;
    const put: Put = async (path, data, options) => {
      if (path.pathname.endsWith('.parquet') && ++files === 2) throw new DeltaError('PermissionDenied', 'no');
      await world.storage.put(path, data, options);
    };
    await expect((await world.open({ put })).append(NEW, quick)).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
    expect(world.files()).toHaveLength(2);
  });

  it('says what it could not take along', async () => {
    const world = await new World().create();
    const remove = () => Promise.reject(new DeltaError('PermissionDenied', 'no'));
    const table = await world.open({ put: rejectCommits(world), delete: remove });
    const warnings: DeltaError[] = [];
    const options = { ...quick, onWarning: (warning: DeltaError) => warnings.push(warning) };
    await world.alter((alteration) => alteration.addColumn(field('c', types.string)));
    await expect(table.append(oneShot(NEW), options)).rejects.toMatchObject({ code: 'MetadataChanged' });
    expect(warnings.map(({ code }) => code)).toEqual(['PermissionDenied', 'PermissionDenied']);
    expect(warnings[0]!.message).toContain('stays behind until vacuum');
  });

  it('with an unknown end leaves its files, which the commit needs', async () => {
    const world = await new World().create();
    const put: Put = async (path, data, options) => {
      await world.storage.put(path, data, options);
      if (isCommit(path)) throw lost();
    };
    const head: StorageHandler['head'] = (path, options) => {
      return isCommit(path) ? Promise.reject(lost()) : world.storage.head(path, options);
    };
    const table = await world.open({ put, head });
    await expect(table.append(NEW, { ...quick, maxAttempts: 3 })).rejects.toMatchObject({ code: 'IOError' });
    expect(world.files()).toHaveLength(4);
    expect(await world.ids()).toEqual([...TEN, 10, 11]);
  });

  it('for a refusal that need not be the last word leaves its files', async () => {
    const world = await new World().create();
    const table = await world.open({ put: rejectCommits(world, new DeltaError('PermissionDenied', 'no')) });
    await expect(table.append(NEW, quick)).rejects.toMatchObject({ code: 'PermissionDenied' });
    expect(world.files()).toHaveLength(4);
  });
});

/** Answers to commits that say "exists": they conflict for ever, or another error. */
function rejectCommits(
  { storage }: World,
  error: DeltaError = new DeltaError('FileAlreadyExists', 'it exists'),
): Put {
  return (path, data, options) => (isCommit(path) ? Promise.reject(error) : storage.put(path, data, options));
}

function* rowsOnce(rows: readonly Record<string, unknown>[], asked: { times: number }) {
  asked.times += 1;
  yield* rows;
}

function oneShot(rows: readonly Record<string, unknown>[]) {
  return rowsOnce(rows, { times: 0 });
}

describe('rows that can be read only once', () => {
  it.each<[string, (world: World) => Promise<unknown>]>([
    ['of a property', (world) => world.alter((it) => it.setProperties({ owner: 'me' }))],
    [
      'of the protocol',
      (world) =>
        world.alter((it) =>
          it.setProperties({ 'delta.enableRowTracking': 'false', 'delta.enableDeletionVectors': 'true' }),
        ),
    ],
  ])('survive a change %s: the files are used again', async (_what, change) => {
    const world = await new World().create();
    const asked = { times: 0 };
    const table = await world.openBehind(change);
    expect(await table.append(rowsOnce(NEW, asked), quick)).toBe(3);
    expect(asked.times).toBe(1);
    expect(world.files()).toHaveLength(4);
    expect(await world.ids()).toEqual([...TEN, 10, 11]);
  });

  it.each<[string, (world: World) => Promise<unknown>]>([
    ['a column more', (world) => world.alter((it) => it.addColumn(field('c', types.string)))],
    [
      'other names in files',
      (world) => world.alter((it) => it.setProperties({ 'delta.columnMapping.mode': 'name' })),
    ],
  ])('do not survive %s: the error says so', async (_what, change) => {
    const world = await new World().create();
    const table = await world.openBehind(change);
    const failed = table.append(oneShot(NEW), quick);
    await expect(failed).rejects.toMatchObject({
      code: 'MetadataChanged',
      version: 2,
      table: 'memory:///t/',
    });
    await expect(failed).rejects.toThrow(/cannot be read again: append them anew/);
    expect(world.files()).toHaveLength(2);
    expect(await world.ids()).toEqual(TEN);
  });

  it('in memory survive it: they are written anew', async () => {
    const world = await new World().create();
    const table = await world.openBehind((it) => it.alter((a) => a.addColumn(field('c', types.string))));
    await table.append(NEW, quick);
    expect(world.files()).toHaveLength(4);
    expect(await world.ids()).toEqual([...TEN, 10, 11]);
  });

  it('of an application are dropped where another process of it was faster', async () => {
    const world = await new World().create();
    const transactionId = { appId: 'job', version: 1 };
    const table = await world.openBehind(async () => (await world.open()).append(NEW, { transactionId }));
    await table.append(oneShot(NEW), { ...quick, transactionId });
    expect(world.files()).toHaveLength(4);
    expect(await world.ids()).toEqual([...TEN, 10, 11]);
  });
});
