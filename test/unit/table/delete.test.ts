import { describe, expect, it } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { featureProtocol, LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';
import { actionsOf, rowTexts } from '../../helpers/rows.ts';

const schema = types.struct([field('p', types.string), field('id', types.long)]);
const VECTORS = { 'delta.enableDeletionVectors': 'true' };
const FEED = { 'delta.enableChangeDataFeed': 'true' };
const quick = { pauses: { sleep: async () => {} } };

/** A table partitioned by p: `a` with ids 0 to 4, `b` with 5 to 9. */
async function filled(
  configuration: Record<string, string> = {},
  theProtocol = protocol(1, 4),
): Promise<{ log: LogBuilder; table: DeltaTable }> {
  const log = new LogBuilder().commit(
    theProtocol,
    metadata(schema, { partitionColumns: ['p'], configuration }),
  );
  const table = await log.open();
  await table.append(Array.from({ length: 10 }, (_, id) => ({ p: id < 5 ? 'a' : 'b', id })));
  return { log, table };
}

async function ids(table: DeltaTable): Promise<number[]> {
  const rows = await rowTexts(table, { columns: ['id'] });
  return rows.map((row) => JSON.parse(row).id as number).sort((a, b) => a - b);
}

async function commitOf(log: LogBuilder, version: number) {
  const location = log.url(`_delta_log/${String(version).padStart(20, '0')}.json`);
  for await (const bytes of log.storage.readFiles([{ location }]))
    return actionsOf(new TextDecoder().decode(bytes));
  throw new Error('no commit');
}

const kinds = (actions: readonly object[]) => actions.map((action) => Object.keys(action)[0]);

describe('with deletion vectors', () => {
  const features = featureProtocol('deletionVectors');

  it('marks rows, again and again, and removes files of which nothing is left', async () => {
    const { log, table } = await filled(VECTORS, features);
    expect(await table.delete('id IN (1, 7)')).toEqual({
      version: 2,
      deletedRows: 2,
      removedFiles: 0,
      addedFiles: 0,
      updatedFiles: 2,
    });
    expect(await ids(table)).toEqual([0, 2, 3, 4, 5, 6, 8, 9]);
    const actions = await commitOf(log, 2);
    expect(kinds(actions).sort()).toEqual(['add', 'add', 'commitInfo', 'remove', 'remove']);
    const add = actions.find((action) => 'add' in action)!.add!;
    expect(add.deletionVector).toMatchObject({ storageType: 'u' });
    expect(JSON.parse(add.stats as string)).toMatchObject({ numRecords: 5, tightBounds: false });

    expect(await table.delete('id = 2')).toMatchObject({ version: 3, deletedRows: 1, updatedFiles: 1 });
    expect(await ids(table)).toEqual([0, 3, 4, 5, 6, 8, 9]);
    // What is left of partition a, some of it deleted before.
    expect(await table.delete("p = 'a'")).toMatchObject({ version: 4, deletedRows: 3, removedFiles: 1 });
    expect(kinds(await commitOf(log, 4))).toEqual(['commitInfo', 'remove']);
    expect(await ids(await DeltaTable.open(log.root, { engine: log.engine }))).toEqual([5, 6, 8, 9]);
  });

  it('needs no change files', async () => {
    const both = { ...VECTORS, ...FEED };
    const writer = ['deletionVectors', 'changeDataFeed'];
    const { log, table } = await filled(both, protocol(3, 7, { reader: ['deletionVectors'], writer }));
    await table.delete('id >= 4');
    expect(kinds(await commitOf(log, 2)).sort()).toEqual(['add', 'commitInfo', 'remove', 'remove']);
    const changes: unknown[] = [];
    const scan = table.changes({ start: 2, columns: ['id', '_change_type'] });
    for await (const batch of scan)
      for (const row of batch.toArray()) changes.push([Number(row.id), row._change_type]);
    expect(changes.sort()).toEqual([4, 5, 6, 7, 8, 9].map((id) => [id, 'delete']));
  });
});

describe('without deletion vectors', () => {
  it('rewrites files without the rows, in their partition', async () => {
    const { log, table } = await filled();
    expect(await table.delete('id = 3 OR id > 4')).toEqual({
      version: 2,
      deletedRows: 6,
      removedFiles: 2,
      addedFiles: 1,
      updatedFiles: 0,
    });
    expect(await ids(table)).toEqual([0, 1, 2, 4]);
    const actions = await commitOf(log, 2);
    expect(kinds(actions).sort()).toEqual(['add', 'commitInfo', 'remove', 'remove']);
    const add = actions.find((action) => 'add' in action)!.add!;
    expect(add.partitionValues).toEqual({ p: 'a' });
    expect(JSON.parse(add.stats as string)).toEqual({
      numRecords: 4,
      minValues: { id: 0 },
      maxValues: { id: 4 },
      nullCount: { id: 0 },
    });
  });

  it('with a change feed, the deleted rows of the whole commit are in change files', async () => {
    const { log, table } = await filled(FEED);
    await table.delete('id = 3 OR id > 4');
    expect(kinds(await commitOf(log, 2)).sort()).toEqual([
      'add',
      'cdc',
      'cdc',
      'commitInfo',
      'remove',
      'remove',
    ]);
    const changes: unknown[] = [];
    const scan = table.changes({ start: 2, columns: ['p', 'id', '_change_type'] });
    for await (const batch of scan) {
      for (const row of batch.toArray()) changes.push([row.p, Number(row.id), row._change_type]);
    }
    expect(changes.sort()).toEqual([['a', 3, 'delete'], ...[5, 6, 7, 8, 9].map((id) => ['b', id, 'delete'])]);
  });

  it('rows keep their ids where the table tracks rows', async () => {
    const configuration = {
      'delta.enableRowTracking': 'true',
      'delta.rowTracking.materializedRowIdColumnName': '_row-id-col-x',
      'delta.rowTracking.materializedRowCommitVersionColumnName': '_row-commit-version-col-x',
    };
    const { log, table } = await filled(
      configuration,
      protocol(1, 7, { writer: ['rowTracking', 'domainMetadata'] }),
    );
    const options = { columns: ['id'], metadataColumns: { rowId: 'row', rowCommitVersion: 'version' } };
    const before = (await rowTexts(table, options)).sort();
    await table.delete('id = 3');
    const after = (await rowTexts(table, options)).sort();
    expect(after).toEqual(before.filter((row) => !row.startsWith('{"id":3,')));
    const [{ commitInfo }] = (await commitOf(log, 2)) as [Record<string, Record<string, unknown>>];
    expect(commitInfo).toMatchObject({ tags: { 'delta.rowTracking.preserved': 'true' } });
  });
});

it('commits nothing where no row matches, null among them', async () => {
  const { log, table } = await filled();
  await table.append([{ p: 'a', id: null }]);
  expect(await table.delete('id > 100 OR id < 0')).toMatchObject({ version: 2, deletedRows: 0 });
  expect((await DeltaTable.open(log.root, { engine: log.engine })).version).toBe(2);
  expect(await table.delete('TRUE')).toMatchObject({ version: 3, deletedRows: 11, removedFiles: 3 });
  expect(await table.count()).toBe(0);
});

it('refuses an append-only table before anything is read', async () => {
  const { log, table } = await filled({ 'delta.appendOnly': 'true' });
  const error = await table.delete('TRUE').catch((reason: unknown) => reason);
  expect(isDeltaError(error, 'Unsupported') && error.feature).toBe('appendOnly');
  expect((await DeltaTable.open(log.root, { engine: log.engine })).version).toBe(1);
});

it('refuses a column that is not there', async () => {
  const { table } = await filled();
  const error = await table.delete('nope = 1').catch((reason: unknown) => reason);
  expect(isDeltaError(error, 'InvalidExpression')).toBe(true);
});

describe('two writers', () => {
  it('delete different rows of one file: both deletions count', async () => {
    const { log, table } = await filled(VECTORS, featureProtocol('deletionVectors'));
    const other = await DeltaTable.open(log.root, { engine: log.engine });
    await table.delete('id = 0', quick);
    expect(await other.delete('id = 1', quick)).toMatchObject({ version: 3, deletedRows: 1 });
    expect(await ids(other)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('delete and append: what was appended meanwhile is seen', async () => {
    const { log, table } = await filled();
    const other = await DeltaTable.open(log.root, { engine: log.engine });
    await table.append([{ p: 'c', id: 1 }], quick);
    expect(await other.delete('id = 1', quick)).toMatchObject({ version: 3, deletedRows: 2 });
    expect(await ids(other)).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
