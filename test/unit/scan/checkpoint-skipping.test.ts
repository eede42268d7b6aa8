/** Skipping with the parsed columns of checkpoints, whatever types and columns their writers chose. */
import { describe, expect, it } from 'vitest';
import { createEngine, type DefaultEngine } from '../../../src/engine/default-engine.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { withCounting } from '../../../src/storage/counting.ts';
import { commitName, LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';

const { long, integer, string, date } = types;
const TABLE = types.struct([field('p', integer), field('x', long), field('d', date)]);
const map = types.map(string, string);

interface Parsed {
  /** Types of x and d in `stats_parsed`. */
  readonly x?: DataType;
  readonly d?: DataType;
  /** Whether the file has the column `stats`, with text. */
  readonly text?: boolean;
}

/** Adds `f0` … with p = i, x = 10 i … 10 i + 9, d = day i; with parsed columns of the given types. */
function checkpointOf(count: number, { x = long, d = date, text = false }: Parsed) {
  const bounds = types.struct([field('x', x), field('d', d)]);
  const stats = types.struct([
    field('numRecords', long),
    field('minValues', bounds),
    field('maxValues', bounds),
    field('nullCount', types.struct([field('x', long), field('d', long)])),
  ]);
  const add = types.struct([
    field('path', string),
    field('partitionValues', map),
    field('size', long),
    field('modificationTime', long),
    field('dataChange', types.boolean),
    ...(text ? [field('stats', string)] : []),
    field('partitionValues_parsed', types.struct([field('p', integer)])),
    field('stats_parsed', stats),
  ]);
  const day = (index: number) => new Date(index * 86_400_000).toISOString().slice(0, 10);
  const textOf = (i: number) =>
    JSON.stringify({
      numRecords: 10,
      minValues: { x: i * 10, d: day(i) },
      maxValues: { x: i * 10 + 9, d: day(i) },
      nullCount: { x: 0, d: 0 },
    });
  const scalarOf = (type: DataType, value: number): ScalarValue =>
    type === long ? BigInt(value) : type === string ? String(value) : value;
  const rows = Array.from({ length: count }, (_, i): ScalarValue[] => [
    [
      `f${i}`,
      [['p', String(i)]],
      1n,
      0n,
      true,
      ...(text ? [textOf(i)] : []),
      [i],
      [10n, [scalarOf(x, i * 10), scalarOf(d, i)], [scalarOf(x, i * 10 + 9), scalarOf(d, i)], [0n, 0n]],
    ],
  ]);
  return { schema: types.struct([field('add', add)]), rows };
}

async function write(
  engine: DefaultEngine,
  log: LogBuilder,
  name: string,
  schema: StructType,
  rows: ScalarValue[][],
) {
  await engine.ready();
  const scalars = rows.map((row) => row.map((value, index) => ({ type: schema.fields[index]!.type, value })));
  const data = engine.evaluationHandler.createMany(schema, scalars);
  await engine.parquetHandler.writeParquetFile(log.url(name), [data]);
}

/** A table whose checkpoint holds the adds, in row groups of 10; protocol and metadata come from a later commit. */
async function open(count: number, parsed: Parsed = {}) {
  const log = new LogBuilder();
  const { storage, counts, slices } = withCounting(log.storage);
  const parquet = { maxRowGroupRows: 10, wholeFileBytes: 0, tailBytes: 16 << 10, gapBytes: 0 };
  const engine = createEngine({ storage, parquet });
  const { schema, rows } = checkpointOf(count, parsed);
  await write(engine, log, commitName(1).replace('.json', '.checkpoint.parquet'), schema, rows);
  log
    .skip(1)
    .commit()
    .commit(protocol(), metadata(TABLE, { partitionColumns: ['p'] }));
  const snapshot = await Snapshot.load(engine, log.root);
  const kept = async (where: string, options: { stats?: boolean } = {}): Promise<string[]> => {
    const paths: string[] = [];
    const scan = snapshot.scan({ predicate: parsePredicate(where) });
    for await (const { path } of scan.files(engine, { stats: false, ...options })) paths.push(path);
    return paths;
  };
  return { log, engine, snapshot, kept, counts, slices };
}

describe('parsed statistics of checkpoints', () => {
  it.each([
    ['x = 25', ['f2']],
    ['x >= 15 AND x < 21', ['f1', 'f2']],
    ["d = DATE '1970-01-03'", ['f2']],
    ["d > DATE '1970-01-03'", ['f3']],
    ['p = 1', ['f1']],
    ['p = 1 OR x > 30', ['f1', 'f3']],
    ['x IS NULL', []],
    ['x IS NOT NULL AND p > 2', ['f3']],
  ])('%s', async (where, expected) => {
    for (const text of [false, true]) {
      const { kept } = await open(4, { text });
      expect(await kept(where)).toEqual(expected);
      expect(await kept(where, { stats: true })).toEqual(expected);
    }
  });

  it('narrower types, as before a column was widened, are converted', async () => {
    const { kept } = await open(4, { x: integer });
    expect(await kept('x = 25')).toEqual(['f2']);
  });

  it('a leaf of another type counts as absent where there is no text, and never fails the load', async () => {
    for (const stats of [false, true]) {
      const { kept } = await open(4, { d: integer });
      expect(await kept("d = DATE '1970-01-03'", { stats })).toHaveLength(4);
      expect(await kept("d = DATE '1970-01-03' AND x < 20", { stats })).toEqual(['f0', 'f1']);
    }
    const unlike = await open(4, { x: string, text: true });
    expect(await unlike.kept('x = 25')).toEqual(['f2']);
  });

  it('row groups that cannot match are not read', async () => {
    const { kept, slices, log } = await open(200);
    const read = async (where: string) => {
      const before = slices.length;
      const paths = await kept(where);
      const name = log.url(commitName(1).replace('.json', '.checkpoint.parquet')).href;
      const ranges = slices.slice(before).filter(({ location }) => location.href === name);
      return { paths, bytes: ranges.reduce((sum, { range }) => sum + range!.end - range!.start, 0) };
    };
    await kept('x >= 0');
    const all = await read('x >= 0');
    const one = await read('x = 1234');
    expect(all.paths).toHaveLength(200);
    expect(one.paths).toEqual(['f123']);
    expect(one.bytes).toBeLessThan(all.bytes / 5);
    const partition = await read('p = 77');
    expect(partition.paths).toEqual(['f77']);
    expect(partition.bytes).toBeLessThan(all.bytes / 5);
  });

  it('plans from the middle of a file without the rows before it, and in shards by row groups', async () => {
    const { snapshot, engine } = await open(55);
    const scan = snapshot.scan({ predicate: parsePredicate('x >= 100') });
    const expected = Array.from({ length: 45 }, (_, index) => `f${index + 10}`);
    const pages: string[][] = [];
    let token: string | undefined;
    do {
      const page = await scan.plan(engine, { token, budget: { bytes: 1 } });
      pages.push(page.files.map(({ path }) => path));
      token = page.token;
    } while (token !== undefined);
    expect(pages.flat()).toEqual(expected);
    expect(Math.max(...pages.map(({ length }) => length))).toBe(10);
    const { files, tokens } = await scan.shards(engine, { count: 4 });
    expect(files).toEqual([]);
    expect(tokens.length).toBe(3);
    const shards = await Promise.all(tokens.map((each) => scan.plan(engine, { token: each })));
    expect(shards.flatMap((page) => page.files.map(({ path }) => path))).toEqual(expected);
    expect(shards.map((page) => page.files.length)).toEqual([10, 20, 15]);
  });
});

describe('statistics as text', () => {
  it('come from the parsed columns where a checkpoint has no text', async () => {
    const { snapshot, engine } = await open(2);
    const files = [];
    for await (const { stats } of snapshot.scan().files(engine)) files.push(JSON.parse(stats!));
    expect(files[1]).toEqual({
      numRecords: 10,
      minValues: { x: 10, d: '1970-01-02' },
      maxValues: { x: 19, d: '1970-01-02' },
      nullCount: { x: 0, d: 0 },
    });
  });

  it('are not read where nobody needs them', async () => {
    const { snapshot, engine, counts } = await open(200, { text: true });
    const bytesOf = async (stats: boolean) => {
      const before = counts.bytesRead;
      for await (const file of snapshot.scan().files(engine, { stats }))
        expect(file.stats !== undefined).toBe(stats);
      return counts.bytesRead - before;
    };
    await bytesOf(false);
    expect(await bytesOf(false)).toBeLessThan((await bytesOf(true)) * 0.8);
  });
});
