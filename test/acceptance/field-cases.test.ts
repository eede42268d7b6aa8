/** Inputs that broke other readers, end to end through `DeltaTable`. */
import { describe, expect, it } from 'vitest';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../src/kernel/schema/types.ts';
import type { DeltaTable, OpenOptions, ScanOptions } from '../../src/table/delta-table.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';
import {
  add,
  commitName,
  featureProtocol,
  LogBuilder,
  metadata,
  protocol,
  remove,
} from '../helpers/log-builder.ts';

const ID = types.struct([field('id', types.long)]);

async function rows(table: DeltaTable, options: ScanOptions = {}): Promise<unknown[]> {
  const scan = table.scan(options);
  const all: unknown[] = [];
  for await (const batch of scan) {
    const lines = rowsToNdjson(batch, scan.schema).split('\n').slice(0, -1);
    all.push(...lines.map((line) => JSON.parse(line)));
  }
  return all;
}

async function ids(log: LogBuilder, options: OpenOptions & ScanOptions = {}): Promise<unknown[]> {
  const { version, ...scan } = options;
  const found = (await rows(await log.open({ version }), scan)) as { id: number }[];
  return found.map(({ id }) => id).sort((a, b) => a - b);
}

/** Version 0 without files, and data files f1, f2 … of one row each: their number. */
async function idTable(files = 3): Promise<LogBuilder> {
  const log = new LogBuilder().commit(protocol(), metadata(ID));
  for (let file = 1; file <= files; file += 1) await log.parquet(`f${file}`, ID, [[BigInt(file)]]);
  return log;
}

describe('log replay', () => {
  it('LR-01: empty side files are skipped, an empty commit has no actions', async () => {
    const log = (await idTable()).commit(add('f1')).commit(add('f2'));
    log.text('_delta_log/00000000000000000001.00000000000000000002.compacted.json', '');
    log.text('_delta_log/00000000000000000001.checkpoint.parquet', '');
    log.text('_delta_log/00000000000000000002.crc', '');
    log.text(commitName(3), '');
    const table = await log.open();
    expect(table.version).toBe(3);
    expect(await ids(log)).toEqual([1, 2]);
  });

  it('LR-02: stray names in the log are ignored', async () => {
    const log = (await idTable()).commit(add('f1'));
    for (const name of [
      '.00000000000000000001.json.crc',
      '._last_checkpoint.crc',
      '_SUCCESS',
      '00000000000000000007.json.tmp',
      '00000000000000000001.checkpoint.xyz',
      '_commits/00000000000000000009.json',
      '1.json',
      '000000000000000000012.json',
    ]) {
      log.storage.set(log.url(`_delta_log/${name}`), 'stray');
    }
    expect((await log.open()).version).toBe(1);
    expect(await ids(log)).toEqual([1]);
  });

  it('LR-05: a file that is added again is live once', async () => {
    const log = (await idTable()).commit(add('f1')).commit(remove('f1')).commit(add('f1'));
    expect(await ids(log)).toEqual([1]);
    expect(await ids(log, { version: 2 })).toEqual([]);
  });

  it('LR-08: gaps and a missing start are errors that name the versions', async () => {
    const gap = (await idTable()).commit(add('f1')).skip().commit(add('f2'));
    await expect(gap.open()).rejects.toMatchObject({
      code: 'InvalidLog',
      message: expect.stringMatching(/\b2\b/),
    });
    const late = new LogBuilder().skip(5).commit(protocol(), metadata(ID));
    await expect(late.open()).rejects.toMatchObject({
      code: 'InvalidLog',
      message: expect.stringMatching(/\b0\b/),
    });
    await expect(new LogBuilder().open()).rejects.toMatchObject({ code: 'TableNotFound' });
  });

  it.each([
    ['cut off', `${JSON.stringify(add('f2')).slice(0, -9)}`],
    ['not JSON', `${JSON.stringify(add('f2'))}\nnot json\n`],
  ])('LR-09: a commit that is %s is an error with file and line', async (_name, text) => {
    const log = (await idTable()).commit(add('f1')).text(commitName(2), text);
    const failure = { code: 'MalformedJson', path: expect.stringContaining('00000000000000000002.json') };
    await expect(ids(log)).rejects.toMatchObject(failure);
    expect(await ids(log, { version: 1 })).toEqual([1]);
  });

  it('LR-12: null values in maps stay null, and free-form commitInfo blocks nothing', async () => {
    const schema = types.struct([field('id', types.long), field('p', types.string)]);
    const log = new LogBuilder().commit(
      { commitInfo: { operation: 'WRITE', operationParameters: { description: null, n: 1, o: { a: [] } } } },
      protocol(),
      metadata(schema, { partitionColumns: ['p'] }),
      add('f1', { partitionValues: { p: null }, tags: { a: null } }),
    );
    await log.parquet('f1', ID, [[1n]]);
    const table = await log.open();
    expect(await rows(table)).toEqual([{ id: 1, p: null }]);
    expect((await table.history())[0]).toMatchObject({ version: 0, operation: 'WRITE' });
  });

  it('LR-20: only names of 20 digits are versions; -1 is none', async () => {
    const log = await idTable(0);
    log.storage.set(log.url('_delta_log/000000000000000000001.json'), '{}');
    expect((await log.open()).version).toBe(0);
    await expect(log.open({ version: -1 })).rejects.toMatchObject({ code: 'InvalidOption' });
    await expect(log.open({ version: 1.5 })).rejects.toMatchObject({ code: 'InvalidOption' });
    await expect(log.open({ version: 7 })).rejects.toMatchObject({ code: 'MissingVersion' });
  });
});

describe('checkpoints', () => {
  const withCheckpoint = async () => {
    const log = (await idTable()).commit(add('f1')).commit(add('f2'));
    return log.checkpoint(1, protocol(), metadata(ID), add('f1'));
  };

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['cut off', '{'],
    ['of a checkpoint that is gone', '{"version":2,"size":3}'],
    ['with parts: 1', '{"version":1,"size":3,"parts":1}'],
    ['with text for a version', '{"version":"1","size":3}'],
  ])('CP-01, CP-03, CP-06: a hint that is %s', async (_name, hint) => {
    const log = await withCheckpoint();
    if (hint !== undefined) log.text('_delta_log/_last_checkpoint', hint);
    expect(await ids(log)).toEqual([1, 2]);
    expect(await ids(log, { version: 0 })).toEqual([]);
  });

  it('CP-02: a newer checkpoint than the hint says is found', async () => {
    const log = await withCheckpoint();
    log.text('_delta_log/_last_checkpoint', '{"version":1,"size":3}');
    log.commit(add('f3'));
    await log.checkpoint(3, protocol(), metadata(ID), add('f1'), add('f2'), add('f3'));
    expect(await ids(log)).toEqual([1, 2, 3]);
  });

  it('a checkpoint that is the start of the log', async () => {
    const log = new LogBuilder().skip(3).commit(add('f2'));
    for (const file of [1, 2]) await log.parquet(`f${file}`, ID, [[BigInt(file)]]);
    await log.checkpoint(2, protocol(), metadata(ID), add('f1'));
    expect(await ids(log)).toEqual([1, 2]);
    await expect(log.open({ version: 1 })).rejects.toMatchObject({ name: 'DeltaError' });
  });
});

describe('schemas and column mapping', () => {
  const mapped = (name: string, type: DataType, physical: string, id: number) =>
    field(name, type, {
      metadata: { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': physical },
    });
  const physicalSchema = types.struct([field('col-a', types.long), field('col-s', types.string)]);
  const logicalSchema = types.struct([
    mapped('a b', types.long, 'col-a', 1),
    mapped('s', types.string, 'col-s', 2),
  ]);
  const open = async (
    schema: StructType,
    { mode, file, data }: { mode: string; file: StructType; data: ScalarValue[][] },
  ) => {
    const configuration = { 'delta.columnMapping.mode': mode, 'delta.columnMapping.maxColumnId': '9' };
    const log = new LogBuilder().commit(protocol(2, 5), metadata(schema, { configuration }), add('f'));
    return (await log.parquet('f', file, data)).open();
  };

  it('SC-03: void columns read as null, also within structs', async () => {
    const schema = types.struct([
      field('id', types.long),
      field('v', types.void),
      field('s', types.struct([field('x', types.void), field('y', types.integer)])),
    ]);
    const file = types.struct([
      field('id', types.long),
      field('s', types.struct([field('y', types.integer)])),
    ]);
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('f'));
    await log.parquet('f', file, [
      [1n, [2]],
      [2n, null],
    ]);
    expect(await rows(await log.open())).toEqual([
      { id: 1, v: null, s: { x: null, y: 2 } },
      { id: 2, v: null, s: null },
    ]);
  });

  it('SC-04: an unknown type is shown, and refused only where it is read', async () => {
    const schema = types.struct([
      field('id', types.long),
      field('g', { kind: 'opaque', name: 'interval day' }),
    ]);
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('f'));
    await log.parquet('f', ID, [[1n]]);
    const table = await log.open();
    expect(table.schema.fields[1]!.type).toEqual({ kind: 'opaque', name: 'interval day' });
    expect(await rows(table, { columns: ['id'] })).toEqual([{ id: 1 }]);
    await expect(rows(table)).rejects.toMatchObject({
      code: 'Unsupported',
      message: expect.stringContaining('g'),
    });
  });

  it('SC-05: partition values are found by the physical name', async () => {
    const schema = types.struct([
      mapped('id', types.long, 'col-a', 1),
      mapped('BATCH', types.integer, 'col-b', 2),
    ]);
    const log = new LogBuilder().commit(
      protocol(2, 5),
      metadata(schema, {
        partitionColumns: ['BATCH'],
        configuration: { 'delta.columnMapping.mode': 'name' },
      }),
      add('f', { partitionValues: { 'col-b': '7' } }),
    );
    await log.parquet('f', types.struct([field('col-a', types.long)]), [[1n]]);
    const table = await log.open();
    expect(await rows(table)).toEqual([{ id: 1, BATCH: 7 }]);
    expect(await rows(table, { where: 'BATCH = 7', columns: ['id'] })).toEqual([{ id: 1 }]);
    expect(await rows(table, { where: 'BATCH IS NULL' })).toEqual([]);
  });

  it('SC-06: annotations of columns are ignored without a mode', async () => {
    const file = types.struct([field('a b', types.long), field('s', types.string)]);
    const table = await open(logicalSchema, { mode: 'none', file, data: [[1n, 'x']] });
    expect(await rows(table)).toEqual([{ 'a b': 1, s: 'x' }]);
  });

  it.each(['name', 'id'])(
    'SC-09: files without field ids are read by physical names, mode %s',
    async (mode) => {
      const table = await open(logicalSchema, { mode, file: physicalSchema, data: [[1n, 'x']] });
      expect(await rows(table, { where: '`a b` = 1' })).toEqual([{ 'a b': 1, s: 'x' }]);
    },
  );

  it('SC-07: a struct and its field may share a physical name', async () => {
    const inner = types.struct([mapped('address', types.string, 'address', 2)]);
    const schema = types.struct([mapped('address', inner, 'address', 1)]);
    const file = types.struct([field('address', types.struct([field('address', types.string)]))]);
    const table = await open(schema, { mode: 'name', file, data: [[['x']]] });
    expect(await rows(table)).toEqual([{ address: { address: 'x' } }]);
  });

  it('LR-14: column mapping that only the writer features list is in force', async () => {
    const configuration = { 'delta.columnMapping.mode': 'name' };
    const log = new LogBuilder().commit(
      protocol(3, 7, { reader: [], writer: ['columnMapping'] }),
      metadata(logicalSchema, { configuration }),
      add('f'),
    );
    await log.parquet('f', physicalSchema, [[1n, 'x']]);
    expect(await rows(await log.open())).toEqual([{ 'a b': 1, s: 'x' }]);
  });

  it('SC-11: names match whatever their case; two that differ in case only are refused', async () => {
    const schema = types.struct([field('C1', types.long), field('C2', types.string)]);
    const log = new LogBuilder().commit(
      protocol(),
      metadata(schema, { partitionColumns: ['c2'] }),
      add('f', { partitionValues: { c2: '1' } }),
    );
    await log.parquet('f', types.struct([field('C1', types.long)]), [[5n]]);
    const table = await log.open();
    expect(await rows(table, { where: "c2 = '1'", columns: ['c1'] })).toEqual([{ C1: 5 }]);
    const twice = types.struct([field('id', types.long), field('ID', types.long)]);
    await expect(new LogBuilder().commit(protocol(), metadata(twice)).open()).rejects.toMatchObject({
      code: 'Schema',
    });
  });

  it('SC-16: an empty partitioned table has all its columns', async () => {
    const schema = types.struct([field('p', types.date), field('id', types.long), field('q', types.string)]);
    const log = new LogBuilder().commit(protocol(), metadata(schema, { partitionColumns: ['q', 'p'] }));
    const scan = (await log.open()).scan();
    expect(scan.schema.fields.map(({ name }) => name)).toEqual(['p', 'id', 'q']);
    for await (const batch of scan) expect(batch.numRows).toBe(0);
  });

  it('SC-17: the value of the log wins over a partition column in the file', async () => {
    const schema = types.struct([field('id', types.long), field('p', types.integer)]);
    const log = new LogBuilder().commit(
      protocol(),
      metadata(schema, { partitionColumns: ['p'] }),
      add('f', { partitionValues: { p: '7' } }),
    );
    await log.parquet('f', schema, [[1n, 99]]);
    expect(await rows(await log.open(), { where: 'p = 7' })).toEqual([{ id: 1, p: 7 }]);
  });
});

describe('partition values and paths', () => {
  const partitioned = async (type: DataType, values: (string | null | undefined)[]) => {
    const schema = types.struct([field('id', types.long), field('p', type)]);
    const adds = values.map((value, index) => {
      return add(`f${index}`, { partitionValues: value === undefined ? {} : { p: value } });
    });
    const log = new LogBuilder().commit(protocol(), metadata(schema, { partitionColumns: ['p'] }), ...adds);
    for (const index of values.keys()) await log.parquet(`f${index}`, ID, [[BigInt(index)]]);
    return log;
  };
  const valuesOf = async (log: LogBuilder) => {
    const found = (await rows(await log.open())) as { id: number; p: unknown }[];
    return found.sort((a, b) => a.id - b.id).map(({ p }) => p);
  };

  it.each([
    ['x=A%252FA/f', 'x=A%2FA/f'],
    ['x=B%20B/f', 'x=B B/f'],
    ['d=2023-11-05%2000%253A00%253A00/f', 'd=2023-11-05 00%3A00%3A00/f'],
    ['$&!+;=@~,/f', '$&!+;=@~,/f'],
    ['%C3%A9%E6%97%A5/f', 'é日/f'],
    ['é日😀/f', 'é日😀/f'],
    ['a%23b%3Fc%5Bd%5D%7C/f', 'a#b?c[d]|/f'],
  ])('PV-01: %s is the file %s', async (path, disk) => {
    const log = new LogBuilder().commit(protocol(), metadata(ID), add(path));
    await log.parquet(disk, ID, [[1n]]);
    expect(await ids(log)).toEqual([1]);
  });

  it('PV-03: absolute paths are used as they are', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(ID), add('memory:///other/f'), add('/other/g'));
    await log.parquet('../other/f', ID, [[1n]]);
    await log.parquet('../other/g', ID, [[2n]]);
    expect(await ids(log)).toEqual([1, 2]);
  });

  it.each(['../secret/f', '..%2F..%2Fsecret/f', '%2e%2e/secret/f', 'a/../../secret/f'])(
    'PV-04: %s does not leave the table',
    async (path) => {
      const log = new LogBuilder().commit(protocol(), metadata(ID), add(path, { size: 1 }));
      log.storage.set('memory:///secret/f', 'x');
      await expect(ids(log)).rejects.toMatchObject({ code: 'InvalidPath' });
    },
  );

  it.each(['memory:///t', 'memory:///t/', 'memory:///t//'])('PV-05: %s is the same table', async (url) => {
    const log = (await idTable(1)).commit(add('f1'));
    const { DeltaTable } = await import('../../src/table/delta-table.ts');
    const table = await DeltaTable.open({ url, engine: log.engine });
    expect(table.url.href).toBe('memory:///t/');
    expect(await rows(table)).toEqual([{ id: 1 }]);
  });

  it('PV-07, PV-08: empty text is empty for strings and binary, null for others; absent is null', async () => {
    expect(await valuesOf(await partitioned(types.string, ['', null, undefined, 'x']))).toEqual([
      '',
      null,
      null,
      'x',
    ]);
    expect(await valuesOf(await partitioned(types.binary, ['', null]))).toEqual(['', null]);
    expect(await valuesOf(await partitioned(types.integer, ['', null, '1']))).toEqual([null, null, 1]);
    const hive = await partitioned(types.string, ['__HIVE_DEFAULT_PARTITION__']);
    expect(await valuesOf(hive)).toEqual(['__HIVE_DEFAULT_PARTITION__']);
  });

  it('PV-07: the same from a checkpoint, in projection and in filters', async () => {
    const log = await partitioned(types.string, ['', null]);
    const schema = types.struct([field('id', types.long), field('p', types.string)]);
    const adds = [add('f0', { partitionValues: { p: '' } }), add('f1', { partitionValues: { p: null } })];
    await log.checkpoint(0, protocol(), metadata(schema, { partitionColumns: ['p'] }), ...adds);
    expect(await valuesOf(log)).toEqual(['', null]);
    const table = await log.open();
    expect(await rows(table, { where: "p = ''", columns: ['id'] })).toEqual([{ id: 0 }]);
    expect(await rows(table, { where: 'p IS NULL', columns: ['id'] })).toEqual([{ id: 1 }]);
  });

  it('PV-09: timestamps with and without zones, exact and before 1970', async () => {
    const log = await partitioned(types.timestamp, [
      '2024-03-10 10:00:00',
      '2024-03-10 10:00:00.123456',
      '2024-03-10T10:00:00.123456Z',
      '2024-03-10T10:00:00+05:30',
      '1969-12-31 23:20:57.657658',
    ]);
    expect(await valuesOf(log)).toEqual([
      '2024-03-10T10:00:00.000000Z',
      '2024-03-10T10:00:00.123456Z',
      '2024-03-10T10:00:00.123456Z',
      '2024-03-10T04:30:00.000000Z',
      '1969-12-31T23:20:57.657658Z',
    ]);
    const where = "p = TIMESTAMP '2024-03-10 10:00:00.123456'";
    expect(await ids(log, { where })).toEqual([1, 2]);
  });

  it('PV-10, PV-11: decimals, booleans and binary', async () => {
    const decimals = await partitioned(types.decimal(10, 2), ['1.5', '1.50', '-0.01', '1E+2']);
    expect(await valuesOf(decimals)).toEqual(['1.50', '1.50', '-0.01', '100.00']);
    const long = await partitioned(types.decimal(38, 10), ['1234567890123456789012345678.0123456789']);
    expect(await valuesOf(long)).toEqual(['1234567890123456789012345678.0123456789']);
    expect(await valuesOf(await partitioned(types.boolean, ['TRUE', 'false']))).toEqual([true, false]);
    expect(await valuesOf(await partitioned(types.binary, ['Hello', '\u0001\u0002']))).toEqual([
      'SGVsbG8=',
      'AQI=',
    ]);
    await expect(valuesOf(await partitioned(types.boolean, ['yes']))).rejects.toMatchObject({
      name: 'DeltaError',
      message: expect.stringContaining('p'),
    });
  });

  it('PV-12: values are compared as values, not as text', async () => {
    expect(await ids(await partitioned(types.double, ['1.0', '1', '2']), { where: 'p = 1' })).toEqual([0, 1]);
    expect(await ids(await partitioned(types.boolean, ['True', 'false']), { where: 'p = true' })).toEqual([
      0,
    ]);
  });
});

describe('deletion vectors', () => {
  // The protocol's example: rows 3, 4, 7, 11, 18 and 29.
  const inline = {
    storageType: 'i',
    pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
    sizeInBytes: 40,
    cardinality: 6,
  };
  const deleted = [3, 4, 7, 11, 18, 29];
  const tableOf = async (dv: object, count = 40) => {
    const log = new LogBuilder().commit(
      featureProtocol('deletionVectors'),
      metadata(ID),
      add('f', { deletionVector: dv, stats: { numRecords: count, tightBounds: false } }),
    );
    return log.parquet(
      'f',
      ID,
      Array.from({ length: count }, (_, row) => [BigInt(row)]),
    );
  };
  const live = Array.from({ length: 40 }, (_, row) => row).filter((row) => !deleted.includes(row));

  it('DV-07: an inline vector', async () => {
    expect(await ids(await tableOf(inline))).toEqual(live);
  });

  it('DV-01, ST-19: positions are those in the file, limits count what is left', async () => {
    const log = await tableOf(inline);
    expect(await ids(log, { where: 'id >= 18' })).toEqual(live.filter((id) => id >= 18));
    expect(await ids(log, { where: 'id IN (3, 12, 29, 30)' })).toEqual([12, 30]);
    expect(await ids(log, { where: 'id > 10', limit: 2 })).toEqual([12, 13]);
  });

  it('ST-15: counts leave deleted rows out', async () => {
    const table = await (await tableOf(inline)).open();
    expect(await table.count()).toBe(34);
    expect(await table.detail()).toMatchObject({ numFiles: 1, numRecords: 34 });
    expect(await table.count({ where: 'id < 5' })).toBe(3);
  });

  it.each([
    ['cardinality', { ...inline, cardinality: 7 }],
    ['size', { ...inline, sizeInBytes: 41 }],
    ['storage type', { ...inline, storageType: 'x' }],
    ['text', { ...inline, pathOrInlineDv: 'wi5b' }],
  ])('DV-05: a wrong %s is an error', async (_name, dv) => {
    await expect(ids(await tableOf(dv))).rejects.toMatchObject({ code: 'DeletionVector' });
  });

  it('LR-05: one commit may remove a file and add it with a vector, in either order', async () => {
    for (const reversed of [false, true]) {
      const log = new LogBuilder().commit(featureProtocol('deletionVectors'), metadata(ID), add('f'));
      await log.parquet(
        'f',
        ID,
        Array.from({ length: 40 }, (_, row) => [BigInt(row)]),
      );
      const actions = [remove('f'), add('f', { deletionVector: inline })];
      log.commit(...(reversed ? actions.reverse() : actions));
      expect(await ids(log)).toEqual(live);
    }
  });
});

describe('filters', () => {
  const AB = types.struct([field('a', types.long), field('b', types.long)]);

  it('ST-08: longs beyond 2^53 are exact, in statistics too', async () => {
    const big = 9_007_199_254_740_993n;
    const log = new LogBuilder().commit(protocol(), metadata(ID));
    await log.parquet('f', ID, [[big]]);
    const text = JSON.stringify(add('f', { stats: 'S', size: log.sizeOf('f') })).replace(
      '"S"',
      JSON.stringify(
        `{"numRecords":1,"minValues":{"id":${big}},"maxValues":{"id":${big}},"nullCount":{"id":0}}`,
      ),
    );
    log.text(commitName(1), text);
    const table = await log.open();
    const scan = table.scan({ where: `id = ${big}` });
    let found = '';
    for await (const batch of scan) found += rowsToNdjson(batch, scan.schema);
    expect(found).toBe(`{"id":${big}}\n`);
    expect(await rows(table, { where: `id = ${big - 1n}` })).toEqual([]);
  });

  it('ST-06: statistics that are no JSON keep the file', async () => {
    for (const stats of [
      '',
      'not json',
      '{"numRecords":1,"maxValues":{"id":NaN}}',
      '{"maxValues":{"id":"x"}}',
    ]) {
      const log = new LogBuilder().commit(protocol(), metadata(ID), add('f', { stats }));
      await log.parquet('f', ID, [[5n]]);
      expect(await ids(log, { where: 'id > 4' })).toEqual([5]);
      expect(await (await log.open()).count()).toBe(1);
    }
  });

  it('ST-11: only true selects', async () => {
    const stats = { numRecords: 3, minValues: { a: 5 }, maxValues: { a: 5 }, nullCount: { a: 2 } };
    const log = new LogBuilder().commit(protocol(), metadata(AB), add('f', { stats }));
    await log.parquet('f', AB, [
      [5n, 1n],
      [null, 1n],
      [null, 2n],
    ]);
    const table = await log.open();
    const count = async (where: string) => (await rows(table, { where })).length;
    expect(await count('NOT (a = 5)')).toBe(0);
    expect(await count('a != 5 OR b = 1')).toBe(2);
    expect(await count('a IN (NULL, 5)')).toBe(1);
    expect(await count('NOT (a IN (NULL, 7))')).toBe(0);
    expect(await count('a <=> NULL')).toBe(2);
    expect(await count('a IS NOT NULL')).toBe(1);
    expect(await count('NULL')).toBe(0);
  });

  it('ST-12: a column that is not there is an error', async () => {
    const log = await idTable(0);
    const table = await log.open();
    expect(() => table.scan({ where: 'nope = 1' })).toThrowError(
      expect.objectContaining({ code: 'InvalidExpression' }),
    );
    expect(() => table.scan({ columns: ['nope'] })).toThrowError(expect.objectContaining({ code: 'Schema' }));
  });

  it('ST-19: the limit counts rows after the filter', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(ID), add('f'));
    await log.parquet(
      'f',
      ID,
      Array.from({ length: 100 }, (_, row) => [BigInt(row)]),
    );
    expect(await ids(log, { where: 'id = 90', limit: 1 })).toEqual([90]);
    expect(await ids(log, { limit: 0 })).toEqual([]);
    const table = await log.open();
    for (const limit of [-1, 1.5, Number.NaN]) {
      expect(() => table.scan({ limit })).toThrowError(expect.objectContaining({ code: 'InvalidOption' }));
    }
  });

  it('columns that only the filter needs do not come out', async () => {
    const schema = types.struct([
      field('a', types.long),
      field('s', types.struct([field('x', types.long), field('y', types.string)])),
    ]);
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('f'));
    await log.parquet('f', schema, [
      [1n, [10n, 'p']],
      [2n, null],
      [3n, [30n, null]],
    ]);
    const table = await log.open();
    expect(await rows(table, { columns: ['s.y'], where: 's.x > 5' })).toEqual([
      { s: { y: 'p' } },
      { s: { y: null } },
    ]);
    expect(await rows(table, { columns: ['s.y'], where: 'a = 2' })).toEqual([{ s: null }]);
    expect(await rows(table, { columns: ['a'], where: 's IS NULL' })).toEqual([{ a: 2 }]);
    expect(await rows(table, { columns: [], where: 'a < 3' })).toEqual([{}, {}]);
  });
});
