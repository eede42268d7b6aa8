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
