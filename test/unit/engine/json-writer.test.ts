import { describe, expect, it } from 'vitest';
import { buildColumn } from '../../../src/engine/arrow-build.ts';
import { ArrowEngineData, makeBatch } from '../../../src/engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../../src/engine/arrow-schema.ts';
import { splitLines } from '../../../src/engine/json-handler.ts';
import { decimalText, ndjsonOf } from '../../../src/engine/json-writer.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';

function textOf(columns: [string, DataType, ScalarValue[]][], selection = new Uint8Array()): string {
  const schema = types.struct(columns.map(([name, type]) => field(name, type)));
  const children = columns.map(([, type, values]) => buildColumn(type, values));
  const data = new ArrowEngineData(makeBatch(toArrowSchema(schema), columns[0]![2].length, children), schema);
  return [...ndjsonOf(data, selection)].map((part) => new TextDecoder().decode(part)).join('');
}

/** The JSON text of one value. */
const one = (type: DataType, value: ScalarValue) => textOf([['v', type, [value]]]).slice(5, -2);

describe('NDJSON', () => {
  it('leaves out nulls, at every depth of structs, but not in maps and arrays', () => {
    const inner = types.struct([field('x', types.integer), field('y', types.string)]);
    const text = textOf([
      ['a', types.string, ['q"\n', null, null]],
      ['s', inner, [[null, 'z'], [null, null], null]],
      ['m', types.map(types.string, types.string), [[['p', null]], [], null]],
      ['l', types.array(types.integer), [[1, null], [], null]],
    ]);
    expect(text).toBe(
      '{"a":"q\\"\\n","s":{"y":"z"},"m":{"p":null},"l":[1,null]}\n{"s":{},"m":{},"l":[]}\n{}\n',
    );
  });

  it('writes selected rows only', () => {
    expect(textOf([['v', types.integer, [1, 2, 3]]], new Uint8Array([1, 0]))).toBe('{"v":1}\n{"v":3}\n');
    expect(() => textOf([['v', types.integer, [1]]], new Uint8Array(2))).toThrow(
      expect.objectContaining({ code: 'InvalidSelectionVector' }),
    );
  });

  it.each<[DataType, ScalarValue, string]>([
    [types.long, 2n ** 63n - 1n, '9223372036854775807'],
    [types.decimal(38, 10), -(10n ** 38n - 1n), '-9999999999999999999999999999.9999999999'],
    [types.decimal(4, 3), -10n, '-0.010'],
    [types.decimal(5, 0), 12n, '12'],
    [types.double, 1, '1.0'],
    [types.double, -0, '-0.0'],
    [types.double, 1e300, '1e+300'],
    [types.double, Number.NaN, '"NaN"'],
    [types.double, Number.NEGATIVE_INFINITY, '"-Infinity"'],
    [types.float, Math.fround(0.1), '0.1'],
    [types.float, Math.fround(16777216), '16777216.0'],
    [types.float, Math.fround(1e-45), '1e-45'],
    [types.boolean, false, 'false'],
    [types.binary, new Uint8Array([0, 255]), '"AP8="'],
    [types.date, 18628, '"2021-01-01"'],
    [types.date, -719162, '"0001-01-01"'],
    [types.timestamp, 1_609_459_200_123_000n, '"2021-01-01T00:00:00.123Z"'],
    [types.timestamp, 1_609_459_200_123_456n, '"2021-01-01T00:00:00.123456Z"'],
    [types.timestamp, -1n, '"1969-12-31T23:59:59.999999Z"'],
    [types.timestampNtz, 0n, '"1970-01-01T00:00:00.000"'],
    [types.map(types.integer, types.string), [[1, 'a']], '[{"key":1,"value":"a"}]'],
  ])('writes %j %s exactly', (type, value, text) => {
    expect(one(type, value)).toBe(text);
  });

  it('gives the last of several equal map keys', () => {
    const twice: ScalarValue = [
      ['k', '1'],
      ['k', '2'],
    ];
    expect(one(types.map(types.string, types.string), twice)).toBe('{"k":"2"}');
  });

  it('refuses what has no JSON form', () => {
    expect(() => one(types.variant, null)).toThrow(expect.objectContaining({ code: 'Unsupported' }));
    expect(() => one(types.date, 2 ** 31 - 1)).toThrow(expect.objectContaining({ code: 'ParseError' }));
    expect(() => one(types.timestamp, 2n ** 63n - 1n)).toThrow(
      expect.objectContaining({ code: 'ParseError' }),
    );
  });

  it('places the point of decimals', () => {
    expect([decimalText(0n, 2), decimalText(-5n, 1), decimalText(123n, 3)]).toEqual([
      '0.00',
      '-0.5',
      '0.123',
    ]);
  });
});

describe('splitLines', () => {
  const split = (text: string, size: number) =>
    [...splitLines(new TextEncoder().encode(text), size)].map(({ lines, firstLine }) => [
      firstLine,
      new TextDecoder().decode(lines),
    ]);

  it('cuts after line ends only and numbers lines', () => {
    expect(split('a\nbb\nccc\ndddd\n', 4)).toEqual([
      [1, 'a\nbb\n'],
      [3, 'ccc\n'],
      [4, 'dddd\n'],
    ]);
    expect(split('a\nlonger than the size\nb', 3)).toEqual([
      [1, 'a\nlonger than the size\n'],
      [3, 'b'],
    ]);
    expect(split('no end', 3)).toEqual([[1, 'no end']]);
    expect(split('', 3)).toEqual([]);
  });
});
