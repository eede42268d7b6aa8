/** The commands that write, in this process, over local files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { schemaToJson } from '../../../src/kernel/schema/schema-json.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { localEngine } from '../../helpers/test-engine.ts';

const scratch = mkdtempSync(join(tmpdir(), 'delta-cli-write-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const path = (name: string) => join(scratch, name);
const fileOf = (name: string, content: string) => {
  writeFileSync(path(name), content);
  return path(name);
};

class Text extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function deltaWeb(...args: readonly string[]) {
  const [stdout, stderr] = [new Text(), new Text()];
  const status = await run(args, { stdout, stderr, env: {} });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

const schema = types.struct([
  field('id', types.long),
  field('dec', types.decimal(10, 2)),
  field('p', types.string),
]);
const lines = [
  '{"id":9007199254740993,"dec":"1.50","p":"x"}',
  '{"id":2,"dec":2.25,"p":"y z"}',
  '',
  '{"id":3}',
].join('\n');

it('create, append, delete, checkpoint, and what read prints appends again', async () => {
  const table = path('t');
  const schemaFile = fileOf('schema.json', schemaToJson(schema));
  const created = await deltaWeb(
    ...['create', table, '--schema', schemaFile, '--partition-by', 'p'],
    ...['--property', 'delta.enableDeletionVectors=true', '--property', 'owner=a=b'],
  );
  expect(created).toEqual({ status: 0, stdout: '{"version":0}\n', stderr: '' });
  const rows = fileOf('rows.ndjson', lines);
  expect(await deltaWeb('append', table, '--from', rows)).toMatchObject({
    status: 0,
    stdout: '{"version":1}\n',
  });
  const read = await deltaWeb('read', table);
  expect(read.stdout.trimEnd().split('\n').sort()).toEqual([
    '{"id":2,"dec":"2.25","p":"y z"}',
    '{"id":3,"dec":null,"p":null}',
    '{"id":9007199254740993,"dec":"1.50","p":"x"}',
  ]);
  const again = await deltaWeb('append', table, '--from', fileOf('again.ndjson', read.stdout));
  expect(again.stdout).toBe('{"version":2}\n');
  const deleted = await deltaWeb('delete', table, '--where', 'id > 2');
  expect(JSON.parse(deleted.stdout)).toMatchObject({ version: 3, deletedRows: 4, removedFiles: 4 });
  expect((await deltaWeb('checkpoint', table)).stdout).toBe('{"version":3,"result":"written"}\n');
  const kept = { version: 3, dryRun: true, retainHours: 168, files: [], sizeInBytes: 0 };
  const vacuumed = await deltaWeb('vacuum', table, '--dry-run');
  expect(vacuumed).toEqual({ status: 0, stdout: `${JSON.stringify(kept)}\n`, stderr: '' });
  expect(await deltaWeb('vacuum', table, '--retain', '1')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^InvalidOption: .*168 hours/),
  });
  const inspected = JSON.parse((await deltaWeb('inspect', table)).stdout);
  expect(inspected).toMatchObject({ version: 3, numRecords: 2, partitionColumns: ['p'] });
  expect(inspected.properties.owner).toBe('a=b');
});

it('append takes Parquet', async () => {
  const table = path('parquet-table');
  await deltaWeb('create', table, '--schema', fileOf('schema.json', schemaToJson(schema)));
  const engine = localEngine();
  await engine.ready();
  const rows = types.struct([field('ID', types.integer), field('p', types.string)]);
  const data = engine.evaluationHandler.createMany(rows, [
    [
      { type: types.integer, value: 7 },
      { type: types.string, value: 'x' },
    ],
  ]);
  await engine.parquetHandler.writeParquetFile(pathToFileURL(path('rows.parquet')), [data]);
  expect(await deltaWeb('append', table, '--from', path('rows.parquet'))).toMatchObject({ status: 0 });
  expect((await deltaWeb('read', table)).stdout).toBe('{"id":7,"dec":null,"p":"x"}\n');
});

it.each<[string, string[], RegExp, number]>([
  ['no file', ['append', 't'], /^usage: append: from which file/, 2],
  ['no condition', ['delete', 't'], /^usage: delete: which rows/, 2],
  ['no schema', ['create', 't'], /^usage: create: of which schema/, 2],
  [
    'a property without a value',
    ['create', 't', '--schema', 'x', '--property', 'a'],
    /^usage: --property takes/,
    2,
  ],
  ['a missing file', ['append', path('t'), '--from', path('nope')], /^FileNotFound: .*nope/, 1],
  [
    'a table that is there',
    ['create', path('t'), '--schema', path('schema.json')],
    /^FileAlreadyExists: /,
    1,
  ],
])('says what is wrong: %s', async (_, args, message, status) => {
  const outcome = await deltaWeb(...args);
  expect(outcome.stderr).toMatch(message);
  expect(outcome.status).toBe(status);
});

it('a bad line is told by its number', async () => {
  const bad = fileOf('bad.ndjson', '{"id":1}\n{"id":1,}\n');
  const outcome = await deltaWeb('append', path('t'), '--from', bad);
  expect(outcome).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^MalformedJson: line 2 of .*bad\.ndjson/),
  });
  const wrong = fileOf('wrong.ndjson', '{"id":1}\n{"id":"1"}\n');
  const refused = await deltaWeb('append', path('t'), '--from', wrong);
  expect(refused.stderr).toMatch(/^Schema: row 2: column id: "1" is no long/);
});
