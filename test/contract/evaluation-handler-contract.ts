/** The contract of `EvaluationHandler`, as `src/kernel/engine.ts` states it. */
import type { Expression, Predicate, Scalar, ScalarValue } from '../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { type ContractCase, type ContractContext, equal, failsWith, rowsOf } from './contract.ts';

const column = (...path: string[]): Expression => ({ kind: 'column', path });
const literal = (type: DataType, value: ScalarValue): Expression => ({
  kind: 'literal',
  literal: { type, value },
});
const struct = (...fields: Expression[]): Expression => ({ kind: 'struct', fields });
const bool = (name: string): Predicate => ({ kind: 'boolean', expression: column(name) });

function table({ engine }: ContractContext, columns: Record<string, [DataType, ScalarValue[]]>) {
  const entries = Object.entries(columns);
  const schema = types.struct(entries.map(([name, [type]]) => field(name, type)));
  const rows = entries[0]![1][1].map((_, row): Scalar[] =>
    entries.map(([, [type, values]]) => ({ type, value: values[row]! })),
  );
  return { schema, data: engine.evaluationHandler.createMany(schema, rows) };
}

type Columns = Parameters<typeof table>[1];

async function values(
  context: ContractContext,
  columns: Columns,
  expression: Expression,
  type: DataType,
): Promise<ScalarValue[]> {
  const { schema, data } = table(context, columns);
  const evaluator = context.engine.evaluationHandler.newExpressionEvaluator(schema, expression, type);
  return rowsOf(await evaluator.evaluate(data)).map(([value]) => value!);
}

async function truth(
  context: ContractContext,
  columns: Columns,
  predicate: Predicate,
): Promise<ScalarValue[]> {
  const { schema, data } = table(context, columns);
  const result = await context.engine.evaluationHandler
    .newPredicateEvaluator(schema, predicate)
    .evaluate(data);
  equal(
    result.schema.fields.map(({ name, type }) => [name, type]),
    [['output', types.boolean]],
  );
  return rowsOf(result).map(([value]) => value!);
}

const longs = (...list: (bigint | null)[]): [DataType, ScalarValue[]] => [types.long, list];
/** All pairs of true, false and NULL. */
const KLEENE: Columns = {
  p: [types.boolean, [true, true, true, false, false, false, null, null, null]],
  q: [types.boolean, [true, false, null, true, false, null, true, false, null]],
};

export const evaluationHandlerContract: readonly ContractCase[] = [
  {
    name: 'an evaluator is reusable, with one row out per row in, under the output’s names',
    async run(context) {
      const { schema, data } = table(context, {
        a: longs(1n, null, 3n),
        b: [types.string, ['x', 'y', null]],
      });
      const output = types.struct([
        field('s', types.string),
        field('n', types.struct([field('m', types.long)])),
      ]);
      const evaluator = context.engine.evaluationHandler.newExpressionEvaluator(
        schema,
        struct(column('b'), struct(column('a'))),
        output,
      );
      for (const batch of [data, data.slice(1, 3), data.slice(0, 0), data]) {
        const result = await evaluator.evaluate(batch);
        equal(result.length, batch.length);
        equal(
          rowsOf(result),
          rowsOf(batch).map(([a, b]) => [b, [a]]),
        );
        equal(
          result.schema.fields.map(({ name }) => name),
          ['s', 'n'],
        );
      }
    },
  },
  {
    name: 'an expression of another type gives one column `output`',
    async run(context) {
      const { schema, data } = table(context, { a: longs(1n, null) });
      const double: Expression = { kind: 'arithmetic', op: '+', left: column('a'), right: column('a') };
      for (const [expression, wanted] of [
        [column('a'), [[1n], [null]]],
        [double, [[2n], [null]]],
        [literal(types.long, 5n), [[5n], [5n]]],
      ] as [Expression, ScalarValue[][]][]) {
        const evaluator = context.engine.evaluationHandler.newExpressionEvaluator(
          schema,
          expression,
          types.long,
        );
        const result = await evaluator.evaluate(data);
        equal(rowsOf(result), wanted);
        equal(
          result.schema.fields.map(({ name }) => name),
          ['output'],
        );
      }
    },
  },
  {
    name: 'a wrong type or count of columns is InvalidExpression at creation',
    async run({ engine }) {
      const schema = types.struct([field('a', types.long)]);
      const one = types.struct([field('x', types.long)]);
      const handler = engine.evaluationHandler;
      const cases: [Expression, DataType][] = [
        [column('a'), types.string],
        [column('none'), types.long],
        [struct(column('a'), column('a')), one],
        [struct(column('a')), types.struct([field('x', types.integer)])],
        [{ kind: 'arithmetic', op: '+', left: column('a'), right: literal(types.integer, 1) }, types.long],
        [{ kind: 'coalesce', inputs: [column('a'), literal(types.string, 'x')] }, types.long],
      ];
      for (const [expression, type] of cases) {
        await failsWith('InvalidExpression', () => handler.newExpressionEvaluator(schema, expression, type));
      }
      const predicate: Predicate = {
        kind: 'comparison',
        op: '=',
        left: column('a'),
        right: literal(types.string, ''),
      };
      await failsWith('InvalidExpression', () => handler.newPredicateEvaluator(schema, predicate));
      await failsWith('InvalidExpression', () => handler.newPredicateEvaluator(schema, bool('a')));
    },
  },
  {
    name: 'AND, OR and NOT follow three-valued logic',
    async run(context) {
      const both = [bool('p'), bool('q')];
      equal(await truth(context, KLEENE, { kind: 'and', inputs: both }), [
        true,
        false,
        null,
        false,
        false,
        false,
        null,
        false,
        null,
      ]);
      equal(await truth(context, KLEENE, { kind: 'or', inputs: both }), [
        true,
        true,
        true,
        true,
        false,
        null,
        true,
        null,
        null,
      ]);
      equal(await truth(context, KLEENE, { kind: 'not', input: bool('q') }), [
        false,
        true,
        null,
        false,
        true,
        null,
        false,
        true,
        null,
      ]);
      equal((await truth(context, KLEENE, { kind: 'and', inputs: [] }))[0], true);
      equal((await truth(context, KLEENE, { kind: 'or', inputs: [] }))[0], false);
    },
  },
  {
    name: 'comparisons with NULL are NULL; IS DISTINCT FROM and IS NULL never are',
    async run(context) {
      const columns = { a: longs(1n, 1n, null, null), b: longs(1n, 2n, 1n, null) };
      const [left, right] = [column('a'), column('b')];
      equal(await truth(context, columns, { kind: 'comparison', op: '=', left, right }), [
        true,
        false,
        null,
        null,
      ]);
      equal(await truth(context, columns, { kind: 'comparison', op: '<', left, right }), [
        false,
        true,
        null,
        null,
      ]);
      equal(await truth(context, columns, { kind: 'comparison', op: '!=', left, right }), [
        false,
        true,
        null,
        null,
      ]);
      equal(await truth(context, columns, { kind: 'distinct', left, right }), [false, true, true, false]);
      equal(await truth(context, columns, { kind: 'isNull', input: left }), [false, false, true, true]);
    },
  },
  {
    name: 'floats have one total order: NaN is greatest and equals itself, −0 equals +0',
    async run(context) {
      const columns: Columns = {
        a: [types.double, [Number.NaN, Number.NaN, -0, Number.POSITIVE_INFINITY]],
        b: [types.double, [Number.NaN, 1, 0, Number.NaN]],
      };
      const [left, right] = [column('a'), column('b')];
      equal(await truth(context, columns, { kind: 'comparison', op: '=', left, right }), [
        true,
        false,
        true,
        false,
      ]);
      equal(await truth(context, columns, { kind: 'comparison', op: '>', left, right }), [
        false,
        true,
        false,
        false,
      ]);
      equal(await truth(context, columns, { kind: 'comparison', op: '<', left, right }), [
        false,
        false,
        false,
        true,
      ]);
    },
  },
  {
    name: 'strings are ordered by code points',
    async run(context) {
      const columns: Columns = {
        a: [types.string, ['\uffee', 'a', '']],
        b: [types.string, ['\u{10000}', 'B', 'a']],
      };
      const predicate: Predicate = { kind: 'comparison', op: '<', left: column('a'), right: column('b') };
      equal(await truth(context, columns, predicate), [true, false, true]);
    },
  },
  {
    name: 'IN knows NULL on both sides',
    async run(context) {
      const columns = { a: longs(1n, 2n, null) };
      const list = (...items: (bigint | null)[]): Predicate => ({
        kind: 'in',
        input: column('a'),
        list: items.map((value) => ({ type: types.long, value })),
      });
      equal(await truth(context, columns, list(1n, 5n)), [true, false, null]);
      equal(await truth(context, columns, list(1n, null)), [true, null, null]);
      equal(await truth(context, columns, list()), [false, false, false]);
    },
  },
  {
    name: 'startsWith compares by code points',
    async run(context) {
      const columns: Columns = { a: [types.string, ['éa', 'e\u0301a', '', null]] };
      const starts = (prefix: string): Predicate => ({ kind: 'startsWith', input: column('a'), prefix });
      equal(await truth(context, columns, starts('é')), [true, false, false, null]);
      equal(await truth(context, columns, starts('')), [true, true, true, null]);
    },
  },
  {
    name: 'arithmetic is exact: integers truncate, overflow and a zero divisor are errors',
    async run(context) {
      const columns = { a: longs(7n, -7n), b: longs(2n, 2n) };
      const op = (name: '+' | '-' | '*' | '/', right: Expression = column('b')): Expression => ({
        kind: 'arithmetic',
        op: name,
        left: column('a'),
        right,
      });
      equal(await values(context, columns, op('/'), types.long), [3n, -3n]);
      equal(await values(context, columns, op('*'), types.long), [14n, -14n]);
      equal(await values(context, columns, op('-'), types.long), [5n, -9n]);
      await failsWith('InvalidExpression', () =>
        values(context, columns, op('/', literal(types.long, 0n)), types.long),
      );
      const max = { a: longs(2n ** 63n - 1n), b: longs(1n) };
      await failsWith('InvalidExpression', () => values(context, max, op('+'), types.long));
    },
  },
  {
    name: 'coalesce takes the first that is not null; a struct is null where its predicate is not true',
    async run(context) {
      const columns = { a: longs(null, 2n, null), b: longs(1n, 3n, null) };
      const coalesce: Expression = { kind: 'coalesce', inputs: [column('a'), column('b')] };
      equal(await values(context, columns, coalesce, types.long), [1n, 2n, null]);
      const keep: Predicate = {
        kind: 'comparison',
        op: '>',
        left: column('b'),
        right: literal(types.long, 1n),
      };
      const kept: Expression = struct({ kind: 'struct', fields: [column('b')], keep });
      const type = types.struct([field('s', types.struct([field('b', types.long)]))]);
      equal(await values(context, columns, kept, type), [null, [3n], null]);
    },
  },
  {
    name: 'mapToStruct parses partition values: missing is null, the last duplicate wins, the rest is an error',
    async run(context) {
      const map = types.map(types.string, types.string);
      const input: Columns = {
        m: [
          map,
          [
            [
              ['d', '2021-01-01'],
              ['n', '7'],
              ['s', ''],
            ],
            [['n', '']],
            [
              ['n', '1'],
              ['n', '2'],
              ['s', null],
            ],
            null,
          ],
        ],
      };
      const schema = types.struct([
        field('d', types.date),
        field('n', types.integer),
        field('s', types.string),
      ]);
      const expression: Expression = { kind: 'mapToStruct', input: column('m'), schema };
      const wrap = struct(expression);
      const rows = await values(context, input, wrap, types.struct([field('p', schema)]));
      equal(rows.slice(0, 3), [
        [18628, 7, ''],
        [null, null, null],
        [null, 2, null],
      ]);
      const bad: Columns = { m: [map, [[['n', 'seven']]]] };
      await failsWith('ParseError', () => values(context, bad, wrap, types.struct([field('p', schema)])));
      const lenient = struct({ ...expression, lenient: true } as Expression);
      equal(await values(context, bad, lenient, types.struct([field('p', schema)])), [[null, null, null]]);
    },
  },
  {
    name: 'parseJson gives null for what does not fit, alone',
    async run(context) {
      const schema = types.struct([field('a', types.long), field('b', types.string)]);
      const columns: Columns = {
        j: [types.string, ['{"a":9007199254740993,"b":"x"}', '{"a":"x","b":"y"}', '', null]],
      };
      const expression = struct({ kind: 'parseJson', input: column('j'), schema });
      const rows = await values(context, columns, expression, types.struct([field('p', schema)]));
      equal(rows.slice(0, 2), [
        [9007199254740993n, 'x'],
        [null, 'y'],
      ]);
      for (const row of rows.slice(2)) equal(Array.isArray(row) ? row : [null, null], [null, null]);
    },
  },
  {
    name: 'casts that fail give NULL',
    async run(context) {
      const columns: Columns = { s: [types.string, ['12', 'x', null]] };
      const cast: Expression = { kind: 'cast', input: column('s'), type: types.integer };
      equal(await values(context, columns, cast, types.integer), [12, null, null]);
    },
  },
  {
    name: 'nullRow is one row of nulls',
    async run({ engine }) {
      const schema: StructType = types.struct([
        field('a', types.long),
        field('s', types.struct([field('x', types.string)])),
        field('m', types.map(types.string, types.decimal(5, 2))),
      ]);
      const row = engine.evaluationHandler.nullRow(schema);
      equal(rowsOf(row), [[null, null, null]]);
      equal(row.column(['s', 'x'])!.isNull(0), true);
    },
  },
  {
    name: 'createMany takes one scalar per field and row, of the right type',
    async run({ engine }) {
      const handler = engine.evaluationHandler;
      const schema = types.struct([
        field('a', types.long, { nullable: false }),
        field('b', types.array(types.string)),
      ]);
      const long = (value: ScalarValue): Scalar => ({ type: types.long, value });
      const list = (value: ScalarValue): Scalar => ({ type: types.array(types.string), value });
      equal(
        rowsOf(
          handler.createMany(schema, [
            [long(1n), list(['x', null])],
            [long(2n), list(null)],
          ]),
        ),
        [
          [1n, ['x', null]],
          [2n, null],
        ],
      );
      equal(handler.createMany(schema, []).length, 0);
      const wrong: Scalar[][] = [
        [long(1n)],
        [long(1n), list(null), long(1n)],
        [{ type: types.integer, value: 1 }, list(null)],
        [long(1n), { type: types.array(types.long), value: null }],
        [long(1), list(null)],
        [long(null), list(null)],
        [long(1n), list(['x', 1])],
      ];
      for (const row of wrong) await failsWith('InvalidExpression', () => handler.createMany(schema, [row]));
    },
  },
  {
    name: 'row index sets select the rows that they do not hold',
    async run(context) {
      const { engine, directory } = context;
      // Synchronous sets need a loaded engine: any read does that.
      const missing = { location: new URL('none.json', directory), size: 1, lastModified: 0 };
      await failsWith('FileNotFound', async () => {
        for await (const _ of engine.jsonHandler.readJsonFiles(
          [missing],
          types.struct([field('a', types.long)]),
        ));
      });
      const { rowIndexSets: sets } = engine.evaluationHandler;
      const far = 2 ** 33 + 5;
      const [a, b] = [sets.fromRowIndexes([1, 3, far]), sets.fromRowIndexes([3, 4])];
      const [union, difference] = [sets.union(a, b), sets.difference(a, b)];
      equal(
        [a, b, union, difference].map((set) => set.cardinality),
        [3, 2, 4, 2],
      );
      equal([...union.selection(0, 6)], [1, 0, 1, 0, 0, 1]);
      equal([...difference.selection(far - 1, 3)], [1, 0, 1]);
      const again = sets.deserialize(union.serialize());
      equal([...again.selection(0, 6)], [1, 0, 1, 0, 0, 1]);
      await failsWith('DeletionVector', () => sets.deserialize(new Uint8Array([1, 2, 3])));
      for (const set of [a, b, union, difference, again]) set.free();
    },
  },
];
