/**
 * The Parquet project's own test files through the default engine: known values by hand or from their descriptions,
 * all others against an independent reader, and damaged files as typed errors.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import { decimalText } from '../../src/engine/json-writer.ts';
import type { FileMeta } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { CountingStorage } from '../helpers/counting-storage.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import '../../src/engine/wasm/entry-node.ts';

const shared = sharedDir();
const corpus = shared === undefined ? undefined : join(shared, 'corpus', 'parquet-testing');

function open(folder: string, name: string) {
  const bytes = new Uint8Array(readFileSync(join(corpus!, folder, name)));
  const location = new URL(`memory:///parquet/${name}`);
  const storage = new CountingStorage(new MemoryStorageHandler({ files: { [location.href]: bytes } }));
  const file: FileMeta = { location, size: bytes.length, lastModified: 0 };
  return { engine: createEngine({ storage }), storage, file, bytes };
}

async function readAll(folder: string, name: string, asked?: StructType) {
  const { engine, file } = open(folder, name);
  const schema = asked ?? (await engine.parquetHandler.readParquetFooter(file)).schema;
  const rows: ScalarValue[][] = [];
  for await (const batch of engine.parquetHandler.readParquetFiles([file], schema))
    rows.push(...rowsOf(batch));
  return { schema, rows };
}

function rowsOf(batch: EngineData): ScalarValue[][] {
  const columns = batch.schema.fields.map(({ name }) => batch.column([name])!);
  return Array.from({ length: batch.length }, (_, row) => columns.map((column) => column.getValue(row)));
}

const one = (name: string, type: DataType) => types.struct([field(name, type)]);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const int32 = types.integer;

describe.skipIf(corpus === undefined)(`known values${corpus ? '' : `: ${sharedMissing}`}`, () => {
  it.each<[string, StructType, ScalarValue[]]>([
    ['binary.parquet', one('foo', types.binary), upTo(12).map((i) => new Uint8Array([i]))],
    [
      'byte_array_decimal.parquet',
      one('value', types.decimal(4, 2)),
      upTo(24).map((i) => BigInt(100 * (i + 1))),
    ],
    [
      'fixed_length_decimal.parquet',
      one('value', types.decimal(25, 2)),
      upTo(24).map((i) => BigInt(100 * (i + 1))),
    ],
    [
      'concatenated_gzip_members.parquet',
      one('long_col', types.decimal(20, 0)),
      upTo(513).map((i) => BigInt(i + 1)),
    ],
    [
      'int96_from_spark.parquet',
      one('a', types.timestamp),
      [
        1704141296123456n,
        1704070800000000n,
        253402225200000000n,
        1735599600000000n,
        null,
        9089380393200000000n,
      ],
    ],
    ['null_list.parquet', one('emptylist', types.array(int32)), [[]]],
    [
      'old_list_structure.parquet',
      one('a', types.array(types.array(int32))),
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    ['page_v2_empty_compressed.parquet', one('integer_column', int32), upTo(10).map(() => null)],
    [
      'incorrect_map_schema.parquet',
      one('my_map', types.map(types.string, types.string)),
      [
        [
          ['parent', 'another'],
          ['name', 'report'],
        ],
      ],
    ],
    [
      'repeated_primitive_no_list.parquet',
      one('Int32_list', types.array(int32)),
      [[0, 1, 2, 3], [], [4], [5, 6, 7, 8]],
    ],
    [
      'map_no_value.parquet',
      one('my_map', types.map(int32, int32)),
      [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ].map((keys) => keys.map((key) => [key, null])),
    ],
    [
      'nested_maps.snappy.parquet',
      one('a', types.map(types.string, types.map(int32, types.boolean))),
      [
        [
          [
            'a',
            [
              [1, true],
              [2, false],
            ],
          ],
        ],
        [['b', [[1, true]]]],
        [['c', null]],
        [['d', []]],
        [['e', [[1, true]]]],
        [
          [
            'f',
            [
              [3, true],
              [4, false],
              [5, true],
            ],
          ],
        ],
      ],
    ],
  ])('%s', async (name, schema, values) => {
    const { rows } = await readAll('data', name, schema);
    expect(rows).toEqual(values.map((value) => [value]));
  });

  it.each([
    ['delta_binary_packed', ''],
    ['delta_byte_array', ''],
    ['delta_encoding_optional_column', ''],
    ['delta_encoding_required_column', ''],
  ])('%s.parquet as its CSV says', async (name) => {
    const { rows } = await readAll('data', `${name}.parquet`);
    const lines = readFileSync(join(corpus!, 'data', `${name}_expect.csv`), 'utf8')
      .trim()
      .split('\n')
      .slice(1);
    expect(rows.map((row) => row.map((value) => String(value ?? '')))).toEqual(lines.map(csvFields));
  });
});

/** Fields of a CSV line in which quotes, where they are, surround whole fields. */
function csvFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

/** Files that need a schema of ours, or that the other reader cannot read. */
const NOT_COMPARED: Record<string, string> = {
  'concatenated_gzip_members.parquet': 'unsigned 64-bit integers are decimals in Delta',
  'dict-page-offset-zero.parquet':
    'its footer has fields of its writer where the format has others: refused, see below',
  'large_string_map.brotli.parquet': 'more than 2 GiB of strings in one column chunk',
  'nation.dict-malformed.parquet': 'damaged',
  'int96_from_spark.parquet': 'the other reader rounds to milliseconds',
  'map_no_value.parquet': 'the other reader gives maps without values as structs',
  'repeated_no_annotation.parquet': 'the other reader loses repeated groups',
  'datapage_v1-corrupt-checksum.parquet': 'damaged',
  'rle-dict-uncompressed-corrupt-checksum.parquet': 'damaged',
};

const dataFiles =
  corpus === undefined ? [] : readdirSync(join(corpus, 'data')).filter((name) => name.endsWith('.parquet'));

describe.skipIf(corpus === undefined)('as an independent reader has them', () => {
  it.each(dataFiles.filter((name) => !(name in NOT_COMPARED)))('%s', async (name) => {
    const { schema, rows } = await readAll('data', name);
    const { bytes } = open('data', name);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const others = await parquetReadObjects({ file, compressors, utf8: false });
    const ours = rows.map((row) =>
      Object.fromEntries(schema.fields.map((f, i) => [f.name, comparable(f.type, row[i]!)])),
    );
    expect(ours).toEqual(others.map((row) => plain(row)));
  });
});

/** A value of ours in the form in which the other reader gives it. */
function comparable(type: DataType, value: ScalarValue): unknown {
  if (value === null) return null;
  switch (type.kind) {
    case 'decimal':
      return Number(decimalText(value as bigint, type.scale));
    case 'struct':
      return Object.fromEntries(
        type.fields.map((f, i) => [f.name, comparable(f.type, (value as ScalarValue[])[i]!)]),
      );
    case 'array':
      return (value as ScalarValue[]).map((item) => comparable(type.elementType, item));
    case 'map':
      return Object.fromEntries(
        (value as [ScalarValue, ScalarValue][]).map(([key, item]) => [
          String(key),
          comparable(type.valueType, item),
        ]),
      );
    default:
      if (type.kind === 'primitive' && type.name.startsWith('timestamp')) {
        return new Date(Number((value as bigint) / 1000n)).toISOString();
      }
      if (type.kind === 'primitive' && type.name === 'date') {
        return new Date((value as number) * 86_400_000).toISOString();
      }
      return plain(value);
  }
}

/** Bytes as lists, dates as text, undefined as null. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Uint8Array) return [...value];
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** By the format's rules; an independent reader agrees. */
const READABLE = 'ARROW-GH-43605.parquet';

describe.skipIf(corpus === undefined)('damaged and foreign files are typed errors, within seconds', () => {
  const encrypted =
    corpus === undefined ? [] : readdirSync(join(corpus, 'data')).filter((n) => n.endsWith('.encrypted'));
  const bad =
    corpus === undefined
      ? []
      : readdirSync(join(corpus, 'bad_data')).filter((n) => n.endsWith('.parquet') && n !== READABLE);

  it.each(bad)(
    'bad_data/%s',
    async (name) => {
      await expect(readAll('bad_data', name)).rejects.toMatchObject({
        name: 'DeltaError',
        path: `memory:///parquet/${name}`,
      });
    },
    10_000,
  );

  it.each(encrypted)(
    '%s',
    async (name) => {
      await expect(readAll('data', name)).rejects.toMatchObject({ name: 'DeltaError' });
    },
    10_000,
  );

  it.each([
    'datapage_v1-corrupt-checksum.parquet',
    'rle-dict-uncompressed-corrupt-checksum.parquet',
    'nation.dict-malformed.parquet',
    'large_string_map.brotli.parquet',
    'dict-page-offset-zero.parquet',
  ])(
    'data/%s',
    async (name) => {
      await expect(readAll('data', name)).rejects.toMatchObject({ name: 'DeltaError' });
    },
    180_000,
  );

  it('any file cut short', async () => {
    const { bytes, engine } = open('data', 'alltypes_plain.snappy.parquet');
    for (const length of [8, 12, 100, bytes.length - 1]) {
      const location = new URL(`memory:///parquet/cut-${length}`);
      await engine.storageHandler.put(location, bytes.subarray(0, length), { overwrite: true });
      const file = await engine.storageHandler.head(location);
      await expect(engine.parquetHandler.readParquetFooter(file)).rejects.toMatchObject({ code: 'Parquet' });
    }
  });

  it('a file with one byte changed gives rows or a DeltaError, never anything else', async () => {
    const { bytes, engine, file } = open('data', 'alltypes_plain.snappy.parquet');
    const { schema } = await engine.parquetHandler.readParquetFooter(file);
    for (let at = 4; at < bytes.length; at += 7) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0xff;
      const location = new URL(`memory:///parquet/damaged-${at}`);
      await engine.storageHandler.put(location, damaged, { overwrite: true });
      const meta = await engine.storageHandler.head(location);
      try {
        for await (const batch of engine.parquetHandler.readParquetFiles([meta], schema)) rowsOf(batch);
      } catch (error) {
        expect(error, `byte ${at}`).toMatchObject({ name: 'DeltaError' });
        expect(error, `byte ${at}`).not.toMatchObject({ code: 'Internal' });
      }
    }
  }, 60_000);
});
