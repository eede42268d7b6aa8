/**
 * Skipping never changes a result: tables of other engines, read with random predicates, give the rows that the same
 * predicate picks from all rows, decided value by value by code that shares nothing with the reader's.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindPredicate } from '../../../src/kernel/expressions/bind.ts';
import { compilePredicate } from '../../../src/kernel/expressions/evaluate.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import type { Expression, Predicate, ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { isOrderable } from '../../../src/kernel/expressions/types-of.ts';
import { leafFields } from '../../../src/kernel/schema/schema.ts';
import type { DataType, StructType } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { corpusTables } from '../../helpers/corpus.ts';
import { sharedMissing } from '../../helpers/shared.ts';
import { localEngine } from '../../helpers/test-engine.ts';

type Row = readonly ScalarValue[];

const engine = localEngine();
const tables = corpusTables();
/** Not `kernel/parsed-stats`: its statistics claim values of a column that its files lack. */
const NAMES = [
  'spark-4.2/types_all',
  'spark-4.2/basic_partitioned',
  'spark-4.2/partition_escapes',
  'spark-4.2/cm_id',
  'spark-4.2/dv_delete',
  'spark-4.2/type_widening',
  'spark-4.2/v2ckpt_json',
  'spark-4.2/ckpt_multipart',
  'golden/data-reader-partition-values',
  'golden/data-reader-timestamp_ntz',
  'golden/data-reader-timestamp_ntz-name-mode',
  'golden/data-skipping-basic-stats-all-types',
  'golden/dv-partitioned-with-checkpoint',
  'golden/table-with-columnmapping-mode-id',
  'golden/basic-decimal-table',
  'kernel/basic_partitioned',
  'kernel/mixed-nulls',
  'kernel/partition_cm/id',
  'kernel/v1-multi-part-partitioned-struct-stats-only',
];

async function rowsOf(snapshot: Snapshot, predicate?: Predicate, exact = false): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of snapshot.scan({ predicate }).execute(engine, { exact })) {
    const columns = snapshot.schema.fields.map(({ name }) => batch.column([name])!);
    for (let row = 0; row < batch.length; row += 1) rows.push(columns.map((column) => column.getValue(row)));
  }
  return rows;
}

interface Leaf {
  readonly path: readonly string[];
  readonly type: DataType;
  readonly values: readonly ScalarValue[];
}

/** Columns that compare, with the values that they have. */
function leavesOf(schema: StructType, rows: readonly Row[]): Leaf[] {
  return Array.from(leafFields(schema), ({ path, field: { type } }): Leaf => {
    const values = rows.map((row) => valueAt(schema, row, path));
    return { path, type, values: [null, ...values] };
  }).filter(({ type }) => isOrderable(type) && !(type.kind === 'primitive' && type.name === 'void'));
}

function valueAt(schema: StructType, row: Row, path: readonly string[]): ScalarValue {
  let [type, value]: [DataType, ScalarValue] = [schema, row];
  for (const name of path) {
    if (type.kind !== 'struct' || value === null) return null;
    const index: number = type.fields.findIndex((field) => field.name === name);
    [type, value] = [type.fields[index]!.type, (value as Row)[index] ?? null];
  }
  return value;
}

function predicates(leaves: readonly Leaf[]): fc.Arbitrary<Predicate> {
  const leaf = fc.constantFrom(...leaves).chain(({ path, type, values }): fc.Arbitrary<Predicate> => {
    const column: Expression = { kind: 'column', path };
    const value = fc.constantFrom(...values).map((each) => ({ type, value: each }));
    const literal = value.map((each): Expression => ({ kind: 'literal', literal: each }));
    return fc.oneof(
      fc.record({
        kind: fc.constant('comparison' as const),
        op: fc.constantFrom(
          '<' as const,
          '<=' as const,
          '>' as const,
          '>=' as const,
          '=' as const,
          '!=' as const,
        ),
        left: fc.constant(column),
        right: literal,
      }),
      fc.record({ kind: fc.constant('distinct' as const), left: fc.constant(column), right: literal }),
      fc.constant({ kind: 'isNull' as const, input: column }),
      fc.record({
        kind: fc.constant('in' as const),
        input: fc.constant(column),
        list: fc.array(value, { maxLength: 3 }),
      }),
    );
  });
  return fc.letrec<{ any: Predicate }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.record({ kind: fc.constant('not' as const), input: tie('any') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        inputs: fc.array(tie('any'), { maxLength: 3 }),
      }),
    ),
  })).any;
}

const show = (rows: readonly Row[]) =>
  rows.map((row) =>
    JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : shown(value))),
  );
const shown = (value: unknown) =>
  typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)) ? `#${value}` : value;

describe.skipIf(tables.length === 0)(
  `random predicates${tables.length === 0 ? `: ${sharedMissing}` : ''}`,
  () => {
    it.each(NAMES)('%s', { timeout: 120_000 }, async (name) => {
      const table = tables.find((each) => each.name === name)!;
      const snapshot = await Snapshot.load(engine, table.url);
      const all = await rowsOf(snapshot);
      await fc.assert(
        fc.asyncProperty(predicates(leavesOf(snapshot.schema, all.slice(0, 200))), async (predicate) => {
          const bound = bindPredicate(predicate, snapshot.schema);
          const matches = compilePredicate(snapshot.schema, bound);
          const wanted = show(all.filter((row) => matches(row) === true));
          const text = predicateToString(bound);
          expect({ text, rows: show(await rowsOf(snapshot, predicate, true)) }).toEqual({
            text,
            rows: wanted,
          });
          const kept = new Set(show(await rowsOf(snapshot, predicate)));
          expect({ text, lost: wanted.filter((row) => !kept.has(row)) }).toEqual({ text, lost: [] });
        }),
        { numRuns: 25 },
      );
    });
  },
);
