/** The Write tab on tables of the browser's own storage; what it wrote is read back outside of the page. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLosslessNumber, parse } from 'lossless-json';
import { afterEach, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { rowTexts } from '../helpers/rows.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { deltaRs } from '../interop/python.ts';
import { useInspector } from './inspector.ts';
import { copyFromOpfs } from './opfs-copy.ts';

const ui = useInspector();
const python = await deltaRs();
const dirs: string[] = [];

afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true });
});

const button = (name: string | RegExp) => ui.page.getByRole('button', { name });
const outcome = () => ui.page.locator('.outcome');

/** The table as another program finds it: rows, sorted, by this package and by delta-rs; and its files. */
async function readBack(name: string) {
  const dir = await mkdtemp(join(tmpdir(), 'opfs-'));
  dirs.push(dir);
  const paths = await copyFromOpfs(ui.page, name, dir);
  const table = await DeltaTable.open({ url: `file://${dir}/`, engine: localEngine() });
  const rows = (await rowTexts(table)).map((row) => parse(row) as Record<string, unknown>);
  return { dir, paths, rows, version: table.version, table };
}

async function readByDeltaRs(dir: string): Promise<readonly Record<string, unknown>[] | undefined> {
  return 'run' in python ? (await python.run('read', dir)).rows : undefined;
}

interface Column {
  name: string;
  type: string;
  notNull?: boolean;
  partition?: boolean;
}

/** Fills the form for new tables and creates one in the browser's own storage. */
async function createTable(name: string, columns: Column[], features: string[] = []): Promise<void> {
  await ui.start();
  await button('New table').click();
  await ui.page.getByLabel('Folder', { exact: true }).fill(name);
  for (const [at, { name: column, type, notNull, partition }] of columns.entries()) {
    if (at > 0) await button('Add a column').click();
    const row = ui.page.getByRole('group', { name: `Column ${at + 1}`, exact: true });
    await row.getByLabel('Name').fill(column);
    await row.getByLabel('Type').fill(type);
    if (notNull) await row.getByLabel('not null').check();
    if (partition) await row.getByLabel('partition').check();
  }
  for (const feature of features) await ui.page.getByLabel(feature).check();
  await button('Prepare the commit').click();
  await ui.page.getByRole('heading', { name: 'version 0, CREATE TABLE' }).waitFor();
  await button('Create the table').click();
  await ui.page.locator('.facts').or(outcome()).first().waitFor();
}

async function openWrite(action?: string): Promise<void> {
  await ui.tab('write').click();
  await ui.page.locator('.actions').waitFor();
  if (action !== undefined) await button(action).click();
}

async function appendText(text: string): Promise<void> {
  await ui.page.getByLabel('Or paste CSV or JSON').fill(text);
  await button('Check the rows').click();
  await button('Prepare the commit').click();
  await ui.page.locator('.commit').waitFor();
}

async function finish(action: string, version: number): Promise<void> {
  await button(action).click();
  await outcome().getByText(`The table is at version ${version}.`).waitFor();
}

/** Cells of a small table, row by row. */
async function cells(label: string): Promise<string[][]> {
  const rows = await ui.page.locator(`section[aria-label="${label}"] tbody tr`).all();
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
}

const TRIPS: Column[] = [
  { name: 'id', type: 'long', notNull: true },
  { name: 'city', type: 'string', partition: true },
  { name: 'fare', type: 'decimal(10,2)' },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'timestamp' },
  { name: 'local', type: 'timestamp_ntz' },
  { name: 'paid', type: 'boolean' },
  { name: 'tip', type: 'double' },
];

const CSV = `id,city,fare,day,at,local,paid,tip
9007199254740993,Zürich,12.50,2024-02-29,2024-02-29T12:00:00.123456Z,2024-02-29T12:00:00,true,0.5
2,"Bern, ""old"" town",0.05,1969-12-31,2024-06-01 08:30:00,,FALSE,NaN
3,Bern,,,,,,1e3
`;

describe('a table of this browser', () => {
  it('is made, appended to, deleted from, checkpointed and vacuumed', async () => {
    await createTable('trips', TRIPS, ['Deletion vectors']);
    await openWrite();
    await appendText(CSV);
    expect(await ui.text('.report h2')).toBe('CSV, 3 rows');
    const planned = await cells('Files of the commit');
    expect(planned.map(([action, , partition, rows]) => [action, partition, rows]).sort()).toEqual([
      ['add', 'city=Bern, "old" town', '1'],
      ['add', 'city=Bern', '1'],
      ['add', 'city=Zürich', '1'],
    ]);
    // Nothing was written for the preview.
    expect((await readBack('trips')).paths.filter((path) => path.endsWith('.parquet'))).toEqual([]);
    const shown = (await ui.page.locator('.commit pre').textContent())!;
    await ui.screenshot('write-commit');
    await finish('Append the rows', 1);

    const first = await readBack('trips');
    expect(first.version).toBe(1);
    const written = await readFile(join(first.dir, '_delta_log/00000000000000000001.json'), 'utf8');
    // The commit that was shown is the one that was made.
    expect(shown.replace(/\s/g, '')).toBe(written.replace(/\s/g, ''));
    const expected = [
      {
        id: '9007199254740993',
        city: 'Zürich',
        fare: '12.50',
        day: '2024-02-29',
        at: '2024-02-29T12:00:00.123456Z',
        local: '2024-02-29T12:00:00.000000',
        paid: true,
        tip: '0.5',
      },
      {
        id: '2',
        city: 'Bern, "old" town',
        fare: '0.05',
        day: '1969-12-31',
        at: '2024-06-01T08:30:00.000000Z',
        local: null,
        paid: false,
        tip: 'NaN',
      },
      { id: '3', city: 'Bern', fare: null, day: null, at: null, local: null, paid: null, tip: '1000.0' },
    ];
    expect(plain(first.rows)).toEqual(plain(expected));
    const other = await readByDeltaRs(first.dir);
    if (other !== undefined) {
      expect(other.map(({ city, fare }) => [city, fare]).sort()).toEqual(
        expected.map(({ city, fare }) => [city, fare]).sort(),
      );
    }

    await button('Delete rows').click();
    await ui.page.getByLabel('WHERE').fill('fare < 1');
    await button('Preview').click();
    await ui.page.getByRole('heading', { name: '1 row go' }).waitFor();
    expect((await cells('The first rows that go'))[0]!.slice(0, 3)).toEqual([
      '2',
      'Bern, "old" town',
      '0.05',
    ]);
    expect((await cells('Files of the commit')).map(([action]) => action)).toEqual(['remove']);
    await finish('Delete the rows', 2);
    expect(plain((await readBack('trips')).rows)).toEqual(plain([expected[0]!, expected[2]!]));

    await button('Checkpoint').click();
    await button('Prepare the checkpoint').click();
    await button('Write the checkpoint').waitFor();
    expect((await cells('Files')).map(([path]) => path)).toEqual([
      '_delta_log/00000000000000000002.checkpoint.parquet',
      '_delta_log/_last_checkpoint',
    ]);
    expect((await readBack('trips')).paths.some((path) => path.includes('checkpoint'))).toBe(false);
    await finish('Write the checkpoint', 2);
    const checkpointed = await readBack('trips');
    expect(checkpointed.paths).toContain('_delta_log/00000000000000000002.checkpoint.parquet');
    // The checkpoint alone: delta-rs, and this package without the commits.
    for (const version of [0, 1, 2]) {
      await rm(join(checkpointed.dir, `_delta_log/${String(version).padStart(20, '0')}.json`));
    }
    const table = await DeltaTable.open({ url: `file://${checkpointed.dir}/`, engine: localEngine() });
    expect(await table.count()).toBe(2);

    await button('Vacuum').click();
    await button('Look for unused files').click();
    await ui.page.getByText('Every file is needed').waitFor();
  });

  it('is only vacuumed after what is to be typed was typed', async () => {
    await ui.start();
    await button('New table').click();
    await ui.page.getByLabel('Folder', { exact: true }).fill('short');
    await ui.page.getByLabel('Name of column 1').fill('id');
    await ui.page.getByLabel('More properties').fill('delta.deletedFileRetentionDuration=interval 0 hours');
    await button('Prepare the commit').click();
    await button('Create the table').click();
    await ui.page.locator('.actions, .facts').first().waitFor();
    await openWrite();
    await appendText('id\na\nb\n');
    await finish('Append the rows', 1);
    await button('Delete rows').click();
    await ui.page.getByLabel('WHERE').fill('TRUE');
    await button('Preview').click();
    await finish('Delete the rows', 2);
    await button('Vacuum').click();
    await button('Look for unused files').click();
    await ui.page.getByRole('heading', { name: '1 file' }).waitFor();
    const [[file]] = (await cells('Unused files')) as [[string]];
    await expect.poll(() => button('Delete the files').isDisabled()).toBe(true);
    expect((await readBack('short')).paths).toContain(file);
    await ui.page.getByLabel(/Type delete 1/).fill('delete 1');
    await button('Delete the files').click();
    await outcome().getByText('Deleted 1 unused files').waitFor();
    expect((await readBack('short')).paths).not.toContain(file);
  });
});

/** Numbers as their text, rows in order of their ids. */
function plain(rows: readonly Record<string, unknown>[]): unknown {
  const text = JSON.stringify(rows, (_, value) => {
    if (isLosslessNumber(value)) return value.value;
    return typeof value === 'number' ? String(value) : value;
  });
  const all = JSON.parse(text) as { id: string }[];
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}
