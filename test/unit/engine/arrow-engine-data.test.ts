import {
  Bool,
  type Data,
  Int32,
  makeData,
  RecordBatch,
  Table,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { buildColumn, constantColumn } from '../../../src/engine/arrow-build.ts';
import { ArrowEngineData, makeBatch, toRecordBatch } from '../../../src/engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../../src/engine/arrow-schema.ts';
import type { EngineData } from '../../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../../src/kernel/schema/types.ts';

/** A batch of rows given as tuples. */
function batchOf(schema: StructType, rows: readonly (readonly ScalarValue[])[]): ArrowEngineData {
  const children = schema.fields.map(({ type }, i) =>
    buildColumn(
      type,
      rows.map((row) => row[i]!),
    ),
  );
  return new ArrowEngineData(makeBatch(toArrowSchema(schema), rows.length, children), schema);
}

function columnOf(type: DataType, values: readonly ScalarValue[]): ArrowEngineData {
  return batchOf(
    types.struct([field('c', type)]),
    values.map((value) => [value]),
  );
}

function valuesOf(data: EngineData, ...path: string[]): ScalarValue[] {
  const column = data.column(path)!;
  return Array.from({ length: data.length }, (_, row) => column.getValue(row));
}

const samples: [string, DataType, ScalarValue[]][] = [
  ['string', types.string, ['', 'a', null, '\ufeffé€😀', 'x'.repeat(100)]],
  ['long', types.long, [0n, -1n, null, 2n ** 63n - 1n, -(2n ** 63n)]],
  ['integer', types.integer, [0, -1, null, 2 ** 31 - 1, -(2 ** 31)]],
  ['short', types.short, [0, -1, null, 32767, -32768]],
  ['byte', types.byte, [0, -1, null, 127, -128]],
  ['float', types.float, [0, -1.5, null, Number.NaN, Number.POSITIVE_INFINITY]],
  ['double', types.double, [0, -1.5, null, Number.NaN, 1e300]],
  ['boolean', types.boolean, [true, false, null, true, true]],
  ['binary', types.binary, [new Uint8Array(), new Uint8Array([1, 2]), null, new Uint8Array([255]), null]],
  ['date', types.date, [0, -719164, null, 19000, 1]],
  ['timestamp', types.timestamp, [0n, -1n, null, 1_600_000_000_123_456n, 1n]],
  ['timestamp_ntz', types.timestampNtz, [0n, -1n, null, 1_600_000_000_123_456n, 1n]],
  ['decimal(4,3)', types.decimal(4, 3), [1234n, -10n, null, 0n, 9999n]],
  ['decimal(38,10)', types.decimal(38, 10), [10n ** 38n - 1n, 1n - 10n ** 38n, null, -1n, 2n ** 64n]],
  ['void', types.void, [null, null, null, null, null]],
  ['variant', { kind: 'variant' }, [[new Uint8Array([1]), new Uint8Array([0])], null, null, null, null]],
  ['array', types.array(types.long), [[1n, null], [], null, [null], [2n, 3n, 4n]]],
  ['map', types.map(types.string, types.integer), [[['a', 1]], [], null, [['a', null]], [['b', 2]]]],
  [
    'struct',
    types.struct([field('x', types.integer), field('y', types.struct([field('z', types.string)]))]),
    [[1, ['p']], [null, null], null, [2, [null]], [3, ['q']]],
  ],
];

describe('columns of every type', () => {
  it.each(samples)('%s: value by value, sliced, and selected', (_, type, values) => {
    const data = columnOf(type, values);
    expect(valuesOf(data, 'c')).toEqual(values);
    expect(valuesOf(data.slice(2, 5), 'c')).toEqual(values.slice(2, 5));
    expect(valuesOf(data.slice(1, 5).slice(1, 3), 'c')).toEqual(values.slice(2, 4));
    const odd = data.select(new Uint8Array([0, 1, 0, 1, 0]));
    expect(valuesOf(odd, 'c')).toEqual([values[1], values[3]]);
    const tail = data.slice(1, 5).select(new Uint8Array([0, 1]));
    expect(valuesOf(tail, 'c')).toEqual(values.slice(2));
    expect(valuesOf(data.slice(3, 5), 'c').map((value) => value === null)).toEqual(
      [3, 4].map((row) => data.column(['c'])!.isNull(row)),
    );
  });

  it('gives what Arrow itself reads, through IPC', () => {
    for (const [name, type, values] of samples) {
      if (name === 'void' || name === 'variant') continue;
      const batch = columnOf(type, values).recordBatch;
      const table = tableFromIPC(tableToIPC(new Table([batch])));
      const read = new ArrowEngineData(table.batches[0]!, types.struct([field('c', type)]));
      expect(valuesOf(read, 'c'), name).toEqual(values);
    }
  });
});

describe('nulls', () => {
  const inner = types.struct([field('z', types.long)]);
  const schema = types.struct([field('s', types.struct([field('inner', inner), field('b', types.boolean)]))]);
  const data = batchOf(schema, [[[[5n], true]], [null], [[null, false]], [[[null], null]]]);

  it('come from every struct above a column', () => {
    expect(valuesOf(data, 's', 'inner', 'z')).toEqual([5n, null, null, null]);
    expect(valuesOf(data, 's', 'b')).toEqual([true, null, false, null]);
    const z = data.slice(1, 4).column(['s', 'inner', 'z'])!;
    expect([z.getNumber(0), z.getBigInt(1), z.isNull(2)]).toEqual([null, null, true]);
  });

  it('hide what lies below them', () => {
    // Arrow lets a child hold a value below a null parent.
    const child = makeData({ type: new Int32(), data: new Int32Array([7, 8]), length: 2 });
    const type = toArrowSchema(types.struct([field('p', types.struct([field('c', types.integer)]))]));
    const parent = makeData({
      type: type.fields[0]!.type as never,
      length: 2,
      nullBitmap: new Uint8Array([0b10]),
      children: [child],
    } as never) as Data;
    const hidden = new ArrowEngineData(
      makeBatch(type, 2, [parent]),
      types.struct([field('p', types.struct([field('c', types.integer)]))]),
    );
    expect(valuesOf(hidden, 'p', 'c')).toEqual([null, 8]);
  });
});

describe('typed access', () => {
  it('reads 64-bit integers as numbers within ±(2^53 − 1) only', () => {
    const column = columnOf(types.long, [2n ** 53n - 1n, -(2n ** 53n - 1n), 2n ** 53n, -(2n ** 53n)]).column([
      'c',
    ])!;
    expect([column.getNumber(0), column.getNumber(1)]).toEqual([
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ]);
    for (const row of [2, 3]) {
      expect(() => column.getNumber(row)).toThrow(
        expect.objectContaining({ code: 'ParseError', column: 'c' }),
      );
    }
    expect(column.getBigInt(3)).toBe(-(2n ** 53n));
  });

  it('keeps microseconds', () => {
    const column = columnOf(types.timestamp, [-1n, 1_600_000_000_123_456n]).column(['c'])!;
    expect([column.getNumber(0), column.getNumber(1)]).toEqual([-1, 1_600_000_000_123_456]);
  });

  it('gives small integers as bigint and decimals unscaled', () => {
    expect(columnOf(types.byte, [-3]).column(['c'])!.getBigInt(0)).toBe(-3n);
    expect(columnOf(types.decimal(4, 3), [-10n]).column(['c'])!.getBigInt(0)).toBe(-10n);
  });

  it('reads maps in stored order, the last duplicate winning', () => {
    const map = columnOf(types.map(types.string, types.string), [
      [
        ['b', '1'],
        ['a', null],
        ['b', '2'],
      ],
      null,
    ]);
    const column = map.column(['c'])!;
    expect([...column.getStringMap(0)!]).toEqual([
      ['b', '2'],
      ['a', null],
    ]);
    expect(column.getStringMap(1)).toBeNull();
  });

  it('refuses the wrong type instead of converting', () => {
    const strings = columnOf(types.string, ['1']).column(['c'])!;
    expect(() => strings.getNumber(0)).toThrow(TypeError);
    expect(() => strings.getBigInt(0)).toThrow(TypeError);
    expect(() => strings.getBoolean(0)).toThrow(TypeError);
    expect(() => strings.getStringMap(0)).toThrow(TypeError);
    expect(() => columnOf(types.long, [1n]).column(['c'])!.getString(0)).toThrow(TypeError);
  });

  it('knows no column that the schema has not', () => {
    const data = columnOf(types.struct([field('x', types.integer)]), [[1]]);
    expect(data.column(['d'])).toBeUndefined();
    expect(data.column(['c', 'y'])).toBeUndefined();
    expect(data.column(['c', 'x', 'z'])).toBeUndefined();
    expect(data.column([])).toBeUndefined();
  });
});

describe('batches', () => {
  it('without columns keep their length', () => {
    const empty = new ArrowEngineData(makeBatch(toArrowSchema(types.struct([])), 5, []), types.struct([]));
    expect(empty.length).toBe(5);
    expect(empty.slice(1, 4).length).toBe(3);
    expect(empty.select(new Uint8Array([0, 1, 0])).length).toBe(3);
    expect(empty.appendColumns(columnOf(types.long, [1n, 2n, 3n, 4n, 5n])).length).toBe(5);
  });

  it('append columns', () => {
    const both = columnOf(types.long, [1n, 2n]).appendColumns(
      batchOf(types.struct([field('d', types.string)]), [['x'], [null]]),
    );
    expect(both.schema.fields.map((f) => f.name)).toEqual(['c', 'd']);
    expect([valuesOf(both, 'c'), valuesOf(both, 'd')]).toEqual([
      [1n, 2n],
      ['x', null],
    ]);
    expect(() => both.appendColumns(columnOf(types.long, [1n]))).toThrow(
      expect.objectContaining({ code: 'Schema' }),
    );
  });

  it('refuse a selection vector that is too long, and select the tail that a short one lacks', () => {
    const data = columnOf(types.long, [1n, 2n, 3n]);
    expect(() => data.select(new Uint8Array(4))).toThrow(
      expect.objectContaining({ code: 'InvalidSelectionVector' }),
    );
    expect(valuesOf(data.select(new Uint8Array([0])), 'c')).toEqual([2n, 3n]);
    expect(data.select(new Uint8Array([1, 1, 1]))).toBe(data);
    expect(data.select(new Uint8Array(3)).length).toBe(0);
  });

  it('select long and short runs of many rows alike', () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i % 7 === 0 ? null : `v${i}`));
    const selection = Uint8Array.from({ length: 1000 }, (_, i) =>
      i < 300 || (i > 500 && i % 3 === 0) ? 1 : 0,
    );
    const data = batchOf(
      types.struct([field('s', types.string), field('l', types.array(types.string))]),
      values.map((value) => [value, value === null ? null : [value, null]]),
    ).slice(5, 995);
    const wanted = values.slice(5, 995).filter((_, i) => selection[i + 5] !== 0);
    const selected = data.select(selection.subarray(5, 995));
    expect(valuesOf(selected, 's')).toEqual(wanted);
    expect(valuesOf(selected, 'l')).toEqual(wanted.map((value) => (value === null ? null : [value, null])));
  });

  it('of Arrow made elsewhere are read by shape: sliced vectors with nulls, booleans', () => {
    const ints = vectorFromArray([9, 9, 9, 1, null, 3], new Int32()).slice(3);
    const bools = vectorFromArray([true, true, true, null, false, true], new Bool()).slice(3);
    const batch = new RecordBatch({ i: ints.data[0]!, b: bools.data[0]! });
    const data = new ArrowEngineData(
      batch,
      types.struct([field('i', types.integer), field('b', types.boolean)]),
    );
    expect(valuesOf(data, 'i')).toEqual([1, null, 3]);
    expect(valuesOf(data, 'b')).toEqual([null, false, true]);
  });

  it('of other engines become Arrow through their columns', () => {
    const own = columnOf(types.decimal(10, 2), [1n, null]);
    const foreign: EngineData = {
      length: own.length,
      schema: own.schema,
      column: (path) => own.column(path),
      appendColumns: () => foreign,
      select: () => foreign,
      slice: () => foreign,
    };
    expect(valuesOf(new ArrowEngineData(toRecordBatch(foreign), own.schema), 'c')).toEqual([1n, null]);
  });
});

describe('values that are not of their type', () => {
  it.each<[DataType, ScalarValue]>([
    [types.long, 1],
    [types.long, 2n ** 63n],
    [types.integer, 1n],
    [types.integer, 2 ** 31],
    [types.integer, 1.5],
    [types.byte, 128],
    [types.string, 1],
    [types.binary, 'x'],
    [types.boolean, 1],
    [types.decimal(3, 1), 1000n],
    [types.decimal(3, 1), 10],
    [types.void, 1],
    [types.array(types.long), 1n],
    [types.struct([field('x', types.long)]), [1n, 2n]],
  ])('%j refuses %s', (type, value) => {
    expect(() => constantColumn(type, value, 2)).toThrow(
      expect.objectContaining({ code: 'InvalidExpression' }),
    );
  });
});
