/** What reads of real Parquet files ask of a storage. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import type { ParquetHandlerOptions } from '../../src/engine/parquet-handler.ts';
import type { FileMeta } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import type { ComparisonOperator, Predicate, ScalarValue } from '../../src/kernel/expressions/types.ts';
import { field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { CountingStorage } from '../helpers/counting-storage.ts';
import '../../src/engine/wasm/entry-node.ts';

const ROWS = 200_000;
const COLUMNS = 8;
const GROUP_ROWS = 50_000;
const names = Array.from({ length: COLUMNS }, (_, i) => `c${i}`);
const schema = (...wanted: string[]): StructType =>
  types.struct(wanted.map((name) => field(name, types.long)));

/** Spread over 64 bits, so that nothing compresses, but for the first column, which ascends. */
const valueAt = (row: number, column: number): bigint =>
  column === 0 ? BigInt(row) : BigInt.asIntN(64, BigInt(row * COLUMNS + column) * 0x9e3779b97f4a7c15n);

const storage = new CountingStorage(new MemoryStorageHandler());
const engine = createEngine({ storage, parquet: { maxRowGroupRows: GROUP_ROWS } });
let file: FileMeta;

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, row) =>
    names.map((_, column) => ({ type: types.long, value: valueAt(row, column) })),
  );
  const batch = engine.evaluationHandler.createMany(schema(...names), rows);
  file = await engine.parquetHandler.writeParquetFile(new URL('memory:///t/f.parquet'), [batch]);
}, 60_000);

/** A read without anything cached: rows, requests and bytes. */
async function measure(wanted: string[], predicate?: Predicate, parquet: ParquetHandlerOptions = {}) {
  storage.take();
  const before = storage.bytesRead;
  const fresh = createEngine({ storage, parquet });
  const rows: ScalarValue[][] = [];
  for await (const batch of fresh.parquetHandler.readParquetFiles([file], schema(...wanted), { predicate })) {
    rows.push(...rowsOf(batch));
  }
  return { rows, requests: storage.take(), bytes: storage.bytesRead - before };
}

function rowsOf(batch: EngineData): ScalarValue[][] {
  const columns = batch.schema.fields.map(({ name }) => batch.column([name])!);
  return Array.from({ length: batch.length }, (_, row) => columns.map((column) => column.getValue(row)));
}

function compare(op: ComparisonOperator, value: bigint): Predicate {
  const left = { kind: 'column', path: ['c0'] } as const;
  return { kind: 'comparison', op, left, right: { kind: 'literal', literal: { type: types.long, value } } };
}

describe('a file of 4 row groups and 8 columns', () => {
  it('is asked for its tail and one range per row group for one column', async () => {
    const { rows, requests, bytes } = await measure(['c3']);
    expect(rows).toHaveLength(ROWS);
    expect(rows[123_456]).toEqual([valueAt(123_456, 3)]);
    expect(requests.map(({ kind }) => kind)).toEqual(['read', 'read', 'read', 'read', 'read']);
    expect(requests[0]!.range).toEqual([file.size - 65_536, file.size]);
    expect(bytes).toBeLessThan(file.size / COLUMNS + 65_536 + 100_000);
  });

  it('is asked for neighbouring columns at once', async () => {
    const { requests, bytes } = await measure(['c5', 'c4']);
    expect(requests).toHaveLength(5);
    expect(bytes).toBeLessThan((2 * file.size) / (COLUMNS - 1) + 65_536);
  });

  it('is asked for nothing between far columns', async () => {
    const { requests, bytes } = await measure(['c1', 'c6']);
    // The end of the last row group came with the tail.
    expect(requests.length).toBeGreaterThanOrEqual(8);
    expect(requests.length).toBeLessThanOrEqual(9);
    expect(bytes).toBeLessThan((2 * file.size) / (COLUMNS - 1) + 65_536);
  });

  it('is asked for the row groups only that a predicate leaves', async () => {
    const { rows, requests } = await measure(['c0', 'c3'], compare('>=', BigInt(ROWS - GROUP_ROWS + 10)));
    expect(rows.length).toBeLessThanOrEqual(GROUP_ROWS);
    expect(rows.at(-1)).toEqual([valueAt(ROWS - 1, 0), valueAt(ROWS - 1, 3)]);
    expect(requests.length).toBeLessThanOrEqual(4);
    const none = await measure(['c3', 'c0'], compare('<', 0n));
    expect([none.rows, none.requests.length]).toEqual([[], 1]);
  });

  it('is asked for the pages only that the page index leaves', async () => {
    const from = BigInt(GROUP_ROWS + 25_000);
    const range: Predicate = { kind: 'and', inputs: [compare('>=', from), compare('<', from + 10n)] };
    const { rows, bytes } = await measure(['c3', 'c0'], range, { pageIndexMinBytes: 0, gapBytes: 0 });
    expect(rows.length).toBeLessThan(GROUP_ROWS);
    const matching = rows.filter(([, c0]) => (c0 as bigint) >= from && (c0 as bigint) < from + 10n);
    expect(matching).toEqual(
      Array.from({ length: 10 }, (_, i) => [valueAt(Number(from) + i, 3), from + BigInt(i)]),
    );
    const group = await measure(['c3', 'c0'], range, { pageIndexMinBytes: Number.POSITIVE_INFINITY });
    expect(group.rows).toHaveLength(GROUP_ROWS);
    // Dictionaries are needed whole, and here hold most of the bytes.
    expect(bytes - 65_536).toBeLessThan(0.9 * (group.bytes - 65_536));
  });

  it('is asked for its tail alone where only its footer or its row count is wanted', async () => {
    const { rows, requests } = await measure([]);
    expect([rows.length, requests.length]).toEqual([ROWS, 1]);
    const fresh = createEngine({ storage });
    const footer = await fresh.parquetHandler.readParquetFooter(file);
    expect([footer.numRows, footer.rowGroups.length, storage.take().length]).toEqual([ROWS, 4, 1]);
  });
});
