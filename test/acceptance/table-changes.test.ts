/** Change feeds: the corpus as Spark reads it, and logs made for one case each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toRecordBatch } from '../../src/engine/arrow-engine-data.ts';
import { encodePayload } from '../../src/kernel/deletion-vector/format.ts';
import { encodeZ85 } from '../../src/kernel/deletion-vector/z85.ts';
import type { Engine } from '../../src/kernel/engine.ts';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import { LogPath } from '../../src/kernel/log/log-path.ts';
import { schemaToJson } from '../../src/kernel/schema/schema-json.ts';
import { field, type StructType, types } from '../../src/kernel/schema/types.ts';
import {
  TableChanges,
  type TableChangesOptions,
  type TableChangesScanOptions,
} from '../../src/kernel/table-changes/table-changes.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';
import { canonicalRows, corpusTables } from '../helpers/corpus.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol, remove } from '../helpers/log-builder.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';

async function changeRows(
  engine: Engine,
  root: URL | string,
  options: TableChangesOptions,
  scan: TableChangesScanOptions = {},
): Promise<string> {
  const changes = (await TableChanges.load(engine, root, options)).scan(scan);
  let text = '';
  for await (const batch of changes.execute(engine)) {
    text += rowsToNdjson(toRecordBatch(batch), changes.logicalSchema);
  }
  return text;
}

const feeds = corpusTables().flatMap((table) =>
  readdirSync(table.dir).flatMap((name) => {
    const match = /^changes@(\d+)\.ndjson$/.exec(name);
    return match === null ? [] : [{ table, start: Number(match[1]), path: join(table.dir, name) }];
  }),
);

describe.skipIf(feeds.length === 0)(
  `change feeds of the corpus${feeds.length === 0 ? `: ${sharedMissing}` : ''}`,
  () => {
    const engine = localEngine();
    for (const { table, start, path } of feeds) {
      it(`${table.name} from version ${start}`, async () => {
        const loaded = await TableChanges.load(engine, table.url, { start });
        const columns = loaded.schema.fields.flatMap(({ name }) =>
          name === '_commit_timestamp' ? [] : [[name]],
        );
        const rows = await changeRows(engine, table.url, { start }, { columns });
        expect(canonicalRows(rows)).toEqual(canonicalRows(readFileSync(path, 'utf8')));
      });
    }

    it('ends where it is told', async () => {
      const feed = feeds.find(({ table, start }) => table.name === 'spark-4.2/cdf' && start === 2)!;
      const wanted = canonicalRows(readFileSync(feed.path, 'utf8')).filter((row) =>
        row.includes('{"number":"2"},"id"'),
      );
      const rows = await changeRows(
        engine,
        feed.table.url,
        { start: 2, end: 2 },
        { columns: ['id', 's', 'k', '_change_type', '_commit_version'] },
      );
      expect(wanted.length).toBeGreaterThan(0);
      expect(canonicalRows(rows)).toEqual(wanted);
    });

    it.each([
      ['kernel/table-with-cdf', 0, 'ChangeDataFeedIncompatibleSchema'],
      ['kernel/table-with-cdf', 2, 'ChangeDataFeedUnsupported'],
      ['spark-4.2/cdf', 99, 'MissingVersion'],
    ])('%s from version %i is %s', async (name, start, code) => {
      const table = corpusTables().find((each) => each.name === name)!;
      await expect(changeRows(engine, table.url, { start })).rejects.toMatchObject({
        name: 'DeltaError',
        code,
      });
    });
  },
);

const ID = types.struct([field('id', types.long)]);
const FEED = { configuration: { 'delta.enableChangeDataFeed': 'true' } };

/** Rows as `[id, change, version]`, in the order of the feed. */
async function idsOf(log: LogBuilder, options: TableChangesOptions): Promise<unknown[]> {
  await log.open({ version: 0 });
  const rows = await changeRows(log.engine, log.root, options);
  return rows
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map((row) => [row.id, row._change_type, row._commit_version]);
}

function vector(engine: Engine, rows: readonly number[]): Record<string, unknown> {
  const set = engine.evaluationHandler.rowIndexSets.fromRowIndexes(rows);
  const payload = encodePayload(set.serialize());
  set.free();
  const padded = new Uint8Array(Math.ceil(payload.length / 4) * 4);
  padded.set(payload);
  return {
    storageType: 'i',
    pathOrInlineDv: encodeZ85(padded),
    sizeInBytes: payload.length,
    cardinality: rows.length,
  };
}

async function logWithVectors(): Promise<LogBuilder> {
  const log = new LogBuilder();
  await log.parquet('f.parquet', ID, [[0n], [1n], [2n], [3n]]);
  return log.commit(featureProtocol('deletionVectors'), metadata(ID, FEED), add('f.parquet'));
}

describe('changes by deletion vectors (DV-08)', () => {
  const cases: [string, number[] | undefined, number[] | undefined, unknown[]][] = [
    [
      'rows deleted',
      undefined,
      [1, 2],
      [
        [1, 'delete', 2],
        [2, 'delete', 2],
      ],
    ],
    ['more rows deleted', [1], [1, 3], [[3, 'delete', 2]]],
    [
      'rows restored',
      [1, 2],
      undefined,
      [
        [1, 'insert', 2],
        [2, 'insert', 2],
      ],
    ],
    [
      'vectors that overlap',
      [0, 1],
      [1, 2],
      [
        [2, 'delete', 2],
        [0, 'insert', 2],
      ],
    ],
    ['the same vector', [1], [1], []],
    ['no vector', undefined, undefined, []],
  ];
  it.each(cases)('%s', async (_, before, after, wanted) => {
    const log = await logWithVectors();
    const dv = (rows: number[] | undefined) =>
      rows === undefined ? {} : { deletionVector: vector(log.engine, rows) };
    log.commit(remove('f.parquet'), add('f.parquet', dv(before)));
    log.commit(remove('f.parquet', dv(before)), add('f.parquet', dv(after)));
    expect(await idsOf(log, { start: 2 })).toEqual(wanted);
  });

  it('a file with a vector that is removed, or added again, has its live rows only', async () => {
    const log = await logWithVectors();
    const deletionVector = vector(log.engine, [0, 3]);
    log.commit(remove('f.parquet'), add('f.parquet', { deletionVector }));
    log.commit(remove('f.parquet', { deletionVector }));
    log.commit(add('f.parquet', { deletionVector }));
    expect(await idsOf(log, { start: 2 })).toEqual([
      [1, 'delete', 2],
      [2, 'delete', 2],
      [1, 'insert', 3],
      [2, 'insert', 3],
    ]);
  });
});

describe('changes by files (TX-12)', () => {
  const simple = async () => {
    const log = new LogBuilder();
    await log.parquet('a.parquet', ID, [[1n]]);
    await log.parquet('b.parquet', ID, [[2n], [3n]]);
    return log.commit(protocol(1, 4), metadata(ID, FEED), add('a.parquet'));
  };

  it('derives deletes from removes, whatever they leave out', async () => {
    const log = await simple();
    log.commit(remove('a.parquet'));
    expect(await idsOf(log, { start: 0 })).toEqual([
      [1, 'insert', 0],
      [1, 'delete', 1],
    ]);
  });

  it('ignores what changes no data', async () => {
    const log = await simple();
    log.commit(remove('a.parquet', { dataChange: false }), add('b.parquet', { dataChange: false }));
    expect(await idsOf(log, { start: 1 })).toEqual([]);
  });

  it('takes change files alone where there are any', async () => {
    const log = await simple();
    const changed = types.struct([...ID.fields, field('_change_type', types.string)]);
    await log.parquet('_change_data/c.parquet', changed, [
      [1n, 'update_preimage'],
      [7n, 'update_postimage'],
    ]);
    const size = log.sizeOf('_change_data/c.parquet');
    log.commit(
      { cdc: { path: '_change_data/c.parquet', partitionValues: {}, size, dataChange: false } },
      remove('a.parquet'),
      add('b.parquet'),
    );
    expect(await idsOf(log, { start: 1 })).toEqual([
      [1, 'update_preimage', 1],
      [7, 'update_postimage', 1],
    ]);
  });

  it('refuses a remove without partition values of a partitioned table', async () => {
    const log = new LogBuilder();
    const schema = types.struct([...ID.fields, field('p', types.string)]);
    await log.parquet('a.parquet', ID, [[1n]]);
    const partitioned = metadata(schema, { ...FEED, partitionColumns: ['p'] });
    log.commit(protocol(1, 4), partitioned, add('a.parquet', { partitionValues: { p: 'x' } }));
    log.commit(remove('a.parquet'));
    await expect(idsOf(log, { start: 1 })).rejects.toMatchObject({
      code: 'MissingData',
      path: 'a.parquet',
      version: 1,
    });
  });

  it('says which file is gone', async () => {
    const log = await simple();
    log.commit(add('vacuumed.parquet', { size: 700 }));
    await expect(idsOf(log, { start: 1 })).rejects.toMatchObject({ code: 'FileNotFound', version: 1 });
  });
});

describe('ranges of a change feed (TX-11)', () => {
  const other = types.struct([...ID.fields, field('x', types.string)]);
  const start = async (configuration = FEED) => {
    const log = new LogBuilder();
    await log.parquet('a.parquet', ID, [[1n]]);
    return log.commit(protocol(1, 4), metadata(ID, configuration), add('a.parquet'));
  };

  it('needs the feed at both ends and all between', async () => {
    const off = { configuration: {} };
    const log = await start();
    log.commit(metadata(ID, off)).commit(metadata(ID, FEED)).commit(remove('a.parquet'));
    await expect(idsOf(log, { start: 0 })).rejects.toMatchObject({
      code: 'ChangeDataFeedUnsupported',
      version: 1,
    });
    await expect(idsOf(log, { start: 1 })).rejects.toMatchObject({
      code: 'ChangeDataFeedUnsupported',
      version: 1,
    });
    await expect(idsOf(log, { start: 0, end: 1 })).rejects.toMatchObject({
      code: 'ChangeDataFeedUnsupported',
    });
    expect(await idsOf(log, { start: 2 })).toEqual([[1, 'delete', 3]]);
    expect(await idsOf(log, { start: 0, end: 0 })).toEqual([[1, 'insert', 0]]);
  });

  it('needs one schema', async () => {
    const log = await start();
    log.commit(metadata(other, FEED)).commit(metadata(ID, FEED));
    const code = 'ChangeDataFeedIncompatibleSchema';
    await expect(idsOf(log, { start: 0 })).rejects.toMatchObject({ code, version: 1 });
    await expect(idsOf(log, { start: 0, end: 1 })).rejects.toMatchObject({ code, version: 0 });
    expect(await idsOf(log, { start: 1, end: 1 })).toEqual([]);
  });

  it('reads each version by its own partition columns and physical names', async () => {
    const log = new LogBuilder();
    const schema = types.struct([field('a', types.string), field('b', types.string)]);
    const only = (name: string): StructType => types.struct([field(name, types.string)]);
    await log.parquet('0.parquet', only('a'), [['a0']]);
    await log.parquet('1.parquet', only('b'), [['b1']]);
    log.commit(protocol(1, 4), metadata(schema, { ...FEED, partitionColumns: ['b'] }));
    log.commit(add('0.parquet', { partitionValues: { b: 'b0' } }));
    log.commit(
      metadata(schema, { ...FEED, partitionColumns: ['a'] }),
      remove('0.parquet', { partitionValues: { b: 'b0' } }),
    );
    log.commit(add('1.parquet', { partitionValues: { a: 'a1' } }));
    await log.open();
    const columns = ['b', '_change_type', 'a'];
    expect(await changeRows(log.engine, log.root, { start: 0, end: 1 }, { columns })).toBe(
      '{"b":"b0","_change_type":"insert","a":"a0"}\n',
    );
    expect(await changeRows(log.engine, log.root, { start: 3 }, { columns })).toBe(
      '{"b":"b1","_change_type":"insert","a":"a1"}\n',
    );
    expect(await changeRows(log.engine, log.root, { start: 0 }, { columns })).toContain('"b":"b1"');
  });

  it.each([
    ['a range that ends before it starts', { start: 1, end: 0 }, 'InvalidOption'],
    ['a version that is none', { start: -1 }, 'InvalidOption'],
    ['a version that does not exist', { start: 5 }, 'MissingVersion'],
  ])('refuses %s', async (_, options, code) => {
    const log = await start();
    log.commit(remove('a.parquet'));
    await expect(idsOf(log, options)).rejects.toMatchObject({ name: 'DeltaError', code });
  });

  it('refuses a start whose commit is gone', async () => {
    const log = await start();
    await log.checkpoint(1, protocol(1, 4), metadata(ID, FEED), add('a.parquet'));
    log.skip().commit(remove('a.parquet'));
    await expect(TableChanges.load(log.engine, log.root, { start: 1 })).rejects.toMatchObject({
      code: 'MissingVersion',
      version: 1,
    });
  });

  it('refuses a table with columns of the names of the feed', async () => {
    const log = new LogBuilder();
    const schema = types.struct([field('_Commit_Version', types.long)]);
    log.commit(protocol(1, 4), metadata(schema, FEED));
    await expect(idsOf(log, { start: 0 })).rejects.toMatchObject({
      code: 'Schema',
      column: '_Commit_Version',
    });
  });
});

describe('columns of a change feed', () => {
  const table = async () => {
    const log = new LogBuilder();
    await log.parquet('a.parquet', ID, [[1n], [2n]]);
    log.commit(protocol(1, 4), metadata(ID, FEED)).commit(add('a.parquet'));
    await log.open();
    return log;
  };

  it('come in any order and number', async () => {
    const { engine, root } = await table();
    const rows = (columns: string[]) => changeRows(engine, root, { start: 0 }, { columns });
    expect(await rows(['_COMMIT_VERSION'])).toBe('{"_commit_version":1}\n'.repeat(2));
    expect(await rows(['id'])).toBe('{"id":1}\n{"id":2}\n');
    await expect(rows(['nope'])).rejects.toMatchObject({ code: 'Schema' });
  });

  it('take a predicate as a hint', async () => {
    const { engine, root } = await table();
    const rows = (text: string) =>
      changeRows(engine, root, { start: 0 }, { columns: ['id'], predicate: parsePredicate(text) });
    expect(await rows("id = 1 AND _change_type = 'insert'")).toContain('{"id":1}');
    expect(await rows('_commit_version > 100')).toBe('');
    expect(await rows('id > 100')).toBe('');
    await expect(rows('nope = 1')).rejects.toMatchObject({ code: 'InvalidExpression' });
  });

  it('tell the time of the commit: its own where it has one', async () => {
    const log = new LogBuilder();
    await log.parquet('a.parquet', ID, [[1n]]);
    const configuration = { ...FEED.configuration, 'delta.enableInCommitTimestamps': 'true' };
    const info = (inCommitTimestamp: number) => ({ commitInfo: { inCommitTimestamp } });
    const features = protocol(3, 7, { reader: [], writer: ['inCommitTimestamp', 'changeDataFeed'] });
    log.commit(info(1000), features, metadata(ID, { configuration })).commit(info(1234), add('a.parquet'));
    await log.open();
    expect(await changeRows(log.engine, log.root, { start: 0 }, { columns: ['_commit_timestamp'] })).toBe(
      '{"_commit_timestamp":"1970-01-01T00:00:01.234000Z"}\n',
    );
  });

  it('stop when aborted', async () => {
    const { engine, root } = await table();
    const changes = await TableChanges.load(engine, root, { start: 0 });
    const reason = new Error('enough');
    const rows = changes.scan().execute(engine, { signal: AbortSignal.abort(reason) });
    await expect(rows.next()).rejects.toBe(reason);
  });
});

describe('change feed of a catalog-managed table', () => {
  it('has the commits of the log tail', async () => {
    const log = new LogBuilder();
    await log.parquet('a.parquet', ID, [[1n]]);
    const features = protocol(3, 7, {
      reader: ['catalogManaged', 'vacuumProtocolCheck'],
      writer: ['catalogManaged', 'vacuumProtocolCheck', 'inCommitTimestamp', 'changeDataFeed'],
    });
    const configuration = { ...FEED.configuration, 'delta.enableInCommitTimestamps': 'true' };
    const info = (inCommitTimestamp: number) => JSON.stringify({ commitInfo: { inCommitTimestamp } });
    const { metaData } = metadata(ID, { configuration }) as { metaData: { schemaString: string } };
    expect(metaData.schemaString).toBe(schemaToJson(ID));
    log.text(
      '_delta_log/00000000000000000000.json',
      [info(1), JSON.stringify(features), JSON.stringify({ metaData })].join('\n'),
    );
    const staged = '00000000000000000001.3a0d65cd-4056-49b8-937b-95f9e3ee90e5.json';
    const file = add('a.parquet', { size: log.sizeOf('a.parquet') });
    const text = [info(2), JSON.stringify(file)].join('\n');
    log.text(`_delta_log/_staged_commits/${staged}`, text);
    const logTail = [LogPath.stagedCommit(log.root, staged, 1, text.length)];
    const options = { start: 0, logTail, maxCatalogVersion: 1 };
    expect(await changeRows(log.engine, log.root, options, { columns: ['id', '_commit_version'] })).toBe(
      '{"id":1,"_commit_version":1}\n',
    );
  });
});
