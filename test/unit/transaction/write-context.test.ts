import { describe, expect, it } from 'vitest';
import { field, METADATA_KEYS, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { splitColumns } from '../../../src/kernel/transaction/stats-columns.ts';
import { committer, featureTable, ID_SCHEMA, simpleTable, type TestTable } from './helpers.ts';

const string = (value: string | null) => ({ type: types.string, value });
const transactionOf = async (table: TestTable) => (await table.load()).transaction(committer);
const mapped = (name: string, id: number, type = types.long as StructType['fields'][number]['type']) =>
  field(name, type, {
    metadata: { [METADATA_KEYS.columnMappingId]: id, [METADATA_KEYS.columnMappingPhysicalName]: `col-${id}` },
  });

describe('partitions', () => {
  const schema = types.struct([field('id', types.long), field('City', types.string), field('d', types.date)]);
  const table = () => simpleTable(schema, { partitionColumns: ['City', 'd'] });

  it('have Hive-style folders, encoded once more in the log', async () => {
    const context = (await transactionOf(table())).partitionedWriteContext({
      CITY: string('São Paulo: 50%'),
      d: { type: types.date, value: 19_782 },
    });
    expect(context.partitionValues).toEqual({ City: 'São Paulo: 50%', d: '2024-02-29' });
    expect(decodeURIComponent(context.targetDirectory.pathname)).toBe(
      '/t/City=São Paulo%3A 50%25/d=2024-02-29/',
    );
    const { location, path } = context.newFile();
    expect(path).toMatch(
      /^City=S%C3%A3o%20Paulo%253A%2050%2525\/d=2024-02-29\/part-00000-[0-9a-f-]{36}\.parquet$/,
    );
    expect(location.href.startsWith(context.targetDirectory.href)).toBe(true);
    expect(context.newFile().path).not.toBe(path);
    expect(context.newChangeFile().path).toMatch(/^_change_data\/City=S/);
  });

  it('are not in the files', async () => {
    const context = (await transactionOf(table())).partitionedWriteContext({
      city: string(null),
      d: { type: types.date, value: null },
    });
    expect(context.targetDirectory.pathname).toBe(
      '/t/City=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__/',
    );
    expect(context.partitionValues).toEqual({ City: null, d: null });
    expect(context.logicalSchema.fields.map(({ name }) => name)).toEqual(['id']);
    expect(context.physicalSchema.fields.map(({ name }) => name)).toEqual(['id']);
  });

  it.each([
    [{ city: string('x') }],
    [{ city: string('x'), d: string('2024-01-01') }],
    [{ city: string('x'), d: { type: types.date, value: 1 }, id: string('1') }],
  ])('must be given whole and right: %#', async (values) => {
    const transaction = await transactionOf(table());
    expect(() => transaction.partitionedWriteContext(values)).toThrow(
      expect.objectContaining({ code: 'InvalidPartitionValues' }),
    );
    expect(() => transaction.unpartitionedWriteContext()).toThrow(
      expect.objectContaining({ code: 'InvalidPartitionValues' }),
    );
  });

  it('are in the files as constants where the table asks for that', async () => {
    const materialized = featureTable(
      { writer: ['materializePartitionColumns'] },
      {},
      types.struct([field('p', types.string), field('id', types.long)]),
      ['p'],
    );
    const context = (await transactionOf(materialized)).partitionedWriteContext({ p: string('x') });
    expect(context.physicalSchema.fields.map(({ name }) => name)).toEqual(['p', 'id']);
    await materialized.engine.ready();
    const { evaluationHandler } = materialized.engine;
    const rows = evaluationHandler.createMany(context.logicalSchema, [[{ type: types.long, value: 7n }]]);
    const written = await evaluationHandler
      .newExpressionEvaluator(context.logicalSchema, context.logicalToPhysical, context.physicalSchema)
      .evaluate(rows);
    expect(written.column(['p'])!.getString(0)).toBe('x');
    expect(written.column(['id'])!.getBigInt(0)).toBe(7n);
  });
});

describe('mapped columns', () => {
  const inner = types.struct([mapped('b', 3), mapped('c', 4, types.void)]);
  const schema = types.struct([
    mapped('a', 1),
    mapped('s', 2, inner),
    mapped('p', 5, types.string),
    mapped('v', 6, types.void),
  ]);
  const table = () =>
    featureTable({ reader: ['columnMapping'] }, { 'delta.columnMapping.mode': 'name' }, schema, ['p']);

  it('have physical names and ids, at every level; void columns are in no file', async () => {
    const context = (await transactionOf(table())).partitionedWriteContext({ p: string('x') });
    expect(context.columnMappingMode).toBe('name');
    expect(context.partitionValues).toEqual({ 'col-5': 'x' });
    const shown = (struct: StructType): unknown =>
      struct.fields.map(({ name, type, metadata }) => [
        name,
        Number(metadata[METADATA_KEYS.parquetFieldId]),
        ...(type.kind === 'struct' ? [shown(type)] : []),
      ]);
    expect(shown(context.physicalSchema)).toEqual([
      ['col-1', 1],
      ['col-2', 2, [['col-3', 3]]],
    ]);
    expect(context.statsColumns).toEqual([['col-1'], ['col-2', 'col-3']]);
  });

  it('come out of logical rows', async () => {
    const target = table();
    const context = (await transactionOf(target)).partitionedWriteContext({ p: string('x') });
    await target.engine.ready();
    const { evaluationHandler } = target.engine;
    const [a, s, v] = context.logicalSchema.fields.map(({ type }) => type);
    const rows = evaluationHandler.createMany(context.logicalSchema, [
      [
        { type: a!, value: 1n },
        { type: s!, value: [2n, null] },
        { type: v!, value: null },
      ],
      [
        { type: a!, value: 3n },
        { type: s!, value: null },
        { type: v!, value: null },
      ],
    ]);
    const written = await evaluationHandler
      .newExpressionEvaluator(context.logicalSchema, context.logicalToPhysical, context.physicalSchema)
      .evaluate(rows);
    expect([0, 1].map((row) => written.column(['col-1'])!.getBigInt(row))).toEqual([1n, 3n]);
    expect([0, 1].map((row) => written.column(['col-2'])!.getValue(row))).toEqual([[2n], null]);
  });

  it('do not show their names in folders', async () => {
    const context = (await transactionOf(table())).partitionedWriteContext({ p: string('secret') });
    expect(context.targetDirectory.pathname).toMatch(/^\/t\/[0-9a-f]{2}\/$/);
  });
});

describe('folders with random prefixes', () => {
  it('are as long as the table says', async () => {
    const table = simpleTable(ID_SCHEMA, {
      configuration: { 'delta.randomizeFilePrefixes': 'true', 'delta.randomPrefixLength': '40' },
    });
    const { path } = (await transactionOf(table)).unpartitionedWriteContext().newFile();
    expect(path).toMatch(/^[0-9a-f]{40}\/part-/);
  });
});

describe('columns with statistics', () => {
  const wide = types.struct([
    field('p', types.string),
    field('s', types.struct([field('x', types.long), field('y', types.array(types.long))])),
    ...Array.from({ length: 40 }, (_, index) => field(`c${index}`, types.long)),
  ]);
  const columnsOf = async (configuration: Record<string, string>, clustered = false) => {
    const writer = clustered ? ['clustering', 'domainMetadata'] : [];
    const table = featureTable({ writer }, configuration, wide, ['p']);
    const options = clustered ? { clusteringColumns: [['c39']] } : {};
    const context = (await transactionOf(table)).partitionedWriteContext({ p: string('x') }, options);
    return context.statsColumns.map((path) => path.join('.'));
  };

  it('are the first 32 leaves, partition columns aside', async () => {
    const columns = await columnsOf({});
    expect(columns).toHaveLength(32);
    expect([...columns.slice(0, 3), columns.at(-1)]).toEqual(['s.x', 's.y', 'c0', 'c29']);
  });

  it.each([
    [{ 'delta.dataSkippingNumIndexedCols': '1' }, ['s.x']],
    [{ 'delta.dataSkippingNumIndexedCols': '0' }, []],
    [{ 'delta.dataSkippingStatsColumns': 'c3, S , gone, p' }, ['s.x', 's.y', 'c3']],
    [{ 'delta.dataSkippingStatsColumns': 's.y', 'delta.dataSkippingNumIndexedCols': '5' }, ['s.y']],
  ])('are those of %j', async (configuration, expected) => {
    expect(await columnsOf(configuration)).toEqual(expected);
  });

  it('are all where the table says so', async () => {
    expect(await columnsOf({ 'delta.dataSkippingNumIndexedCols': '-1' })).toHaveLength(42);
  });

  it('have the clustering columns among them', async () => {
    expect(await columnsOf({ 'delta.dataSkippingNumIndexedCols': '1' }, true)).toEqual(['s.x', 'c39']);
  });

  it('are split at commas outside names', () => {
    expect(splitColumns('a,`b,c`.d, e')).toEqual(['a', '`b,c`.d', 'e']);
  });
});
