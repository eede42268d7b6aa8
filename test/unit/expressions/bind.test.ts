import { describe, expect, it } from 'vitest';
import { bindPredicate } from '../../../src/kernel/expressions/bind.ts';
import { col } from '../../../src/kernel/expressions/builders.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { bound, failure, schema, truth } from './helpers.ts';

describe('binding', () => {
  it.each([
    // Names.
    ['CITY = ST.`A.B`', 'City = st.`a.b`'],
    ['st.x IS NULL', 'st.X IS NULL'],
    ['`dotted.name` = 1', '`dotted.name` = 1'],
    // Literals take the column's type where they have a value in it.
    ['b = 5.0', 'b = 5'],
    ['l = 5', 'l = 5'],
    ['dec = 1', 'dec = 1.00'],
    ['dec = 1.5', 'dec = 1.50'],
    ['d = 1', 'd = 1.0'],
    ['d = 0.1', 'd = 0.1'],
    ['5 < l', 'l > 5'],
    ["date > '2024-01-31'", "date > DATE '2024-01-31'"],
    ["ts > '2024-01-31'", "ts > TIMESTAMP '2024-01-31 00:00:00.000000Z'"],
    ["ts = '2024-01-31 02:00:00+02:00'", "ts = TIMESTAMP '2024-01-31 00:00:00.000000Z'"],
    ["ntz = DATE '2024-01-31'", "ntz = TIMESTAMP_NTZ '2024-01-31 00:00:00.000000'"],
    ["bin = 'é'", "bin = X'c3a9'"],
    // Where they do not, the comparison changes.
    ['i > 1.5', 'i >= 2'],
    ['i >= 1.5', 'i >= 2'],
    ['i < 1.5', 'i <= 1'],
    ['i <= -1.5', 'i <= -2'],
    ['i = 1.5', 'i > 2147483647'],
    ['i != 1.5', 'i <= 2147483647'],
    ['b > 127', 'b > 127'],
    ['b > 128', 'b > 127'],
    ['b < 128', 'b <= 127'],
    ['b > -129', 'b <= 127'],
    ['b < -129', 'b > 127'],
    ['l < 9223372036854775808', 'l <= 9223372036854775807'],
    ['dec > 1.005', 'dec >= 1.01'],
    ['dec < 99999999999', 'dec <= 99999999.99'],
    ['f >= 0.1', 'f >= 0.10000000149011612'],
    ['f > 0.1', 'f >= 0.10000000149011612'],
    ['i IN ()', 'FALSE'],
    ['f = 0.1', "f > CAST('NaN' AS float)"],
    ["date > TIMESTAMP '2024-01-31 00:00:01'", "date >= DATE '2024-02-01'"],
    ["date <= TIMESTAMP '1969-12-31 12:00:00'", "date <= DATE '1969-12-31'"],
    ['i IN (1, 1.5, NULL, 2)', 'i IN (1, NULL, 2)'],
    ['i IN (1.5)', 'i > 2147483647'],
    ['i <=> 1.5', 'NOT (TRUE)'],
    ['i = NULL', 'i = NULL'],
    // Columns against columns.
    ['i = l', 'CAST(i AS long) = l'],
    ['i = dec', 'CAST(i AS decimal(12,2)) = CAST(dec AS decimal(12,2))'],
    ['l < d', 'CAST(l AS double) < d'],
    ['date < ts', 'CAST(date AS timestamp) < ts'],
    ['i + 1 > l', '(CAST(i AS long) + 1) > l'],
    ['i / 2 > 1', '(CAST(i AS double) / 2.0) > 1.0'],
    // Constants.
    ['1 < 2', 'TRUE'],
    ['1.50 = 1.5', 'TRUE'],
    ['1 = NULL', 'NULL'],
    ['i > 1 + 2 * 3', 'i > 7'],
    ["date = CAST('2024-01-01' AS date)", "date = DATE '2024-01-01'"],
    ['v = 1', 'NULL'],
    ['v IS NULL', 'v IS NULL'],
    ['NULL', 'NULL'],
    ['bool AND (i = 1)', 'bool AND i = 1'],
  ])('%s', (source, expected) => {
    expect(bound(source)).toBe(expected);
    const once = bindPredicate(parsePredicate(source), schema);
    expect(bindPredicate(once, schema)).toEqual(once);
  });

  it('takes what nobody knows for no value, not for NULL', () => {
    const left = { kind: 'unknown', name: 'u' } as const;
    for (const value of [1, null]) {
      const right = { kind: 'literal', literal: { type: types.integer, value } } as const;
      expect(bindPredicate({ kind: 'distinct', left, right }, schema)).toEqual({
        kind: 'distinct',
        left,
        right,
      });
      const mirrored = { kind: 'distinct', left: right, right: left } as const;
      expect(bindPredicate(mirrored, schema)).toEqual(mirrored);
    }
  });

  it('keeps the exact float of the neighbour', () => {
    const predicate = bindPredicate(parsePredicate('f > 0.1'), schema);
    // 0.1 lies between 0.0999999940395355224609375 and 0.100000001490116119384765625.
    expect(predicate).toMatchObject({
      right: { literal: { type: types.float, value: 0.10000000149011612 } },
    });
    expect(bindPredicate(parsePredicate('f < 0.1'), schema)).toMatchObject({
      op: '<=',
      right: { literal: { value: 0.09999999403953552 } },
    });
    expect(bindPredicate(col('f').lt(1e300).predicate, schema)).toMatchObject({
      op: '<=',
      right: { literal: { value: 3.4028234663852886e38 } },
    });
  });

  it('reads a JavaScript number as the decimal that it prints', () => {
    expect(predicateToString(bindPredicate(col('dec').eq(0.1).predicate, schema))).toBe('dec = 0.10');
    expect(predicateToString(bindPredicate(col('l').lt(Number.NaN).predicate, schema))).toBe(
      'l <= 9223372036854775807',
    );
  });

  it.each([
    ['nope = 1', 'there is no column nope; there are b, i, l', 0],
    ['i = 1 AND citi = 1', 'there is no column citi; did you mean City?', 10],
    ['dotted.name = 1', 'write `dotted.name` for', 0],
    ['s = 1', 's has type string, 1 is integer: they do not compare', 0],
    ["i = '1'", "i has type integer, '1' is string", 0],
    ["date = 'yesterday'", 'expected a date, YYYY-MM-DD', 0],
    ["ts IN ('x')", 'expected a timestamp', 0],
    ['bool = 1', 'bool has type boolean, 1 is integer', 0],
    ['bool = s', 'values of type boolean and string do not compare', 0],
    ['i', 'i has type integer, a condition must be boolean', 0],
    ['st = 1', 'st has type struct<X:integer,`a.b`:string>, which can only be tested', 0],
    ['arr > 1', 'can only be tested', 0],
    ['var = 1', 'can only be tested', 0],
    ["i LIKE 'x%'", 'LIKE needs a string', 0],
    ['dec + 1 > 2', 'use CAST', 0],
    ['s + 1 > 2', 'needs numbers', 0],
    ['CAST(ts AS long) = 1', 'CAST of timestamp to long is not known', 0],
    ['CAST(arr AS string) = 1', 'CAST of array<integer>', 0],
  ])('refuses %s', (source, message, start) => {
    const error = failure(() => bindPredicate(parsePredicate(source), schema));
    expect(error.code).toBe('InvalidExpression');
    expect(error.message).toContain(message);
    expect(error.span?.start).toBe(start);
  });

  it('refuses ambiguous names and half surrogates', () => {
    const twice = types.struct([field('a', types.long), field('A', types.long)]);
    expect(failure(() => bindPredicate(parsePredicate('a = 1'), twice)).message).toContain('may be a, A');
    expect(failure(() => bindPredicate(col('s').eq('\ud800').predicate, schema)).message).toContain(
      'surrogate',
    );
    expect(failure(() => bindPredicate(col('s').startsWith('\udc00').predicate, schema)).code).toBe(
      'InvalidExpression',
    );
  });
});

describe('truth', () => {
  it.each<[string, Record<string, never> | object, boolean | null]>([
    // A rewritten literal keeps SQL's NULL.
    ['i = 1.5', { i: 1 }, false],
    ['i = 1.5', {}, null],
    ['NOT i = 1.5', {}, null],
    ['i NOT IN (1.5)', {}, null],
    ['i NOT IN (1.5)', { i: 2147483647 }, true],
    ['i <=> 1.5', {}, false],
    ['f = 0.1', { f: Math.fround(0.1) }, false],
    ['f != 0.1', { f: Number.NaN }, true],
    ['i IN (NULL, 5)', { i: 5 }, true],
    ['i IN (NULL, 5)', { i: 6 }, null],
    ['i NOT IN (NULL, 7)', { i: 5 }, null],
    ['i IN ()', {}, false],
    ['i <=> NULL', {}, true],
    ['i = NULL', { i: 1 }, null],
    ['bool IS TRUE', {}, false],
    ['bool IS NOT TRUE', {}, true],
    ['i = 1 AND NULL', { i: 2 }, false],
    ['i = 1 OR NULL', { i: 2 }, null],
    // Floats: NaN equals itself and is greatest, −0 = 0.
    ["d = CAST('NaN' AS double)", { d: Number.NaN }, true],
    ['d > 1e308', { d: Number.NaN }, true],
    ["d < CAST('NaN' AS double)", { d: Number.POSITIVE_INFINITY }, true],
    ['d = 0', { d: -0 }, true],
    // Text by code point: U+1F33C is above U+FFFD, though its UTF-16 units are below.
    ["s > '\ufffd'", { s: '🌼' }, true],
    ["s < 'b'", { s: 'ab' }, true],
    ["s LIKE '🌼%'", { s: '🌼x' }, true],
    ["bin > X'7f'", { bin: Uint8Array.of(0x80) }, true],
    ['l = 9007199254740993', { l: 9007199254740993n }, true],
    ['l = 9007199254740992', { l: 9007199254740993n }, false],
    ['dec = 1.1', { dec: 110n }, true],
    ['i = dec', { i: 1, dec: 100n }, true],
    ['i = dec', { i: 1, dec: 101n }, false],
    ['st.X = 1', { st: [1, null] }, true],
    ['st.X IS NULL', { st: null }, true],
    ['st IS NULL', { st: [null, null] }, false],
    ['i + 2147483647 > 2147483647', { i: 2147483647 }, true],
    ['i / 2 = 0.5', { i: 1 }, true],
    ['CAST(s AS integer) = 5', { s: ' 5 ' }, true],
    ['CAST(s AS integer) IS NULL', { s: 'x' }, true],
    ['CAST(i AS byte) IS NULL', { i: 128 }, true],
    ['CAST(s AS decimal(4,2)) = 1.24', { s: '1.235' }, true],
    ['CAST(s AS decimal(4,2)) = -1.24', { s: '-1.235' }, true],
    ['CAST(s AS decimal(4,2)) IS NULL', { s: '100' }, true],
    ["CAST(dec AS string) = '0.05'", { dec: 5n }, true],
    ["CAST(ts AS date) = DATE '1969-12-31'", { ts: -1n }, true],
    ["CAST(ts AS string) = '1969-12-31 23:59:59.9'", { ts: -100_000n }, true],
    ["CAST(ts AS string) = '1970-01-01 00:00:00'", { ts: 0n }, true],
    ['CAST(d AS long) = -1', { d: -1.9 }, true],
    ["CAST(d AS string) = '1.0E10'", { d: 1e10 }, true],
    ['CAST(bool AS integer) = 1', { bool: true }, true],
    ['CAST(s AS boolean)', { s: 'yes' }, true],
    ['date < ts', { date: 0, ts: 1n }, true],
  ])('row %#: %s', (source, values, expected) => {
    expect(truth(source, values as never)).toBe(expected);
  });

  it('fails on overflow, and on division of integers by zero', () => {
    expect(failure(() => truth('l + 1 > 0', { l: 2n ** 63n - 1n })).code).toBe('InvalidExpression');
  });
});
