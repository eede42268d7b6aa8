/** Which row groups a predicate leaves, told without reading their data. */
import { expect, test } from 'vitest';
import { createEngine } from '../../../src/engine/default-engine.ts';
import type { Predicate } from '../../../src/kernel/expressions/types.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import '../../../src/engine/wasm/entry-node.ts';

const location = new URL('memory:///t/file.parquet');
const schema = types.struct([field('id', types.long)]);
const storage = new MemoryStorageHandler();
const engine = createEngine({ storage, parquet: { maxRowGroupRows: 10 } });

function greater(value: bigint): Predicate {
  const right = { kind: 'literal', literal: { type: types.long, value } } as const;
  return { kind: 'comparison', op: '>', left: { kind: 'column', path: ['id'] }, right };
}

test('row groups of ids 0–9, 10–19 and 20–24 are kept by their bounds', async () => {
  await engine.ready();
  const rows = Array.from({ length: 25 }, (_, id) => [{ type: types.long, value: BigInt(id) }]);
  const file = await engine.parquetHandler.writeParquetFile(location, [
    await engine.evaluationHandler.createMany(schema, rows),
  ]);
  const kept = async (value: bigint) => {
    const verdicts = await engine.parquetHandler.explainRowGroups!(file, schema, greater(value));
    expect(verdicts.map((verdict) => verdict.numRows)).toEqual([10, 10, 5]);
    return verdicts.map((verdict) => verdict.kept);
  };
  expect(await kept(-1n)).toEqual([true, true, true]);
  expect(await kept(9n)).toEqual([false, true, true]);
  expect(await kept(19n)).toEqual([false, false, true]);
  expect(await kept(24n)).toEqual([false, false, false]);
});

test('a row group whose pages go in part, or all of them, is told from others', async () => {
  const paged = createEngine({ storage, parquet: { pageIndexMinBytes: 0 } });
  await paged.ready();
  // Even numbers, so that there is one between any two pages that is in none.
  const rows = Array.from({ length: 60_000 }, (_, row) => [{ type: types.long, value: BigInt(2 * row) }]);
  const file = await paged.parquetHandler.writeParquetFile(new URL('memory:///t/paged.parquet'), [
    await paged.evaluationHandler.createMany(schema, rows),
  ]);
  const explain = (predicate: Predicate) => paged.parquetHandler.explainRowGroups!(file, schema, predicate);
  const group = { numRows: 60_000, totalByteSize: expect.any(Number) };
  expect(await explain(greater(-1n))).toEqual([{ ...group, kept: true }]);
  const predicate = greater(100_000n);
  let read = 0;
  for await (const batch of paged.parquetHandler.readParquetFiles([file], schema, { predicate }))
    read += batch.length;
  expect(read).toBeGreaterThanOrEqual(9_999);
  expect(read).toBeLessThan(60_000);
  expect(await explain(predicate)).toEqual([{ ...group, kept: true, readRows: read }]);
  const layout = await paged.parquetHandler.readParquetLayout!(file, { pagesOf: ['id'] });
  const [first, second] = layout.rowGroups[0]!.columns[0]!.pages!;
  expect(Number(second!.min)).toBe(Number(first!.max) + 2);
  const between = BigInt(first!.max!) + 1n;
  const only: Predicate = {
    kind: 'and',
    inputs: [greater(between - 1n), { kind: 'not', input: greater(between) }],
  };
  const condition = `id > ${between - 1n} AND NOT (id > ${between})`;
  const reason = { rule: 'minMax', condition, values: [] };
  expect(await explain(only)).toEqual([{ ...group, kept: false, reason }]);
});
