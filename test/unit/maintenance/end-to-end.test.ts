/** A table over weeks, in memory, with the default engine: written, checkpointed, vacuumed, cleaned up, read again. */
import { expect, it } from 'vitest';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const DAY = 86_400_000;
const schema = types.struct([field('id', types.long), field('p', types.string)]);
const quick = {
  onWarning: (warning: Error) => {
    throw warning;
  },
};

it.each([
  ['rewriting files', {}],
  ['with deletion vectors', { 'delta.enableDeletionVectors': 'true' }],
  [
    'with V2 checkpoints and parsed statistics',
    {
      'delta.checkpointPolicy': 'v2',
      'delta.checkpoint.writeStatsAsStruct': 'true',
      'delta.checkpoint.writeStatsAsJson': 'false',
    },
  ],
  [
    'with a change feed and row tracking',
    { 'delta.enableChangeDataFeed': 'true', 'delta.enableRowTracking': 'true' },
  ],
])(
  'stays whole %s',
  async (_what, properties) => {
    let now = Date.UTC(2024, 0, 1);
    const clock = () => now;
    const runtime = { now: clock, uuid: () => crypto.randomUUID() };
    const storage = new MemoryStorageHandler({ now: clock });
    const engine = testEngine(storage);
    const url = new URL('memory:///t/');
    const table = await DeltaTable.create({ storage, url }, schema, {
      engine,
      runtime,
      partitionBy: ['p'],
      properties: { ...properties, 'delta.checkpointInterval': '4' },
      ...quick,
    });
    const expected = new Map<string, string>();
    for (let day = 1; day <= 50; day += 1) {
      now += DAY;
      const p = day % 2 === 0 ? 'even' : 'odd';
      await table.append(
        [
          { id: day, p },
          { id: day + 1000, p },
        ],
        quick,
      );
      for (const id of [day, day + 1000]) expected.set(String(id), p);
      if (day % 5 === 0) {
        // Of each file one row; of the oldest then the other one, too.
        const gone = [day - 2, 1000 + day - 3, 1000 + day - 7];
        await table.delete(`id IN (${gone.join(', ')})`, quick);
        for (const id of gone) expected.delete(String(id));
      }
    }
    const lastWeek = table.version - 6;
    const rowsOf = async (version?: number) =>
      rowTexts(await DeltaTable.open(url, { engine: testEngine(storage), version }));
    const before = { newest: await rowsOf(), lastWeek: await rowsOf(lastWeek) };
    expect(before.newest).toHaveLength(expected.size);

    const told = await table.vacuum({ dryRun: true });
    const deleted = await table.vacuum();
    expect(deleted.files).toEqual(told.files);
    expect(deleted.files.length).toBeGreaterThan(0);
    const { keptFrom, files } = await table.cleanUpLog();
    expect(keptFrom).toBeGreaterThan(10);
    // The automatic checkpoints have seen to it.
    expect(files).toEqual([]);
    const kept = storage.paths().flatMap((path) => /_delta_log\/(\d{20})\./.exec(path)?.[1] ?? []);
    expect(Math.min(...kept.map(Number))).toBe(keptFrom);

    expect(await rowsOf()).toEqual(before.newest);
    expect(await rowsOf(lastWeek)).toEqual(before.lastWeek);
    expect((await table.vacuum()).files).toEqual([]);
    const ids = (await rowsOf()).map((text) => String(JSON.parse(text).id));
    expect(ids.sort()).toEqual([...expected.keys()].sort());
  },
  60_000,
);
