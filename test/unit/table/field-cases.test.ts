/** Cases from the field about writing (`test/field-cases.md`). */
import { expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const url = new URL('memory:///t/');
const ids = types.struct([field('id', types.long)]);

it('TX-04: a writer that is far behind lists once and jumps', async () => {
  const storage = new MemoryStorageHandler();
  const engine = testEngine(storage);
  const properties = { 'delta.checkpointInterval': '1000' };
  await DeltaTable.create({ storage, url }, ids, { engine, properties });
  let listings = 0;
  let commits = 0;
  const counting = forward(storage, {
    async *listFrom(path, options) {
      listings += 1;
      yield* storage.listFrom(path, options);
    },
    async put(path, data, options) {
      if (path.pathname.endsWith('.json')) commits += 1;
      await storage.put(path, data, options);
    },
  });
  const behind = await DeltaTable.open(url, { engine: testEngine(counting) });
  const other = await DeltaTable.open(url, { engine });
  for (let id = 0; id < 40; id += 1) await other.append([{ id }]);
  [listings, commits] = [0, 0];
  const waits: number[] = [];
  const pauses = { random: () => 0.5, sleep: async (ms: number) => void waits.push(ms) };
  expect(await behind.append([{ id: 100 }], { pauses })).toBe(41);
  expect({ listings, commits, waits: waits.length }).toEqual({ listings: 1, commits: 2, waits: 1 });
  expect(waits[0]).toBeGreaterThan(0);
});

it.each(['.crc', '.checkpoint.parquet', '_last_checkpoint'])(
  'TX-05: a commit stands whose %s fails',
  async (name) => {
    const storage = new MemoryStorageHandler();
    const failing = forward(storage, {
      put: async (path, data, options) => {
        if (path.pathname.endsWith(name)) throw new DeltaError('PermissionDenied', 'no');
        await storage.put(path, data, options);
      },
    });
    const warnings: DeltaError[] = [];
    const options = { onWarning: (warning: DeltaError) => warnings.push(warning) };
    const properties = { 'delta.checkpointInterval': '1' };
    const engine = testEngine(failing);
    const table = await DeltaTable.create({ storage: failing, url }, ids, { engine, properties, ...options });
    expect(await table.append([{ id: 1 }], options)).toBe(1);
    expect(await table.append([{ id: 2 }], options)).toBe(2);
    expect(await rowTexts(table)).toHaveLength(2);
    expect(warnings.length).toBeGreaterThan(0);
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['PermissionDenied']));
  },
);

it('TX-07: statistics have the protocol’s keys, physical names and no partition columns', async () => {
  const storage = new MemoryStorageHandler();
  const schema = types.struct([
    field('p', types.string),
    field('n', types.integer),
    field('at', types.timestamp),
    field('local', types.timestampNtz),
    field('s', types.struct([field('x', types.string)])),
    field('list', types.array(types.long)),
  ]);
  const table = await DeltaTable.create({ storage, url }, schema, {
    engine: testEngine(storage),
    partitionBy: ['p'],
    properties: { 'delta.columnMapping.mode': 'name' },
  });
  await table.append([
    {
      p: 'a',
      n: 2,
      at: '2024-01-31T12:00:00.123456Z',
      local: '2024-01-31T12:00:00.123456',
      s: { x: 'k' },
      list: [1],
    },
    { p: 'a', n: null, at: '2024-01-31T12:00:00.999999Z', local: null, s: null, list: null },
  ]);
  const physical = new Map(
    table.schema.fields.map(({ name, metadata, type }) => {
      const inner = type.kind === 'struct' ? type.fields[0]!.metadata : undefined;
      return [name, [metadata, inner].map((each) => String(each?.['delta.columnMapping.physicalName']))];
    }),
  );
  const [n, at, local, s, list] = ['n', 'at', 'local', 's', 'list'].map((name) => physical.get(name)![0]!);
  const x = physical.get('s')![1]!;
  const [file] = await table.files();
  expect(JSON.parse(file!.stats!)).toEqual({
    numRecords: 2,
    minValues: {
      [n!]: 2,
      [at!]: '2024-01-31T12:00:00.123Z',
      [local!]: '2024-01-31T12:00:00.123',
      [s!]: { [x]: 'k' },
    },
    // Cut down to milliseconds: readers count on a bound that may be up to one too low.
    maxValues: {
      [n!]: 2,
      [at!]: '2024-01-31T12:00:00.999Z',
      [local!]: '2024-01-31T12:00:00.123',
      [s!]: { [x]: 'k' },
    },
    nullCount: { [n!]: 1, [at!]: 0, [local!]: 1, [s!]: { [x]: 1 }, [list!]: 1 },
  });
});
