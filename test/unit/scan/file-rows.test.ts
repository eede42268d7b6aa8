/** Coming back to a place of a scan: rows with their files, from a position on. */
import { expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/default-engine.ts';
import '../../../src/engine/wasm/entry-node.ts';
import type { EngineData } from '../../../src/kernel/engine-data.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';

const schema = types.struct([field('n', types.long)]);

/** Numbers 0 to 9 in row groups of three, then 10 to 14 in a file of its own. */
async function open() {
  const storage = new MemoryStorageHandler();
  const engine = createEngine({ storage, parquet: { maxRowGroupRows: 3, wholeFileBytes: 0 } });
  const table = await DeltaTable.create({ storage, url: 'memory:///t/' }, schema, { engine });
  for (const [start, length] of [
    [0, 10],
    [10, 5],
  ] as const) {
    await table.append(Array.from({ length }, (_, index) => ({ n: BigInt(start + index) })));
  }
  const files = (await table.files()).toReversed();
  return { table, engine, files };
}

function numbers(data: EngineData, column: string): number[] {
  return Array.from({ length: data.length }, (_, row) => data.column([column])!.getNumber(row)!);
}

it('rows come with their file, and row groups before the first row wanted are left out of the first file only', async () => {
  const { table, engine, files } = await open();
  const { scan } = table.scan({ metadataColumns: { rowIndex: 'at' } });
  const found: [path: string, n: number, at: number][] = [];
  for await (const { file, data } of scan.readFileRows(engine, files, { firstRow: 7 })) {
    const at = numbers(data, 'at');
    found.push(...numbers(data, 'n').map((n, row): [string, number, number] => [file.path, n, at[row]!]));
  }
  const [first, second] = files.map(({ path }) => path);
  expect(found).toEqual([
    [first, 6, 6],
    [first, 7, 7],
    [first, 8, 8],
    [first, 9, 9],
    ...[10, 11, 12, 13, 14].map((n, at) => [second, n, at]),
  ]);
});

it('with `exact` only rows come for which the predicate is true', async () => {
  const { table, engine, files } = await open();
  const { scan } = table.scan({ where: 'n IN (1, 8, 12)', metadataColumns: { rowIndex: 'at' } });
  const rows: number[] = [];
  for await (const { data } of scan.readFileRows(engine, files, { exact: true, firstRow: 4 })) {
    rows.push(...numbers(data, 'n'));
  }
  expect(rows).toEqual([8, 12]);
});
