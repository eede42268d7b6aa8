import { describe, expect, it } from 'vitest';
import { bindPredicate } from '../../../src/kernel/expressions/bind.ts';
import { checkpointPredicate } from '../../../src/kernel/expressions/checkpoint-predicate.ts';
import { compilePredicate, type Row } from '../../../src/kernel/expressions/evaluate.ts';
import { skipExplainer } from '../../../src/kernel/expressions/explain.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import {
  keepUnlessFalse,
  type SkippingOptions,
  skippingConjuncts,
  skippingPredicate,
} from '../../../src/kernel/expressions/skipping.ts';
import { partitionValuesSchema, statsSchema } from '../../../src/kernel/expressions/stats-schema.ts';
import type { Predicate } from '../../../src/kernel/expressions/types.ts';
import { referencedColumns } from '../../../src/kernel/expressions/visit.ts';
import { typeToString } from '../../../src/kernel/schema/schema.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';

const schema = types.struct([
  field('a', types.integer),
  field('n', types.integer),
  field('l', types.long),
  field('x', types.double),
  field('s', types.string),
  field('ts', types.timestamp),
  field('ntz', types.timestampNtz),
  field('dec', types.decimal(10, 2)),
  field('flag', types.boolean),
  field('st', types.struct([field('a', types.integer)])),
  field('arr', types.array(types.integer)),
  field('p', types.string),
  field('pf', types.boolean),
  field('pi', types.integer),
]);
const options: SkippingOptions = { source: 'deltaStats', schema, partitionColumns: ['p', 'pf', 'pi'] };

interface Stats {
  numRecords?: bigint;
  nullCount?: object;
  minValues?: object;
  maxValues?: object;
  partitionValues?: object;
}

/** The whole shape, so that every test file has every statistic, null where it is not given. */
const shape = types.struct([
  ...statsSchema(
    ['a', 'n', 'l', 'x', 's', 'ts', 'ntz', 'dec', 'flag', 'st', 'arr'].map((name) => [name]),
    schema,
  ).fields,
  field('partitionValues', partitionValuesSchema(['p', 'pf', 'pi'], schema)),
]);

function rowOf(struct: StructType, values: Record<string, unknown>): Row {
  return struct.fields.map((f) => {
    const value = values[f.name];
    if (value === undefined || value === null) return null;
    return f.type.kind === 'struct'
      ? rowOf(f.type, value as Record<string, unknown>)
      : (value as Row[number]);
  });
}

const bind = (text: string) => bindPredicate(parsePredicate(text), schema);

function isKept(text: string, stats: Stats, changed: Partial<SkippingOptions> = {}): boolean {
  const skipping = skippingPredicate(bind(text), { ...options, ...changed });
  const row = rowOf(shape, stats as Record<string, unknown>);
  const kept = compilePredicate(shape, skipping)(row) !== false;
  expect(compilePredicate(shape, keepUnlessFalse(skipping))(row)).toBe(kept);
  return kept;
}

const range = (column: string, min: unknown, max: unknown): Stats => ({
  numRecords: 10n,
  nullCount: { [column]: 0n },
  minValues: { [column]: min },
  maxValues: { [column]: max },
});
const micros = (text: string) =>
  BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n + BigInt(text.slice(23) || 0);

describe('skipping by bounds', () => {
  it.each([
    ['a < 5', false],
    ['a < 6', true],
    ['a <= 4', false],
    ['a <= 5', true],
    ['a > 10', false],
    ['a > 9', true],
    ['a >= 11', false],
    ['a = 4', false],
    ['a = 7', true],
    ['a = 11', false],
    ['a != 7', true],
    ['NOT a >= 5', false],
    ['NOT (a < 5 OR a > 3)', false],
    ['a IN (1, 20)', false],
    ['a IN (1, 7)', true],
    ['a IN (NULL, 1)', true],
    ['a IN ()', false],
    ['a NOT IN (1)', true],
    ['a BETWEEN 11 AND 20', false],
    ['a = 4 OR l = 1', true],
    ['a = 4 AND l = 1', false],
    ['a = 7 AND a = 4', false],
    ['a > 1.5 AND a < 4.5', false],
    ['a = 1.5', false],
    ['a = NULL', true],
    ['5 > a', false],
    ['a = l', true],
    ["CAST(a AS string) = 'x'", true],
    ['a + 1 > 100', true],
    ['FALSE', false],
    ['a = 7 AND FALSE', false],
    ['TRUE', true],
    ['NULL', true],
    [`a IN (${Array.from({ length: 300 }, (_, i) => i + 100).join(',')})`, false],
    [`a IN (${Array.from({ length: 300 }, (_, i) => i + 10).join(',')})`, true],
  ])('%s over 5..10: kept %s', (text, kept) => {
    expect(isKept(text, range('a', 5, 10))).toBe(kept);
  });

  it('skips != only where all values are one', () => {
    expect(isKept('a != 5', range('a', 5, 5))).toBe(false);
    expect(isKept('a NOT IN (5)', range('a', 5, 5))).toBe(false);
    expect(isKept('a != 5', range('a', 5, 6))).toBe(true);
    expect(isKept('a NOT IN (5, NULL)', range('a', 5, 6))).toBe(true);
  });

  it('ST-08: compares long values exactly', () => {
    const stats = range('l', 9007199254740993n, 9007199254740993n);
    expect(isKept('l = 9007199254740993', stats)).toBe(true);
    expect(isKept('l = 9007199254740992', stats)).toBe(false);
    expect(isKept('dec = 1.11', range('dec', 112n, 200n))).toBe(false);
    expect(isKept('dec > 1.999', range('dec', 112n, 200n))).toBe(true);
  });

  it('ST-10: keeps what has no statistics', () => {
    for (const stats of [{}, { numRecords: 5n }, range('n', 1, 1)]) {
      expect(isKept('a = 1', stats)).toBe(true);
      expect(isKept('a = 1 OR n = 1', stats)).toBe(true);
    }
    expect(isKept('a = 1 AND n = 2', range('n', 1, 1))).toBe(false);
    expect(isKept('a = 1 OR n = 2', range('n', 1, 1))).toBe(true);
  });

  it('ST-11: unknown is not false', () => {
    const stats: Stats = { numRecords: 2n, nullCount: { a: 1n }, minValues: { a: 5 }, maxValues: { a: 5 } };
    expect(isKept('NOT (a = 5)', stats)).toBe(false);
    expect(isKept('a != 5 OR n = 1', stats)).toBe(true);
    expect(isKept('a IN (NULL, 5)', stats)).toBe(true);
    expect(isKept('NOT (a IN (NULL, 7))', stats)).toBe(true);
    expect(isKept('a <=> NULL', stats)).toBe(true);
    expect(isKept('NOT (a <=> NULL)', stats)).toBe(true);
    expect(isKept('NOT (a <=> 5)', stats)).toBe(true);
    expect(isKept('NOT (a <=> 5)', range('a', 5, 5))).toBe(false);
    expect(isKept('a <=> 6', stats)).toBe(false);
    const empty = (kind: 'and' | 'or'): Predicate => ({ kind, inputs: [] });
    const truth = (predicate: Predicate) =>
      compilePredicate(shape, skippingPredicate(predicate, options))(rowOf(shape, stats as never));
    expect([truth(empty('and')), truth(empty('or'))]).toEqual([true, false]);
  });

  it('ST-14, ST-15: uses counts of nulls only where they are none or all', () => {
    const allNull: Stats = { numRecords: 3n, nullCount: { a: 3n } };
    for (const text of [
      'a = 1',
      'a != 1',
      'a < 1',
      'NOT a > 1',
      'a IS NOT NULL',
      'a IS DISTINCT FROM NULL',
    ]) {
      expect(isKept(text, allNull), text).toBe(false);
    }
    expect(isKept('a IS NULL', allNull)).toBe(true);
    expect(isKept('a <=> NULL', allNull)).toBe(true);
    expect(isKept('a IS NULL', range('a', 1, 1))).toBe(false);
    expect(isKept('a IS NULL', { numRecords: 3n, nullCount: { a: 1n } })).toBe(true);
    expect(isKept('a IS NOT NULL', { numRecords: 3n, nullCount: { a: 1n } })).toBe(true);
    expect(isKept('flag', { numRecords: 3n, nullCount: { flag: 3n } })).toBe(false);
    expect(isKept('NOT flag', { numRecords: 3n, nullCount: { flag: 3n } })).toBe(false);
    expect(isKept('flag', { numRecords: 3n, nullCount: { flag: 2n } })).toBe(true);
  });

  it('ST-20: knows no nulls of structs', () => {
    const stats: Stats = { numRecords: 3n, nullCount: { st: { a: 3n }, arr: 3n } };
    expect(isKept('st IS NULL', stats)).toBe(true);
    expect(isKept('st IS NOT NULL', stats)).toBe(true);
    expect(isKept('st.a IS NOT NULL', stats)).toBe(false);
    expect(isKept('arr IS NOT NULL', stats)).toBe(false);
    expect(isKept('arr IS NULL', { numRecords: 3n, nullCount: { arr: 0n } })).toBe(false);
  });
});

describe('skipping by bounds that are not exact', () => {
  it('ST-01: timestamps are cut to milliseconds', () => {
    const cut = micros('2024-01-01T01:02:03.456');
    for (const column of ['ts', 'ntz']) {
      const stats = range(column, cut, cut);
      const literal = (text: string) => `'2024-01-01 ${text}'`;
      for (const kept of [
        `= ${literal('01:02:03.456789')}`,
        `>= ${literal('01:02:03.4565')}`,
        `> ${literal('01:02:03.456')}`,
        `!= ${literal('01:02:03.456')}`,
      ]) {
        expect(isKept(`${column} ${kept}`, stats), kept).toBe(true);
      }
      expect(isKept(`${column} > ${literal('01:02:03.456999')}`, stats)).toBe(false);
      expect(isKept(`${column} >= ${literal('01:02:03.457')}`, stats)).toBe(false);
      expect(isKept(`${column} < ${literal('01:02:03.456')}`, stats)).toBe(false);
      expect(isKept(`${column} > ${literal('01:02:03.456')}`, stats, { source: 'footer' })).toBe(false);
    }
  });

  it('ST-02: saturates at the ends of time', () => {
    const end = 2n ** 63n - 1n;
    expect(isKept("ntz > '294247-01-10 04:00:54.775806'", range('ntz', end, end))).toBe(true);
    expect(isKept("ntz = '-290308-12-21 19:59:05.224192'", range('ntz', -end - 1n, -end - 1n))).toBe(true);
  });

  it('ST-03: offsets of old zones were cut to minutes', () => {
    const stored = micros('1850-01-01T00:08:01.000');
    expect(isKept("ts = '1850-01-01 01:01:01+00:53:28'", range('ts', stored, stored))).toBe(true);
    expect(isKept("ts = '1850-01-01 00:10:01'", range('ts', stored, stored))).toBe(false);
  });

  it('ST-04: text is compared by code point', () => {
    const stats = range('s', 'a'.repeat(32), `${'a'.repeat(32)}\u{10ffff}`);
    expect(isKept(`s = '${'a'.repeat(40)}'`, stats)).toBe(true);
    expect(isKept(`s = '${'a'.repeat(31)}'`, stats)).toBe(false);
    expect(isKept("s = '🌼x'", range('s', '\ue000', '🌼z'))).toBe(true);
    expect(isKept("s > '\ufffe'", range('s', 'a', '🌼'))).toBe(true);
    expect(isKept("s > '\ufffe'", range('s', 'a', '\ufffd'))).toBe(false);
  });

  it('finds prefixes between bounds', () => {
    const stats = range('s', 'bb', 'dd');
    const kept = (text: string) => isKept(text, stats);
    expect(["s LIKE 'a%'", "s LIKE 'ba%'", "s LIKE 'e%'", "s LIKE 'de%'"].map(kept)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(["s LIKE 'b%'", "s LIKE 'c%'", "s LIKE 'd%'", "s LIKE 'dd%'", "s LIKE '%'"].map(kept)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(isKept("s NOT LIKE 'b%'", range('s', 'b', 'bz'))).toBe(false);
    expect(isKept("s NOT LIKE 'b%'", range('s', 'b', 'c'))).toBe(true);
    expect(isKept("s LIKE '\u{10ffff}%'", range('s', 'b', 'c'))).toBe(false);
    expect(isKept("s LIKE '\ud7ff%'", range('s', '\ue000', '\ue001'))).toBe(false);
    expect(isKept("s LIKE 'b%'", { numRecords: 1n, nullCount: { s: 1n } })).toBe(false);
  });

  it('ST-05: NaN may be missing from bounds of floats', () => {
    const stats = range('x', 1, 3);
    for (const text of [
      'x > 10',
      "x = CAST('NaN' AS double)",
      'x != 2',
      'NOT (x < 10)',
      'x >= 4',
      'x IN (2)',
    ]) {
      expect(isKept(text, stats), text).toBe(true);
    }
    expect(isKept('x < 1', stats)).toBe(false);
    expect(isKept('x = 4', stats)).toBe(false);
    expect(isKept('x = 0', range('x', -0, -0))).toBe(true);
    expect(isKept('x <= -0.5', range('x', Number.NaN, Number.NaN))).toBe(true);
    const trusting = { floatMaxIncludesNaN: true };
    expect(isKept('x > 10', stats, trusting)).toBe(false);
    expect(isKept('x > 10', range('x', 1, Number.NaN), trusting)).toBe(true);
    expect(isKept('x > 10', { ...stats, maxValues: {} }, trusting)).toBe(true);
    expect(isKept('x != 2', range('x', 2, 2), trusting)).toBe(false);
  });

  it('bounds from before a column was widened from float are as short as floats are', () => {
    // The file holds the float nearest to 3.4, which is 3.4000000953674316, and its text is 3.4; for 0.7 it lies below.
    const [above, below] = [range('x', 3.4, 3.4), range('x', 0.7, 0.7)];
    for (const op of ['=', '<=>', '<=']) {
      expect(isKept(`x ${op} ${Math.fround(3.4)}`, above), op).toBe(true);
      expect(isKept(`x ${op} ${Math.fround(0.7)}`, below), op).toBe(true);
    }
    expect(isKept(`x < 0.69999999`, below)).toBe(true);
    expect(isKept('x = 3.39', above)).toBe(false);
    expect(isKept('x <= 3.39', above)).toBe(false);
    expect(isKept(`x = CAST('Infinity' AS double)`, range('x', Infinity, Infinity))).toBe(true);
  });
});

describe('skipping by partition values', () => {
  const kept = (text: string, partitionValues: object) => isKept(text, { partitionValues });

  it('is exact', () => {
    expect(kept("p = 'x'", { p: 'x' })).toBe(true);
    expect(kept("p = 'x'", { p: 'y' })).toBe(false);
    expect(kept("p != 'x'", { p: 'x' })).toBe(false);
    expect(kept("p != 'x'", { p: null })).toBe(false);
    expect(kept('p IS NULL', { p: null })).toBe(true);
    expect(kept('p IS NULL', { p: 'x' })).toBe(false);
    expect(kept('p IS NOT NULL', { p: null })).toBe(false);
    expect(kept("p LIKE 'x%'", { p: 'y' })).toBe(false);
    expect(kept("p NOT LIKE 'x%'", { p: 'xy' })).toBe(false);
    expect(kept("p NOT IN ('x', 'y')", { p: 'y' })).toBe(false);
    expect(kept('pf', { pf: false })).toBe(false);
    expect(kept('NOT pf', { pf: false })).toBe(true);
    expect(kept('pf', { pf: null })).toBe(false);
    expect(kept("p <=> 'x'", { p: null })).toBe(false);
    expect(kept('p = CAST(pi AS string)', { p: '5', pi: 6 })).toBe(false);
    expect(kept('pi + 1 = 5', { pi: 1 })).toBe(true);
  });

  it('meets statistics', () => {
    const stats = { ...range('a', 5, 10), partitionValues: { p: 'x' } };
    expect(isKept("p = 'y' OR a = 4", stats)).toBe(false);
    expect(isKept("p = 'x' AND a = 4", stats)).toBe(false);
    expect(isKept("p = 'y' OR a = 5", stats)).toBe(true);
  });
});

describe('around it', () => {
  it('names the statistics that it reads, and no others', () => {
    const predicate = bind("a = 1 AND st.a IS NULL AND flag AND p = 'x' AND arr IS NULL");
    const read = statsSchema(
      referencedColumns(predicate).filter((path) => path[0] !== 'p'),
      schema,
    );
    expect(typeToString(read)).toBe(
      'struct<numRecords:long,nullCount:struct<a:long,st:struct<a:long>,flag:long,arr:long>,' +
        'minValues:struct<a:integer,st:struct<a:integer>>,maxValues:struct<a:integer,st:struct<a:integer>>,tightBounds:boolean>',
    );
    expect(typeToString(statsSchema([['arr'], ['nope']], schema, 'footer'))).toBe(
      'struct<numRecords:long,tightBounds:boolean>',
    );
  });

  it('explains a skip by condition, rule and values', () => {
    const explain = (text: string, stats: Stats) =>
      skipExplainer(
        skippingConjuncts(bind(text), {
          ...options,
          displayPath: (path) => path.map((name) => name.toUpperCase()),
        }),
        shape,
      )(rowOf(shape, stats as never));
    expect(
      explain("p = 'x' AND NOT (a > 10 OR l IS NULL) AND a < 5", {
        ...range('a', 5, 10),
        partitionValues: { p: 'x' },
      }),
    ).toEqual({
      rule: 'minMax',
      condition: 'A < 5',
      values: [
        { statistic: 'nullCount.a', value: '0' },
        { statistic: 'numRecords', value: '10' },
        { statistic: 'minValues.a', value: '5' },
      ],
    });
    expect(explain("p = 'x'", { partitionValues: { p: "y'" } })).toEqual({
      rule: 'partitionValues',
      condition: "P = 'x'",
      values: [{ statistic: 'partitionValues.p', value: "'y'''" }],
    });
    expect(explain('a = 7', range('a', 5, 10))).toBeUndefined();
  });

  it('gives checkpoints a predicate that NULL statistics satisfy', () => {
    const hint = (text: string) =>
      predicateToString(checkpointPredicate(skippingPredicate(bind(text), options)));
    expect(hint('a > 5')).toBe(
      'TRUE AND (add.stats_parsed.maxValues.a IS NULL OR add.stats_parsed.maxValues.a > 5)',
    );
    expect(hint("p = 'x'")).toBe(
      "TRUE AND (add.partitionValues_parsed.p IS NULL OR add.partitionValues_parsed.p = 'x')",
    );
    expect(hint('a IS NULL')).toBe('TRUE');
  });
});
