/** The Parquet project's test files of shredded variants: each row is the variant that the case has in a file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { variantToJson } from '../../src/table/variant.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import '../../src/engine/wasm/entry-node.ts';

interface Case {
  readonly case_number: number;
  readonly test?: string;
  readonly parquet_file?: string;
  readonly variant_file?: string;
  readonly variant_files?: readonly (string | null)[];
  readonly error_message?: string;
}

const shared = sharedDir();
const folder = shared === undefined ? undefined : join(shared, 'corpus/parquet-testing/shredded_variant');
const cases: readonly Case[] =
  folder === undefined ? [] : JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'));
/** The corpus has part of them. */
const present = cases.filter(
  ({ parquet_file: name }) => name !== undefined && existsSync(join(folder!, name)),
);
const file = (name: string) => new Uint8Array(readFileSync(join(folder!, name)));

const read = (name: string) => valuesOf(file(name), name, 'var');

async function valuesOf(bytes: Uint8Array, name: string, column: string): Promise<ScalarValue[]> {
  const location = new URL(`memory:///variants/${name}`);
  const storage = new MemoryStorageHandler({ files: { [location.href]: bytes } });
  const { parquetHandler } = createEngine({ storage });
  const schema = types.struct([field(column, types.variant)]);
  const values: ScalarValue[] = [];
  for await (const batch of parquetHandler.readParquetFiles([await storage.head(location)], schema)) {
    for (let row = 0; row < batch.length; row += 1) {
      values.push(batch.column([column])!.getValue(row));
    }
  }
  return values;
}

/** Metadata end where their last offset says. */
function split(bytes: Uint8Array): [Uint8Array, Uint8Array] {
  const size = (bytes[0]! >> 6) + 1;
  const uint = (at: number) =>
    bytes.subarray(at, at + size).reduceRight((value, byte) => value * 256 + byte, 0);
  const length = uint(1);
  const end = 1 + size * (length + 2) + uint(1 + size * (length + 1));
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

async function check(each: Case): Promise<void> {
  const files = each.variant_files ?? [each.variant_file!];
  const values = await read(each.parquet_file!);
  expect(values).toHaveLength(files.length);
  for (const [row, name] of files.entries()) {
    const value = values[row] as [Uint8Array, Uint8Array] | null;
    if (name === null) {
      expect(value).toBeNull();
      continue;
    }
    const [metadata, wanted] = split(file(name));
    expect(variantToJson(...value!)).toBe(variantToJson(metadata, wanted));
    // Types too: the form of values that hold no offsets is the only one.
    if ((wanted[0]! & 3) < 2) expect([...value![1]]).toEqual([...wanted]);
  }
}

describe.skipIf(folder === undefined)(
  `shredded variants${folder === undefined ? `: ${sharedMissing}` : ''}`,
  () => {
    const good = present.filter((each) => each.error_message === undefined);
    it.each(good.map((each) => [each.case_number, each.test, each] as const))('case %i, %s', (_, __, each) =>
      check(each),
    );

    const bad = present.filter(({ error_message: error }) => error !== undefined);
    it.each(bad.map((each) => [each.case_number, each.error_message, each] as const))(
      'case %i is an error: %s',
      async (_, __, each) => {
        await expect(read(each.parquet_file!)).rejects.toMatchObject({
          name: 'DeltaError',
          feature: 'variantShredding',
        });
      },
    );

    it('are most of the cases', () => {
      expect(good.length).toBeGreaterThan(50);
    });
  },
);

it('typed columns of types that tables do not have, in fields and elements', async () => {
  const fixture = new URL('../fixtures/shredded-variant/stored-types.parquet', import.meta.url);
  const values = await valuesOf(new Uint8Array(readFileSync(fixture)), 'stored-types.parquet', 'v');
  const texts = (values as [Uint8Array, Uint8Array][]).map((value) => variantToJson(...value));
  expect(texts).toEqual([
    '{"l":["1969-12-31T23:59:59.999999999","2024-11-07T12:33:54.123456789"],"t":"12:33:54.123456",' +
      '"u":"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"}',
    '{"u":"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"}',
  ]);
});
