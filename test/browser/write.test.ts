/** The Write tab on tables of the browser's own storage; what it wrote is read back outside of the page. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLosslessNumber, parse } from 'lossless-json';
import { afterEach, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { typeToString } from '../../src/kernel/schema/schema.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { rowTexts } from '../helpers/rows.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { deltaRs } from '../interop/python.ts';
import { useInspector } from './inspector.ts';
import { samples } from './inspector-tables.ts';
import { copyFromOpfs } from './opfs-copy.ts';
import { look } from './screens.ts';

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
    await look(ui, 'write-commit');
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
    await ui.page.getByRole('heading', { name: '1 row goes' }).waitFor();
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
    await outcome().getByText('Deleted 1 unused file.').waitFor();
    expect((await readBack('short')).paths).not.toContain(file);
  });
});

describe('what is imported', () => {
  it('is checked cell by cell: CSV, JSON lines, a JSON list, Parquet', async () => {
    await ui.start();
    await button('New table').click();
    await ui.page.getByLabel('Folder', { exact: true }).fill('orders');
    await ui.page.getByText('Take them from a file').click();
    await ui.page
      .getByLabel('Or paste CSV or JSON')
      .fill(
        '{"id":1,"day":"2024-01-31","price":1.5,"tags":["a"],"n":{"x":9007199254740995},"ok":true,"code":"7"}',
      );
    await button('Take its columns').click();
    await ui.page.getByText('7 columns were found').waitFor();
    await ui.page.getByRole('group', { name: 'Column 1', exact: true }).getByLabel('not null').check();
    await button('Prepare the commit').click();
    await ui.page.locator('.commit').waitFor();
    await look(ui, 'write-create');
    await button('Create the table').click();
    await ui.page.locator('.facts, .outcome').first().waitFor();
    expect(
      (await readBack('orders')).table.schema.fields.map(({ name, type }) => [name, typeToString(type)]),
    ).toEqual([
      ['id', 'long'],
      ['day', 'date'],
      ['price', 'double'],
      ['tags', 'array<string>'],
      ['n', 'struct<x:long>'],
      ['ok', 'boolean'],
      ['code', 'string'],
    ]);

    await openWrite();
    const check = async (text: string) => {
      await ui.page.getByLabel('Or paste CSV or JSON').fill(text);
      await button('Check the rows').click();
    };
    await check(
      'id,day,price,extra,ok\n1,2024-02-30,1,x,yes\n,2024-01-01,1e400,,\n"a\nb",,,,true\n9223372036854775808,,,,\n5,,1\n',
    );
    await ui.page.getByText('The table has no column extra. 7 cells do not fit.').waitFor();
    expect((await cells('Problems')).map(([line, column]) => `${line} ${column}`)).toEqual([
      '2 day',
      '2 ok',
      '3 price',
      '3 id',
      '4 id',
      '6 id',
      '7 ',
    ]);
    expect((await cells('Problems'))[0]![2]).toContain('"2024-02-30" is no date');
    expect((await cells('Columns')).map(([name, , verdict]) => `${name}: ${verdict}`)).toContain(
      'tags: not given: becomes null',
    );
    expect((await cells('Columns')).map(([name, , verdict]) => `${name}: ${verdict}`)).toContain(
      'id: 3 cells do not fit',
    );
    expect(await button('Prepare the commit').count()).toBe(0);
    await look(ui, 'write-check');

    for (const [text, words] of [
      ['{"id":1}\n{"id":', 'line 2'],
      ['{"id":1.5}', '1 cell does not fit'],
      ['{"day":"2024-01-01"}', 'Some columns do not fit'],
      ['[{"id":1},3]', 'line 2: expected an object'],
      ['id\n"1', 'line 2'],
      ['id,ID\n1,2', 'twice'],
      ['id\n', 'no rows'],
    ] as const) {
      await check(text);
      await ui.page.locator('.report p, .failure').getByText(words).first().waitFor();
    }

    await appendText(
      '[{"id":9007199254740993,"n":{"x":9007199254740995},"tags":["ü",null]},{"ID":2,"code":"","price":"NaN"}]',
    );
    await finish('Append the rows', 1);
    const [first, second] = (await readBack('orders')).rows;
    expect(String((first!.n as { x: unknown }).x)).toBe('9007199254740995');
    expect(first!.tags).toEqual(['ü', null]);
    expect([String(second!.id), second!.code, second!.price]).toEqual(['2', '', 'NaN']);

    // A file of the table itself, once more; and one of another table.
    const { dir, paths } = await readBack('orders');
    const chooser = ui.page.locator('input[type=file]').first();
    await chooser.setInputFiles(join(dir, paths.find((path) => path.endsWith('.parquet'))!));
    await ui.page.getByRole('heading', { name: 'Parquet, 2 rows' }).waitFor();
    await button('Prepare the commit').click();
    await finish('Append the rows', 2);
    const twice = (await readBack('orders')).rows.map(({ id }) => String(id));
    expect(twice.sort()).toEqual(['2', '2', '9007199254740993', '9007199254740993']);
    // Dropped: a file that is no text.
    await ui.page
      .locator('.import')
      .first()
      .evaluate((section) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array([0xff, 0xfe, 0])], 'x.bin'));
        section.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
      });
    await ui.page.getByText('x.bin is neither Parquet nor text in UTF-8').waitFor();
    await chooser.setInputFiles(await someParquet('customers'));
    await ui.page.getByText('The table has no column').first().waitFor();
  });
});

describe('writers at the same time', () => {
  /** Does something in another tab of the browser. */
  async function inAnotherTab(work: () => Promise<void>): Promise<void> {
    const mine = ui.page;
    const address = mine.url();
    ui.page = await mine.context().newPage();
    await ui.page.goto(address);
    await ui.page.locator('.actions').waitFor();
    await work();
    await ui.page.close();
    ui.page = mine;
  }

  it('both append; a deletion is worked out anew where its rows have changed', async () => {
    await createTable('shared', [{ name: 'id', type: 'long' }]);
    await openWrite('Append rows');
    await appendText('id\n1\n2\n3\n');
    await inAnotherTab(async () => {
      await appendText('id\n10\n');
      await finish('Append the rows', 1);
    });
    await button('Append the rows').click();
    await outcome().getByText('The table is at version 2.').waitFor();
    expect(await outcome().textContent()).toContain('Another writer had taken version 1');

    const preview = async (where: string) => {
      await button('Delete rows').click();
      await ui.page.getByLabel('WHERE').fill(where);
      await button('Preview').click();
      await ui.page.locator('.commit').waitFor();
    };
    await preview('id < 3');
    await inAnotherTab(async () => {
      await preview('id = 1');
      await finish('Delete the rows', 3);
    });
    await button('Delete the rows').click();
    await ui.page.getByText('It was worked out again on the newest version').waitFor();
    const ids = async () => (await readBack('shared')).rows.map(({ id }) => String(id)).sort();
    expect(await ids()).toEqual(['10', '2', '3']);
    await finish('Delete the rows', 4);
    expect(await ids()).toEqual(['10', '3']);
  });

  it('a table of the catalog in this browser is made, appended to and published', async () => {
    await ui.start();
    await button('New table').click();
    await ui.page.getByLabel("This browser's catalog").check();
    await ui.page.getByLabel('Name', { exact: true }).fill('managed');
    await ui.page.getByLabel('Name of column 1').fill('city');
    await button('Prepare the commit').click();
    await button('Create the table').click();
    await ui.page.locator('.facts, .outcome').first().waitFor();
    await openWrite();
    await appendText('city\nBern\n');
    expect(await ui.text('.commit .place')).toMatch(/^_delta_log\/_staged_commits\/0{19}1\..*\.json$/);
    await finish('Append the rows', 1);
    await button('Publish').click();
    await ui.page.getByText('All commits up to version 1 are published.').waitFor();
    await button('Vacuum').click();
    await ui.page.getByText('it alone may delete files').waitFor();
    await ui.tab('data').click();
    expect(await ui.cells('city', 1)).toEqual(['Bern']);
  });
});

/** A data file of a sample. */
async function someParquet(sample: string): Promise<string> {
  const names = await readdir(join(samples, sample), { recursive: true });
  return join(samples, sample, names.find((name) => /(^|\/)part-[^/]*\.parquet$/.test(name))!);
}

/** Numbers as their text, rows in order of their ids. */
function plain(rows: readonly Record<string, unknown>[]): unknown {
  const text = JSON.stringify(rows, (_, value) => {
    if (isLosslessNumber(value)) return value.value;
    return typeof value === 'number' ? String(value) : value;
  });
  const all = JSON.parse(text) as { id: string }[];
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}
