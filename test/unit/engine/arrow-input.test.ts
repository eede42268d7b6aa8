import {
  Binary,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  makeTable,
  Null,
  Schema,
  Struct,
  Table,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Utf8View,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { fromArrow, isArrow } from '../../../src/engine/arrow-input.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, types } from '../../../src/kernel/schema/types.ts';

function read(vector: Vector): [DataType, ScalarValue[]] {
  const [data] = fromArrow(new Table({ c: vector }));
  const column = data!.column(['c'])!;
  return [
    data!.schema.fields[0]!.type,
    Array.from({ length: data!.length }, (_, row) => column.getValue(row)),
  ];
}

const utf8View = () => {
  const long = new TextEncoder().encode('thirteen bytes and more');
  const views = new Uint8Array(32);
  const view = new DataView(views.buffer);
  view.setInt32(0, 2, true);
  views.set(new TextEncoder().encode('hi'), 4);
  view.setInt32(16, 13, true);
  views.set(long.subarray(0, 4), 20);
  view.setInt32(24, 0, true);
  view.setInt32(28, 0, true);
  return makeData({ type: new Utf8View(), views, variadicBuffers: [long], length: 2 });
};

describe('Arrow of callers', () => {
  it.each<[string, Vector, DataType, ScalarValue[]]>([
    ['int64', vectorFromArray([1n, null], new Int64()), types.long, [1n, null]],
    ['double', vectorFromArray([1.5, null], new Float64()), types.double, [1.5, null]],
    ['half', vectorFromArray([1.5, -2, null], new Float16()), types.float, [1.5, -2, null]],
    ['uint8', vectorFromArray([255, null], new Uint8()), types.short, [255, null]],
    ['uint16', vectorFromArray([65535, null], new Uint16()), types.integer, [65535, null]],
    ['uint32', vectorFromArray([4294967295, null], new Uint32()), types.long, [4294967295n, null]],
    ['uint64', vectorFromArray([2n ** 64n - 1n], new Uint64()), types.decimal(20, 0), [2n ** 64n - 1n]],
    ['large utf8', vectorFromArray(['é', null], new LargeUtf8()), types.string, ['é', null]],
    [
      'dictionary',
      vectorFromArray(['x', 'y', null, 'x'], new Dictionary(new Utf8(), new Int32())),
      types.string,
      ['x', 'y', null, 'x'],
    ],
    ['sliced', vectorFromArray([9, 1, null], new Int32()).slice(1), types.integer, [1, null]],
    ['binary', vectorFromArray([new Uint8Array([1])], new Binary()), types.binary, [new Uint8Array([1])]],
    [
      'fixed binary',
      vectorFromArray([new Uint8Array([1, 2]), null], new FixedSizeBinary(2)),
      types.binary,
      [new Uint8Array([1, 2]), null],
    ],
    [
      'fixed list',
      vectorFromArray([[1, 2], null], new FixedSizeList(2, new Field('item', new Int32()))),
      types.array(types.integer, false),
      [[1, 2], null],
    ],
    [
      'list of large strings',
      vectorFromArray([['a'], null, []], new List(new Field('item', new LargeUtf8(), true))),
      types.array(types.string),
      [['a'], null, []],
    ],
    ['null', vectorFromArray([null, null], new Null()), types.void, [null, null]],
  ])('%s', (_, vector, type, values) => {
    expect(read(vector)).toEqual([type, values]);
  });

  it('times of every unit become microseconds, finer ones cut downwards', () => {
    const raw = (type: ConstructorParameters<typeof Field>[1], values: bigint[]) =>
      new Table(
        new Schema([new Field('c', type)]),
        makeData({
          type: new Struct([new Field('c', type)]),
          length: values.length,
          children: [makeData({ type, data: new BigInt64Array(values), length: values.length } as never)],
        }) as never,
      ).getChild('c')!;
    expect(read(raw(new TimestampNanosecond('UTC'), [1999n, -1n]))).toEqual([types.timestamp, [1n, -1n]]);
    expect(read(raw(new TimestampMillisecond(), [5n]))).toEqual([types.timestampNtz, [5000n]]);
    expect(read(raw(new TimestampSecond('Europe/Berlin'), [5n]))).toEqual([types.timestamp, [5_000_000n]]);
  });

  it('views, and decimals with their sign', () => {
    const [batch] = new Table(
      new Schema([new Field('c', new Utf8View(), true)]),
      makeData({
        type: new Struct([new Field('c', new Utf8View(), true)]),
        length: 2,
        children: [utf8View()],
      }) as never,
    ).batches;
    expect(fromArrow(batch!)[0]!.column(['c'])!.getValue(1)).toBe('thirteen byte');
    expect(fromArrow(batch!)[0]!.column(['c'])!.getValue(0)).toBe('hi');
    const type = new Decimal(3, 4, 128);
    const decimals = makeData({
      type,
      data: new Uint32Array([1234, 0, 0, 0, 0xfffffff6, ~0, ~0, ~0]),
      length: 2,
    });
    const table = new Table(
      new Schema([new Field('c', type)]),
      makeData({ type: new Struct([new Field('c', type)]), length: 2, children: [decimals] }) as never,
    );
    expect(read(table.getChild('c')!)).toEqual([types.decimal(4, 3), [1234n, -10n]]);
  });

  it('keep the buffers of columns in the engine’s own layout', () => {
    const values = new Int32Array([1, 2, 3]);
    const [data] = fromArrow(makeTable({ c: values }));
    expect(data!.recordBatch.data.children[0]!.values).toBe(values);
  });

  it('are recognised by shape, of any copy of the library', () => {
    const table = makeTable({ c: new Int32Array([1, 2]) });
    const [batch] = table.batches;
    const stranger = JSON.parse(JSON.stringify({ schema: { fields: [] } }));
    const copied = { schema: batch!.schema, data: batch!.data, numRows: 2 };
    expect([isArrow(table), isArrow(batch), isArrow(copied)]).toEqual([true, true, true]);
    expect([isArrow(null), isArrow([{}]), isArrow(stranger), isArrow('x')]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(
      fromArrow(copied as never)[0]!
        .column(['c'])!
        .getNumber(1),
    ).toBe(2);
  });

  it('several batches stay several', () => {
    const one = makeTable({ c: new Int32Array([1]) });
    expect(
      fromArrow(one.concat(makeTable({ c: new Int32Array([2, 3]) }))).map((data) => data.length),
    ).toEqual([1, 2]);
  });
});
