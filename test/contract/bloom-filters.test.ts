/**
 * Row groups that bloom filters exclude, in files of pyarrow and Spark (`test/fixtures/README.md`): four row groups
 * over the same ranges, in which a value is in one row group alone, so that bounds exclude none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import type { ParquetHandlerOptions } from '../../src/engine/parquet-handler.ts';
import { bindPredicate } from '../../src/kernel/expressions/bind.ts';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import type { Predicate, ScalarValue } from '../../src/kernel/expressions/types.ts';
import type { ExplainedFile } from '../../src/kernel/scan/explain.ts';
import { field, METADATA_KEYS, type StructType, types } from '../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { CountingStorage } from '../helpers/counting-storage.ts';
import { add, LogBuilder, metadata, protocol } from '../helpers/log-builder.ts';
import { leavesOf, Random, randomPredicate } from '../helpers/random-predicates.ts';
import { RoundStorage } from '../helpers/round-storage.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import '../../src/engine/wasm/entry-node.ts';

const fixtures = fileURLToPath(new URL('../fixtures/bloom-filters/', import.meta.url));

const schema = types.struct([
  field('b', types.byte),
  field('s', types.short),
  field('i', types.integer),
  field('l', types.long),
  field('f', types.float),
  field('d', types.double),
  field('str', types.string),
  field('bin', types.binary),
  field('date', types.date),
  field('ts', types.timestamp),
  field('ntz', types.timestampNtz),
  field('dec', types.decimal(10, 2)),
  field('st', types.struct([field('x', types.integer)])),
]);

const day = (v: number) => new Date(v * 86_400_000).toISOString().slice(0, 10);
/** 1000 seconds each, and seven microseconds. */
const time = (v: number) => new Date(v * 1_000_000).toISOString().slice(0, 19).concat('.000007');

/** For v: the condition that holds for its row alone. */
const CONDITIONS: Record<string, (v: number) => string> = {
  byte: (v) => `b = ${v % 100}`,
  short: (v) => `s = ${v}`,
  integer: (v) => `${v * 1000} = i`,
  long: (v) => `l <=> ${v}000000000000`,
  float: (v) => `f = ${v - 200 + 0.5}`,
  double: (v) => `d IN (${v - 200 + 0.25}, NULL)`,
  string: (v) => `str = 'value ${String(v).padStart(3, '0')}'`,
  binary: (v) => `bin = X'${v.toString(16).padStart(4, '0')}'`,
  date: (v) => `NOT date != DATE '${day(v)}'`,
  timestamp: (v) => `ts = TIMESTAMP '${time(v)}Z'`,
  timestamp_ntz: (v) => `ntz = TIMESTAMP_NTZ '${time(v)}'`,
  nested: (v) => `st.x = ${v}`,
};
const SEED = Number(process.env.PREDICATES_SEED ?? Math.floor(Math.random() * 2 ** 32));
/** Rows that are not null, away from the ends of the ranges that bounds know, of all row groups. */
const VALUES = Array.from({ length: 35 }, (_, i) => 5 + 11 * i).filter((v) => Math.floor(v / 4) % 10 !== 9);

function open(bytes: Uint8Array, parquet: ParquetHandlerOptions = {}) {
  const location = new URL('memory:///t/f.parquet');
  const storage = new CountingStorage(new MemoryStorageHandler({ files: { [location.href]: bytes } }));
  const { parquetHandler } = createEngine({ storage, parquet });
  const file = { location, size: bytes.length, lastModified: 0 };
  const explain = (where: string, of: StructType = schema) =>
    parquetHandler.explainRowGroups!(file, of, bindPredicate(parsePredicate(where), of));
  return { storage, parquetHandler, file, explain };
}

/** With its length and the magic number. */
const footerBytes = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true) + 8;

const fixture = (writer: string) => new Uint8Array(readFileSync(join(fixtures, `${writer}.parquet`)));

describe.each(['pyarrow', 'spark'])('files of %s', (writer) => {
  const { explain } = open(fixture(writer));
  const kept = async (where: string, of?: StructType) =>
    (await explain(where, of)).flatMap((verdict, at) => (verdict.kept ? [at] : []));

  it.each(Object.entries(CONDITIONS))(
    '%s: the row group of a value is kept, others go',
    async (_, condition) => {
      let others = 0;
      for (const v of VALUES) {
        const groups = await kept(condition(v));
        expect(groups).toContain(v % 4);
        others += groups.length - 1;
      }
      // False positives are 1 of 100 by the writer's settings.
      expect(others).toBeLessThan(0.05 * 3 * VALUES.length);
    },
  );

  it('several conditions: what one of them refutes goes, of alternatives all must be refuted', async () => {
    expect(await kept('s = 101 AND l = 102000000000000')).toEqual([]);
    expect(await kept('s = 101 OR l = 102000000000000')).toEqual([1, 2]);
    expect(await kept('s IN (101, 102, 105)')).toEqual([1, 2]);
    expect(await kept('NOT (s != 101 OR i = 3)')).toEqual([1]);
    expect(await kept('s = 101 AND st.x > 0')).toEqual([1]);
    expect(await kept("s = 101 OR str LIKE 'value 1%'")).toEqual([0, 1, 2, 3]);
  });

  it('what filters cannot answer keeps all', async () => {
    const all = [0, 1, 2, 3];
    expect(await kept('f = 0.0')).toEqual(all);
    expect(await kept('d = -0.0')).toEqual(all);
    expect(await kept('dec = 100.26')).toEqual(all);
    expect(await kept('s != 101')).toEqual(all);
    expect(await kept('NOT s = 101')).toEqual(all);
    expect(await kept('s IS DISTINCT FROM 101')).toEqual(all);
    expect(await kept('CAST(s AS INT) + 0 = 101')).toEqual(all);
  });

  it('a widened column is asked as the file has it', async () => {
    const widened = types.struct([
      field('i', types.long),
      field('s', types.integer),
      field('f', types.double),
    ]);
    expect(await kept('i = 101000', widened)).toEqual([1]);
    expect(await kept('s = 102', widened)).toEqual([2]);
    expect(await kept('f = -98.5', widened)).toEqual([0, 1, 2, 3]);
    const moved = types.struct([field('date', types.timestampNtz), field('i', types.decimal(20, 0))]);
    expect(await kept(`date = TIMESTAMP_NTZ '${day(101)} 00:00:00'`, moved)).toEqual([0, 1, 2, 3]);
    expect(await kept('i = 101000', moved)).toEqual([0, 1, 2, 3]);
  });

  it('the explanation names rule, condition and values', async () => {
    const [first, second] = await explain('s = 101 AND s < 300');
    expect(first).toMatchObject({
      kept: false,
      reason: {
        rule: 'bloomFilter',
        condition: 's = 101',
        values: [{ statistic: 'bloomFilter.s', value: '101' }],
      },
    });
    expect(second).toEqual({ numRows: 100, totalByteSize: expect.any(Number), kept: true });
    const [bounds] = await explain('s > 1000');
    expect(bounds!.reason).toEqual({
      rule: 'minMax',
      condition: 's > 1000',
      values: [
        { statistic: 'nullCount.s', value: '10' },
        { statistic: 'numRecords', value: '100' },
        { statistic: 'maxValues.s', value: '392' },
      ],
    });
  });

  it('random predicates lose no row', async () => {
    console.log(`bloom filters of ${writer}: PREDICATES_SEED=${SEED}`);
    const { parquetHandler, file } = open(fixture(writer));
    const at = field('at', types.long, {
      nullable: false,
      metadata: { [METADATA_KEYS.metadataColumn]: 'rowIndex' },
    });
    const read = async (asked: StructType, predicate?: Predicate) => {
      const rows: ScalarValue[][] = [];
      for await (const batch of parquetHandler.readParquetFiles([file], asked, { predicate })) {
        const columns = asked.fields.map(({ name }) => batch.column([name])!);
        for (let row = 0; row < batch.length; row += 1) rows.push(columns.map((each) => each.getValue(row)));
      }
      return rows;
    };
    const rows = await read(schema);
    expect(rows).toHaveLength(400);
    const random = new Random(SEED);
    const leaves = leavesOf(schema, rows);
    let pruned = 0;
    for (let run = 0; run < 60; run += 1) {
      const { text, truth } = randomPredicate(random, leaves);
      const predicate = bindPredicate(parsePredicate(text), schema);
      const kept = new Set(
        (await read(types.struct([...schema.fields, at]), predicate)).map((row) => row.at(-1)),
      );
      const lost = rows.flatMap((row, i) => (truth(row) === true && !kept.has(BigInt(i)) ? [i] : []));
      expect({ text, lost }).toEqual({ text, lost: [] });
      if (kept.size < rows.length) pruned += 1;
    }
    expect(pruned).toBeGreaterThan(0);
  });

  it('a damaged filter excludes nothing that is there, and is no error', async () => {
    const bytes = fixture(writer);
    const { parquetHandler, file } = open(bytes);
    const read = async (where: string, damaged: Uint8Array) => {
      const other = open(damaged);
      const predicate = bindPredicate(parsePredicate(where), schema);
      const rows: ScalarValue[] = [];
      for await (const batch of other.parquetHandler.readParquetFiles([other.file], schema, { predicate })) {
        for (let row = 0; row < batch.length; row += 1) rows.push(batch.column(['s'])!.getValue(row));
      }
      return rows;
    };
    const { rowGroups } = await parquetHandler.readParquetLayout!(file);
    const ends = rowGroups.flatMap(({ columns }) =>
      columns.map(({ start, compressedSize }) => start + compressedSize),
    );
    for (let at = Math.max(...ends); at < bytes.length - footerBytes(bytes); at += 97) {
      // The header of a filter, or bits of it that are set: bits that are not set only keep more.
      const damaged = bytes.slice();
      damaged[at]! |= 0x80;
      expect(await read('s = 101', damaged)).toContain(101);
    }
  });
});

describe('requests', () => {
  const bytes = fixture('pyarrow');
  const small: ParquetHandlerOptions = { wholeFileBytes: 0, tailBytes: 100, gapBytes: 0 };

  async function requests(where: string, parquet: ParquetHandlerOptions = small) {
    const { parquetHandler, storage, file } = open(bytes, parquet);
    const predicate = bindPredicate(parsePredicate(where), schema);
    for await (const _ of parquetHandler.readParquetFiles([file], schema, { predicate }));
    return storage.take();
  }

  it('only filters of row groups that bounds leave, and of columns with an equality, are read', async () => {
    const { parquetHandler, file } = open(bytes);
    const { rowGroups } = await parquetHandler.readParquetLayout!(file);
    const chunks = rowGroups.flatMap(({ columns }) => columns);
    const from = Math.max(...chunks.map(({ start, compressedSize }) => start + compressedSize));
    const to = bytes.length - footerBytes(bytes);
    const filters = async (where: string) => {
      const ranges = (await requests(where)).map(({ range }) => range!);
      return ranges.filter(([start, end]) => start >= from && end <= to);
    };
    expect(await filters('s > 100')).toEqual([]);
    expect(await filters('s = 1000')).toEqual([]);
    const four = await filters('s = 101');
    expect(four).toHaveLength(4);
    for (const [start, end] of four) expect(end - start).toBeLessThan(300);
    // Bounds leave the last row group alone.
    expect(await filters('s = 395 AND i > 394000')).toHaveLength(1);
  });

  it('a row group that goes is not read', async () => {
    const cost = async (where: string) =>
      (await requests(where)).reduce((sum, { range }) => sum + range![1] - range![0], 0);
    const [footer, one, all] = [await cost('s > 1000'), await cost('s = 101'), await cost('s > 0')];
    expect(one - footer).toBeLessThan(0.3 * (all - footer) + 4 * 300);
  });

  it('filters of several files are read side by side', async () => {
    const locations = [1, 2, 3, 4, 5, 6].map((i) => new URL(`memory:///t/${i}.parquet`));
    const files = Object.fromEntries(locations.map(({ href }) => [href, bytes]));
    const rounds = async (count: number) => {
      const storage = new RoundStorage(new MemoryStorageHandler({ files }));
      const { parquetHandler } = createEngine({ storage, parquet: small });
      const metas = locations
        .slice(0, count)
        .map((location) => ({ location, size: bytes.length, lastModified: 0 }));
      const predicate = bindPredicate(parsePredicate('s = 101'), schema);
      for await (const _ of parquetHandler.readParquetFiles(metas, schema, { predicate }));
      return storage.take();
    };
    const [one, six] = [await rounds(1), await rounds(6)];
    // The tail, the rest of the footer, filters, and the columns of the row group that is left.
    expect(one).toHaveLength(4);
    // One after the other they would take nine. A busy machine may tear a round apart.
    expect(six.length).toBeLessThanOrEqual(6);
    expect(six.flat()).toHaveLength(6 * one.flat().length);
  });

  it('what is in memory already costs no request', async () => {
    expect(await requests('s = 101', {})).toHaveLength(1);
  });
});

describe('a table', () => {
  it('explains row groups by the names that people know, and gives the rows', async () => {
    const mapped = (name: string, id: number, physical: string) =>
      field(name, types.string, {
        metadata: { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': physical },
      });
    const bytes = fixture('spark');
    const log = new LogBuilder().commit(
      protocol(2, 5),
      metadata(types.struct([mapped('label', 1, 'str')]), {
        configuration: { 'delta.columnMapping.mode': 'name', 'delta.columnMapping.maxColumnId': '1' },
      }),
      add('f.parquet', { size: bytes.length }),
    );
    await log.storage.put(new URL('f.parquet', log.root), bytes, { overwrite: true });
    const table = await log.open();
    const where = "label = 'value 101'";
    const files: ExplainedFile[] = [];
    for await (const file of table.explain({ where, rowGroups: true })) files.push(file);
    const [explained] = files;
    expect(explained!.rowGroups!.map(({ kept, reason }) => [kept, reason?.rule])).toEqual([
      [false, 'bloomFilter'],
      [true, undefined],
      [false, 'bloomFilter'],
      [false, 'bloomFilter'],
    ]);
    expect(explained!.rowGroups![0]!.reason).toEqual({
      rule: 'bloomFilter',
      condition: where,
      values: [{ statistic: 'bloomFilter.label', value: "'value 101'" }],
    });
    expect(await table.count({ where })).toBe(1);
  });
});

const shared = sharedDir();
describe.skipIf(shared === undefined)(
  `a filter of unknown length${shared ? '' : `: ${sharedMissing}`}`,
  () => {
    const column = types.struct([field('String', types.string)]);

    function foreign(parquet: ParquetHandlerOptions = {}) {
      const path = 'corpus/parquet-testing/data/data_index_bloom_encoding_stats.parquet';
      return open(new Uint8Array(readFileSync(join(shared!, path))), parquet);
    }

    it('answers by its header', async () => {
      const { explain } = foreign();
      const kept = async (value: string) =>
        (await explain(`String = '${value}'`, column)).map(({ kept }) => kept);
      expect(await kept('Hello')).toEqual([true]);
      expect(await kept('the quick')).toEqual([true]);
      expect(await kept('Hello_Not_Exists')).toEqual([false]);
    });

    it('is read only where it costs less than the row group', async () => {
      const { explain, storage } = foreign({ wholeFileBytes: 0, tailBytes: 500 });
      const [verdict] = await explain("String = 'Hello_Not_Exists'", column);
      expect(verdict!.kept).toBe(true);
      // The footer, and the header of a filter of 1024 bytes over a column chunk of 188.
      const [footer, header, ...more] = storage.take();
      expect(footer!.range![1]).toBe(1643);
      expect([header!.range, more]).toEqual([[192, 212], []]);
    });

    it('is asked where its bits are in memory already', async () => {
      const { explain, storage } = foreign({ wholeFileBytes: 0, tailBytes: 1643 - 200 });
      const [verdict] = await explain("String = 'Hello_Not_Exists'", column);
      expect(verdict).toMatchObject({ kept: false, reason: { rule: 'bloomFilter' } });
      expect(storage.take()).toHaveLength(2);
    });
  },
);
