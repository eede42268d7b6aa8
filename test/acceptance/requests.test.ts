/**
 * What opening, planning and reading a table ask of a storage, and what of it side by side: a round is what takes one
 * round trip on the network. Nothing is asked for twice.
 */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import type { Engine, StorageHandler } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { FileSystemStorageHandler } from '../../src/storage/node.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { CountingStorage } from '../helpers/counting-storage.ts';
import { type Action, add, LogBuilder, metadata, protocol } from '../helpers/log-builder.ts';
import { RoundStorage } from '../helpers/round-storage.ts';

const schema = types.struct([field('id', types.long)]);
const HINT = ['_last_checkpoint', 'list'];
const commit = (version: number) => `${String(version).padStart(20, '0')}.json`;

/** The same name in no order that a compressor could find. */
const scattered = (i: number) =>
  `${Math.imul(i + 1, 0x9e3779b1) >>> 0}-${Math.imul(i + 7, 0x85ebca6b) >>> 0}`;

function addWithStats(path: string, id: number): Action {
  return add(path, { stats: { numRecords: 1, minValues: { id }, maxValues: { id }, nullCount: { id: 0 } } });
}

/** Rounds and outcome of `run`. */
async function roundsOf<T>(storage: RoundStorage, run: () => Promise<T>) {
  storage.take();
  const result = await run();
  return { result, rounds: storage.take() };
}

async function countFiles(engine: Engine, snapshot: Snapshot, where?: string): Promise<number> {
  let files = 0;
  const predicate = where === undefined ? undefined : parsePredicate(where);
  for await (const _ of snapshot.scan({ predicate }).files(engine)) files += 1;
  return files;
}

/** Rounds of opening a table and of planning a scan, and how many files that and one without a filter have. */
async function openAndPlan(inner: StorageHandler, root: URL, where: string) {
  const storage = new RoundStorage(inner);
  const engine = createEngine({ storage });
  await engine.ready();
  const opened = await roundsOf(storage, () => Snapshot.load(engine, root));
  const filtered = await roundsOf(storage, () => countFiles(engine, opened.result, where));
  const all = await roundsOf(storage, () => countFiles(engine, opened.result));
  return {
    opening: opened.rounds,
    planning: filtered.rounds,
    files: [filtered.result, all.result],
    every: [...opened.rounds, ...filtered.rounds].flat(),
  };
}

/** Requests for bytes that an earlier one was for; listings aside. */
function repeated(requests: readonly string[]): string[] {
  const seen = new Map<string, [number, number][]>();
  return requests.filter((request) => {
    const [, name, start = '0', end = 'Infinity'] = /^(\S+?)(?: (\d+)-(\d+))?$/.exec(request)!;
    const range: [number, number] = [Number(start), Number(end)];
    const before = seen.get(name!) ?? [];
    seen.set(name!, [...before, range]);
    return before.some(([from, to]) => from < range[1] && range[0] < to);
  });
}

async function checkpointed(files: number): Promise<LogBuilder> {
  const log = new LogBuilder();
  const adds = Array.from({ length: files }, (_, i) => addWithStats(`${scattered(i)}.parquet`, i));
  log.commit(protocol(), metadata(schema), ...adds);
  for (let version = 1; version <= 13; version += 1)
    log.commit(addWithStats(`v${version}.parquet`, -version));
  const later = Array.from({ length: 10 }, (_, i) => addWithStats(`v${i + 1}.parquet`, -i - 1));
  await log.checkpoint(10, protocol(), metadata(schema), ...adds, ...later);
  log.text('_delta_log/_last_checkpoint', JSON.stringify({ version: 10, size: files + 12 }));
  await log.open();
  return log;
}

describe('a table with a checkpoint', () => {
  it('is opened in two rounds and planned without a further one', async () => {
    const log = await checkpointed(20);
    const checkpoint = `${String(10).padStart(20, '0')}.checkpoint.parquet`;
    const { size } = await log.storage.head(log.url(`_delta_log/${checkpoint}`));
    const { opening, planning, files, every } = await openAndPlan(log.storage, log.root, 'id = 7');
    expect(opening).toEqual([HINT, [`${checkpoint} 0-${size}`, commit(11), commit(12), commit(13)]]);
    expect(planning).toEqual([]);
    expect(files).toEqual([1, 33]);
    expect(repeated(every)).toEqual([]);
  });

  it('that is large is read by its tail and the columns that are needed, none twice', async () => {
    const log = await checkpointed(20_000);
    const { opening, planning, files, every } = await openAndPlan(log.storage, log.root, 'id = 7');
    expect(opening.slice(0, 2).map((round) => round.map((name) => name.split(' ')[0]))).toEqual([
      HINT,
      [expect.stringMatching(/checkpoint.parquet$/), commit(11), commit(12), commit(13)],
    ]);
    expect(opening.length).toBeLessThanOrEqual(3);
    expect(planning).toHaveLength(1);
    expect(files).toEqual([1, 20_013]);
    expect(repeated(every)).toEqual([]);
  });

  it('and a checksum is opened by that, and planned with manifest and commits, then all sidecars', async () => {
    const root = new URL('../fixtures/spark-4.2/v2ckpt_json/delta/', import.meta.url);
    const { opening, planning, every } = await openAndPlan(new FileSystemStorageHandler(), root, 'id = 7');
    expect(opening).toEqual([HINT, ['00000000000000000005.crc']]);
    expect(planning[0]).toEqual([
      '00000000000000000004.checkpoint.5ba39301-f4d6-4bac-b9d6-33f026e231c8.json',
      commit(5),
    ]);
    expect(planning.slice(1).flat()).toHaveLength(4);
    expect(repeated(every)).toEqual([]);
  });
});

describe('a plan of a checkpoint of many row groups keeps to its budget', () => {
  const FILES = 9_000;
  const ROW_GROUP = 300;

  /** The checkpoint of `checkpointed`, in smaller row groups. */
  async function inSmallRowGroups(): Promise<LogBuilder> {
    const log = await checkpointed(FILES);
    const file = await log.storage.head(
      log.url(`_delta_log/${String(10).padStart(20, '0')}.checkpoint.parquet`),
    );
    const { parquetHandler } = createEngine({
      storage: log.storage,
      parquet: { maxRowGroupRows: ROW_GROUP },
    });
    const footer = await parquetHandler.readParquetFooter(file);
    const batches: EngineData[] = [];
    for await (const batch of parquetHandler.readParquetFiles([file], footer.schema)) batches.push(batch);
    const { size } = await parquetHandler.writeParquetFile(file.location, batches);
    expect(size).toBeGreaterThan(256 << 10);
    return log;
  }

  it('of requests and of bytes, counted or estimated, page by page, whatever engine goes on', async () => {
    const log = await inSmallRowGroups();
    const all: string[] = [];
    const open = async (engine: Engine) => (await Snapshot.load(engine, log.root)).scan();
    for await (const { path } of (await open(log.engine)).files(log.engine)) all.push(path);
    expect(all).toHaveLength(FILES + 13);
    for (const isMetered of [false, true]) {
      for (const budget of [{ requests: 4 }, { requests: 10 }, { bytes: 300_000 }]) {
        const paths: string[] = [];
        let token: string | undefined;
        do {
          const storage = new CountingStorage(log.storage);
          const engine = createEngine({ storage });
          const scan = await open(engine);
          storage.take();
          const before = storage.bytesRead;
          const used = () => ({ requests: storage.requests.length, bytes: storage.bytesRead });
          const page = await scan.plan(createEngine({ storage }), {
            token,
            budget: { ...budget, ...(isMetered && { meter: used }) },
          });
          if (budget.requests) expect(storage.requests.length).toBeLessThanOrEqual(budget.requests);
          // A row group, and the end of the file, may be too many.
          if (budget.bytes) expect(storage.bytesRead - before).toBeLessThanOrEqual(budget.bytes + 100_000);
          expect(page.files.length).toBeGreaterThan(0);
          paths.push(...page.files.map(({ path }) => path));
          token = page.token;
        } while (token !== undefined);
        expect(paths).toEqual(all);
      }
    }
  });
});

it('a table of commits alone is opened in two rounds and planned without a further one', async () => {
  const log = new LogBuilder().commit(protocol(), metadata(schema));
  for (let version = 1; version <= 5; version += 1) log.commit(addWithStats(`f${version}.parquet`, version));
  await log.open();
  const { opening, planning, files, every } = await openAndPlan(log.storage, log.root, 'id = 3');
  expect(opening).toEqual([HINT, [0, 1, 2, 3, 4, 5].map(commit)]);
  expect(planning).toEqual([]);
  expect(files).toEqual([1, 5]);
  expect(repeated(every)).toEqual([]);
});

it('commits that come later are all that a refresh and its scan read', async () => {
  const log = new LogBuilder().commit(protocol(), metadata(schema)).commit(addWithStats('a.parquet', 1));
  await log.open();
  const storage = new RoundStorage(log.storage);
  const engine = createEngine({ storage });
  const snapshot = await Snapshot.load(engine, log.root);
  log.commit(addWithStats('b.parquet', 2));
  const { result, rounds } = await roundsOf(storage, async () => {
    const newer = await snapshot.refresh(engine);
    return countFiles(engine, newer);
  });
  expect({ files: result, rounds }).toEqual({ files: 2, rounds: [['list'], [commit(2)]] });
});

describe('two columns of a file of eight', () => {
  const ROWS = 60_000;
  const wide = types.struct(Array.from({ length: 8 }, (_, i) => field(`c${i}`, types.long)));
  const value = (row: number, column: number) =>
    BigInt.asIntN(64, BigInt(row * 8 + column) * 0x9e3779b97f4a7c15n);

  it.each([
    // Neighbours come in one range; what lies far apart in two, the last of which may be in the tail.
    [['c2', 'c3'], 1],
    [['c0', 'c4'], 2],
  ])('%j: the tail, then %i ranges side by side', async (columns, ranges) => {
    const log = new LogBuilder().commit(protocol(), metadata(wide)).commit(add('f.parquet'));
    const rows = Array.from({ length: ROWS }, (_, row) => wide.fields.map((_, i) => value(row, i)));
    await log.parquet('f.parquet', wide, rows);
    await log.open();
    const storage = new RoundStorage(log.storage);
    const table = await DeltaTable.open(log.root, { engine: createEngine({ storage }) });
    const { result, rounds } = await roundsOf(storage, async () => {
      let count = 0;
      for await (const batch of table.scan({ columns })) count += batch.numRows;
      return count;
    });
    const size = log.sizeOf('f.parquet');
    expect(result).toBe(ROWS);
    expect(rounds).toEqual([
      [`f.parquet ${size - 65_536}-${size}`],
      Array.from({ length: ranges }, () => expect.stringMatching(/^f\.parquet \d+-\d+$/)),
    ]);
    const read = rounds[1]!.map((request) => {
      const [, start, end] = /(\d+)-(\d+)$/.exec(request)!;
      return Number(end) - Number(start);
    });
    // Incompressible: a column is an eighth of the file, its dictionary aside.
    expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan((size / 8) * 2.1);
    expect(repeated(rounds.flat())).toEqual([]);
  });
});
