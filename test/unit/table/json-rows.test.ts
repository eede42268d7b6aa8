import * as arrow from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { type DataType, field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { jsonWriters, ndjsonPieces, rowsToNdjson } from '../../../src/table/json-rows.ts';

function batchOf(columns: Record<string, arrow.Vector>): arrow.RecordBatch {
  const batches = new arrow.Table(columns).batches;
  expect(batches).toHaveLength(1);
  return batches[0]!;
}

function lines(column: arrow.Vector, type: DataType): string[] {
  const schema = types.struct([field('c', type)]);
  return rowsToNdjson(batchOf({ c: column }), schema)
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice('{"c":'.length, -1));
}

describe('rows as JSON', () => {
  it('prints longs exactly', () => {
    const longs = arrow.vectorFromArray(
      [0n, -1n, 4294967296n, -4294967297n, 9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n, null],
      new arrow.Int64(),
    );
    expect(lines(longs, types.long)).toEqual([
      '0',
      '-1',
      '4294967296',
      '-4294967297',
      '9007199254740993',
      '-9223372036854775808',
      '9223372036854775807',
      'null',
    ]);
  });

  it('prints doubles so that they read back, non-finite ones as strings', () => {
    const doubles = arrow.vectorFromArray(
      [
        0,
        -0,
        1,
        1.5,
        1e21,
        1e-7,
        123456789.25,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
      ],
      new arrow.Float64(),
    );
    expect(lines(doubles, types.double)).toEqual([
      '0.0',
      '-0.0',
      '1.0',
      '1.5',
      '1.0E21',
      '1.0E-7',
      '1.2345678925E8',
      '"NaN"',
      '"Infinity"',
      '"-Infinity"',
    ]);
  });

  it('prints floats with the digits of their own width', () => {
    const floats = arrow.vectorFromArray([0.1, 36.504, 16777216, 3.4028234663852886e38], new arrow.Float32());
    expect(lines(floats, types.float)).toEqual(['0.1', '36.504', '1.6777216E7', '3.4028235E38']);
  });

  it('prints decimals at their scale', () => {
    const words = (value: bigint) => {
      const bits = BigInt.asUintN(128, value);
      return [0n, 32n, 64n, 96n].map((shift) => Number((bits >> shift) & 0xffffffffn));
    };
    const values = [0n, -1n, 12345n, -(10n ** 38n - 1n)];
    const data = arrow.makeData({
      type: new arrow.Decimal(10, 38, 128),
      length: values.length,
      data: Uint32Array.from(values.flatMap(words)),
    });
    expect(lines(new arrow.Vector([data]), types.decimal(38, 10))).toEqual([
      '"0.0000000000"',
      '"-0.0000000001"',
      '"0.0000012345"',
      '"-9999999999999999999999999999.9999999999"',
    ]);
  });

  it('prints dates and timestamps, before 1970 and far out as well', () => {
    const days = arrow.makeData({
      type: new arrow.DateDay(),
      length: 4,
      data: Int32Array.of(0, -1, -719162, 2932897),
    });
    expect(lines(new arrow.Vector([days]), types.date)).toEqual([
      '"1970-01-01"',
      '"1969-12-31"',
      '"0001-01-01"',
      '"+10000-01-01"',
    ]);
    const micros = BigInt64Array.of(0n, -1n, 1_706_749_323_456_789n, 2n ** 63n - 1n);
    const data = (type: arrow.Timestamp) => arrow.makeData({ type, length: micros.length, data: micros });
    const zoned = data(new arrow.TimestampMicrosecond('UTC'));
    expect(lines(new arrow.Vector([zoned]), types.timestamp)).toEqual([
      '"1970-01-01T00:00:00.000000Z"',
      '"1969-12-31T23:59:59.999999Z"',
      '"2024-02-01T01:02:03.456789Z"',
      '"+294247-01-10T04:00:54.775807Z"',
    ]);
    const ntz = data(new arrow.TimestampMicrosecond());
    expect(lines(new arrow.Vector([ntz]), types.timestampNtz)[1]).toBe('"1969-12-31T23:59:59.999999"');
  });

  it('escapes text, ASCII and beyond', () => {
    const text = ['plain', 'q"\\', 'a\nb\u0001', '', null];
    expect(lines(arrow.vectorFromArray(text, new arrow.Utf8()), types.string)).toEqual([
      '"plain"',
      '"q\\"\\\\"',
      '"a\\nb\\u0001"',
      '""',
      'null',
    ]);
    const wide = ['é', '😀"', 'a'];
    expect(lines(arrow.vectorFromArray(wide, new arrow.Utf8()), types.string)).toEqual([
      '"é"',
      '"😀\\""',
      '"a"',
    ]);
  });

  it('prints binary as base64', () => {
    const bytes = [new Uint8Array([0, 255]), new Uint8Array(), null, new Uint8Array([1])];
    expect(lines(arrow.vectorFromArray(bytes, new arrow.Binary()), types.binary)).toEqual([
      '"AP8="',
      '""',
      'null',
      '"AQ=="',
    ]);
  });

  it('prints nested values, maps by their key type', () => {
    const struct = new arrow.Struct([
      new arrow.Field('x', new arrow.Int32(), true),
      new arrow.Field('y', new arrow.List(new arrow.Field('element', new arrow.Bool(), true)), true),
    ]);
    const structs = arrow.vectorFromArray([{ x: 1, y: [true, null] }, null, { x: null, y: [] }], struct);
    const structType = types.struct([field('x', types.integer), field('y', types.array(types.boolean))]);
    expect(lines(structs, structType)).toEqual(['{"x":1,"y":[true,null]}', 'null', '{"x":null,"y":[]}']);
    const map = (key: arrow.DataType) =>
      new arrow.Map_(
        new arrow.Field(
          'entries',
          new arrow.Struct([
            new arrow.Field('key', key, false),
            new arrow.Field('value', new arrow.Int32(), true),
          ]) as never,
          false,
        ),
      );
    const byText = arrow.vectorFromArray(
      [
        new Map([
          ['a', 1],
          ['b"', null],
        ]),
        new Map(),
      ],
      map(new arrow.Utf8()),
    );
    expect(lines(byText, types.map(types.string, types.integer))).toEqual(['{"a":1,"b\\"":null}', '{}']);
    const byNumber = arrow.vectorFromArray([new Map([[1, 2]]), null], map(new arrow.Int32()));
    expect(lines(byNumber, types.map(types.integer, types.integer))).toEqual([
      '[{"key":1,"value":2}]',
      'null',
    ]);
  });

  it('reads slices of a batch at their own rows', () => {
    const schema: StructType = types.struct([
      field('b', types.boolean),
      field('s', types.string),
      field('n', types.long),
      field('a', types.array(types.integer)),
    ]);
    const batch = batchOf({
      b: arrow.vectorFromArray(
        [true, false, null, true, false, true, true, false, true, null],
        new arrow.Bool(),
      ),
      s: arrow.vectorFromArray(['a', null, 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'], new arrow.Utf8()),
      n: arrow.vectorFromArray([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, null], new arrow.Int64()),
      a: arrow.vectorFromArray(
        [[0], [], null, [3, 3], [4], [5], [6], [7], [8, 8], [9]],
        new arrow.List(new arrow.Field('element', new arrow.Int32(), true)),
      ),
    });
    const all = rowsToNdjson(batch, schema).split('\n').slice(0, -1);
    expect(all[2]).toBe('{"b":null,"s":"c","n":2,"a":null}');
    expect(all[9]).toBe('{"b":null,"s":"j","n":null,"a":[9]}');
    for (const [start, end] of [
      [1, 4],
      [2, 10],
      [9, 10],
    ] as const) {
      expect(rowsToNdjson(batch.slice(start, end), schema).split('\n').slice(0, -1)).toEqual(
        all.slice(start, end),
      );
    }
    expect([...ndjsonPieces(batch, schema, 4)].map((piece) => piece.split('\n').length - 1)).toEqual([
      4, 4, 2,
    ]);
  });

  it('keeps the rows of a batch without columns', () => {
    const type = new arrow.Struct([]);
    const batch = new arrow.RecordBatch(
      new arrow.Schema([]),
      arrow.makeData({ type, length: 3, nullCount: 0, children: [] }) as never,
    );
    expect(rowsToNdjson(batch, types.struct([]))).toBe('{}\n{}\n{}\n');
  });

  it('refuses a schema of another width', () => {
    const batch = batchOf({ c: arrow.vectorFromArray([1], new arrow.Int32()) });
    expect(() => rowsToNdjson(batch, types.struct([]))).toThrowError(/1 columns for a schema of 0/);
    expect(() => jsonWriters(batch, types.struct([]))).toThrowError(/1 columns for a schema of 0/);
  });

  it('prints single values', () => {
    const batch = batchOf({
      n: arrow.vectorFromArray([9007199254740993n, null], new arrow.Int64()),
      s: arrow.vectorFromArray(['null', 'a"b'], new arrow.Utf8()),
    });
    const schema = types.struct([field('n', types.long), field('s', types.string)]);
    const writers = jsonWriters(batch, schema);
    expect([0, 1].map((row) => writers.map((write) => write(row)))).toEqual([
      ['9007199254740993', '"null"'],
      ['null', '"a\\"b"'],
    ]);
  });
});
