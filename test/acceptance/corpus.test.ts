/** Every table of the shared corpus, read in-process and compared with what Spark read. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileMeta } from '../../src/kernel/engine.ts';
import { LogPath } from '../../src/kernel/log/log-path.ts';
import { DeltaTable, type OpenOptions, type ScanOptions } from '../../src/table/delta-table.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';
import { type CorpusTable, canonicalRows, corpusTables } from '../helpers/corpus.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { FACTS, type Fact } from './corpus-facts.ts';
import { KNOWN_FAILURES } from './known-failures.ts';

const engine = localEngine();
const tables = corpusTables();
const scratch: string[] = [];

afterAll(() => {
  for (const dir of scratch) rmSync(dir, { recursive: true });
});

const open = (url: string | URL, options: OpenOptions = {}) => DeltaTable.open(url, { engine, ...options });

async function readRows(table: DeltaTable, options: ScanOptions = {}): Promise<string> {
  const scan = table.scan(options);
  let text = '';
  for await (const batch of scan) text += rowsToNdjson(batch, scan.schema);
  return text;
}

/** Rows as sorted sets; the first differences are shown, not all rows. */
function expectSameRows(got: string, wanted: string): void {
  // Nearly always the text is the same, and a million rows are not parsed for nothing.
  const sorted = (text: string) => text.trimEnd().split('\n').sort().join('\n');
  if (sorted(got) === sorted(wanted)) return;
  const [rows, expected] = [canonicalRows(got), canonicalRows(wanted)];
  const [have, want] = [new Set(rows), new Set(expected)];
  expect({
    rows: rows.length,
    wrong: rows.filter((row) => !want.has(row)).slice(0, 2),
    missing: expected.filter((row) => !have.has(row)).slice(0, 2),
  }).toEqual({ rows: expected.length, wrong: [], missing: [] });
}

/** A test that must fail where the case is listed as a known failure. */
function corpusTest(name: string, run: () => Promise<void>): void {
  const reason = KNOWN_FAILURES[name];
  if (reason === undefined) it(name, run);
  else it.fails(`${name} (known: ${reason})`, run);
}

describe.skipIf(tables.length === 0)(
  `corpus tables${tables.length === 0 ? `: ${sharedMissing}` : ''}`,
  () => {
    for (const table of tables) {
      for (const { version, path } of table.rows) {
        corpusTest(version === undefined ? table.name : `${table.name} version ${version}`, async () => {
          const opened = await open(table.url, { version });
          expectSameRows(await readRows(opened), readFileSync(path, 'utf8'));
        });
      }
      if (table.rows.every(({ version }) => version !== undefined)) {
        corpusTest(table.name, () => checkFact(table, FACTS[table.name]));
      }
      if (table.expected.length > 0) {
        corpusTest(`${table.name} expected/`, () => checkExpectedFiles(table));
      }
    }
  },
);

async function checkFact(table: CorpusTable, fact: Fact | undefined): Promise<void> {
  if (fact === undefined) throw new Error(`nothing is known of ${table.name}: ${table.source}`);
  if ('refused' in fact) {
    const failure = await open(table.url)
      .then(readRows)
      .catch((error: unknown) => error);
    expect({ name: (failure as Error).name, code: (failure as { code?: unknown }).code }).toEqual({
      name: 'DeltaError',
      code: fact.refused,
    });
    return;
  }
  const opened = await open(table.url);
  expect(opened.version).toBe(fact.version);
  if ('rows' in fact) {
    const rows = (await readRows(opened)).trimEnd().split('\n');
    expect(rows).toHaveLength(fact.rows);
    if (fact.some.length > 0) expect(rows.sort()).toEqual([...fact.some].sort());
    expect(await opened.count()).toBe(fact.rows);
    return;
  }
  expect(opened.schema.fields.map(({ name }) => name)).toEqual(fact.columns);
  expect(await opened.detail()).toMatchObject({
    version: fact.version,
    numFiles: fact.files,
    sizeInBytes: fact.bytes,
    numRecords: fact.records,
  });
  if (fact.read !== undefined) await expect(readRows(opened)).rejects.toMatchObject({ code: fact.read });
}

/** The same rows as Parquet files of Spark hold, which are read as plain files. */
async function checkExpectedFiles(table: CorpusTable): Promise<void> {
  const opened = await open(table.url);
  const files: FileMeta[] = table.expected.map((path) => {
    return { location: pathToFileURL(path), lastModified: 0, size: readFileSync(path).length };
  });
  const names = opened.schema.fields.map(({ name }) => name);
  let wanted = '';
  for (const file of files) {
    const { schema } = await engine.parquetHandler.readParquetFooter(file);
    expect(schema.fields.map((field) => field.name).sort()).toEqual([...names].sort());
    for await (const data of engine.parquetHandler.readParquetFiles([file], opened.schema)) {
      wanted += rowsToNdjson((data as unknown as { recordBatch: never }).recordBatch, opened.schema);
    }
  }
  expectSameRows(await readRows(opened), wanted);
}

describe.skipIf(tables.length === 0)('facts of single tables', () => {
  const named = (name: string) => tables.find((table) => table.name === name)!;
  const copy = (name: string): string => {
    const dir = mkdtempSync(join(tmpdir(), 'delta-corpus-'));
    scratch.push(dir);
    cpSync(join(named(name).dir, 'delta'), join(dir, 'delta'), { recursive: true });
    return join(dir, 'delta');
  };
  const values = async (table: DeltaTable): Promise<number[]> => {
    const rows = (await readRows(table)).trimEnd().split('\n');
    return rows.map((row) => (JSON.parse(row) as { value: number }).value).sort((a, b) => a - b);
  };
  const rangeWithout = (end: number, ...without: number[]) =>
    Array.from({ length: end }, (_, value) => value).filter((value) => !without.includes(value));
  /** Gives deletion vectors the names that the log says, without the prefix of Spark's tests. */
  const renameDeletionVectors = (dir: string) => {
    for (const name of readdirSync(dir)) {
      const plain = /^test%dv%prefix-(.*)$/.exec(name)?.[1];
      if (plain !== undefined) renameSync(join(dir, name), join(dir, plain));
    }
  };

  it.each([
    [0, []],
    [1, [0, 180, 300, 700, 1800]],
    [2, [0, 180, 1800]],
    [3, [0, 180, 250, 300, 350, 900, 1353, 1567, 1800]],
    [4, [0, 180, 250, 300, 350, 1353, 1800]],
  ] as const)('spark/table-with-dv-large: live values of version %i', async (version, without) => {
    const dir = copy('spark/table-with-dv-large');
    renameDeletionVectors(dir);
    const table = await open(pathToFileURL(dir), { version });
    const live = await values(table);
    expect(live).toEqual(rangeWithout(2000, ...without));
    expect(await table.count()).toBe(2000 - without.length);
  });

  it('spark/table-with-dv-small: values 1 to 8', async () => {
    const dir = copy('spark/table-with-dv-small');
    renameDeletionVectors(dir);
    expect(await values(await open(pathToFileURL(dir)))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each(['canonicalized-paths-normal-a', 'canonicalized-paths-special-a'])(
    'golden/%s: no live file',
    async (name) => {
      const table = await open(named(`golden/${name}`).url);
      expect(await table.files()).toEqual([]);
      expect(await table.detail()).toMatchObject({ numFiles: 0, sizeInBytes: 0, numRecords: 0 });
    },
  );

  it('time travel by time: golden/time-travel-start*', async () => {
    const [first, minute] = [1_540_415_658_000, 60_000];
    const dir = copy('golden/time-travel-start-start20');
    for (const version of [0, 1]) {
      const path = join(dir, '_delta_log', `${String(version).padStart(20, '0')}.json`);
      utimesSync(path, new Date(), new Date(first + version * 20 * minute));
    }
    const url = pathToFileURL(dir);
    for (const [timestamp, version] of [
      [first, 0],
      [first + 20 * minute - 1, 0],
      ['2018-10-24T21:34:18Z', 1],
      [new Date(first + 20 * minute), 1],
    ] as const) {
      expect((await open(url, { timestamp })).version).toBe(version);
    }
    await expect(open(url, { timestamp: first - 1 })).rejects.toMatchObject({ code: 'TimestampOutOfRange' });
  });

  it.each([
    [0, 0],
    [1, 100],
    [2, 200],
  ])('unity-catalog/catalog_managed_0 with its log tail: version %i has %i rows', async (version, count) => {
    const url = new URL(named('unity-catalog/catalog_managed_0').url);
    const folder = join(named('unity-catalog/catalog_managed_0').dir, 'delta/_delta_log/_staged_commits');
    const logTail = readdirSync(folder)
      .sort()
      .map((name) => LogPath.stagedCommit(url, name, 0, readFileSync(join(folder, name)).length));
    const table = await open(url, { version, logTail, maxCatalogVersion: 2 });
    const rows = (await readRows(table))
      .trimEnd()
      .split('\n')
      .filter((row) => row !== '');
    const expected = Array.from({ length: count }, (_, i) => `{"part1":${Math.floor(i / 100)},"col1":${i}}`);
    expect(rows.sort()).toEqual(expected.sort());
    const detail = await table.detail();
    if (version > 0) expect(detail.timestamp).toBe(version === 1 ? 1_749_830_871_085 : 1_749_830_881_799);
  });

  it('golden/deltalog-commit-info: what its writer said', async () => {
    const [commit] = await (await open(named('golden/deltalog-commit-info').url)).history();
    expect(commit).toMatchObject({ version: 0, operation: 'WRITE' });
    expect(commit!.commitInfo).toMatchObject({ userName: 'username_0', clusterId: 'cluster_id_0' });
  });

  it('golden/parquet-decimal-dictionaries: i, i % 5, i % 6, i % 2', async () => {
    const table = await open(named('golden/parquet-decimal-dictionaries').url);
    const where = 'id >= 777 AND id < 780 OR id = 999999';
    expect((await readRows(table, { where })).trimEnd().split('\n')).toEqual(
      [777, 778, 779, 999_999].map(
        (i) => `{"id":${i},"col1":"${i % 5}","col2":"${i % 6}","col3":"${i % 2}"}`,
      ),
    );
  });

  it('covers every table', () => {
    expect(tables.length).toBeGreaterThanOrEqual(160);
    expect(Object.keys(FACTS).filter((name) => named(name) === undefined)).toEqual([]);
  });
});
