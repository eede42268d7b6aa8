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
const schema = types.struct([field('var', types.variant)]);

/** Timestamps of columns are microseconds, whatever the file has: so are those that come from a typed column. */
const NANOSECONDS = [34, 35, 36];
/** Refused: to a reader of columns it is binary, which is another type of variant. */
const UUID = 37;

const file = (name: string) => new Uint8Array(readFileSync(join(folder!, name)));

async function read(name: string): Promise<ScalarValue[]> {
  const location = new URL(`memory:///variants/${name}`);
  const storage = new MemoryStorageHandler({ files: { [location.href]: file(name) } });
  const engine = createEngine({ storage });
  const values: ScalarValue[] = [];
  for await (const batch of engine.parquetHandler.readParquetFiles([await storage.head(location)], schema)) {
    const column = batch.column(['var'])!;
    for (let row = 0; row < batch.length; row += 1) values.push(column.getValue(row));
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
    const good = present.filter((each) => each.error_message === undefined && each.case_number !== UUID);
    for (const each of good) {
      const isKnown = NANOSECONDS.includes(each.case_number);
      const test = isKnown ? it.fails : it;
      const name = `case ${each.case_number}, ${each.test}`;
      test(isKnown ? `${name} (known: cut to microseconds)` : name, () => check(each));
    }

    it('a UUID in a typed column is refused by name', async () => {
      const { parquet_file: name } = present.find(({ case_number: number }) => number === UUID)!;
      await expect(read(name!)).rejects.toMatchObject({
        code: 'Unsupported',
        column: 'var.typed_value',
        feature: 'variantShredding',
      });
    });

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
