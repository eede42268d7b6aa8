import { describe, expect, it } from 'vitest';
import type { DeltaErrorCode } from '../../../src/errors.ts';
import { typeToString } from '../../../src/kernel/schema/schema.ts';
import { parseSchema } from '../../../src/kernel/schema/schema-json.ts';
import { field, METADATA_KEYS, type StructType, types } from '../../../src/kernel/schema/types.ts';
import type { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import type { TableAlteration } from '../../../src/kernel/transaction/alter-table.ts';
import { type CreateTableOptions, createTable } from '../../../src/kernel/transaction/create-table.ts';
import { type Action, add, metadata, protocol } from '../../helpers/log-builder.ts';
import {
  committed,
  committer,
  ID_SCHEMA,
  livePaths,
  NOW,
  newFile,
  simpleTable,
  type TestTable,
  tableOf,
} from './helpers.ts';

type Alteration = TableAlteration<Snapshot>;

const NESTED = types.struct([
  field('id', types.integer, { nullable: false }),
  field('City', types.string),
  field('s', types.struct([field('a', types.short), field('b', types.long)])),
  field('l', types.array(types.struct([field('x', types.integer)]))),
  field('m', types.map(types.string, types.integer)),
]);

/** A table at version 0 whose storage holds nothing else. */
async function created(schema: StructType = NESTED, options: CreateTableOptions = {}): Promise<TestTable> {
  const table = tableOf();
  await table.storage.delete(new URL('memory:///t/_delta_log/00000000000000000000.json'));
  const creation = createTable('memory:///t/', schema, { runtime: table.runtime, ...options });
  await (await creation.build(table.engine, committer)).commit(table.engine);
  return table;
}

const mapped = (options: CreateTableOptions = {}) =>
  created(NESTED, { ...options, properties: { 'delta.columnMapping.mode': 'name', ...options.properties } });

async function alter(table: TestTable, change: (alteration: Alteration) => Alteration) {
  const snapshot = await table.load();
  const transaction = await change(snapshot.alterTable(committer)).build(table.engine);
  const result = await committed(transaction, table);
  const actions = await table.read(result.commitVersion);
  const one = (kind: string) => actions.find((action) => kind in action)?.[kind] as Action | undefined;
  const after = await table.load();
  expect(result.postCommitSnapshot.metadata).toEqual(after.metadata);
  return { actions, one, before: snapshot, after, configuration: after.metadata.configuration };
}

async function refused(
  table: TestTable,
  change: (alteration: Alteration) => Alteration,
  expected: { code: DeltaErrorCode; [key: string]: unknown },
) {
  const files = table.storage.paths();
  const build = async () => {
    const transaction = await change((await table.load()).alterTable(committer)).build(table.engine);
    await transaction.commit(table.engine);
  };
  await expect(build()).rejects.toMatchObject({ table: 'memory:///t/', ...expected });
  expect(table.storage.paths()).toEqual(files);
}

const fieldAt = (snapshot: Snapshot, name: string) =>
  snapshot.schema.fields.find((each) => each.name === name)!;

describe('adding columns', () => {
  it('is one commit of metadata', async () => {
    const table = await created();
    const { actions, after } = await alter(table, (a) => a.addColumn(field('fare', types.double)));
    expect(actions.map((action) => Object.keys(action)[0])).toEqual(['commitInfo', 'metaData']);
    expect(actions[0]!.commitInfo).toMatchObject({ operation: 'ADD COLUMNS' });
    expect(after.schema.fields.map(({ name }) => name)).toEqual(['id', 'City', 's', 'l', 'm', 'fare']);
    expect(after.metadata.id).toBe((await table.load({ version: 0 })).metadata.id);
  });

  it('goes into structs, within arrays too', async () => {
    const { after } = await alter(await created(), (a) =>
      a.addColumn(field('c', types.string), 's').addColumn(field('y', types.date), ['L', 'element']),
    );
    expect(typeToString(after.schema)).toBe(
      'struct<id:integer,City:string,s:struct<a:short,b:long,c:string>,l:array<struct<x:integer,y:date>>,m:map<string,integer>>',
    );
  });

  it('gives ids that no column ever had', async () => {
    const table = await mapped();
    const first = await alter(table, (a) =>
      a.dropColumn('m').addColumn(field('n', types.struct([field('q', types.long)]))),
    );
    const before = Number(first.before.metadata.configuration['delta.columnMapping.maxColumnId']);
    expect(first.configuration['delta.columnMapping.maxColumnId']).toBe(String(before + 2));
    const added = fieldAt(first.after, 'n');
    expect(Number(added.metadata[METADATA_KEYS.columnMappingId])).toBe(before + 1);
    expect(String(added.metadata[METADATA_KEYS.columnMappingPhysicalName])).toMatch(/^col-/);
  });

  it.each([
    [field('x', types.long, { nullable: false }), [], 'Schema'],
    [field('CITY', types.long), [], 'Schema'],
    [field('A', types.long), ['s'], 'Schema'],
    [field('x', types.long), ['nope'], 'Schema'],
    [field('x', types.long), ['City'], 'Schema'],
    [field('x y', types.long), [], 'Schema'],
    [field('t', types.timestampNtz), [], 'Unsupported'],
    [field('d', types.long, { metadata: { CURRENT_DEFAULT: '1' } }), [], 'Schema'],
  ] as const)('%# is refused', async (column, parent, code) => {
    await refused(await created(), (a) => a.addColumn(column, parent), { code });
  });

  it('of a type whose feature is there, or comes along', async () => {
    const { after, one } = await alter(await created(), (a) =>
      a
        .setProperties({ 'delta.feature.timestampNtz': 'supported' })
        .addColumn(field('t', types.timestampNtz)),
    );
    expect(fieldAt(after, 't').type).toEqual(types.timestampNtz);
    expect(one('protocol')).toMatchObject({ readerFeatures: ['timestampNtz'] });
    expect(one('commitInfo')).toMatchObject({ operation: 'ALTER TABLE' });
  });
});

describe('renaming and dropping', () => {
  it('needs column mapping', async () => {
    for (const change of [
      (a: Alteration) => a.renameColumn('City', 'town'),
      (a: Alteration) => a.dropColumn('City'),
    ]) {
      await refused(await created(), change, { code: 'Unsupported', feature: 'columnMapping' });
    }
  });

  it('keeps id and physical name, and follows the name where it is used', async () => {
    const table = await mapped({
      partitionBy: ['city'],
      properties: { 'delta.dataSkippingStatsColumns': 'id,s.a , `m`' },
    });
    const { before, after, configuration } = await alter(table, (a) =>
      a.renameColumn('CITY', 'town').renameColumn('s', 't.u').renameColumn(['t.u', 'a'], 'aa'),
    );
    expect(fieldAt(after, 'town').metadata).toEqual(fieldAt(before, 'City').metadata);
    expect(after.metadata.partitionColumns).toEqual(['town']);
    expect(configuration['delta.dataSkippingStatsColumns']).toBe('id,`t.u`.aa,`m`');
    expect(typeToString(fieldAt(after, 't.u').type)).toBe('struct<aa:short,b:long>');
  });

  it('keeps clustering', async () => {
    const table = await mapped({ clusterBy: ['s.a'] });
    const { after } = await alter(table, (a) => a.renameColumn('s', 'z'));
    expect(await after.clusteringColumns(table.engine)).toEqual([['z', 'a']]);
    await refused(table, (a) => a.renameColumn('z', 'y').dropColumn(['y', 'a']), { code: 'Schema' });
  });

  it('drops columns and what names them', async () => {
    const table = await mapped({ properties: { 'delta.dataSkippingStatsColumns': 's.a' } });
    const { after, configuration } = await alter(table, (a) => a.dropColumn('s').dropColumn('l'));
    expect(after.schema.fields.map(({ name }) => name)).toEqual(['id', 'City', 'm']);
    expect(configuration).not.toHaveProperty('delta.dataSkippingStatsColumns');
  });

  it.each([
    ['a name that is taken', (a: Alteration) => a.renameColumn('id', 'CITY')],
    ['a partition column', (a: Alteration) => a.dropColumn('City')],
    ['the last field of a struct', (a: Alteration) => a.dropColumn('l.element.x')],
    [
      'all that is no partition column',
      (a: Alteration) => a.dropColumn('id').dropColumn('s').dropColumn('l').dropColumn('m'),
    ],
    ['what is not there', (a: Alteration) => a.dropColumn('nope')],
  ])('refuses %s', async (_, change) => {
    await refused(await mapped({ partitionBy: ['City'] }), change, { code: 'Schema' });
  });

  it('the same name in another case is no other column', async () => {
    const { after } = await alter(await mapped(), (a) => a.renameColumn('City', 'CITY'));
    expect(after.schema.fields[1]!.name).toBe('CITY');
  });

  it('refuses columns that a constraint may use', async () => {
    const enforcedFeatures = new Set(['checkConstraints']);
    const table = await mapped({
      enforcedFeatures,
      properties: { 'delta.constraints.c': 'upper(`City`) <> id' },
    });
    const snapshot = await table.load();
    for (const column of ['City', 'id']) {
      const alteration = snapshot.alterTable(committer, { enforcedFeatures }).dropColumn(column);
      await expect(alteration.build(table.engine)).rejects.toMatchObject({
        code: 'Unsupported',
        feature: 'checkConstraints',
      });
    }
    const free = snapshot.alterTable(committer, { enforcedFeatures }).dropColumn('m');
    await committed(await free.build(table.engine), table);
  });
});

describe('widening', () => {
  const widening = () => created(NESTED, { properties: { 'delta.enableTypeWidening': 'true' } });

  it('notes the change on the nearest field, and keeps earlier ones', async () => {
    const table = await widening();
    await alter(table, (a) => a.widenColumn('s.a', types.integer));
    const { after } = await alter(table, (a) =>
      a
        .widenColumn('S.A', types.long)
        .widenColumn('m.value', types.long)
        .widenColumn('l.element.x', types.double),
    );
    expect(typeToString(after.schema)).toBe(
      'struct<id:integer,City:string,s:struct<a:long,b:long>,l:array<struct<x:double>>,m:map<string,long>>',
    );
    const stored = parseSchema(after.metadata.schemaString);
    const changes = (schema: StructType, name: string) =>
      schema.fields.find((each) => each.name === name)!.metadata['delta.typeChanges'];
    expect(changes(stored.fields[2]!.type as StructType, 'a')).toEqual([
      { fromType: 'short', toType: 'integer' },
      { fromType: 'integer', toType: 'long' },
    ]);
    expect(changes(stored, 'm')).toEqual([{ fromType: 'integer', toType: 'long', fieldPath: 'value' }]);
  });

  it('needs the property', async () => {
    await refused(await created(), (a) => a.widenColumn('id', types.long), {
      code: 'Unsupported',
      feature: 'typeWidening',
    });
  });

  it.each([
    ['id', types.short],
    ['id', types.integer],
    ['id', types.string],
    ['s', types.long],
    ['City', types.long],
  ] as const)('%s does not become %j', async (column, type) => {
    await refused(await widening(), (a) => a.widenColumn(column, type), { code: 'Schema' });
  });

  it('lifts NOT NULL', async () => {
    const { after } = await alter(await created(), (a) => a.setNullable('id'));
    expect(after.schema.fields[0]!.nullable).toBe(true);
  });
});

describe('properties and features', () => {
  it('are set and unset', async () => {
    const table = await created(ID_SCHEMA, { properties: { mine: 'x', 'delta.appendOnly': 'true' } });
    const { configuration, one } = await alter(table, (a) =>
      a
        .setProperties({ 'delta.logRetentionDuration': 'interval 1 day' })
        .unsetProperties(['mine', 'delta.appendOnly', 'none']),
    );
    expect(configuration).toEqual({ 'delta.logRetentionDuration': 'interval 1 day' });
    expect(one('protocol')).toBeUndefined();
  });

  it('upgrade a legacy protocol, which then lists what it had', async () => {
    const table = simpleTable();
    const { one } = await alter(table, (a) => a.setProperties({ 'delta.enableChangeDataFeed': 'true' }));
    expect(one('protocol')).toEqual({
      minReaderVersion: 1,
      minWriterVersion: 7,
      writerFeatures: ['appendOnly', 'changeDataFeed', 'invariants'],
    });
    const next = await alter(table, (a) => a.setProperties({ 'delta.enableDeletionVectors': 'true' }));
    expect(next.one('protocol')).toEqual({
      minReaderVersion: 3,
      minWriterVersion: 7,
      readerFeatures: ['deletionVectors'],
      writerFeatures: ['appendOnly', 'changeDataFeed', 'deletionVectors', 'invariants'],
    });
  });

  it('of legacy versions need no upgrade', async () => {
    const table = tableOf(protocol(1, 4), metadata(ID_SCHEMA));
    const { one } = await alter(table, (a) => a.setProperties({ 'delta.enableChangeDataFeed': 'true' }));
    expect(one('protocol')).toBeUndefined();
  });

  it('map columns that have files under the names that those have', async () => {
    const table = tableOf(protocol(2, 5), metadata(NESTED));
    table.put(1, add('f', { size: 1 }));
    const { after, configuration, one } = await alter(table, (a) =>
      a.setProperties({ 'delta.columnMapping.mode': 'name' }).renameColumn('City', 'town'),
    );
    expect(one('protocol')).toBeUndefined();
    expect(fieldAt(after, 'town').metadata[METADATA_KEYS.columnMappingPhysicalName]).toBe('City');
    expect(configuration['delta.columnMapping.maxColumnId']).toBe('8');
    await refused(table, (a) => a.setProperties({ 'delta.columnMapping.mode': 'id' }), {
      code: 'Unsupported',
    });
    await refused(table, (a) => a.setProperties({ 'delta.columnMapping.mode': 'none' }), {
      code: 'Unsupported',
    });
  });

  it('begin and end in-commit timestamps', async () => {
    const table = await created(ID_SCHEMA);
    const on = await alter(table, (a) => a.setProperties({ 'delta.enableInCommitTimestamps': 'true' }));
    expect(on.configuration).toMatchObject({
      'delta.inCommitTimestampEnablementVersion': '1',
      'delta.inCommitTimestampEnablementTimestamp': String(NOW),
    });
    const off = await alter(table, (a) => a.setProperties({ 'delta.enableInCommitTimestamps': 'false' }));
    expect(off.configuration).toEqual({ 'delta.enableInCommitTimestamps': 'false' });
  });

  it('turn row tracking on while there are no rows', async () => {
    const table = await created(ID_SCHEMA);
    const { one, configuration } = await alter(table, (a) =>
      a.setProperties({ 'delta.enableRowTracking': 'true' }),
    );
    expect(one('domainMetadata')).toMatchObject({ configuration: '{"rowIdHighWaterMark":-1}' });
    expect(configuration['delta.rowTracking.materializedRowIdColumnName']).toMatch(/^_row-id-col-/);
  });

  it('turn row tracking on: files without ids are added again with ids, in the same commit', async () => {
    const table = await created(ID_SCHEMA, { properties: { 'delta.feature.rowTracking': 'supported' } });
    // Supported, so that new files get ids; two older files, as a writer before the feature left them.
    await committed((await table.load()).transaction(committer).addFiles([newFile('tracked')]), table);
    const old = (path: string) =>
      add(path, { stats: '{"numRecords":3}', size: 1, modificationTime: 5, tags: { a: 'b' } });
    table.put(2, { commitInfo: { operation: 'WRITE' } }, old('old-1'), old('old-2'));
    const before = await table.load();
    const { actions, one, after } = await alter(table, (a) =>
      a.setProperties({ 'delta.enableRowTracking': 'true' }),
    );
    const added = actions.flatMap((action) => ('add' in action ? [action.add as Action] : []));
    const ids = added.map(({ path, baseRowId, defaultRowCommitVersion }) => [
      path,
      baseRowId,
      defaultRowCommitVersion,
    ]);
    const first =
      Number(
        JSON.parse((await before.getSystemDomainMetadata(table.engine, 'delta.rowTracking'))!)
          .rowIdHighWaterMark,
      ) + 1;
    expect(ids).toEqual([
      ['old-1', first, 3],
      ['old-2', first + 3, 3],
    ]);
    for (const file of added) {
      expect(file).toMatchObject({
        dataChange: false,
        modificationTime: 5,
        tags: { a: 'b' },
        stats: '{"numRecords":3}',
      });
    }
    expect(actions.some((action) => 'remove' in action)).toBe(false);
    expect(one('domainMetadata')).toMatchObject({ configuration: `{"rowIdHighWaterMark":${first + 5}}` });
    expect(await livePaths(after, table)).toEqual(await livePaths(before, table));
    expect(after.tableProperties.enableRowTracking).toBe(true);
  });

  it('turn row tracking on and off and on: ids are never given twice', async () => {
    const table = await created(ID_SCHEMA, { properties: { 'delta.enableRowTracking': 'true' } });
    await committed((await table.load()).transaction(committer).addFiles([newFile('f')]), table);
    await alter(table, (a) => a.setProperties({ 'delta.enableRowTracking': 'false' }));
    const { one } = await alter(table, (a) => a.setProperties({ 'delta.enableRowTracking': 'true' }));
    expect(one('domainMetadata')).toBeUndefined();
  });

  it('cannot turn row tracking on where a file does not say how many rows it has', async () => {
    const table = await created(ID_SCHEMA);
    table.put(1, { commitInfo: { operation: 'WRITE' } }, add('old', { size: 1, stats: undefined }));
    const alteration = (await table.load()).alterTable(committer);
    const transaction = await alteration
      .setProperties({ 'delta.enableRowTracking': 'true' })
      .build(table.engine);
    await expect(transaction.commit(table.engine)).rejects.toMatchObject({
      code: 'StatsValidation',
      path: 'old',
    });
  });

  it.each([
    [{ 'delta.constraints.c': 'id > 0' }, 'Unsupported'],
    [{ 'delta.feature.catalogManaged': 'supported' }, 'Unsupported'],
    [{ 'delta.nope': '1' }, 'InvalidOption'],
    [{ 'delta.checkpointInterval': 'often' }, 'ParseError'],
  ] as const)('%j is refused', async (properties, code) => {
    await refused(await created(), (a) => a.setProperties(properties), { code });
  });

  it('cannot be unset where files depend on them', async () => {
    await refused(await mapped(), (a) => a.unsetProperties(['delta.columnMapping.mode']), {
      code: 'Unsupported',
    });
  });

  it('nothing is no alteration', async () => {
    await refused(await created(), (a) => a, { code: 'InvalidTransactionState' });
  });
});

describe('concurrency', () => {
  const build = async (table: TestTable, change: (a: Alteration) => Alteration) => {
    return change((await table.load()).alterTable(committer)).build(table.engine);
  };

  it('an added column follows appends, and other metadata stops it', async () => {
    const table = await created(ID_SCHEMA);
    const transaction = await build(table, (a) => a.addColumn(field('x', types.long)));
    table.put(1, add('f', { size: 1 }));
    const result = await transaction.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    expect(await (await result.rebase(table.engine)).commit(table.engine)).toMatchObject({
      commitVersion: 2,
    });
    const late = await build(table, (a) => a.addColumn(field('y', types.long)));
    await alter(table, (a) => a.addColumn(field('z', types.long)));
    const lost = await late.commit(table.engine);
    if (lost.status !== 'conflicted') throw new Error(lost.status);
    await expect(lost.rebase(table.engine)).rejects.toMatchObject({ code: 'MetadataChanged' });
  });

  it('row tracking stops at rows that came meanwhile', async () => {
    const table = await created(ID_SCHEMA);
    const transaction = await build(table, (a) => a.setProperties({ 'delta.enableRowTracking': 'true' }));
    table.put(1, add('f', { size: 1 }));
    const result = await transaction.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await expect(result.rebase(table.engine)).rejects.toMatchObject({ code: 'ConcurrentAppend' });
  });

  it('in-commit timestamps begin with the version that is made', async () => {
    const table = await created(ID_SCHEMA);
    const transaction = await build(table, (a) =>
      a.setProperties({ 'delta.enableInCommitTimestamps': 'true' }),
    );
    table.put(1, add('f', { size: 1 }));
    const result = await transaction.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await (await result.rebase(table.engine)).commit(table.engine);
    expect((await table.load()).metadata.configuration['delta.inCommitTimestampEnablementVersion']).toBe('2');
  });
});
