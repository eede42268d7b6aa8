/** A table through another engine: the same version, and the same way of committing. */
import { expect, it } from 'vitest';
import '../../../src/engine/wasm/entry-node.ts';
import { MemoryRecordStore, StorageCatalog } from '../../../src/catalog.ts';
import { createEngine } from '../../../src/engine/default-engine.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { withCounting } from '../../../src/storage/counting.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';

const schema = types.struct([field('id', types.long)]);

it('writes through the engine that is given, and leaves the table as it was', async () => {
  const storage = new MemoryStorageHandler();
  const table = await DeltaTable.create({ storage, url: 'memory:///t/' }, schema);
  const counted = withCounting(storage);
  const other = table.withEngine(createEngine({ storage: counted.storage }));
  expect(other.version).toBe(0);
  await other.append([{ id: 1n }]);
  expect([other.version, table.version]).toEqual([1, 0]);
  // The data file and the commit, at least.
  expect(counted.counts.puts).toBeGreaterThanOrEqual(2);
  expect(await (await table.refresh()).count()).toBe(1);
});

it('commits a table of a catalog through that catalog', async () => {
  const storage = new MemoryStorageHandler();
  const catalog = new StorageCatalog({ records: new MemoryRecordStore(), storage, root: 'memory:///lake/' });
  const table = await catalog.create('orders', schema);
  await table.withEngine(createEngine({ storage })).append([{ id: 1n }]);
  expect((await catalog.open('orders')).version).toBe(1);
});
