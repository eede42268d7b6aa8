/**
 * The core's evaluator against the independent one in TypeScript (`expressions/evaluate.ts`, written from the
 * protocol's rules): random predicates and casts over random rows of every comparable type.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ArrowEngineData } from '../../../src/engine/arrow-engine-data.ts';
import { castScalar } from '../../../src/kernel/expressions/cast.ts';
import { compilePredicate } from '../../../src/kernel/expressions/evaluate.ts';
import type {
  ComparisonOperator,
  Expression,
  Predicate,
  ScalarValue,
} from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const engine = testEngine(new MemoryStorageHandler());
await engine.ready();
const { evaluationHandler } = engine;

const text = fc.constantFrom('', 'a', 'ab', 'b', 'é', '\u{1f33c}', '\ufffd', 'zz');
const COLUMNS: [name: string, type: DataType, value: fc.Arbitrary<ScalarValue>][] = [
  ['long', types.long, fc.constantFrom(-1n, 0n, 2n, 9_007_199_254_740_993n, -(2n ** 63n))],
  ['integer', types.integer, fc.integer({ min: -3, max: 3 })],
  ['byte', types.byte, fc.integer({ min: -3, max: 3 })],
  ['double', types.double, fc.constantFrom(-1.5, -0, 0, 2, Number.NaN, Infinity, -Infinity)],
  ['float', types.float, fc.constantFrom(-1.5, -0, 0, 2, Number.NaN)],
  ['string', types.string, text],
  ['binary', types.binary, fc.uint8Array({ maxLength: 3 })],
  ['boolean', types.boolean, fc.boolean()],
  ['date', types.date, fc.integer({ min: -2, max: 2 })],
  ['timestamp', types.timestamp, fc.constantFrom(-1n, 0n, 999n, 1_000_000n)],
  ['ntz', types.timestampNtz, fc.constantFrom(-1n, 0n, 999n)],
  ['decimal', types.decimal(20, 2), fc.constantFrom(-150n, 0n, 1n, 10n ** 19n)],
];
const schema = types.struct(COLUMNS.map(([name, type]) => field(name, type)));
const row = fc.tuple(...COLUMNS.map(([, , value]) => fc.option(value, { nil: null, freq: 4 })));

const leaf: fc.Arbitrary<Predicate> = fc.nat(COLUMNS.length - 1).chain((at) => {
  const [name, type, value] = COLUMNS[at]!;
  const column: Expression = { kind: 'column', path: [name] };
  const scalar = fc.option(value, { nil: null, freq: 6 }).map((v) => ({ type, value: v }));
  const literal = scalar.map((s): Expression => ({ kind: 'literal', literal: s }));
  const op = fc.constantFrom<ComparisonOperator>('<', '<=', '>', '>=', '=', '!=');
  return fc.oneof(
    fc
      .tuple(op, literal)
      .map(([o, right]): Predicate => ({ kind: 'comparison', op: o, left: column, right })),
    literal.map((right): Predicate => ({ kind: 'distinct', left: column, right })),
    fc.array(scalar, { maxLength: 3 }).map((list): Predicate => ({ kind: 'in', input: column, list })),
    fc.constant<Predicate>({ kind: 'isNull', input: column }),
    fc.constant<Predicate>({ kind: 'boolean', expression: { kind: 'column', path: ['boolean'] } }),
    text.map(
      (prefix): Predicate => ({ kind: 'startsWith', input: { kind: 'column', path: ['string'] }, prefix }),
    ),
  );
});
const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ kind: fc.constant('not' as const), input: tie('predicate') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      inputs: fc.array(tie('predicate'), { maxLength: 3 }),
    }),
  ),
}));

function batchOf(rows: readonly ScalarValue[][]): ArrowEngineData {
  const scalars = rows.map((values) => values.map((value, at) => ({ type: COLUMNS[at]![1], value })));
  return evaluationHandler.createMany(schema, scalars) as ArrowEngineData;
}

test('predicates are what the independent evaluator says', async () => {
  await fc.assert(
    fc.asyncProperty(predicate, fc.array(row, { minLength: 1, maxLength: 12 }), async (condition, rows) => {
      const output = await evaluationHandler.newPredicateEvaluator(schema, condition).evaluate(batchOf(rows));
      const column = output.column(['output'])!;
      const oracle = compilePredicate(schema, condition);
      expect(rows.map((_, at) => column.getBoolean(at))).toEqual(rows.map((values) => oracle(values)));
    }),
    { numRuns: 400 },
  );
});

test('slices and selections reach the core with the right rows', async () => {
  const even: Predicate = {
    kind: 'in',
    input: { kind: 'column', path: ['long'] },
    list: [0n, 2n].map((value) => ({ type: types.long, value })),
  };
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 4, maxLength: 40 }), async (rows) => {
      const part = batchOf(rows)
        .slice(1, rows.length - 1)
        .select(Uint8Array.of(0, 1));
      const kept = rows.slice(1, rows.length - 1).filter((_, at) => at !== 0);
      const output = await evaluationHandler.newPredicateEvaluator(schema, even).evaluate(part);
      const column = output.column(['output'])!;
      const oracle = compilePredicate(schema, even);
      expect(kept.map((_, at) => column.getBoolean(at))).toEqual(kept.map((values) => oracle(values)));
    }),
    { numRuns: 50 },
  );
});

const CASTS: [from: string, to: DataType][] = [
  ['integer', types.long],
  ['long', types.integer],
  ['long', types.byte],
  ['integer', types.double],
  ['double', types.integer],
  ['float', types.double],
  ['decimal', types.long],
  ['integer', types.decimal(10, 2)],
  ['decimal', types.decimal(38, 4)],
  ['date', types.timestamp],
  ['timestamp', types.date],
  ['long', types.string],
  ['date', types.string],
  ['decimal', types.string],
  ['boolean', types.string],
];

test.each(CASTS)('cast of %s to %o is what the independent evaluator says', async (from, to) => {
  const at = COLUMNS.findIndex(([name]) => name === from);
  const cast: Expression = { kind: 'cast', input: { kind: 'column', path: [from] }, type: to };
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
      const output = await evaluationHandler.newExpressionEvaluator(schema, cast, to).evaluate(batchOf(rows));
      const column = output.column(['output'])!;
      const type = COLUMNS[at]![1];
      const wanted = rows.map((values) => castScalar({ type, value: values[at]! }, to).value);
      // The sign of zero is not a value of its own.
      const unsigned = (value: ScalarValue) => (value === 0 ? 0 : value);
      expect(rows.map((_, index) => unsigned(column.getValue(index)))).toEqual(wanted.map(unsigned));
    }),
    { numRuns: 30 },
  );
});
