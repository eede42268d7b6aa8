/** Expired log files go after an automatic checkpoint, and nothing of it is a failure of the write. */
import { expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const DAY = 86_400_000;
const url = new URL('memory:///t/');
const schema = types.struct([field('id', types.long)]);

/** A table that gets a row a day and a checkpoint every fifth version, its log kept for six days. */
async function daily(
  days: number,
  {
    properties = {},
    changes,
  }: { properties?: Record<string, string>; changes?: (s: StorageHandler) => Partial<StorageHandler> } = {},
) {
  // Noon: the cutoff is the midnight before.
  let now = Date.UTC(2024, 0, 1, 12);
  const clock = () => now;
  const storage = new MemoryStorageHandler({ now: clock });
  const warnings: DeltaError[] = [];
  const options = { onWarning: (warning: DeltaError) => warnings.push(warning) };
  const engine = testEngine(changes ? forward(storage, changes(storage)) : storage);
  const table = await DeltaTable.create({ storage, url }, schema, {
    engine,
    runtime: { now: clock, uuid: () => crypto.randomUUID() },
    properties: {
      'delta.checkpointInterval': '5',
      'delta.logRetentionDuration': 'interval 6 days',
      ...properties,
    },
    ...options,
  });
  for (let day = 1; day <= days; day += 1) {
    now += DAY;
    await table.append([{ id: day }], options);
  }
  const versions = storage
    .paths()
    .flatMap((path) => /\/_delta_log\/(\d{20})\.json$/.exec(path)?.[1] ?? [])
    .map(Number);
  return {
    storage,
    table,
    warnings,
    versions,
    rows: await rowTexts(await DeltaTable.open(url, { engine: testEngine(storage) })),
  };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

it('keeps what the newest expired checkpoint does not stand for', async () => {
  // On day 15, versions up to 8 are past six days and a midnight; the checkpoint of version 5 stands for 0 to 4.
  const { versions, rows, warnings, storage } = await daily(15);
  expect(versions).toEqual(numbers(5, 15));
  expect(rows).toHaveLength(15);
  expect(warnings).toEqual([]);
  const others = storage.paths().filter((path) => /0{19}[0-4]\.(crc|checkpoint)/.test(path));
  expect(others).toEqual([]);
});

it('happens with a checkpoint only', async () => {
  expect((await daily(14)).versions).toEqual(numbers(0, 14));
  expect((await daily(20)).versions).toEqual(numbers(10, 20));
});

it('does not happen where the table says no', async () => {
  const { versions } = await daily(15, { properties: { 'delta.enableExpiredLogCleanup': 'false' } });
  expect(versions).toEqual(numbers(0, 15));
});

it('does not happen on a storage that cannot delete', async () => {
  const storage = new MemoryStorageHandler();
  const { delete: _none, ...rest } = forward(storage, {});
  const engine = testEngine(rest);
  const warnings: DeltaError[] = [];
  const options = { engine, onWarning: (warning: DeltaError) => warnings.push(warning) };
  const table = await DeltaTable.create({ storage, url }, schema, {
    properties: { 'delta.checkpointInterval': '1' },
    ...options,
  });
  await table.append([{ id: 1 }], options);
  expect(storage.paths().filter((path) => path.endsWith('.checkpoint.parquet'))).toHaveLength(1);
  expect(warnings).toEqual([]);
});

it('that fails is a warning', async () => {
  const { versions, rows, warnings } = await daily(15, {
    changes: () => ({ delete: () => Promise.reject(new DeltaError('PermissionDenied', 'no')) }),
  });
  expect(versions).toEqual(numbers(0, 15));
  expect(rows).toHaveLength(15);
  expect(warnings.map(({ code, version }) => [code, version])).toEqual([['PermissionDenied', 15]]);
  expect(warnings[0]!.message).toContain('version 15 is committed, but not its log cleanup');
});
