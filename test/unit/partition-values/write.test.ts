import { describe, expect, it } from 'vitest';
import { normalizePartitionValues } from '../../../src/kernel/partition-values/normalize.ts';
import { parsePartitionValue } from '../../../src/kernel/partition-values/parse.ts';
import { hiveEscape, partitionDirectory } from '../../../src/kernel/partition-values/path.ts';
import { serializePartitionValue } from '../../../src/kernel/partition-values/serialize.ts';
import { encodeLogPath } from '../../../src/kernel/paths.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';

const text = (type: DataType, value: Parameters<typeof serializePartitionValue>[0]['value']) =>
  serializePartitionValue({ type, value });

describe('serialised partition values', () => {
  it.each([
    [types.string, 'a b', 'a b'],
    [types.string, '', null],
    [types.string, null, null],
    [types.binary, new Uint8Array(0), null],
    [types.binary, new TextEncoder().encode('é'), 'é'],
    [types.integer, -5, '-5'],
    [types.long, 9007199254740993n, '9007199254740993'],
    [types.boolean, true, 'true'],
    [types.date, 0, '1970-01-01'],
    [types.date, -1, '1969-12-31'],
    [types.date, 11016, '2000-02-29'],
    [types.timestamp, -1n, '1969-12-31T23:59:59.999999Z'],
    [types.timestampNtz, 0n, '1970-01-01 00:00:00.000000'],
    [types.decimal(10, 2), 5n, '0.05'],
    [types.decimal(10, 2), -150n, '-1.50'],
    [types.decimal(10, 0), 7n, '7'],
    // As Java prints floating point numbers.
    [types.double, 1, '1.0'],
    [types.double, 0.001, '0.001'],
    [types.double, 0.0001, '1.0E-4'],
    [types.double, 1234567, '1234567.0'],
    [types.double, 12345678, '1.2345678E7'],
    [types.double, -1.5e10, '-1.5E10'],
    [types.double, -0, '-0.0'],
    [types.double, Number.NaN, 'NaN'],
    [types.double, Number.NEGATIVE_INFINITY, '-Infinity'],
    [types.float, Math.fround(3.14), '3.14'],
    [types.float, Math.fround(0.1), '0.1'],
    [types.float, Math.fround(3.4028235e38), '3.4028235E38'],
  ] as const)('%j %s', (type, value, expected) => {
    expect(text(type, value)).toBe(expected);
  });

  it('read back to the same values', () => {
    const cases: [DataType, Parameters<typeof text>[1]][] = [
      [types.date, -719162],
      [types.date, 2932896],
      [types.date, 5_000_000],
      [types.timestamp, 253402300799999999n],
      [types.timestamp, -62135596800000000n],
      [types.timestampNtz, 1234567n],
      [types.double, 5e-324],
      [types.float, Math.fround(1.1754944e-38)],
    ];
    for (const [type, value] of cases)
      expect(parsePartitionValue(text(type, value), type).value).toEqual(value);
  });

  it('refuses binary that is not UTF-8', () => {
    expect(() => text(types.binary, Uint8Array.of(0xff))).toThrow(
      expect.objectContaining({ code: 'InvalidPartitionValues' }),
    );
  });
});

describe('partition directories', () => {
  it('escapes as Hive does', () => {
    expect(hiveEscape('a"b#c%d\'e*f/g:h=i?j\\k{l[m]n^o')).toBe(
      'a%22b%23c%25d%27e%2Af%2Fg%3Ah%3Di%3Fj%5Ck%7Bl%5Bm%5Dn%5Eo',
    );
    expect(hiveEscape('\u0001\u007f é}|~ &+')).toBe('%01%7F é}|~ &+');
  });

  it('joins columns in order, null as the default partition', () => {
    expect(
      partitionDirectory([
        ['a', '1'],
        ['b=c', null],
        ['d', ''],
      ]),
    ).toBe('a=1/b%3Dc=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__');
  });

  it('is URI-encoded once more in the log', () => {
    expect(encodeLogPath(`${partitionDirectory([['p', 'a:b']])}/f.parquet`)).toBe('p=a%253Ab/f.parquet');
    expect(encodeLogPath(`${partitionDirectory([['p', 'a b']])}/f.parquet`)).toBe('p=a%20b/f.parquet');
  });
});

describe('partition values of a caller', () => {
  const schema = types.struct([
    field('Day', types.date),
    field('n', types.integer, { nullable: false }),
    field('x', types.string),
  ]);
  const day = { type: types.date, value: 0 };
  const n = { type: types.integer, value: 3 };

  it('match whatever the case, in partition order', () => {
    expect(normalizePartitionValues({ N: n, day }, schema, ['Day', 'n'])).toEqual([
      { column: 'Day', value: day, serialized: '1970-01-01' },
      { column: 'n', value: n, serialized: '3' },
    ]);
  });

  it.each([
    ['missing', { day }, /no value for partition column n/],
    ['extra', { day, n, x: day }, /x is not a partition column/],
    ['double', { day, n, N: n }, /two values/],
    ['of another type', { day, n: { type: types.long, value: 3n } }, /has type long, not integer/],
    ['null where NOT NULL', { day, n: { type: types.integer, value: null } }, /NOT NULL/],
  ] as const)('%s: refused', (_, values, message) => {
    expect(() => normalizePartitionValues(values as never, schema, ['Day', 'n'])).toThrow(
      expect.objectContaining({ code: 'InvalidPartitionValues', message: expect.stringMatching(message) }),
    );
  });
});
