/** `DeltaTable.alter`: constraints above all, which need the rows. Columns and properties: unit/transaction/alter-table. */
import { describe, expect, it } from 'vitest';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { fileSystemWriter } from '../../../src/table/write/commit.ts';
import { actionsOf, rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const url = new URL('memory:///t/');
const schema = types.struct([field('id', types.long), field('fare', types.double)]);
const quick = { pauses: { sleep: async () => {} } };
const ROWS = [
  { id: 1, fare: 2.5 },
  { id: 2, fare: -1 },
  { id: 3, fare: null },
];

async function created(rows: readonly Record<string, unknown>[] = ROWS) {
  const storage = new MemoryStorageHandler();
  const table = await DeltaTable.create({ storage, url }, schema, { engine: testEngine(storage) });
  await table.append([...rows]);
  return { storage, table };
}

async function commitOf(storage: MemoryStorageHandler, version: number) {
  const location = new URL(`_delta_log/${String(version).padStart(20, '0')}.json`, url);
  for await (const bytes of storage.readFiles([{ location }]))
    return actionsOf(new TextDecoder().decode(bytes));
  throw new Error('no commit');
}

describe('a CHECK constraint', () => {
  it('is added where it holds for every row, and enforced from then on', async () => {
    const { storage, table } = await created();
    expect(await table.alter((change) => change.addConstraint('Has_Id', 'id > 0'))).toBe(2);
    const actions = await commitOf(storage, 2);
    const info = actions.find((action) => 'commitInfo' in action)!.commitInfo!;
    expect(info).toMatchObject({ operation: 'ADD CONSTRAINT' });
    expect(table.metadata.configuration).toEqual({ 'delta.constraints.has_id': 'id > 0' });
    expect(table.protocol.writerFeatures).toContain('checkConstraints');
    await expect(table.append([{ id: 0, fare: 1 }])).rejects.toMatchObject({ code: 'ConstraintViolation' });
    await expect(table.append([{ fare: 1 }])).rejects.toMatchObject({ code: 'ConstraintViolation' });
    await table.append([{ id: 4 }]);
    expect(await rowTexts(table, { columns: ['id'] })).toHaveLength(4);
    await table.delete('id = 4');

    await table.alter((change) => change.dropConstraint('HAS_ID'));
    expect(table.metadata.configuration).toEqual({});
    await table.append([{ id: 0, fare: 1 }]);
  });

  it('is refused with the number of rows for which it is false or null', async () => {
    const { storage, table } = await created();
    const files = storage.paths();
    const failed = table.alter((change) => change.addConstraint('paid', 'fare >= 0'));
    await expect(failed).rejects.toMatchObject({
      code: 'ConstraintViolation',
      feature: 'checkConstraints',
      table: 'memory:///t/',
    });
    await expect(failed).rejects.toThrow(/does not hold for 2 rows/);
    expect(storage.paths()).toEqual(files);
    await table.delete('fare < 0 OR fare IS NULL');
    expect(await table.alter((change) => change.addConstraint('paid', 'fare >= 0'))).toBe(3);
  });

  it.each([
    ['id >', 'InvalidExpression'],
    ['nope > 0', 'InvalidExpression'],
    ['upper(id) = 1', 'InvalidExpression'],
  ])('%j is no condition', async (condition, code) => {
    const { table } = await created();
    await expect(table.alter((change) => change.addConstraint('c', condition))).rejects.toMatchObject({
      code,
    });
  });

  it('has a name of its own', async () => {
    const { table } = await created();
    await table.alter((change) => change.addConstraint('c', 'id > 0'));
    const again = table.alter((change) => change.addConstraint('C', 'id > 1'));
    await expect(again).rejects.toMatchObject({ code: 'InvalidOption' });
    const missing = table.alter((change) => change.dropConstraint('d'));
    await expect(missing).rejects.toMatchObject({ code: 'InvalidOption' });
    const nameless = table.alter((change) => change.addConstraint(' ', 'id > 0'));
    await expect(nameless).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('is refused for those who would not enforce it', async () => {
    const { storage, table } = await created();
    const engine = testEngine(storage);
    const plain = (await Snapshot.load(engine, url)).alterTable(fileSystemWriter.committer);
    const transaction = await plain.addConstraint('c', 'id > 0').build(engine);
    await expect(transaction.commit(engine)).rejects.toMatchObject({
      code: 'Unsupported',
      feature: 'checkConstraints',
    });
    expect(table.version).toBe(1);
  });

  it('counts rows that come meanwhile', async () => {
    const { storage } = await created([{ id: 1, fare: 1 }]);
    const engine = testEngine(storage);
    const other = await DeltaTable.open(url, { engine });
    let isFirst = true;
    const racing = testEngine(
      forward(storage, {
        put: async (path, data, options) => {
          if (isFirst && path.pathname.endsWith('2.json')) {
            isFirst = false;
            await other.append([{ id: 2, fare: -1 }]);
          }
          await storage.put(path, data, options);
        },
      }),
    );
    const table = await DeltaTable.open(url, { engine: racing });
    const failed = table.alter((change) => change.addConstraint('paid', 'fare >= 0'), quick);
    await expect(failed).rejects.toThrow(/does not hold for 1 row of/);
    expect((await DeltaTable.open(url, { engine })).version).toBe(2);
  });
});

it('changes of columns and properties are one commit, redone over changes of others', async () => {
  const { storage, table } = await created();
  const other = await DeltaTable.open(url, { engine: testEngine(storage) });
  await other.alter((change) => change.addColumn(field('b', types.string)));
  const version = await table.alter(
    (change) => change.addColumn(field('a', types.string)).setProperties({ owner: 'me' }),
    { ...quick, engineInfo: 'tests/1' },
  );
  expect(version).toBe(3);
  expect(table.schema.fields.map(({ name }) => name)).toEqual(['id', 'fare', 'b', 'a']);
  const info = (await commitOf(storage, 3)).find((action) => 'commitInfo' in action)!.commitInfo!;
  expect(info).toMatchObject({ operation: 'ALTER TABLE', engineInfo: 'tests/1' });
});

it.each<[string, Record<string, string>]>([
  ['', {}],
  ['with deletion vectors', { 'delta.enableDeletionVectors': 'true' }],
])('row tracking can be turned on for a table with rows %s', async (_what, properties) => {
  const storage = new MemoryStorageHandler();
  const options = { engine: testEngine(storage), properties };
  const table = await DeltaTable.create({ storage, url }, schema, options);
  await table.append([...ROWS]);
  await table.append([{ id: 4 }, { id: 5 }]);
  await table.delete('id = 4');
  const before = await rowTexts(table);
  await table.alter((change) => change.setProperties({ 'delta.enableRowTracking': 'true' }));
  expect(await rowTexts(table)).toEqual(before);
  await table.append([{ id: 6 }]);
  await table.delete('id = 2');
  const read = await DeltaTable.open(url, { engine: testEngine(storage) });
  const rows = await rowTexts(read, { columns: ['id'], metadataColumns: { rowId: 'row' } });
  const ids = rows.map((row) => JSON.parse(row).row as number);
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => Number.isSafeInteger(id))).toBe(true);
});
