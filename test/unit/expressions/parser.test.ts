import { describe, expect, it } from 'vitest';
import { and, col, lit, not, or } from '../../../src/kernel/expressions/builders.ts';
import { parsePredicate, spanOf, tokenize } from '../../../src/kernel/expressions/parser.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import type { Predicate } from '../../../src/kernel/expressions/types.ts';
import { types } from '../../../src/kernel/schema/types.ts';
import { failure } from './helpers.ts';

const text = (predicate: string) => predicateToString(parsePredicate(predicate));
const literalOf = (value: string) => {
  const predicate = parsePredicate(`x = ${value}`) as Predicate & { kind: 'comparison' };
  return predicate.right.kind === 'literal' ? predicate.right.literal : predicate.right;
};

describe('predicate text', () => {
  it('has SQL precedence', () => {
    const [a, b, c] = [col('a').gt(lit(1, types.integer)), col('b').isNull(), col('c')];
    expect(parsePredicate('a > 1 OR b IS NULL AND NOT c')).toEqual(or(a, and(b, not(c))).predicate);
    expect(parsePredicate('(a > 1 or b is null) and not c')).toEqual(and(or(a, b), not(c)).predicate);
    expect(parsePredicate('a + 1 * 2 > -b')).toEqual(
      col('a')
        .plus(lit(1, types.integer).times(lit(2, types.integer)))
        .gt(lit(0, types.integer).minus(col('b'))).predicate,
    );
    expect(text('a - 1 - 2 = 0')).toBe('((a - 1) - 2) = 0');
    expect(text('a -1 = 0')).toBe('(a - 1) = 0');
    expect(text('NOT a = 1')).toBe('NOT (a = 1)');
  });

  it.each([
    ['a == 1', 'a = 1'],
    ['a <> 1', 'a != 1'],
    ['a <=> NULL', 'a IS NOT DISTINCT FROM NULL'],
    ['a NOT IN (1, -2, NULL)', 'NOT (a IN (1, -2, NULL))'],
    ['a IN ()', 'a IN ()'],
    ['a NOT BETWEEN 1 AND 2 AND b', 'NOT (a >= 1 AND a <= 2) AND b'],
    ["a LIKE 'x%'", "a LIKE 'x%'"],
    ["a LIKE 'x'", "a = 'x'"],
    ["a LIKE '%'", "a LIKE '%'"],
    ["a LIKE '10\\%\\_%'", "a LIKE '10\\%\\_%'"],
    ["a NOT LIKE 'x%'", "NOT (a LIKE 'x%')"],
    ['a IS NOT NULL', 'a IS NOT NULL'],
    ['a IS TRUE', 'a IS NOT DISTINCT FROM TRUE'],
    ['a IS NOT FALSE', 'a IS DISTINCT FROM FALSE'],
    ['a IS DISTINCT FROM b', 'a IS DISTINCT FROM b'],
    ['`a.b`.`c``d`.e.in = 1', '`a.b`.`c``d`.e.in = 1'],
    ['größe = 1', 'größe = 1'],
    ['date = 1', 'date = 1'],
    ["s = 'it''s'", "s = 'it''s'"],
    ['CAST(a AS bigint) = 1', 'CAST(a AS long) = 1'],
    ['cast(a as DECIMAL(5)) = 1', 'CAST(a AS decimal(5,0)) = 1'],
    ['(a = 1) = (b = 2)', '(a = 1) = (b = 2)'],
    ['TRUE', 'TRUE'],
    ['+1 = a', '1 = a'],
    ['- -1 = a', '(0 - -1) = a'],
  ])('%s', (source, printed) => {
    expect(text(source)).toBe(printed);
    expect(text(printed)).toBe(printed);
  });

  it('keeps literals exact', () => {
    expect(literalOf('9007199254740993')).toEqual({ type: types.long, value: 9007199254740993n });
    expect(literalOf('-2147483648')).toEqual({ type: types.integer, value: -2147483648 });
    expect(literalOf('-9223372036854775808')).toEqual({ type: types.long, value: -(2n ** 63n) });
    expect(literalOf('9223372036854775808')).toEqual({ type: types.decimal(19, 0), value: 2n ** 63n });
    expect(literalOf('1.50')).toEqual({ type: types.decimal(3, 2), value: 150n });
    expect(literalOf('.5')).toEqual({ type: types.decimal(1, 1), value: 5n });
    expect(literalOf('1.5e3')).toEqual({ type: types.decimal(4, 0), value: 1500n });
    expect(literalOf('25e-3')).toEqual({ type: types.decimal(3, 3), value: 25n });
    expect(literalOf('1e300')).toEqual({ type: types.double, value: 1e300 });
    expect(literalOf('1e999999999')).toEqual({ type: types.double, value: Number.POSITIVE_INFINITY });
    expect(literalOf("X'00fF'")).toEqual({ type: types.binary, value: Uint8Array.of(0, 255) });
    expect(literalOf("DATE '1969-12-31'")).toEqual({ type: types.date, value: -1 });
    expect(literalOf("DATE '10000-01-01'")).toEqual({ type: types.date, value: 2932897 });
    expect(literalOf("TIMESTAMP '1969-12-31 23:59:59.999999'")).toEqual({
      type: types.timestamp,
      value: -1n,
    });
    expect(literalOf("TIMESTAMP '1970-01-01T01:00:00+01:00'")).toEqual({ type: types.timestamp, value: 0n });
    expect(literalOf("TIMESTAMP_NTZ '1970-01-01 00:00:01'")).toEqual({
      type: types.timestampNtz,
      value: 1_000_000n,
    });
  });

  it.each([
    ['', 0, 0],
    ['a =', 3, 3],
    ['a = 1 b', 6, 7],
    ['a = 1 AND', 9, 9],
    ['a NOT 1', 6, 7],
    ['a IN (b)', 6, 7],
    ['a IN (1', 7, 7],
    ['(a = 1', 6, 6],
    ['a = 1)', 5, 6],
    ["a = 'x", 4, 6],
    ['`a = 1', 0, 6],
    ['a = "x"', 4, 7],
    ['a = 1x', 4, 6],
    ['a = 1.2.3', 7, 9],
    ['a # 1', 2, 3],
    ["a LIKE '%x'", 7, 11],
    ["a LIKE 'x_y'", 7, 12],
    ['a LIKE b', 7, 8],
    ["a = DATE '2024-02-30'", 9, 21],
    ["a = TIMESTAMP_NTZ '2024-02-01 00:00:00Z'", 18, 40],
    ["a = X'0'", 4, 8],
    ['CAST(a AS geometry) = 1', 10, 18],
    ['CAST(a AS decimal(99,1)) = 1', 10, 23],
    ['upper(a) = 1', 0, 5],
    ['a. = 1', 3, 4],
    ['a IS 5', 5, 6],
    ['a = = 1', 4, 5],
    ['AND a', 0, 3],
    [`a = ${'9'.repeat(39)}`, 4, 43],
  ])('marks the place of the error in %s', (source, start, end) => {
    const error = failure(() => parsePredicate(source));
    expect(error.code).toBe('InvalidExpression');
    expect([error.span?.start, error.span?.end], error.message).toEqual([start, end]);
  });

  it('says what it expected', () => {
    expect(failure(() => parsePredicate('a = 1 b'))).toMatchObject({
      message: 'expected AND, OR, or the end, found b (at offset 6)',
      expected: 'AND, OR, or the end',
    });
  });

  it('bounds depth and length', () => {
    const deep = [
      `${'('.repeat(5000)}a${')'.repeat(5000)}`,
      `${'NOT '.repeat(100_000)}a`,
      `a = ${'-'.repeat(5000)}b`,
      `a = 1${' + 1'.repeat(5000)}`,
      `${'CAST('.repeat(3000)}a`,
    ];
    for (const source of deep)
      expect(failure(() => parsePredicate(source)).message).toContain('nested deeper');
    expect(failure(() => parsePredicate(`a = '${'x'.repeat(1_000_001)}'`)).message).toContain('characters');
    const wide = Array.from({ length: 20_000 }, (_, i) => `a = ${i}`).join(' OR ');
    expect((parsePredicate(wide) as Predicate & { kind: 'or' }).inputs).toHaveLength(20_000);
  });

  it('remembers where nodes came from', () => {
    const source = 'a > 1 AND city = 5';
    const predicate = parsePredicate(source) as Predicate & { kind: 'and' };
    const { start, end } = spanOf(predicate.inputs[1]!)!;
    expect(source.slice(start, end)).toBe('city = 5');
  });

  it('shows its tokens', () => {
    expect(tokenize("a>='x' AND `b`").map((t) => [t.kind, t.text, t.start])).toEqual([
      ['word', 'a', 0],
      ['operator', '>=', 1],
      ['string', "'x'", 3],
      ['word', 'AND', 7],
      ['quotedName', '`b`', 11],
      ['end', '', 14],
    ]);
  });
});

describe('builders', () => {
  it('give the predicate of the same text', () => {
    const built = and(
      col('fare').gte(100),
      col(['a', 'b']).in(['x', null]),
      col('t').between(1, 2),
      col('s').startsWith('p'),
      or(col('n').isNotNull(), col('m').eqNullSafe(null), col('q').eq(new Date(0))).not(),
    );
    expect(predicateToString(built.predicate)).toBe(
      "fare >= 100 AND a.b IN ('x', NULL) AND t >= 1 AND t <= 2 AND s LIKE 'p%' AND NOT (n IS NOT NULL OR " +
        "m IS NOT DISTINCT FROM NULL OR q = TIMESTAMP '1970-01-01 00:00:00.000000Z')",
    );
  });

  it('type JavaScript values', () => {
    const typed = (value: Parameters<typeof lit>[0]) =>
      (lit(value).expression as { literal: { type: { name?: string } } }).literal;
    expect(typed(5)).toEqual({ type: types.long, value: 5n });
    expect(typed(5.5)).toEqual({ type: types.double, value: 5.5 });
    expect(typed(2 ** 60)).toEqual({ type: types.double, value: 2 ** 60 });
    expect(typed(2n ** 64n)).toEqual({ type: types.decimal(20, 0), value: 2n ** 64n });
    expect(typed(null)).toEqual({ type: types.void, value: null });
    expect(failure(() => lit(new Date(Number.NaN))).code).toBe('InvalidExpression');
    expect(failure(() => lit([1])).code).toBe('InvalidExpression');
  });
});
