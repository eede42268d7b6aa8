import { describe, expect, it } from 'vitest';
import { parsePartitionValue } from '../../../src/kernel/partition-values/parse.ts';
import { type DataType, types } from '../../../src/kernel/schema/types.ts';

const parse = (text: string | null | undefined, type: DataType) => parsePartitionValue(text, type).value;
const utf8 = (text: string) => new TextEncoder().encode(text);
/** Microseconds by the platform's own calendar. */
const micros = (iso: string, rest = 0n) => BigInt(Date.parse(iso)) * 1000n + rest;

describe('partition values', () => {
  it('null and absent are NULL for every type', () => {
    for (const type of [types.string, types.binary, types.long, types.timestamp, types.decimal(5, 2)]) {
      expect(parse(null, type)).toBeNull();
      expect(parse(undefined, type)).toBeNull();
    }
  });

  it("'' is text for string, no bytes for binary, NULL for the rest", () => {
    expect(parse('', types.string)).toBe('');
    expect(parse('', types.binary)).toEqual(new Uint8Array(0));
    const rest = [types.byte, types.long, types.double, types.boolean, types.date, types.timestamp];
    for (const type of [...rest, types.timestampNtz, types.decimal(5, 2)]) expect(parse('', type)).toBeNull();
  });

  it('never takes the Hive directory name of null for a value', () => {
    expect(parse('__HIVE_DEFAULT_PARTITION__', types.string)).toBe('__HIVE_DEFAULT_PARTITION__');
    expect(() => parse('__HIVE_DEFAULT_PARTITION__', types.integer)).toThrow(/not a value of type integer/);
  });

  it.each([
    [types.byte, '-128', -128],
    [types.short, '32767', 32767],
    [types.integer, '-2147483648', -2147483648],
    [types.long, '9007199254740993', 9007199254740993n],
    [types.long, '-9223372036854775808', -9223372036854775808n],
    [types.double, '1.0E10', 1e10],
    [types.double, '7', 7],
    [types.double, 'NaN', Number.NaN],
    [types.double, '-Infinity', Number.NEGATIVE_INFINITY],
    [types.float, '3.14', Math.fround(3.14)],
    [types.boolean, 'TRUE', true],
    [types.boolean, 'false', false],
    [types.date, '1970-01-01', 0],
    [types.date, '2000-02-29', 11016],
    [types.date, '0001-01-01', -719162],
    [types.date, '9999-12-31', 2932896],
  ] as const)('%j %s', (type, text, value) => {
    expect(parse(text, type)).toEqual(value);
  });

  it.each([
    [types.byte, '128'],
    [types.integer, '1.0'],
    [types.integer, '0x10'],
    [types.long, '9223372036854775808'],
    [types.boolean, 'yes'],
    [types.date, '2023-02-29'],
    [types.date, '2023-13-01'],
    [types.date, '2023-00-10'],
    [types.double, '1,5'],
    [types.decimal(10, 2), '1.005'],
    [types.decimal(3, 2), '10.00'],
    [types.decimal(3, 2), '.'],
    [types.timestamp, '2024-03-10 25:00:00'],
    [types.timestampNtz, '2024-03-10 10:00:00+01:00'],
    [types.timestampNtz, '2024-03-10T10:00:00Z'],
    [types.array(types.long), '1'],
  ] as const)('%j refuses %s', (type, text) => {
    expect(() => parse(text, type)).toThrow(expect.objectContaining({ code: 'ParseError' }));
  });

  it('reads binary as the UTF-8 bytes of the text', () => {
    expect(parse('Hello', types.binary)).toEqual(utf8('Hello'));
    expect(parse('\u0001\u0002', types.binary)).toEqual(Uint8Array.of(1, 2));
    expect(parse('\\u0001', types.binary)).toEqual(utf8('\\u0001'));
    expect(parse('é', types.binary)).toEqual(Uint8Array.of(0xc3, 0xa9));
  });

  it.each([
    ['2024-03-10 10:00:00', micros('2024-03-10T10:00:00Z')],
    ['2024-03-10 10:00:00.123456', micros('2024-03-10T10:00:00.123Z', 456n)],
    ['2024-03-10T10:00:00.123456Z', micros('2024-03-10T10:00:00.123Z', 456n)],
    ['2024-03-10T10:00:00+05:30', micros('2024-03-10T04:30:00Z')],
    ['2024-03-10 10:00:00+0530', micros('2024-03-10T04:30:00Z')],
    ['2024-03-10 10:00:00-08', micros('2024-03-10T18:00:00Z')],
    ['1969-12-31 23:20:57.657658', micros('1969-12-31T23:20:57.657Z', 658n)],
    ['1969-12-31 23:59:59.999999', -1n],
    ['2024-03-10 10:00:00.1234567', micros('2024-03-10T10:00:00.123Z', 456n)],
  ])('timestamp %s', (text, value) => {
    expect(parse(text, types.timestamp)).toBe(value);
  });

  it('reads text that is older than a widening of its column', () => {
    expect(parse('2024-03-10', types.timestampNtz)).toBe(micros('2024-03-10T00:00:00Z'));
    expect(parse('2024-03-10T10:00:00', types.timestampNtz)).toBe(micros('2024-03-10T10:00:00Z'));
    expect(parse('7', types.decimal(12, 2))).toBe(700n);
    expect(parse('7', types.double)).toBe(7);
  });

  it.each([
    [10, 2, '1.5', 150n],
    [10, 2, '1.50', 150n],
    [10, 2, '1.500', 150n],
    [10, 2, '-0.01', -1n],
    [10, 2, '1E+2', 10000n],
    [10, 2, '12e-1', 120n],
    [10, 2, '0', 0n],
    [10, 2, '-0.00', 0n],
    [10, 0, '007', 7n],
    [38, 10, '1234567890123456789012345678.0123456789', 12345678901234567890123456780123456789n],
  ] as const)('decimal(%i,%i) %s', (precision, scale, text, value) => {
    expect(parse(text, types.decimal(precision, scale))).toBe(value);
  });

  it('names file and column in errors', () => {
    const place = { table: 'file:///t/', path: 'a/b.parquet', column: 'day' };
    expect(() => parsePartitionValue('x', types.date, place)).toThrow(
      expect.objectContaining({ code: 'ParseError', ...place, message: expect.stringContaining('"x"') }),
    );
  });
});
