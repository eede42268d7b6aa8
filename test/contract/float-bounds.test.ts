/**
 * Row groups of floats with NaN and signed zeros, whose footers count NaN (the Parquet project's test file): what may
 * be left out by which comparison, against the rows themselves and by hand.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import { bindPredicate } from '../../src/kernel/expressions/bind.ts';
import { compilePredicate } from '../../src/kernel/expressions/evaluate.ts';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import '../../src/engine/wasm/entry-node.ts';

const shared = sharedDir();
const GROUP_ROWS = 10;
const COLUMNS = {
  float_ieee754: types.float,
  float_typedef: types.float,
  double_ieee754: types.double,
  double_typedef: types.double,
  float16_ieee754: types.float,
  float16_typedef: types.float,
};
const OPERATORS = ['<', '<=', '>', '>=', '=', '!=', '<=>'];
const VALUES = ['-5', '-2', '-0.0', '0', '0.25', '3', '5', '6', 'NaN'];

describe.skipIf(shared === undefined)(`bounds of floats${shared ? '' : `: ${sharedMissing}`}`, () => {
  const path = 'corpus/parquet-testing/data/floating_orders_nan_count.parquet';
  const bytes = new Uint8Array(shared === undefined ? [] : readFileSync(join(shared, path)));
  const location = new URL('memory:///t/f.parquet');
  const file = { location, size: bytes.length, lastModified: 0 };
  const storage = new MemoryStorageHandler({ files: { [location.href]: bytes } });
  const { parquetHandler } = createEngine({ storage });

  const read = new Map<string, Promise<ScalarValue[]>>();

  function rowsOf(name: keyof typeof COLUMNS): Promise<ScalarValue[]> {
    const reading = read.get(name) ?? readRows(name);
    read.set(name, reading);
    return reading;
  }

  async function readRows(name: keyof typeof COLUMNS): Promise<ScalarValue[]> {
    const rows: ScalarValue[] = [];
    const schema = types.struct([field(name, COLUMNS[name])]);
    for await (const batch of parquetHandler.readParquetFiles([file], schema)) {
      for (let row = 0; row < batch.length; row += 1) rows.push(batch.column([name])!.getValue(row));
    }
    return rows;
  }

  /** The row groups that are kept, and those with rows that match. */
  async function groups(name: keyof typeof COLUMNS, op: string, value: string) {
    const schema = types.struct([field(name, COLUMNS[name])]);
    const type = schema.fields[0]!.type;
    const kind = type.kind === 'primitive' ? type.name : type.kind;
    const literal = value === 'NaN' ? `CAST('NaN' AS ${kind})` : `CAST('${value}' AS ${kind})`;
    const predicate = bindPredicate(parsePredicate(`${name} ${op} ${literal}`), schema);
    const verdicts = await parquetHandler.explainRowGroups!(file, schema, predicate);
    const test = compilePredicate(schema, predicate);
    const matching = (await rowsOf(name)).flatMap((row, at) =>
      test([row]) === true ? [Math.floor(at / GROUP_ROWS)] : [],
    );
    return {
      kept: verdicts.flatMap(({ kept }, at) => (kept ? [at] : [])),
      matching: [...new Set(matching)],
    };
  }

  it.each(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[])(
    '%s: no row group with a match goes',
    async (name) => {
      for (const op of OPERATORS) {
        for (const value of VALUES) {
          const { kept, matching } = await groups(name, op, value);
          expect(kept, `${op} ${value}`).toEqual(expect.arrayContaining(matching));
        }
      }
    },
  );

  it.each(['float_ieee754', 'float_typedef', 'double_ieee754', 'double_typedef'] as const)(
    '%s: where NaN is counted, greater and different values are looked for',
    async (name) => {
      const kept = async (op: string, value: string) => (await groups(name, op, value)).kept;
      // 0: −2 to 5; 1: −2 to 3 and NaN; 2: NaN alone; 3: 0 to 5; 4: −5 to −0.
      expect(await kept('>', '5')).toEqual([1, 2]);
      expect(await kept('>=', '5')).toEqual([0, 1, 2, 3]);
      expect(await kept('>', '0')).toEqual([0, 1, 2, 3]);
      expect(await kept('>=', '-0.0')).toEqual([0, 1, 2, 3, 4]);
      expect(await kept('=', '6')).not.toContain(0);
      expect(await kept('=', 'NaN')).toEqual([1, 2]);
    },
  );
});
