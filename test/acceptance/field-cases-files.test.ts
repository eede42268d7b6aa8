/** Inputs that broke other readers: what lies in checkpoints and data files, and Arrow at both ends. */
import { createRequire } from 'node:module';
import {
  Dictionary,
  Field,
  Int8,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  Type,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, it } from 'vitest';
import { fromArrow } from '../../src/engine/arrow-input.ts';
import { createEngine, type DefaultEngine } from '../../src/engine/default-engine.ts';
import type { DefaultParquetHandler } from '../../src/engine/parquet-handler.ts';
import type { FileMeta } from '../../src/kernel/engine.ts';
import { col } from '../../src/kernel/expressions/builders.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { DeltaTable, type ScanOptions } from '../../src/table/delta-table.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol, remove } from '../helpers/log-builder.ts';

const ID = types.struct([field('id', types.long)]);
const one = (name: string, type: DataType) => types.struct([field(name, type)]);

async function batchesOf(table: DeltaTable, options: ScanOptions = {}): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const batch of table.scan(options)) batches.push(batch);
  return batches;
}

async function ndjson(table: DeltaTable, options: ScanOptions = {}): Promise<string[]> {
  const { schema } = table.scan(options);
  const batches = await batchesOf(table, options);
  return batches.flatMap((batch) => rowsToNdjson(batch, schema).split('\n').slice(0, -1));
}

async function ids(table: DeltaTable, options: ScanOptions = {}): Promise<number[]> {
  return (await ndjson(table, options)).map((line) => (JSON.parse(line) as { id: number }).id);
}

/** A table of one file. */
async function tableOf(schema: StructType, rows: readonly (readonly ScalarValue[])[]): Promise<DeltaTable> {
  const log = new LogBuilder().commit(protocol(), metadata(schema), add('f.parquet'));
  await log.parquet('f.parquet', schema, rows);
  return log.open();
}

async function readFile(engine: DefaultEngine, file: FileMeta, schema: StructType): Promise<ScalarValue[][]> {
  const rows: ScalarValue[][] = [];
  for await (const batch of engine.parquetHandler.readParquetFiles([file], schema)) {
    const columns = schema.fields.map(({ name }) => batch.column([name])!);
    for (let row = 0; row < batch.length; row += 1) rows.push(columns.map((column) => column.getValue(row)));
  }
  return rows;
}

async function stored(name: string, bytes: Uint8Array): Promise<{ engine: DefaultEngine; file: FileMeta }> {
  const location = new URL(`memory:///parquet/${name}`);
  const storage = new MemoryStorageHandler({ files: { [location.href]: bytes } });
  return { engine: createEngine({ storage }), file: await storage.head(location) };
}

describe('paths of the log', () => {
  it('LR-06: add and remove meet in one spelling, decoded once', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(ID));
    await log.parquet('p=a%20b/f', ID, [[1n]]);
    await log.parquet('p=a b/f', ID, [[2n]]);
    log.commit(add('p=a%2520b/f'), add('p=a%20b/f'));
    expect(await ids(await log.open())).toEqual([1, 2]);
    log.commit(remove('p=a%2520b/f'));
    expect(await ids(await log.open())).toEqual([2]);
    // Absolute, with and without the scheme of local files.
    log.commit(add('/t/g'), add('/t/h'));
    log.commit(remove('file:/t/g'), remove('file:///t/h'));
    expect((await (await log.open()).files()).map(({ path }) => path)).toEqual(['p=a%20b/f']);
  });
});

describe('checkpoints', () => {
  it('CP-21: columns and fields are paired by name, whatever their order', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(ID), add('f1'));
    await log.parquet('f1', ID, [[7n]]);
    const text = types.map(types.string, types.string);
    const shuffled = types.struct([
      field(
        'add',
        types.struct([
          field('stats', types.string),
          field('size', types.long),
          field('dataChange', types.boolean),
          field('partitionValues', text),
          field('modificationTime', types.long),
          field('path', types.string),
        ]),
      ),
      field(
        'metaData',
        types.struct([
          field('configuration', text),
          field('partitionColumns', types.array(types.string)),
          field('schemaString', types.string),
          field('format', types.struct([field('options', text), field('provider', types.string)])),
          field('id', types.string),
        ]),
      ),
      field('remove', types.struct([field('dataChange', types.boolean), field('path', types.string)])),
      field(
        'protocol',
        types.struct([field('minWriterVersion', types.integer), field('minReaderVersion', types.integer)]),
      ),
    ]);
    const { schemaString } = (metadata(ID) as { metaData: { schemaString: string } }).metaData;
    await log.parquet('_delta_log/00000000000000000001.checkpoint.parquet', shuffled, [
      [[null, BigInt(log.sizeOf('f1')), true, [], 5n, 'f1'], null, null, null],
      [null, [[], [], schemaString, [[], 'parquet'], 'an-id'], null, null],
      [null, null, null, [2, 1]],
      [null, null, [false, 'gone'], null],
    ]);
    log.commit(remove('no-such-file'));
    const table = await log.open();
    expect([table.version, table.protocol.minWriterVersion, table.metadata.id]).toEqual([1, 2, 'an-id']);
    expect(await table.files()).toMatchObject([{ path: 'f1', size: log.sizeOf('f1'), modificationTime: 5 }]);
    expect(await ids(table)).toEqual([7]);
  });
});

describe('statistics', () => {
  it('ST-09: one value that does not parse is unknown alone; its neighbours still skip', async () => {
    const schema = types.struct([
      field('ts', types.timestamp),
      field('d', types.date),
      field('i', types.integer),
    ]);
    const bounds = (ts: unknown, d: unknown, i: unknown) => ({
      stats: {
        numRecords: 1,
        minValues: { ts, d, i },
        maxValues: { ts, d, i },
        nullCount: { ts: 0, d: 0, i: 0 },
      },
    });
    const normal = bounds('2020-01-01T00:00:00.000Z', '2020-01-01', 5);
    const table = await new LogBuilder()
      .commit(
        protocol(),
        metadata(schema),
        add('month', bounds('2020-13-45T00:00:00.000Z', '2020-01-01', 5)),
        add('far', bounds('+48690-07-02T22:50:38.211Z', '2020-01-01', 5)),
        add('zero', bounds('2020-01-01T00:00:00.000Z', '0000-00-00', 5)),
        add('text', bounds('2020-01-01T00:00:00.000Z', '2020-01-01', 'abc')),
        add('normal', normal),
      )
      .open();
    const kept = async (where: string) => (await table.files({ where })).map(({ path }) => path);
    expect(await kept("ts > TIMESTAMP '2021-01-01 00:00:00Z'")).toEqual(['month', 'far']);
    expect(await kept("d > DATE '2021-01-01'")).toEqual(['zero']);
    expect(await kept('i > 5')).toEqual(['text']);
    expect(await kept("ts < TIMESTAMP '2019-01-01 00:00:00Z' AND i = 5")).toEqual(['month']);
  });
});

describe('deletion vectors', () => {
  /** Rows 3, 4, 7, 11, 18 and 29: the protocol's example. */
  const deletionVector = {
    storageType: 'i',
    pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
    sizeInBytes: 40,
    cardinality: 6,
  };
  const deleted = [3, 4, 7, 11, 18, 29];

  it('DV-02, DV-03: over batches smaller and larger than the vector, file by file', async () => {
    const [large, small] = [10_000, 40];
    const log = new LogBuilder().commit(
      featureProtocol('deletionVectors'),
      metadata(ID),
      add('large', { deletionVector }),
      add('small', { deletionVector }),
      add('whole'),
    );
    const range = (from: number, count: number) => Array.from({ length: count }, (_, row) => from + row);
    for (const [name, from, count] of [
      ['large', 0, large],
      ['small', 100_000, small],
      ['whole', 200_000, small],
    ] as const) {
      await log.parquet(
        name,
        ID,
        range(from, count).map((id) => [BigInt(id)]),
      );
    }
    await log.open();
    const live = (from: number, count: number) =>
      range(from, count).filter((id) => !deleted.includes(id - from));
    for (const batchRows of [7, 1024, 65_536]) {
      const engine = createEngine({ storage: log.storage, parquet: { batchRows } });
      const table = await DeltaTable.open(log.root, { engine });
      expect(await ids(table)).toEqual([
        ...live(0, large),
        ...live(100_000, small),
        ...range(200_000, small),
      ]);
    }
  });
});

describe('Parquet decoding', () => {
  it('PQ-02: decimals of every width, negative ones too', async () => {
    const cases: [number, number, bigint][] = [
      [9, 2, -1n],
      [18, 4, -(10n ** 18n - 1n)],
      [19, 0, -(10n ** 19n - 1n)],
      [38, 10, -12345678901234567890123456780123456789n],
      [38, 38, 10n ** 38n - 1n],
    ];
    for (const [precision, scale, unscaled] of cases) {
      const type = types.decimal(precision, scale);
      const table = await tableOf(one('d', type), [[unscaled], [null], [-unscaled]]);
      const values = fromArrow((await batchesOf(table))[0]!)[0]!.column(['d'])!;
      expect([0, 1, 2].map((row) => values.getValue(row))).toEqual([unscaled, null, -unscaled]);
    }
  });

  it('PQ-09: a chunk that begins with a dictionary and goes on without', async () => {
    const text = (row: number) => `${row}-${'x'.repeat(30)}-${Math.imul(row, 0x9e3779b1)}`;
    const rows = Array.from({ length: 60_000 }, (_, row) => [text(row)]);
    const log = await new LogBuilder().parquet('f', one('s', types.string), rows);
    const file = await log.storage.head(log.url('f'));
    const handler = log.engine.parquetHandler as DefaultParquetHandler;
    const { rowGroups } = await handler.readParquetLayout(file);
    expect(rowGroups[0]!.columns[0]!.encodings).toEqual(expect.arrayContaining(['PLAIN', 'RLE_DICTIONARY']));
    const read = await readFile(log.engine, file, one('s', types.string));
    expect(read).toEqual(rows);
  });

  it('PQ-15: types come from the table, not from an Arrow schema in the file', async () => {
    const { Table: WasmTable, writeParquet } = createRequire(import.meta.url)(
      'parquet-wasm/node',
    ) as typeof import('parquet-wasm/node');
    const [zoned, dictionary] = [
      new TimestampMicrosecond('America/New_York'),
      new Dictionary(new Utf8(), new Int8()),
    ];
    const schema = new Schema([
      new Field('t', zoned),
      new Field('s', dictionary, true),
      new Field('i', new Int32()),
    ]);
    const columns = [
      makeData({ type: zoned, data: new BigInt64Array([1_577_836_800_000_000n, -1n]), length: 2 }),
      vectorFromArray(['x', null], dictionary).data[0]!,
      makeData({ type: new Int32(), data: new Int32Array([1, 2]), length: 2 }),
    ];
    const batch = new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length: 2, children: columns }),
    );
    const bytes = writeParquet(WasmTable.fromIPCStream(tableToIPC(new Table([batch]), 'stream')));
    const wanted = types.struct([
      field('t', types.timestamp),
      field('s', types.string),
      field('i', types.long),
    ]);
    const rows = [
      [1_577_836_800_000_000n, 'x', 1n],
      [-1n, null, 2n],
    ];
    const whole = await stored('arrow-schema', bytes);
    expect(await readFile(whole.engine, whole.file, wanted)).toEqual(rows);
    // The same file with a schema that nobody can decode.
    const key = Buffer.from(bytes).indexOf('ARROW:schema');
    expect(key).toBeGreaterThan(0);
    const damaged = bytes.slice();
    damaged.fill('!'.charCodeAt(0), key + 20, key + 120);
    const broken = await stored('broken-arrow-schema', damaged);
    expect(await readFile(broken.engine, broken.file, wanted)).toEqual(rows);
  });

  it('PQ-16: dates before 1582 are as they are stored, in the proleptic calendar', async () => {
    const table = await tableOf(one('d', types.date), [[-719_162], [-354_285], [-141_428]]);
    expect(await ndjson(table)).toEqual(['{"d":"0001-01-01"}', '{"d":"1000-01-01"}', '{"d":"1582-10-14"}']);
  });

  it('PQ-17: null, empty and null inside are seven things', async () => {
    const schema = types.struct([
      field('s', types.struct([field('a', types.integer)])),
      field('l', types.array(types.integer)),
      field('m', types.map(types.string, types.integer)),
    ]);
    const table = await tableOf(schema, [
      [null, null, null],
      [[null], [], []],
      [[1], [null], [['k', null]]],
    ]);
    const lines = [
      '{"s":null,"l":null,"m":null}',
      '{"s":{"a":null},"l":[],"m":{}}',
      '{"s":{"a":1},"l":[null],"m":{"k":null}}',
    ];
    expect(await ndjson(table)).toEqual(lines);
    const file = await table.engine.storageHandler.head(new URL('f.parquet', table.url));
    for await (const bytes of table.engine.storageHandler.readFiles([{ location: file.location }])) {
      const others = await parquetReadObjects({ file: bytes.slice().buffer, compressors });
      expect(others).toEqual([
        { s: null, l: null, m: null },
        { s: { a: null }, l: [], m: {} },
        { s: { a: 1 }, l: [null], m: { k: null } },
      ]);
    }
  });

  it('PQ-18: files without rows', async () => {
    const table = await tableOf(ID, []);
    expect(await ids(table)).toEqual([]);
    expect(await ids(table, { where: 'id > 5' })).toEqual([]);
    expect(await table.count({ where: 'id IS NULL' })).toBe(0);
  });
});

describe('Arrow', () => {
  const NESTED = types.struct([
    field('s', types.string),
    field('b', types.binary),
    field('l', types.array(types.string)),
    field('e', types.struct([field('x', types.boolean)])),
  ]);

  it('AJ-01, AJ-02: strings, binary and lists come out with 32-bit offsets, no views', async () => {
    const table = await tableOf(NESTED, [['a', Uint8Array.of(1), ['p', 'q'], [true]]]);
    const [batch] = await batchesOf(table);
    const ofChildren = batch!.schema.fields.map(({ type }) => type.typeId);
    expect(ofChildren).toEqual([Type.Utf8, Type.Binary, Type.List, Type.Struct]);
    expect(batch!.schema.fields[2]!.type.children[0]!.type.typeId).toBe(Type.Utf8);
  });

  it('AJ-03: decimals print with their point and sign', async () => {
    const schema = types.struct([field('a', types.decimal(4, 3)), field('b', types.decimal(38, 10))]);
    const table = await tableOf(schema, [
      [1234n, 10n ** 38n - 1n],
      [-10n, -1n],
    ]);
    expect(await ndjson(table)).toEqual([
      '{"a":"1.234","b":"9999999999999999999999999999.9999999999"}',
      '{"a":"-0.010","b":"-0.0000000001"}',
    ]);
  });

  it('AJ-05: nulls are seen in slices, whatever lies below them', async () => {
    const schema = types.struct([field('i', types.integer), field('b', types.boolean)]);
    const rows = Array.from({ length: 8 }, (_, row) => (row % 2 === 0 ? [row, true] : [null, null]));
    const [batch] = await batchesOf(await tableOf(schema, rows));
    const [sliced] = fromArrow(batch!.slice(3, 6));
    const read = (name: string) => [0, 1, 2].map((row) => sliced!.column([name])!.getValue(row));
    expect([read('i'), read('b')]).toEqual([
      [null, 4, null],
      [null, true, null],
    ]);
  });

  it('AJ-06: literals may be number, bigint or text; longs print as numbers that do not round', async () => {
    const table = await tableOf(ID, [[5n], [9_007_199_254_740_993n]]);
    for (const where of [col('id').eq(5), col('id').eq(5n), 'id = 5', 'id = 5.0']) {
      expect(await ids(table, { where })).toEqual([5]);
    }
    expect(await ndjson(table, { where: col('id').gt(5) })).toEqual(['{"id":9007199254740993}']);
  });

  it('AJ-07: a batch stays what it is while the memory of the core grows', async () => {
    const schema = one('s', types.string);
    const [first] = await batchesOf(await tableOf(schema, [['kept'], [null]]));
    const before = rowsToNdjson(first!, schema);
    // The same core decodes what does not fit in its memory of now.
    const big = 'y'.repeat(1 << 20);
    const [second] = await batchesOf(
      await tableOf(
        schema,
        Array.from({ length: 64 }, (_, i) => [`${i}${big}`]),
      ),
    );
    expect(second!.numRows).toBeGreaterThan(0);
    expect(rowsToNdjson(first!, schema)).toBe(before);
    expect(before).toBe('{"s":"kept"}\n{"s":null}\n');
  });

  it('AJ-08: without columns, and with partition columns alone, rows are counted', async () => {
    const schema = types.struct([field('id', types.long), field('p', types.string)]);
    const log = new LogBuilder().commit(
      protocol(),
      metadata(schema, { partitionColumns: ['p'] }),
      add('f.parquet', { partitionValues: { p: 'x' } }),
    );
    await log.parquet('f.parquet', ID, [[1n], [2n], [3n]]);
    const table = await log.open();
    const rowsOf = async (options: ScanOptions) =>
      (await batchesOf(table, options)).map(({ numRows, numCols }) => [numRows, numCols]);
    expect(await rowsOf({ columns: [] })).toEqual([[3, 0]]);
    expect(await rowsOf({ columns: ['p'] })).toEqual([[3, 1]]);
    expect(await rowsOf({ columns: [], where: 'id >= 2' })).toEqual([[2, 0]]);
  });

  it('AJ-09, AJ-11: what a scan gives goes through IPC and back, from bytes at any offset', async () => {
    const schema = types.struct([
      field('v', types.void),
      field('n', types.boolean),
      field('d', types.decimal(38, 2)),
      field('l', types.array(types.integer)),
      field('id', types.long),
    ]);
    const stored = types.struct(schema.fields.slice(1));
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('f.parquet'), add('g.parquet'));
    await log.parquet('f.parquet', stored, [
      [null, -5n, null, 1n],
      [null, null, [], 2n],
    ]);
    await log.parquet('g.parquet', stored, [[null, 7n, [null, 3], -(2n ** 63n)]]);
    const table = await log.open();
    const batches = await batchesOf(table);
    const empty = batches[0]!.slice(0, 0);
    const ipc = tableToIPC(new Table([batches[0]!, empty, ...batches.slice(1)]), 'stream');
    const shifted = new Uint8Array(ipc.length + 3);
    shifted.set(ipc, 3);
    const back = tableFromIPC(shifted.subarray(3));
    const lines = back.batches.flatMap((batch) => rowsToNdjson(batch, schema).split('\n').slice(0, -1));
    expect(lines).toEqual([
      '{"v":null,"n":null,"d":"-0.05","l":null,"id":1}',
      '{"v":null,"n":null,"d":null,"l":[],"id":2}',
      '{"v":null,"n":null,"d":"0.07","l":[null,3],"id":-9223372036854775808}',
    ]);
    expect(lines).toEqual(await ndjson(table));
    const again = back.batches.flatMap((batch) => fromArrow(batch)).filter(({ length }) => length > 0);
    const values = again.flatMap((data) =>
      Array.from({ length: data.length }, (_, row) => data.column(['d'])!.getValue(row)),
    );
    expect(values).toEqual([-5n, null, 7n]);
  });
});
