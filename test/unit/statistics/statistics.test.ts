import { describe, expect, it } from 'vitest';
import { buildColumn } from '../../../src/engine/arrow-build.ts';
import { ArrowEngineData, makeBatch } from '../../../src/engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../../src/engine/arrow-schema.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { StatsCollector } from '../../../src/kernel/statistics/collector.ts';
import { truncateMax, truncateMin } from '../../../src/kernel/statistics/truncate.ts';

function batchOf(schema: StructType, rows: readonly (readonly ScalarValue[])[]): ArrowEngineData {
  const children = schema.fields.map(({ type }, i) =>
    buildColumn(
      type,
      rows.map((row) => row[i]!),
    ),
  );
  return new ArrowEngineData(makeBatch(toArrowSchema(schema), rows.length, children), schema);
}

/** Statistics of one column `c`: its least and greatest value as JSON text, and its count of nulls. */
function statsOf(type: DataType, ...values: readonly ScalarValue[]): string {
  const stats = new StatsCollector([['c']]);
  stats.add(
    batchOf(
      types.struct([field('c', type)]),
      values.map((value) => [value]),
    ),
  );
  return stats.toJson();
}

const stats = (records: number, nulls: number, min?: string, max?: string) =>
  `{"numRecords":${records},"minValues":{${min === undefined ? '' : `"c":${min}`}},` +
  `"maxValues":{${max === undefined ? '' : `"c":${max}`}},"nullCount":{"c":${nulls}}}`;

describe('bounds by type', () => {
  it.each<[string, DataType, ScalarValue[], string]>([
    [
      'long beyond 2^53',
      types.long,
      [2n ** 53n + 1n, null, -(2n ** 63n)],
      stats(3, 1, '-9223372036854775808', '9007199254740993'),
    ],
    ['integer', types.integer, [3, -2, 10], stats(3, 0, '-2', '10')],
    ['decimal', types.decimal(10, 2), [-1n, 1234n], stats(2, 0, '-0.01', '12.34')],
    ['date', types.date, [0, -1], stats(2, 0, '"1969-12-31"', '"1970-01-01"')],
    ['boolean has no bounds', types.boolean, [true, false, null], stats(3, 1)],
    ['binary has no bounds', types.binary, [new Uint8Array([1])], stats(1, 0)],
    ['all null', types.string, [null, null], stats(2, 2)],
    ['no rows', types.string, [], stats(0, 0)],
    ['strings by code point', types.string, ['\u{1f33c}', '\uffee', 'Z'], stats(3, 0, '"Z"', '"\u{1f33c}"')],
    ['array', types.array(types.integer), [[1], null], stats(2, 1)],
  ])('%s', (_, type, values, expected) => {
    expect(statsOf(type, ...values)).toBe(expected);
  });

  it('cuts times down to milliseconds, also before 1970', () => {
    expect(statsOf(types.timestamp, 1_999n, -1n)).toBe(
      stats(2, 0, '"1969-12-31T23:59:59.999Z"', '"1970-01-01T00:00:00.001Z"'),
    );
    expect(statsOf(types.timestampNtz, 1_999n)).toBe(
      stats(1, 0, '"1970-01-01T00:00:00.001"', '"1970-01-01T00:00:00.001"'),
    );
  });

  it('omits the maximum of floats with NaN, and both where all are', () => {
    expect(statsOf(types.double, 1.5, Number.NaN)).toBe(stats(2, 0, '1.5'));
    expect(statsOf(types.float, Number.NaN)).toBe(stats(1, 0));
    expect(statsOf(types.double, Number.POSITIVE_INFINITY, 0)).toBe(stats(2, 0, '-0.0', '"Infinity"'));
    expect(statsOf(types.float, Math.fround(0.1), -0)).toBe(stats(2, 0, '-0.0', '0.1'));
    expect(statsOf(types.double, -0, -1e300)).toBe(stats(2, 0, '-1.0E300', '0.0'));
  });
});

describe('strings cut to 32 code points', () => {
  const a32 = 'a'.repeat(32);

  it('keeps what fits', () => {
    expect([truncateMin(a32), truncateMax(a32)]).toEqual([a32, a32]);
    expect(truncateMax('\u{1f33c}'.repeat(32))).toBe('\u{1f33c}'.repeat(32));
  });

  it('ends a maximum with a character greater than the one dropped', () => {
    expect(truncateMax(`${a32}b`)).toBe(`${a32}\u007f`);
    expect(truncateMax(`${a32}\u007f`)).toBe(`${a32}\u{10ffff}`);
    expect(truncateMax(`${a32}\u00e9`)).toBe(`${a32}\u{10ffff}`);
    expect(truncateMin(`${a32}b`)).toBe(a32);
  });

  it('goes on through U+10FFFF, up to 64 code points', () => {
    const top = '\u{10ffff}';
    expect(truncateMax(`${a32}${top}b`)).toBe(`${a32}${top}\u007f`);
    expect(truncateMax(a32 + top.repeat(32))).toBe(a32 + top.repeat(32));
    expect(truncateMax(`${a32}${top.repeat(32)}b`)).toBe(`${a32}${top.repeat(32)}\u007f`);
    expect(truncateMax(`${a32}${top.repeat(33)}b`)).toBeUndefined();
  });
});

it('nests leaves, counts nulls of structs above, and adds up batches', () => {
  const schema = types.struct([
    field('s', types.struct([field('x', types.integer), field('y', types.string)])),
    field('z', types.long),
  ]);
  const stats = new StatsCollector([['s', 'x'], ['s', 'y'], ['z']]);
  stats.add(
    batchOf(schema, [
      [[1, 'b'], 5n],
      [null, null],
    ]),
  );
  stats.add(batchOf(schema, [[[-1, null], 7n]]));
  expect(stats.toJson()).toBe(
    '{"numRecords":3,"minValues":{"s":{"x":-1,"y":"b"},"z":5},"maxValues":{"s":{"x":1,"y":"b"},"z":7},' +
      '"nullCount":{"s":{"x":1,"y":2},"z":1}}',
  );
});
