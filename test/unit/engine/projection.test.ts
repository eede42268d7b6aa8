import { describe, expect, it } from 'vitest';
import { buildColumn } from '../../../src/engine/arrow-build.ts';
import { ArrowEngineData, makeBatch } from '../../../src/engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../../src/engine/arrow-schema.ts';
import { compileProjection, outputSchema } from '../../../src/engine/projection.ts';
import type { Expression, Scalar, ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';

const point = types.struct([field('x', types.integer), field('y', types.string)]);
const input = types.struct([
  field('id', types.long),
  field('p', point),
  field('list', types.array(point)),
  field('kv', types.map(types.string, point)),
]);
const rows: ScalarValue[][] = [
  [1n, [10, 'a'], [[1, 'l']], [['k', [2, 'v']]]],
  [null, null, null, null],
  [3n, [null, 'c'], [], []],
];
const batch = makeBatch(
  toArrowSchema(input),
  rows.length,
  input.fields.map(({ type }, i) =>
    buildColumn(
      type,
      rows.map((row) => row[i]!),
    ),
  ),
);

const column = (...path: string[]): Expression => ({ kind: 'column', path });
const literal = (type: DataType, value: ScalarValue): Expression => ({
  kind: 'literal',
  literal: { type, value } as Scalar,
});
const struct = (...fields: Expression[]): Expression => ({ kind: 'struct', fields });

function evaluate(expression: Expression, output: DataType, from = batch) {
  const run = compileProjection(input, expression, output)!;
  const schema = outputSchema(output);
  const data = new ArrowEngineData(run(from), schema);
  const columns = schema.fields.map(({ name }) => data.column([name])!);
  const values = Array.from({ length: data.length }, (_, row) => columns.map((c) => c.getValue(row)));
  return { data, values };
}

describe('projections', () => {
  it('rename at every depth without copying', () => {
    const renamed = types.struct([
      field('x2', types.integer),
      field('y2', types.string, { nullable: false }),
    ]);
    const output = types.struct([
      field('a', types.map(types.string, renamed)),
      field('b', types.array(renamed)),
      field('c', types.long),
    ]);
    const { data, values } = evaluate(struct(column('kv'), column('list'), column('id')), output);
    expect(values).toEqual(rows.map((row) => [row[3], row[2], row[0]]));
    expect(data.recordBatch.schema.toString()).toBe(toArrowSchema(output).toString());
    const copied = data.recordBatch.data.children[2]!.values;
    expect(copied).toBe(batch.data.children[0]!.values);
  });

  it('lift nested columns with the nulls of their parents', () => {
    const output = types.struct([field('y', types.string), field('x', types.integer)]);
    expect(evaluate(struct(column('p', 'y'), column('p', 'x')), output).values).toEqual([
      ['a', 10],
      [null, null],
      ['c', null],
    ]);
    expect(evaluate(column('p'), point).values).toEqual([
      [10, 'a'],
      [null, null],
      [null, 'c'],
    ]);
  });

  it('work on slices', () => {
    const sliced = new ArrowEngineData(batch, input).slice(1, 3) as ArrowEngineData;
    const output = types.struct([field('y', types.string), field('p', point)]);
    const { values } = evaluate(struct(column('p', 'y'), column('p')), output, sliced.recordBatch);
    expect(values).toEqual([
      [null, null],
      ['c', [null, 'c']],
    ]);
  });

  it('add constants and nest', () => {
    const output = types.struct([
      field('part', types.date),
      field('s', types.struct([field('k', types.decimal(5, 2)), field('id', types.long)])),
      field('none', types.array(types.string)),
    ]);
    const expression = struct(
      literal(types.date, 7),
      struct(literal(types.decimal(5, 2), -1n), column('id')),
      literal(types.array(types.string), null),
    );
    expect(evaluate(expression, output).values).toEqual([
      [7, [-1n, 1n], null],
      [7, [-1n, null], null],
      [7, [-1n, 3n], null],
    ]);
    const run = compileProjection(input, literal(types.string, 'é'), types.string)!;
    const lengths = [3, 1, 2].map((n) => run(makeBatch(toArrowSchema(types.struct([])), n, [])).numRows);
    expect(lengths).toEqual([3, 1, 2]);
  });

  it('give one column `output` for a type that is no struct', () => {
    const { data, values } = evaluate(column('id'), types.long);
    expect(data.schema.fields.map((f) => f.name)).toEqual(['output']);
    expect(values).toEqual([[1n], [null], [3n]]);
  });

  it('leave what computes to the core', () => {
    expect(
      compileProjection(input, { kind: 'coalesce', inputs: [column('id')] }, types.long),
    ).toBeUndefined();
    const keep = { kind: 'isNull', input: column('id') } as const;
    const expression: Expression = { kind: 'struct', fields: [column('id')], keep };
    expect(compileProjection(input, expression, types.struct([field('a', types.long)]))).toBeUndefined();
  });

  it.each<[string, Expression, DataType]>([
    ['a wrong type', column('id'), types.integer],
    ['a wrong literal', literal(types.string, 'x'), types.long],
    ['a wrong count', struct(column('id')), types.struct([])],
    ['a missing column', column('nope'), types.long],
    ['a missing nested column', column('p', 'nope'), types.long],
    ['a nested wrong type', column('list'), types.array(types.struct([field('x', types.integer)]))],
    ['a struct for a scalar', struct(struct(column('id'))), types.struct([field('a', types.long)])],
    ['another decimal', literal(types.decimal(5, 2), 1n), types.decimal(5, 1)],
  ])('refuse %s at creation', (_, expression, output) => {
    expect(() => compileProjection(input, expression, output)).toThrow(
      expect.objectContaining({ code: 'InvalidExpression' }),
    );
  });
});
