/** Statistics as they are written, against the skipping that reads them: no file of a matching row is skipped. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildColumn } from '../../../src/engine/arrow-build.ts';
import { ArrowEngineData, makeBatch } from '../../../src/engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../../src/engine/arrow-schema.ts';
import { bindPredicate } from '../../../src/kernel/expressions/bind.ts';
import { compilePredicate } from '../../../src/kernel/expressions/evaluate.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import { keepUnlessFalse, skippingPredicate } from '../../../src/kernel/expressions/skipping.ts';
import { statsSchema } from '../../../src/kernel/expressions/stats-schema.ts';
import type { Expression, Predicate, ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { StatsCollector } from '../../../src/kernel/statistics/collector.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const COLUMNS = {
  i: types.integer,
  l: types.long,
  x: types.double,
  f: types.float,
  s: types.string,
  t: types.timestamp,
  n: types.timestampNtz,
  day: types.date,
  d: types.decimal(20, 2),
  b: types.boolean,
} as const;
type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Name[];
const schema = types.struct([
  ...NAMES.map((name) => field(name, COLUMNS[name])),
  field('st', types.struct([field('i', types.integer)])),
]);
const columns = [...NAMES.map((name) => [name]), ['st', 'i']];
const shape = statsSchema(columns, schema);
const engine = testEngine(new MemoryStorageHandler());

const TOP = '\u{10ffff}';
/** Few values of each type, near each other and at the odd places of their type. */
const VALUES: Record<Name, readonly ScalarValue[]> = {
  i: [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1],
  l: [-(2n ** 63n), 0n, 9007199254740993n, 2n ** 63n - 1n],
  x: [Number.NEGATIVE_INFINITY, -1.5, -0, 0, 5e-324, 1e300, Number.POSITIVE_INFINITY, Number.NaN],
  f: [Math.fround(0.1), -0, 0, Number.NaN, Math.fround(1e30), Math.fround(16_777_217)],
  s: [
    '',
    'a',
    'a'.repeat(32),
    `${'a'.repeat(32)}\u007f`,
    `${'a'.repeat(32)}${TOP}z`,
    TOP.repeat(70),
    '\ufffd',
    '🌼',
    '"\\\n',
  ],
  t: [-(2n ** 63n), -62_000_000_000_000_001n, -1n, 0n, 999n, 1_704_070_923_456_789n, 2n ** 63n - 1n],
  n: [-1001n, -1n, 0n, 999n, 1000n, 253_402_300_800_000_001n],
  day: [-719_529, -1, 0, 2_932_897],
  d: [-99999999999999999999n, -1n, 0n, 150n, 99999999999999999999n],
  b: [true, false],
};

const anyOf = (name: Name) => fc.option(fc.constantFrom(...VALUES[name]), { freq: 5 });
const rows = fc.array(fc.tuple(...NAMES.map(anyOf), fc.option(fc.tuple(fc.option(fc.constantFrom(1, 2))))), {
  minLength: 1,
  maxLength: 4,
});
const leaf: fc.Arbitrary<Predicate> = fc.constantFrom(...NAMES).chain((name) => {
  const input: Expression = { kind: 'column', path: [name] };
  const literal = anyOf(name).map((value) => ({ type: COLUMNS[name], value }));
  const right = literal.map((scalar): Expression => ({ kind: 'literal', literal: scalar }));
  const op = fc.constantFrom('<', '<=', '>', '>=', '=', '!=' as const);
  const tests: fc.Arbitrary<Predicate>[] = [
    fc.record({ kind: fc.constant('comparison' as const), op, left: fc.constant(input), right }),
    fc.record({ kind: fc.constant('distinct' as const), left: fc.constant(input), right }),
    fc.record({
      kind: fc.constant('in' as const),
      input: fc.constant(input),
      list: fc.array(literal, { maxLength: 3 }),
    }),
    fc.constantFrom<Predicate>(
      { kind: 'isNull', input },
      { kind: 'isNull', input: { kind: 'column', path: ['st', 'i'] } },
    ),
    fc
      .constantFrom('', 'a', 'a'.repeat(33), TOP)
      .map((prefix): Predicate => ({ kind: 'startsWith', input: { kind: 'column', path: ['s'] }, prefix })),
  ];
  return fc.oneof(...tests);
});
const predicate = fc.oneof(
  leaf,
  leaf.map((input): Predicate => ({ kind: 'not', input })),
  fc.record({
    kind: fc.constantFrom('and' as const, 'or' as const),
    inputs: fc.array(leaf, { maxLength: 2 }),
  }),
);

function statsOf(values: readonly (readonly ScalarValue[])[]): string {
  const children = schema.fields.map(({ type }, i) =>
    buildColumn(
      type,
      values.map((row) => row[i]!),
    ),
  );
  const stats = new StatsCollector(columns);
  stats.add(new ArrowEngineData(makeBatch(toArrowSchema(schema), values.length, children), schema));
  return stats.toJson();
}

async function isKept(stats: string, condition: Predicate): Promise<boolean> {
  const text = types.struct([field('stats', types.string)]);
  const strings = engine.evaluationHandler.createMany(text, [[{ type: types.string, value: stats }]]);
  const parsed = await engine.jsonHandler.parseJson(strings, shape);
  const skipping = skippingPredicate(condition, { source: 'deltaStats', schema });
  const evaluator = engine.evaluationHandler.newPredicateEvaluator(shape, keepUnlessFalse(skipping));
  return (await evaluator.evaluate(parsed)).column(['output'])!.getBoolean(0) === true;
}

it('never skips a file with a matching row', async () => {
  let matching = 0;
  let skipped = 0;
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(predicate, { minLength: 5, maxLength: 5 }),
      async (values, predicates) => {
        const stats = statsOf(values);
        for (const each of predicates) {
          const condition = bindPredicate(each, schema);
          const test = compilePredicate(schema, condition);
          const matches = values.some((row) => test(row) === true);
          const kept = await isKept(stats, condition);
          if (matches && !kept) throw new Error(`${predicateToString(condition)} skips ${stats}`);
          matching += matches ? 1 : 0;
          skipped += kept ? 0 : 1;
        }
      },
    ),
    { numRuns: 300 },
  );
  // Not by keeping everything.
  expect(matching).toBeGreaterThan(100);
  expect(skipped).toBeGreaterThan(100);
}, 60_000);
