import {
  Field,
  Float64,
  Int32,
  Schema,
  Struct,
  Table,
  TimestampMillisecond,
  tableFromArrays,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { DeltaError, isDeltaError } from '../../../src/errors.ts';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import type { AppendOptions } from '../../../src/table/write/append.ts';
import type { RowInput } from '../../../src/table/write/input.ts';
import { featureProtocol, LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';
import { actionsOf, rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const simple = types.struct([field('id', types.long), field('name', types.string)]);
const quick: AppendOptions = { pauses: { sleep: async () => {} } };

function tableOf(
  schema: StructType,
  options: Parameters<typeof metadata>[1] = {},
  theProtocol = protocol(1, 2),
): LogBuilder {
  return new LogBuilder().commit(theProtocol, metadata(schema, options));
}

async function commitOf(log: LogBuilder, version: number) {
  const location = log.url(`_delta_log/${String(version).padStart(20, '0')}.json`);
  for await (const bytes of log.storage.readFiles([{ location }]))
    return actionsOf(new TextDecoder().decode(bytes));
  throw new Error('no commit');
}

async function failure(run: Promise<unknown>): Promise<DeltaError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDeltaError(error)) throw new Error(`expected a DeltaError, got ${String(error)}`);
  return error;
}

/** Every file below the table but the log. */
async function dataFiles(log: LogBuilder): Promise<string[]> {
  const names: string[] = [];
  for await (const { location } of log.storage.listRecursive(log.root)) {
    if (!location.pathname.includes('/_delta_log/')) names.push(location.pathname);
  }
  return names;
}

describe('row objects', () => {
  it('are appended in order, by name whatever its case, what is missing as null', async () => {
    const table = await tableOf(simple).open();
    expect(await table.append([{ id: 1, name: 'a' }, { ID: 2n }, { name: null, id: 3 }])).toBe(1);
    expect(table.version).toBe(1);
    expect(await rowTexts(table)).toEqual([
      '{"id":1,"name":"a"}',
      '{"id":2,"name":null}',
      '{"id":3,"name":null}',
    ]);
  });

  it('hold every type', async () => {
    const schema = types.struct([
      field('byte', types.byte),
      field('short', types.short),
      field('int', types.integer),
      field('long', types.long),
      field('float', types.float),
      field('double', types.double),
      field('dec', types.decimal(20, 2)),
      field('bool', types.boolean),
      field('bin', types.binary),
      field('day', types.date),
      field('ts', types.timestamp),
      field('list', types.array(types.struct([field('x', types.integer)]))),
      field('map', types.map(types.string, types.long)),
      field('keys', types.map(types.long, types.string)),
    ]);
    const table = await tableOf(schema).open();
    await table.append([
      {
        byte: -128,
        short: 32767,
        int: -2147483648,
        long: 9007199254740993n,
        float: 0.1,
        double: 'NaN',
        dec: '-123456789012345678.90',
        bool: false,
        bin: new Uint8Array([0, 255]),
        day: '1969-12-31',
        ts: new Date('2024-02-29T12:00:00.123Z'),
        list: [{ x: 1 }, null, {}],
        map: { a: 1, b: null },
        keys: new Map([[5, 'five']]),
      },
      {
        ts: '2024-01-01T00:00:00.000001+01:00',
        day: new Date('2024-01-31'),
        dec: 1.5,
        bin: 'AP8=',
        double: -0,
      },
    ]);
    const [first, second] = await rowTexts(table);
    expect(first).toBe(
      '{"byte":-128,"short":32767,"int":-2147483648,"long":9007199254740993,"float":0.1,"double":"NaN",' +
        '"dec":"-123456789012345678.90","bool":false,"bin":"AP8=","day":"1969-12-31",' +
        '"ts":"2024-02-29T12:00:00.123000Z","list":[{"x":1},null,{"x":null}],"map":{"a":1,"b":null},' +
        '"keys":[{"key":5,"value":"five"}]}',
    );
    expect(JSON.parse(second!)).toMatchObject({
      ts: '2023-12-31T23:00:00.000001Z',
      day: '2024-01-31',
      dec: '1.50',
      bin: 'AP8=',
    });
  });

  it.each<[string, unknown, string]>([
    ['long', 1.5, 'id'],
    ['long beyond 2^53 as a number', 2 ** 53, 'id'],
    ['long beyond 64 bits', 2n ** 63n, 'id'],
    ['text for a long', '1', 'id'],
    ['a date for a long', new Date(0), 'id'],
    ['NaN for a long', Number.NaN, 'id'],
  ])('refuses %s, naming column and row, before anything is written', async (_, value, column) => {
    const log = tableOf(simple);
    const table = await log.open();
    const error = await failure(table.append([{ id: 1 }, { id: value }]));
    expect(error).toMatchObject({ code: 'Schema', column, table: 'memory:///t/' });
    expect(error.message).toContain('row 2');
    expect(await dataFiles(log)).toEqual([]);
    expect(table.version).toBe(0);
  });

  it.each<[string, RowInput, string, string]>([
    ['an unknown column', [{ id: 1, nam: 'a' }], 'Schema', 'did you mean name'],
    ['one column twice', [{ id: 1, ID: 2 }], 'Schema', 'given twice'],
    ['a lone surrogate', [{ name: '\ud800' }], 'Schema', 'column name'],
    ['a row that is none', [null as never], 'Schema', 'row 1'],
    ['a single row', { id: 1 } as never, 'InvalidOption', 'list of row objects'],
    ['text', 'rows' as never, 'InvalidOption', 'list of row objects'],
  ])('refuses %s', async (_, input, code, text) => {
    const error = await failure((await tableOf(simple).open()).append(input));
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  it('come lazily, too; what was written before a bad row is deleted again', async () => {
    const log = tableOf(simple);
    const table = await log.open();
    async function* good() {
      for (let id = 0; id < 40_000; id += 1) yield { id };
    }
    expect(await table.append(good())).toBe(1);
    expect(await table.count()).toBe(40_000);
    const before = await dataFiles(log);
    function* bad() {
      for (let id = 0; id < 40_000; id += 1) yield { id: id === 39_999 ? 'x' : id };
    }
    expect((await failure(table.append(bad(), { targetFileSize: 1 }))).code).toBe('Schema');
    expect(await dataFiles(log)).toEqual(before);
  });

  it('none at all are no commit', async () => {
    const table = await tableOf(simple).open();
    expect(await table.append([])).toBe(0);
  });
});

describe('Arrow', () => {
  it('is taken by name; numbers convert where they are exact', async () => {
    const table = await tableOf(simple).open();
    await table.append(tableFromArrays({ name: ['a', 'b'], id: [1, 2] }));
    await table.append(tableFromArrays({ id: Int32Array.of(3) }).batches[0]!);
    expect((await rowTexts(table)).sort()).toEqual([
      '{"id":1,"name":"a"}',
      '{"id":2,"name":"b"}',
      '{"id":3,"name":null}',
    ]);
    const error = await failure(table.append(tableFromArrays({ id: [1.5] })));
    expect(error).toMatchObject({ code: 'Schema', column: 'id' });
  });

  it('of another type is refused', async () => {
    const table = await tableOf(types.struct([field('t', types.timestamp), field('n', types.long)])).open();
    const naive = new Table({ t: vectorFromArray([new Date(0)], new TimestampMillisecond()) });
    expect(await failure(table.append(naive))).toMatchObject({ code: 'Schema', column: 't' });
    const text = new Table({ n: vectorFromArray(['1'], new Utf8()) });
    expect(await failure(table.append(text))).toMatchObject({ code: 'Schema', column: 'n' });
  });

  it('may lack fields of structs, at any depth', async () => {
    const inner = types.struct([field('x', types.double), field('y', types.string)]);
    const table = await tableOf(types.struct([field('s', inner), field('l', types.array(inner))])).open();
    const struct = new Struct([new Field('X', new Float64(), true)]);
    const batch = new Table(new Schema([new Field('s', struct, true)]), {
      s: vectorFromArray([{ X: 1.5 }, null], struct),
    });
    await table.append(batch);
    expect(await rowTexts(table)).toEqual(['{"s":{"x":1.5,"y":null},"l":null}', '{"s":null,"l":null}']);
  });

  it('in slices is written whole', async () => {
    const table = await tableOf(types.struct([field('i', types.integer), field('s', types.string)])).open();
    const i = Int32Array.from({ length: 50_000 }, (_, row) => row);
    const s = Array.from(i, (value) => `text ${value}`);
    const whole = new Table({ i: vectorFromArray([...i], new Int32()), s: vectorFromArray(s, new Utf8()) });
    await table.append(whole.slice(7, 49_000));
    expect((await table.files()).length).toBe(1);
    expect(await rowTexts(table, { where: 'i < 9 OR i = 48999' })).toEqual([
      '{"i":7,"s":"text 7"}',
      '{"i":8,"s":"text 8"}',
      '{"i":48999,"s":"text 48999"}',
    ]);
    expect(await table.count()).toBe(48_993);
  });
});

describe('what a commit holds', () => {
  it('add actions with statistics, one commitInfo first, no metaData', async () => {
    const log = tableOf(simple, { partitionColumns: ['name'] });
    const table = await log.open();
    await table.append(
      [
        { id: 5, name: 'a:b/ü %' },
        { id: -1, name: null },
        { id: 7, name: 'a:b/ü %' },
        { id: 0, name: '' },
      ],
      {
        engineInfo: 'test',
      },
    );
    const actions = await commitOf(log, 1);
    expect(actions.map((action) => Object.keys(action)[0])).toEqual(['commitInfo', 'add', 'add']);
    expect(actions[0]!.commitInfo).toMatchObject({
      operation: 'WRITE',
      engineInfo: 'test',
      isBlindAppend: true,
    });
    const adds = actions.slice(1).map(({ add }) => add!);
    // Hive-escaped in the directory, then URI-encoded once more in the path.
    expect(adds[0]!.path).toMatch(/^name=a%253Ab%252F%C3%BC%20%2525\/part-.*\.parquet$/);
    expect(adds[1]!.path).toMatch(/^name=__HIVE_DEFAULT_PARTITION__\/part-.*\.parquet$/);
    expect(adds.map(({ partitionValues }) => partitionValues)).toEqual([{ name: 'a:b/ü %' }, { name: null }]);
    expect(adds.map(({ stats }) => JSON.parse(stats as string))).toEqual([
      { numRecords: 2, minValues: { id: 5 }, maxValues: { id: 7 }, nullCount: { id: 0 } },
      { numRecords: 2, minValues: { id: -1 }, maxValues: { id: 0 }, nullCount: { id: 0 } },
    ]);
    expect((await rowTexts(table, { where: "name = 'a:b/ü %'", columns: ['id'] })).sort()).toEqual([
      '{"id":5}',
      '{"id":7}',
    ]);
  });

  it('files of about the target size', async () => {
    const table = await tableOf(simple).open();
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `${id * 7919}` }));
    await table.append(rows, { targetFileSize: 200_000 });
    const files = await table.files();
    expect(files.length).toBeGreaterThan(2);
    expect(files.every(({ size }) => size < 600_000)).toBe(true);
    expect(await table.count()).toBe(60_000);
  });

  it('statistics of the columns that the table names, under physical names', async () => {
    const mapped = types.struct([
      field('id', types.long, {
        metadata: { 'delta.columnMapping.id': 1, 'delta.columnMapping.physicalName': 'col-1' },
      }),
      field('name', types.string, {
        metadata: { 'delta.columnMapping.id': 2, 'delta.columnMapping.physicalName': 'col-2' },
      }),
    ]);
    const configuration = {
      'delta.columnMapping.mode': 'id',
      'delta.columnMapping.maxColumnId': '2',
      'delta.dataSkippingStatsColumns': 'name',
    };
    const log = tableOf(mapped, { configuration }, featureProtocol('columnMapping'));
    const table = await log.open();
    await table.append([{ id: 1, name: 'a' }]);
    const [file] = await table.files();
    expect(JSON.parse(file!.stats!)).toEqual({
      numRecords: 1,
      minValues: { 'col-2': 'a' },
      maxValues: { 'col-2': 'a' },
      nullCount: { 'col-2': 0 },
    });
    expect(await rowTexts(table)).toEqual(['{"id":1,"name":"a"}']);
    const location = log.url(file!.path);
    const footer = await log.engine.parquetHandler.readParquetFooter({
      location,
      size: file!.size,
      lastModified: 0,
    });
    expect(
      footer.schema.fields.map((each) => [each.name, Number(each.metadata['parquet.field.id'])]),
    ).toEqual([
      ['col-1', 1],
      ['col-2', 2],
    ]);
  });

  it('no void column in files', async () => {
    const schema = types.struct([
      field('a', types.integer),
      field('v', types.void),
      field('s', types.struct([field('v', types.void), field('b', types.integer)])),
    ]);
    const table = await tableOf(schema).open();
    await table.append([
      { a: 1, s: { b: 2 } },
      { a: 2, s: null },
    ]);
    expect(await rowTexts(table)).toEqual([
      '{"a":1,"v":null,"s":{"v":null,"b":2}}',
      '{"a":2,"v":null,"s":null}',
    ]);
    expect(await failure(table.append([{ a: 1, v: 1 }]))).toMatchObject({ code: 'Schema', column: 'v' });
  });

  it('the codec that the table asks for', async () => {
    const log = tableOf(simple, { configuration: { 'delta.parquet.compression.codec': 'ZSTD' } });
    const table = await log.open();
    await table.append([{ id: 1, name: 'a' }]);
    const [file] = await table.files();
    const layout = await (
      log.engine.parquetHandler as unknown as {
        readParquetLayout(file: object): Promise<{ rowGroups: { columns: { codec: string }[] }[] }>;
      }
    ).readParquetLayout({ location: log.url(file!.path), size: file!.size, lastModified: 0 });
    expect(layout.rowGroups[0]!.columns[0]!.codec.toLowerCase()).toContain('zstd');
  });
});

describe('rules of the table', () => {
  const required = types.struct([
    field('id', types.long, { nullable: false }),
    field('s', types.struct([field('x', types.integer, { nullable: false })])),
    field('l', types.array(types.integer, false)),
  ]);

  it.each<[string, object, string]>([
    ['a null', { id: null }, 'id'],
    ['a missing column', { s: null }, 'id'],
    ['a null in a struct', { id: 1, s: {} }, 's.x'],
    ['a null in a list', { id: 1, l: [1, null] }, 'l.element'],
  ])('NOT NULL refuses %s', async (_, row, column) => {
    const log = tableOf(required);
    const error = await failure((await log.open()).append([{ id: 1, s: { x: 1 }, l: [] }, row as never]));
    expect(error).toMatchObject({ code: 'ConstraintViolation', column });
    expect(await dataFiles(log)).toEqual([]);
  });

  it('NOT NULL allows nulls of structs above', async () => {
    const table = await tableOf(required).open();
    expect(await table.append([{ id: 1 }, { id: 2, s: null, l: null }])).toBe(1);
  });

  it('CHECK constraints must be true, null is not', async () => {
    const configuration = { 'delta.constraints.positive': 'id > 0' };
    const table = await tableOf(simple, { configuration }, protocol(1, 3)).open();
    expect(await table.append([{ id: 1 }])).toBe(1);
    for (const id of [0, null]) {
      const error = await failure(table.append([{ id: 5 }, { id }]));
      expect(error.code).toBe('ConstraintViolation');
      expect(error.message).toContain('positive');
    }
  });

  it('a CHECK constraint that cannot be evaluated is refused by name', async () => {
    const configuration = { 'delta.constraints.odd': 'regexp_like(name, "x")' };
    const table = await tableOf(simple, { configuration }, protocol(1, 3)).open();
    const error = await failure(table.append([{ id: 1 }]));
    expect(error).toMatchObject({ code: 'Unsupported', feature: 'checkConstraints' });
    expect(error.message).toContain('odd');
  });

  it('invariants hold for every row', async () => {
    const invariant = { 'delta.invariants': '{"expression":{"expression":"id < 10"}}' };
    const schema = types.struct([field('id', types.long, { metadata: invariant })]);
    const table = await tableOf(schema).open();
    expect(await table.append([{ id: 9 }])).toBe(1);
    expect((await failure(table.append([{ id: 10 }]))).code).toBe('ConstraintViolation');
  });

  it('generated columns are computed, and checked where they are given', async () => {
    const schema = types.struct([
      field('id', types.long),
      field('twice', types.long, { metadata: { 'delta.generationExpression': 'id * 2' } }),
      field('day', types.date, { metadata: { 'delta.generationExpression': 'CAST(ts AS DATE)' } }),
      field('ts', types.timestamp),
    ]);
    const table = await tableOf(schema, {}, protocol(1, 4)).open();
    await table.append([{ id: 21, ts: '2024-05-06T23:59:59Z' }]);
    expect(await rowTexts(table)).toEqual([
      '{"id":21,"twice":42,"day":"2024-05-06","ts":"2024-05-06T23:59:59.000000Z"}',
    ]);
    expect((await failure(table.append([{ id: 21, twice: 43 }]))).code).toBe('ConstraintViolation');
    expect(await table.append([{ id: 21, twice: 42 }])).toBe(2);
  });

  it('defaults fill columns that are not given; a null that is given stays', async () => {
    const schema = types.struct([
      field('id', types.long),
      field('n', types.integer, { metadata: { CURRENT_DEFAULT: '7' } }),
    ]);
    const table = await tableOf(schema, {}, protocol(1, 7, { writer: ['allowColumnDefaults'] })).open();
    await table.append([{ id: 1 }]);
    await table.append([{ id: 2, n: null }]);
    expect((await rowTexts(table)).sort()).toEqual(['{"id":1,"n":7}', '{"id":2,"n":null}']);
  });

  it.each<[string, string[], Record<string, unknown>]>([
    ['identityColumns', ['identityColumns'], { 'delta.identity.start': 1, 'delta.identity.step': 1 }],
    ['someFutureFeature', ['someFutureFeature'], {}],
  ])('refuses a table with %s by name', async (feature, writer, metadataOfField) => {
    const schema = types.struct([field('id', types.long, { metadata: metadataOfField })]);
    const table = await tableOf(schema, {}, protocol(1, 7, { writer })).open();
    expect(await failure(table.append([{ id: 1 }]))).toMatchObject({ code: 'Unsupported', feature });
  });

  it('an append-only table takes rows', async () => {
    const configuration = { 'delta.appendOnly': 'true' };
    const table = await tableOf(simple, { configuration }).open();
    expect(await table.append([{ id: 1 }])).toBe(1);
  });
});

describe('several writers', () => {
  it('lose nothing', async () => {
    const log = tableOf(simple);
    await log.open();
    const writers = await Promise.all(
      Array.from({ length: 6 }, () => DeltaTable.open(log.root, { engine: log.engine })),
    );
    const versions = await Promise.all(
      writers.map(async (writer, index) => [
        await writer.append([{ id: index }], quick),
        await writer.append([{ id: index + 100 }], quick),
      ]),
    );
    expect(versions.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    const table = await DeltaTable.open(log.root, { engine: log.engine });
    const ids = (await rowTexts(table, { columns: ['id'] })).map((row) => JSON.parse(row).id as number);
    expect(ids.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 100, 101, 102, 103, 104, 105]);
  });

  it('a commit whose answer is lost is made once', async () => {
    const log = tableOf(simple);
    await log.open();
    const { storage } = log;
    let lost = 0;
    const flaky: StorageHandler = {
      listFrom: (...args) => storage.listFrom(...args),
      readFiles: (...args) => storage.readFiles(...args),
      copyAtomic: (...args) => storage.copyAtomic(...args),
      head: (...args) => storage.head(...args),
      put: async (path, data, options) => {
        await storage.put(path, data, options);
        if (path.pathname.endsWith('00001.json') && lost++ === 0)
          throw new DeltaError('IOError', 'the answer got lost');
      },
    };
    const table = await DeltaTable.open(log.root, { engine: testEngine(flaky) });
    expect(await table.append([{ id: 1 }], quick)).toBe(1);
    expect(lost).toBe(1);
    expect(await table.count()).toBe(1);
    expect((await DeltaTable.open(log.root, { engine: log.engine })).version).toBe(1);
  });

  it('an application writes each of its versions once', async () => {
    const log = tableOf(simple);
    const table = await log.open();
    const transactionId = { appId: 'app', version: 3 };
    const late = await DeltaTable.open(log.root, { engine: log.engine });
    expect(await table.append([{ id: 1 }], { transactionId })).toBe(1);
    expect(await table.append([{ id: 1 }], { transactionId })).toBe(1);
    expect(await late.append([{ id: 1 }], { ...quick, transactionId })).toBe(1);
    expect(await table.append([{ id: 2 }], { transactionId: { appId: 'app', version: 4 } })).toBe(2);
    expect(await table.count()).toBe(2);
  });
});
