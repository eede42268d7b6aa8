/**
 * Change feeds with a filter: random predicates over the corpus pick the rows that the same predicates pick from the
 * whole feed, one by one; and which files are not read for it, in logs made for one case each.
 *
 * A run prints its seed; `PREDICATES_SEED=…` repeats it.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toRecordBatch } from '../../src/engine/arrow-engine-data.ts';
import { encodePayload } from '../../src/kernel/deletion-vector/format.ts';
import { encodeZ85 } from '../../src/kernel/deletion-vector/z85.ts';
import { field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { TableChanges } from '../../src/kernel/table-changes/table-changes.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';
import { corpusTables } from '../helpers/corpus.ts';
import { CountingStorage } from '../helpers/counting-storage.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol, remove } from '../helpers/log-builder.ts';
import { leavesOf, Random, type Row, randomPredicate } from '../helpers/random-predicates.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { localEngine, testEngine } from '../helpers/test-engine.ts';

const SEED = Number(process.env.PREDICATES_SEED ?? Math.floor(Math.random() * 2 ** 32));
const PER_FEED = 8;

const feeds = corpusTables().flatMap((table) =>
  readdirSync(table.dir).flatMap((name) => {
    const match = /^changes@(\d+)\.ndjson$/.exec(name);
    return match === null ? [] : [{ table, start: Number(match[1]) }];
  }),
);

describe.skipIf(feeds.length === 0)(
  feeds.length === 0 ? `random predicates: ${sharedMissing}` : `random predicates, PREDICATES_SEED=${SEED}`,
  () => {
    const engine = localEngine();
    it.each(feeds.map((feed, index) => [feed.table.name, feed.start, index] as const))(
      '%s from version %i',
      async (_, start, index) => {
        const random = new Random(SEED + index);
        const table = await DeltaTable.open({ url: feeds[index]!.table.url, engine });
        const changes = await TableChanges.load(engine, table.url, { start });
        const rows: Row[] = [];
        const texts: string[] = [];
        for await (const data of changes.scan().execute(engine)) {
          const columns = changes.schema.fields.map(({ name }) => data.column([name])!);
          for (let row = 0; row < data.length; row += 1) rows.push(columns.map((each) => each.getValue(row)));
          texts.push(...rowsToNdjson(toRecordBatch(data), changes.schema).trimEnd().split('\n'));
        }
        const leaves = leavesOf(changes.schema, rows);
        for (let run = 0; run < PER_FEED; run += 1) {
          const { text: where, truth } = randomPredicate(random, leaves);
          const wanted = texts.filter((_, at) => truth(rows[at]!) === true);
          expect({ where, rows: await linesOf(table, { start, where }) }).toEqual({ where, rows: wanted });
          const columns = ['_commit_version'];
          const versions = wanted.map((line) => ({ _commit_version: JSON.parse(line)._commit_version }));
          const narrow = await linesOf(table, { start, where, columns });
          expect({ where, rows: narrow.map((line) => JSON.parse(line)) }).toEqual({ where, rows: versions });
        }
      },
    );
  },
);

type Options = Parameters<DeltaTable['changes']>[0];

async function linesOf(table: DeltaTable, options: Options): Promise<string[]> {
  const scan = table.changes(options);
  let text = '';
  for await (const batch of scan) text += rowsToNdjson(batch, await scan.schema());
  return text.split('\n').filter((line) => line !== '');
}

const ID = types.struct([field('id', types.long)]);
const FEED = { configuration: { 'delta.enableChangeDataFeed': 'true' } };
const bounds = (least: number, greatest: number, rows: number) => ({
  stats: { numRecords: rows, minValues: { id: least }, maxValues: { id: greatest }, nullCount: { id: 0 } },
});

/** `[id, change, version]` of the rows that match, and the data files that were read for them. */
async function ask(log: LogBuilder, where: string, start: number) {
  const storage = new CountingStorage(log.storage);
  await log.open({ version: 0 });
  const table = await DeltaTable.open({ url: log.root, engine: testEngine(storage) });
  storage.take();
  const lines = (await linesOf(table, { start, where })).map((line) => JSON.parse(line));
  const files = storage
    .take()
    .flatMap(({ kind, name }) => (kind === 'read' && name.endsWith('.parquet') ? [name] : []));
  return {
    rows: lines.map((row) => [row.id, row._change_type, row._commit_version]),
    files: [...new Set(files)],
  };
}

function vector(log: LogBuilder, rows: readonly number[]) {
  const set = log.engine.evaluationHandler.rowIndexSets.fromRowIndexes(rows);
  const payload = encodePayload(set.serialize());
  set.free();
  const padded = new Uint8Array(Math.ceil(payload.length / 4) * 4);
  padded.set(payload);
  const pathOrInlineDv = encodeZ85(padded);
  return {
    deletionVector: {
      storageType: 'i',
      pathOrInlineDv,
      sizeInBytes: payload.length,
      cardinality: rows.length,
    },
  };
}

describe('files that are not read', () => {
  const simple = async () => {
    const log = new LogBuilder();
    await log.parquet('a.parquet', ID, [[1n], [2n]]);
    await log.parquet('b.parquet', ID, [[3n], [4n]]);
    log.commit(protocol(1, 4), metadata(ID, FEED), add('a.parquet', bounds(1, 2, 2)));
    return log.commit(remove('a.parquet'), add('b.parquet', bounds(3, 4, 2)));
  };

  it.each<[string, unknown[], string[]]>([
    [
      '_commit_version = 0',
      [
        [1, 'insert', 0],
        [2, 'insert', 0],
      ],
      ['a.parquet'],
    ],
    ["_change_type = 'delete' AND id > 1", [[2, 'delete', 1]], ['a.parquet']],
    ["_change_type LIKE 'update%'", [], []],
    ["_commit_timestamp < TIMESTAMP '2000-01-01 00:00:00Z'", [], []],
    ['id = 4', [[4, 'insert', 1]], ['a.parquet', 'b.parquet']],
    ["id = 4 AND _change_type = 'insert'", [[4, 'insert', 1]], ['b.parquet']],
    ['id > 100 OR _commit_version > 100', [], ['a.parquet']],
  ])('%s', async (where, rows, files) => {
    // A remove without statistics may hold any row.
    expect(await ask(await simple(), where, 0)).toEqual({ rows, files });
  });

  it('of other partitions', async () => {
    const log = new LogBuilder();
    const schema = types.struct([...ID.fields, field('p', types.integer)]);
    await log.parquet('a.parquet', ID, [[1n]]);
    await log.parquet('b.parquet', ID, [[2n]]);
    const changed = types.struct([...ID.fields, field('_change_type', types.string)]);
    for (const name of ['c', 'd'])
      await log.parquet(`_change_data/${name}.parquet`, changed, [[5n, 'delete']]);
    log.commit(protocol(1, 4), metadata(schema, { ...FEED, partitionColumns: ['p'] }));
    log.commit(
      add('a.parquet', { partitionValues: { p: '1' } }),
      add('b.parquet', { partitionValues: { p: null } }),
    );
    const cdc = (name: string, p: string) => ({
      cdc: {
        path: `_change_data/${name}.parquet`,
        partitionValues: { p },
        size: log.sizeOf(`_change_data/${name}.parquet`),
        dataChange: false,
      },
    });
    log.commit(cdc('c', '1'), cdc('d', '2'));
    expect(await ask(log, 'p = 1', 0)).toEqual({
      rows: [
        [1, 'insert', 1],
        [5, 'delete', 2],
      ],
      files: ['a.parquet', 'c.parquet'],
    });
    expect(await ask(log, "p = 2 AND _change_type != 'insert'", 0)).toEqual({
      rows: [[5, 'delete', 2]],
      files: ['d.parquet'],
    });
    expect((await ask(log, 'p IS NULL', 0)).files).toEqual(['b.parquet']);
  });
});

describe('statistics beside a deletion vector that is replaced', () => {
  const start = async () => {
    const log = new LogBuilder();
    await log.parquet('f.parquet', ID, [[0n], [10n]]);
    return log.commit(
      featureProtocol('deletionVectors'),
      metadata(ID, FEED),
      add('f.parquet', bounds(0, 10, 2)),
    );
  };

  it('tightened to the rows that are left, they say nothing of those that go (ST-16)', async () => {
    const log = await start();
    const tight = { ...vector(log, [0]), ...bounds(10, 10, 2) };
    log.commit(remove('f.parquet'), add('f.parquet', tight));
    expect(await ask(log, 'id = 0', 1)).toEqual({ rows: [[0, 'delete', 1]], files: ['f.parquet'] });
  });

  it('of the state before, they bound the rows that go', async () => {
    const log = await start();
    const before = { stats: JSON.stringify(bounds(0, 10, 2).stats) };
    log.commit(remove('f.parquet', before), add('f.parquet', { ...vector(log, [0]), ...bounds(10, 10, 2) }));
    expect(await ask(log, 'id = 0', 1)).toEqual({ rows: [[0, 'delete', 1]], files: ['f.parquet'] });
    expect(await ask(log, 'id = 20', 1)).toEqual({ rows: [], files: [] });
  });

  it('of the state after, they bound the rows that come back', async () => {
    const log = await start();
    const tight = { ...vector(log, [0]), ...bounds(10, 10, 2) };
    log.commit(remove('f.parquet'), add('f.parquet', tight));
    const { stats, ...deleted } = tight;
    log.commit(
      remove('f.parquet', { ...deleted, stats: JSON.stringify(stats) }),
      add('f.parquet', bounds(0, 10, 2)),
    );
    expect(await ask(log, 'id = 0', 2)).toEqual({ rows: [[0, 'insert', 2]], files: ['f.parquet'] });
    expect(await ask(log, 'id > 10', 2)).toEqual({ rows: [], files: [] });
  });
});

describe('conditions that are none', () => {
  it('are refused: text at once, columns when rows are asked for', async () => {
    const log = new LogBuilder().commit(protocol(1, 4), metadata(ID, FEED));
    const table = await log.open();
    expect(() => table.changes({ start: 0, where: 'id =' })).toThrow(
      expect.objectContaining({ code: 'InvalidExpression' }),
    );
    const code = 'InvalidExpression';
    await expect(linesOf(table, { start: 0, where: 'nope = 1' })).rejects.toMatchObject({ code });
    await expect(linesOf(table, { start: 0, where: '_commit_version = true' })).rejects.toMatchObject({
      code,
    });
  });
});

/** The shape of a schema is what a filter reads, not its case. */
it('names match whatever their case', async () => {
  const log = new LogBuilder();
  const schema: StructType = types.struct([field('Id', types.long)]);
  await log.parquet('a.parquet', schema, [[1n], [2n]]);
  log.commit(protocol(1, 4), metadata(schema, FEED), add('a.parquet'));
  const table = await log.open();
  expect(
    await linesOf(table, { start: 0, where: "ID = 2 AND _CHANGE_TYPE = 'insert'", columns: ['id'] }),
  ).toEqual(['{"Id":2}']);
});
