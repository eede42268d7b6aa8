import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindPredicate } from '../../../src/kernel/expressions/bind.ts';
import { compareValues } from '../../../src/kernel/expressions/compare.ts';
import { compilePredicate, type Row } from '../../../src/kernel/expressions/evaluate.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import { type SkippingOptions, skippingPredicate } from '../../../src/kernel/expressions/skipping.ts';
import { partitionValuesSchema, statsSchema } from '../../../src/kernel/expressions/stats-schema.ts';
import type { Expression, Predicate, Scalar, ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';

const DATA = {
  i: types.integer,
  l: types.long,
  x: types.double,
  f: types.float,
  s: types.string,
  t: types.timestamp,
  n: types.timestampNtz,
  d: types.decimal(6, 2),
  b: types.boolean,
} as const;
const schema = types.struct([
  ...Object.entries(DATA).map(([name, type]) => field(name, type)),
  field('st', types.struct([field('i', types.integer)])),
  field('p', types.string),
]);
const shape = types.struct([
  ...statsSchema([...Object.keys(DATA).map((name) => [name]), ['st']], schema).fields,
  field('partitionValues', partitionValuesSchema(['p'], schema)),
]);
const options: SkippingOptions = { source: 'deltaStats', schema, partitionColumns: ['p'] };

/** Few values of each type, near each other and at the odd places of their type. */
const TEXT = [
  '',
  'a',
  'ab',
  'b',
  '\ue000',
  '\ufffd',
  '🌼',
  '🌼x',
  '\u{10ffff}',
  'a'.repeat(32),
  'a'.repeat(33),
  `${'a'.repeat(31)}🌼z`,
  `${'\u{10ffff}'.repeat(70)}`,
];
const VALUES: Record<string, readonly ScalarValue[]> = {
  i: [-2147483648, -1, 0, 1, 2, 2147483647],
  l: [-(2n ** 63n), 0n, 9007199254740992n, 9007199254740993n, 2n ** 63n - 1n],
  x: [Number.NEGATIVE_INFINITY, -1.5, -0, 0, 1.5, Number.POSITIVE_INFINITY, Number.NaN],
  f: [Math.fround(0.1), -0, 0, Number.NaN, 1],
  s: TEXT,
  t: [
    -(2n ** 63n),
    -62_000_000_000_000_001n,
    -1n,
    0n,
    1n,
    999n,
    1000n,
    1_704_070_923_456_789n,
    2n ** 63n - 1n,
  ],
  n: [-1001n, -1n, 0n, 999n, 1000n, 1001n],
  d: [-999999n, -1n, 0n, 150n, 999999n],
  b: [true, false],
  p: ['x', 'y', ''],
};
const typeOf = (name: string): DataType => (DATA as Record<string, DataType>)[name] ?? types.string;
const maybeValue = (name: string) => fc.option(fc.constantFrom(...VALUES[name]!), { freq: 5 });

const comparable = [...Object.keys(DATA), 'p'];
const literalOf = (name: string): fc.Arbitrary<Scalar> =>
  maybeValue(name).map((value) => ({ type: typeOf(name), value }));
const column = (name: string): Expression => ({ kind: 'column', path: name.split('.') });

/** Literals of the column's own type and of others that convert, so that binding rewrites some. */
const leaf: fc.Arbitrary<Predicate> = fc.constantFrom(...comparable).chain((name) => {
  const input = column(name);
  const foreign = ['i', 'l', 'x', 'f', 'd'].includes(name)
    ? fc.constantFrom('i', 'l', 'x', 'd').chain(literalOf)
    : literalOf(name);
  const literal = fc.oneof(literalOf(name), foreign);
  const op = fc.constantFrom('<', '<=', '>', '>=', '=', '!=' as const);
  const right = literal.map((scalar): Expression => ({ kind: 'literal', literal: scalar }));
  return fc.oneof(
    fc.record({ kind: fc.constant('comparison' as const), op, left: fc.constant(input), right }),
    fc.record({ kind: fc.constant('comparison' as const), op, left: right, right: fc.constant(input) }),
    fc.record({ kind: fc.constant('distinct' as const), left: fc.constant(input), right }),
    fc.record({
      kind: fc.constant('in' as const),
      input: fc.constant(input),
      list: fc.array(literal, { maxLength: 3 }),
    }),
    fc.constantFrom<Predicate>(
      { kind: 'isNull', input },
      { kind: 'isNull', input: column('st') },
      { kind: 'isNull', input: column('st.i') },
      { kind: 'boolean', expression: column('b') },
      { kind: 'comparison', op: '=', left: column('i'), right: column('l') },
    ),
    fc
      .constantFrom(...TEXT, 'a'.repeat(31))
      .chain((prefix) =>
        fc
          .constantFrom('s', 'p')
          .map((text): Predicate => ({ kind: 'startsWith', input: column(text), prefix })),
      ),
  );
});

const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    leaf,
    tie('predicate').map((input): Predicate => ({ kind: 'not', input })),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      inputs: fc.array(tie('predicate'), { maxLength: 3 }),
    }),
  ),
}));

const rows = fc.array(
  fc.record({
    ...Object.fromEntries(Object.keys(DATA).map((name) => [name, maybeValue(name)])),
    st: fc.option(fc.option(fc.constantFrom(1, 2)).map((i) => [i])),
  }),
  { minLength: 1, maxLength: 4 },
);
/** Which statistics of which columns a writer left out, and rows that a deletion vector hides. */
const losses: fc.Arbitrary<Losses> = fc.record({
  lost: fc.subarray(['numRecords', 'nullCount', 'minValues', 'maxValues']),
  columns: fc.subarray(Object.keys(DATA)),
  hidden: fc.nat(2),
  nanInMax: fc.boolean(),
});

type Values = Record<string, ScalarValue>;
interface Losses {
  readonly lost: readonly string[];
  readonly columns: readonly string[];
  readonly hidden: number;
  readonly nanInMax: boolean;
}

/** Statistics as the protocol has them written, worked out here from the rows. */
function statsOf(all: readonly Values[], loss: Losses): Record<string, unknown> {
  const part = (of: (name: string, values: ScalarValue[]) => unknown) =>
    Object.fromEntries(
      Object.keys(DATA)
        .filter((name) => !loss.columns.includes(name))
        .map((name) => [
          name,
          of(
            name,
            all.map((row) => row[name]!).filter((v) => v !== null),
          ),
        ]),
    );
  const stats: Record<string, unknown> = {
    numRecords: BigInt(all.length),
    nullCount: {
      ...part((_, values) => BigInt(all.length - values.length)),
      st: { i: BigInt(all.filter((row) => ((row.st as Row | null)?.[0] ?? null) === null).length) },
    },
    minValues: part((name, values) => minOf(name, values)),
    maxValues: part((name, values) => maxOf(name, values, loss.nanInMax)),
  };
  for (const name of loss.lost) delete stats[name];
  return stats;
}

function minOf(name: string, values: readonly ScalarValue[]): ScalarValue {
  const known = values.filter((v) => !Number.isNaN(v));
  if (known.length === 0 || name === 'b') return null;
  const min = known.reduce((a, b) => (compareValues(b, a) < 0 ? b : a));
  if (typeof min === 'string') return Array.from(min).slice(0, 32).join('');
  return name === 't' || name === 'n' ? toMilliseconds(min as bigint) : min;
}

function maxOf(name: string, values: readonly ScalarValue[], nanInMax: boolean): ScalarValue {
  // A writer either leaves out a maximum beside NaN, or NaN itself (as Parquet bounds do).
  const known = values.filter((v) => !Number.isNaN(v));
  if (known.length === 0 || name === 'b' || (known.length < values.length && nanInMax)) return null;
  const max = known.reduce((a, b) => (compareValues(b, a) > 0 ? b : a));
  if (typeof max === 'string') return truncatedMax(max);
  return name === 't' || name === 'n' ? toMilliseconds(max as bigint) : max;
}

function truncatedMax(max: string): string | null {
  const points = Array.from(max);
  for (let length = 32; length <= 64; length++) {
    if (points.length <= length) return max;
    const dropped = points[length]!.codePointAt(0)!;
    if (dropped < 0x10ffff)
      return points.slice(0, length).join('') + (dropped < 0x7f ? '\u007f' : '\u{10ffff}');
  }
  return null;
}

function toMilliseconds(micros: bigint): bigint {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const floored = micros - rest;
  return floored < -(2n ** 63n) ? -(2n ** 63n) : floored;
}

function rowOf(struct: typeof shape, values: Record<string, unknown>): Row {
  return struct.fields.map((f) => {
    const value = values[f.name] ?? null;
    return value !== null && f.type.kind === 'struct' && !Array.isArray(value)
      ? rowOf(f.type, value as Record<string, unknown>)
      : (value as ScalarValue);
  });
}

const runs = Number(process.env.FAST_CHECK_RUNS ?? 1500);

describe('properties', () => {
  it('never skips a file that has a row for which the predicate is true', () => {
    const seed = Number(process.env.FAST_CHECK_SEED ?? Date.now() & 0x7fffffff);
    console.info(`skipping: seed ${seed}`);
    let skipped = 0;
    fc.assert(
      fc.property(
        predicate,
        rows,
        losses,
        maybeValue('p'),
        fc.boolean(),
        (unbound, fileRows, loss, p, trust) => {
          const bound = bindPredicate(unbound, schema);
          const isTrue = compilePredicate(schema, bound);
          const all = fileRows as unknown as Values[];
          // Statistics cover hidden rows too.
          const live = all.slice(Math.min(loss.hidden, all.length - 1));
          const matches = live.some((row) => isTrue(rowOf(schema, { ...row, p })) === true);
          // Writers that leave NaN out of the maximum are not to be trusted with it.
          const floatMaxIncludesNaN = trust && loss.nanInMax;
          const skipping = skippingPredicate(bound, { ...options, floatMaxIncludesNaN });
          const statistics = { ...statsOf(all, loss), partitionValues: { p } };
          const kept = compilePredicate(shape, skipping)(rowOf(shape, statistics)) !== false;
          if (!kept) skipped++;
          expect(kept || !matches, `skips a match of ${predicateToString(bound)}`).toBe(true);
        },
      ),
      { seed, numRuns: runs },
    );
    // A rewriting that keeps everything would pass, too.
    expect(skipped).toBeGreaterThan(runs / 20);
  });

  it('reads its own text: binding and printing keep the meaning', () => {
    const seed = Number(process.env.FAST_CHECK_SEED ?? Date.now() & 0x7fffffff);
    console.info(`text: seed ${seed}`);
    fc.assert(
      fc.property(predicate, rows, maybeValue('p'), (unbound, fileRows, p) => {
        const bound = bindPredicate(unbound, schema);
        const again = bindPredicate(parsePredicate(predicateToString(bound)), schema);
        for (const row of fileRows as unknown as Values[]) {
          const values = rowOf(schema, { ...row, p });
          expect(compilePredicate(schema, again)(values), predicateToString(bound)).toBe(
            compilePredicate(schema, bound)(values),
          );
        }
      }),
      { seed, numRuns: Math.ceil(runs / 3) },
    );
  });
});
