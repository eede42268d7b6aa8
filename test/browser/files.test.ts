/** The files tab: the list, where the bytes are, why a query reads some files, and what is inside one. */
import { readdirSync, statSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DeltaTable } from 'delta-kernel-web';
import { describe, expect, it } from 'vitest';
import { FileStore } from '../../web-demo/src/worker/files/store.ts';
import { perfLog } from '../helpers/perf-log.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { useInspector } from './inspector.ts';
import { samples } from './inspector-tables.ts';
import { longestTask } from './main-thread.ts';
import { layoutShift, look } from './screens.ts';
import { metaData, protocol, serveCorpusTable, serveLog, shared } from './served-tables.ts';

const ui = useInspector();
const corpus = shared === undefined ? `: ${sharedMissing}` : '';

/** The texts of a column of the list, from the top. */
async function column(title: string): Promise<string[]> {
  const titles = await ui.page.locator('.listing thead th').allTextContents();
  const at = titles.findIndex((each) => each.startsWith(title));
  return ui.page.locator(`.listing tbody tr td:nth-child(${at + 1})`).allTextContents();
}

async function sortBy(title: string): Promise<void> {
  await ui.page.locator('.listing thead').getByRole('button', { name: title }).click();
}

/** Waits for the list to have so many. */
async function listed(count: string, timeout = 30_000): Promise<void> {
  await ui.page.locator('.count').getByText(count, { exact: true }).waitFor({ timeout });
  await ui.page.locator('.listing[aria-busy=false]').waitFor();
}

async function explain(where: string): Promise<string> {
  await ui.page.getByLabel('WHERE').fill(where);
  await ui.page.getByRole('button', { name: 'Explain' }).click();
  await ui.page.locator('.answer').waitFor({ timeout: 90_000 });
  return ui.text('.answer');
}

describe('which files would a query read, and why?', () => {
  it('is answered within five clicks of the start', async () => {
    await ui.start('', {}, "globalThis.clicks = 0; addEventListener('click', () => { clicks += 1; }, true);");
    await ui.page.getByRole('button', { name: 'Taxi trips' }).click();
    await ui.tab('files').click();
    await ui.page.getByLabel('WHERE').click();
    await ui.page.locator('.filter-editor:not(.absent)').waitFor();
    await ui.page.keyboard.type("date = '2021-09-01'");
    await ui.page.getByRole('button', { name: 'Explain' }).click();
    const answer = ui.page.locator('.answer');
    await answer.waitFor();
    expect(await ui.page.evaluate('clicks')).toBeLessThanOrEqual(5);
    // The sample has a file of 400 rows for each of seven days.
    expect(await answer.textContent()).toMatch(/^Reads 1 of 7 files, .* of .*, 400 of 2,800 rows\./);
    expect(await ui.page.locator('.explanation tbody td').allTextContents()).toEqual([
      "date = DATE '2021-09-01'",
      'the partition value',
      '6',
      expect.stringMatching(/ KiB$/),
      '2,400',
    ]);
    const verdicts = await column('Read by the query');
    expect(verdicts.filter((each) => each === 'read')).toHaveLength(1);
    expect(verdicts).toContain("skipped: date = DATE '2021-09-04'");
  });

  it('by bounds of columns, in a link that others can open', async () => {
    // Ids count up from 2^53 − 1, day by day.
    await ui.start('#url=samples/trips&tab=files&where=trip_id+%3D+9007199254741391');
    await ui.page.locator('.answer').waitFor();
    expect(await ui.text('.answer')).toMatch(/^Reads 1 of 7 files/);
    expect(await ui.text('.explanation tbody')).toContain('minimum and maximum');
    await ui.page.getByRole('button', { name: 'Show the files that are read' }).click();
    await listed('1 file');
    expect(await column('date')).toEqual(['2021-08-30']);
    await ui.page.getByRole('button', { name: 'Look into the row groups' }).click();
    await ui.page.locator('.row-groups').waitFor();
    expect(await ui.text('.row-groups')).toMatch(
      /^1 of 1 row group in these files is decoded: 400 of 400 rows/,
    );
    await ui.page.getByText('read, 1 of 1 row groups').waitFor();
    await ui.page.getByRole('button', { name: 'Only files that are read' }).click();
    await listed('7 files');
    await ui.page.locator('.explanation tbody .link').click();
    await listed('6 files');
  });

  it('a predicate that does not fit is explained, and nothing is skipped without statistics', async () => {
    await ui.start('#url=samples/trips&tab=files&where=nope+%3D+1');
    await ui.page.getByRole('alert').waitFor();
    expect(await ui.text('.failure')).toContain('nope');
    await listed('7 files');
    expect(await explain("city = 'Nowhere' OR passengers > 0")).toMatch(/^Reads 7 of 7 files.*may hold rows/);
  });
});

describe('the list', () => {
  it('is sorted, searched and summed up', async () => {
    await ui.start('#url=samples/trips&tab=files');
    await listed('7 files');
    const sizes = new Map(
      readdirSync(join(samples, 'trips'), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.parquet'))
        .map((path) => [path, statSync(join(samples, 'trips', path)).size]),
    );
    const byPath = [...sizes.keys()].sort();
    await sortBy('Path');
    await ui.page.locator('.listing tbody tr').first().getByText(byPath[0]!).waitFor();
    expect(await column('Path')).toEqual(byPath);
    await sortBy('Size');
    const bySize = [...sizes].sort((a, b) => b[1] - a[1]).map(([path]) => path);
    await ui.page.locator('.listing tbody tr').first().getByText(bySize[0]!).waitFor();
    expect(await column('Path')).toEqual(bySize);
    await ui.page.getByLabel('Path contains').fill('DATE=2021-09');
    await listed('4 files');
    await sortBy('date');
    await sortBy('date');
    await ui.page.locator('.listing tbody tr').first().getByText('2021-09-04').first().waitFor();
    expect(await column('date')).toEqual(['2021-09-04', '2021-09-03', '2021-09-02', '2021-09-01']);
    const sum = [...sizes.values()].reduce((total, size) => total + size, 0);
    expect(await ui.facts()).toMatchObject({
      Files: '7',
      Rows: '2,800',
      Partitions: '7',
      Size: `${(sum / 1024).toFixed(1)} KiB`,
    });
  });

  it('by partition, and the sizes', async () => {
    await ui.start("#url=samples/trips&tab=files&detail=partitions&where=date+>+'2021-09-02'");
    await listed('7 partitions');
    await ui.page.getByText('Files read').waitFor();
    await listed('7 partitions');
    expect(await column('date')).toEqual(
      ['08-29', '08-30', '08-31', '09-01', '09-02', '09-03', '09-04'].map((day) => `2021-${day}`),
    );
    expect(await column('Files read')).toEqual(['0', '0', '0', '0', '0', '1', '1']);
    await ui.page.getByRole('button', { name: '2021-08-31' }).click();
    await listed('1 file');
    await ui.page.getByRole('button', { name: 'Only date = 2021-08-31' }).waitFor();
    expect(new URLSearchParams(new URL(ui.page.url()).hash.slice(1)).get('detail')).toBe(
      'partition=["2021-08-31"]',
    );
    await ui.page.getByRole('button', { name: 'Sizes' }).click();
    await ui.page.locator('.treemap rect').first().waitFor();
    expect(await ui.page.locator('.treemap rect').count()).toBe(7);
    expect(await ui.page.locator('.treemap rect.read').count()).toBe(2);
    expect(await ui.page.locator('.histogram tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^16.0 KiB – 64.0 KiB7/),
    ]);
    await ui.page.getByText('The same as a table').click();
    expect(await ui.page.locator('.sizes details tbody tr').count()).toBe(7);
    await ui.page.locator('.treemap rect.read').first().click();
    await ui.page
      .getByText(/^date=2021-09-0[34]\//)
      .first()
      .waitFor();
  });
});

describe.skipIf(shared === undefined)(`one file${corpus}`, () => {
  it('its deletion vector, and statistics that are only bounds since', async () => {
    const table = await serveCorpusTable(ui, 'kernel/table-with-dv-small');
    await ui.start(`${table}&tab=files`);
    await listed('1 file');
    // Rows 0 and 9 of ten are deleted.
    expect(await column('Deleted rows')).toEqual(['2 · in a file']);
    expect(await column('Rows')).toEqual(['8']);
    await ui.page.locator('.listing .link').click();
    await ui.page.getByText('Deletion vector').waitFor();
    expect(await ui.text('.pairs')).toMatch(/Deletion vectorin a file, \d+ B/);
  });

  it('the Parquet inside, as other tools tell it', async () => {
    // int32_with_null_pages.md has what parquet-cli says.
    const name = 'int32_with_null_pages.parquet';
    const parquet = join(shared!, 'corpus/parquet-testing/data', name);
    const add = {
      path: name,
      partitionValues: {},
      size: statSync(parquet).size,
      modificationTime: 1,
      dataChange: true,
    };
    const table = await serveLog(ui, 'pages', [[protocol, metaData([['int32_field', 'integer']]), { add }]]);
    await cp(parquet, join(ui.tables, 'pages', name));
    await ui.start(`${table}&tab=files&detail=file%3D${name}&where=int32_field+%3D+2147483647`);
    await ui.page.getByRole('button', { name: '0, column chunks' }).click();
    await ui.page.getByText('Column chunks of row group').waitFor();
    expect(await ui.text('.file-detail')).toContain('None: no query can skip this file by its values');
    expect(await ui.text('.file-detail')).toContain(
      'Written by parquet-mr version 1.13.0-SNAPSHOT (build 433de8df33fcf31927f7b51456be9f53e64d48b9)',
    );
    const chunk = ui.page.locator('table', { hasText: 'Column chunks' }).locator('tbody tr');
    expect((await chunk.locator('th, td').allTextContents()).slice(0, 5)).toEqual([
      'int32_field',
      '1,000',
      '275',
      '-2136906554',
      '2145722375',
    ]);
    const group = ui.page.locator('table', { hasText: 'Read by the query' }).locator('tbody tr');
    expect(await group.textContent()).toMatch(
      /skipped: int32_field = 2147483647: .*maxValues.int32_field = 2145722375/,
    );
    await chunk.getByRole('button', { name: 'pages' }).click();
    const pages = ui.page.locator('table', { hasText: '10 pages of int32_field' }).locator('tbody tr');
    await pages.first().waitFor();
    expect(await pages.nth(1).locator('th, td').allTextContents()).toEqual([
      '100 – 199',
      '-2104090659',
      '1745329571',
    ]);
    expect(await pages.nth(2).locator('th, td').allTextContents()).toEqual(['200 – 299', '', '']);
    await ui.page.getByText('writer.model.name').click();
    expect(await ui.text('.file-detail pre')).toBe('example');
  });

  it('a file that is gone is told, with what the log says of it', async () => {
    const add = {
      path: 'gone.parquet',
      partitionValues: {},
      size: 700,
      modificationTime: 1,
      dataChange: true,
    };
    const table = await serveLog(ui, 'gone', [[protocol, metaData([['a', 'long']]), { add }]]);
    await ui.start(`${table}&tab=files&detail=file%3Dgone.parquet`);
    await ui.page.getByRole('alert').waitFor();
    expect(await ui.text('.failure')).toContain('gone.parquet');
    expect(await ui.text('.pairs')).toContain('700 B');
    await ui.page.getByRole('button', { name: 'All files' }).click();
    await listed('1 file');
  });
});

it('columns that files know by other names are called as people call them', async () => {
  // Files of 100 ids each; rows were deleted.
  await ui.start('#url=samples/customers&tab=files&where=id+>%3D+500');
  await ui.page.getByText('read', { exact: true }).first().waitFor();
  const skipped = (await column('Read by the query')).filter((text) => text.startsWith('skipped'));
  expect(skipped).toContainEqual(expect.stringContaining('maxValues.id = 99'));
  expect(skipped.join()).not.toContain('col-');
  await ui.page.locator('tr', { hasText: 'maxValues.id = 99' }).locator('.link').click();
  await ui.page.getByText('Columns, over all row groups').waitFor();
  const columns = ui.page.locator('table', { hasText: 'Columns, over all row groups' }).locator('tbody th');
  expect(await columns.allTextContents()).toEqual([
    ...['id', 'name (display)', 'born', 'score', 'seen', 'local_time', 'avatar'],
    ...['attributes.key_value.key', 'attributes.key_value.value', 'profile.value', 'profile.metadata'],
  ]);
  const groups = ui.page.locator('table', { hasText: 'Read by the query' }).locator('tbody');
  expect(await groups.textContent()).toMatch(/skipped: id >= 500: .*maxValues.id = 99/);
});

it('a table without files says so', async () => {
  await ui.start('#url=samples/inventory&version=0&tab=files');
  await ui.page.getByText('The table has no files at version 0.').waitFor();
});

it('statistics that are too large to keep are read again', async () => {
  const table = await DeltaTable.open(join(samples, 'trips'));
  const work = { table, signal: new AbortController().signal, report: () => undefined };
  const expected = await table.files();
  for (const maxStats of [0, 1, 1_000_000]) {
    const store = await FileStore.load(work, { maxStats });
    for (const [index, file] of expected.entries()) expect(await store.file(index, work)).toEqual(file);
  }
});

const manyFiles = perfLog();

describe.skipIf(manyFiles === undefined)(`300,000 files${corpus}`, () => {
  it('are listed, sorted, searched and explained, and the page never stands still', {
    timeout: 300_000,
  }, async () => {
    await mkdir(join(ui.tables, 'many'), { recursive: true });
    await cp(join(fileURLToPath(manyFiles!), '_delta_log'), join(ui.tables, 'many/_delta_log'), {
      recursive: true,
    });
    await ui.start();
    const longest = await longestTask(ui, lookAround);
    expect(longest).toBeGreaterThan(1);
    expect(longest).toBeLessThan(200);
  });

  async function lookAround(): Promise<void> {
    await ui.openUrl(`${ui.host.url}many`);
    await ui.page.locator('.facts').waitFor({ timeout: 90_000 });
    await ui.tab('files').click();
    await listed('300,000 files', 90_000);
    await sortBy('Path');
    await ui.page.locator('.listing tbody tr').first().getByText('part_0/file_0.parquet').waitFor();
    await ui.page.getByRole('region', { name: 'Files of the table' }).focus();
    await ui.page.keyboard.press('End');
    await ui.page.locator('tr[aria-rowindex="300001"]').getByText('.parquet').waitFor();
    expect(await ui.page.locator('.listing tbody tr').count()).toBeLessThan(100);
    // From the end of one order to the top of another.
    await sortBy('Path');
    await ui.page.locator('tr[aria-rowindex="2"]').getByText('part_99/file_').waitFor();
    await ui.page.getByLabel('Path contains').fill('file_123456');
    await listed('1 file');
    await ui.page.getByLabel('Path contains').fill('');
    // Files are spread over the partitions by turns.
    expect(await explain("partition_col = 'part_7'")).toMatch(/^Reads [\d,]+ of 300,000 files/);
    await ui.page.getByRole('button', { name: 'Sizes' }).click();
    await ui.page.locator('.treemap rect').first().waitFor();
    expect(await ui.page.locator('.treemap rect').count()).toBeLessThan(1000);
  }
});

it('looks as it should', async () => {
  await ui.start("#url=samples/trips&tab=files&where=date+%3D+'2021-09-01'");
  await ui.page.locator('.answer').waitFor();
  expect(await layoutShift(ui)).toBeLessThan(0.05);
  await ui.page.getByRole('button', { name: 'Look into the row groups' }).click();
  await ui.page.getByText('read, 1 of 1 row groups').waitFor();
  await look(ui, 'files');
  await ui.page.getByRole('button', { name: 'Sizes' }).click();
  await ui.page.locator('.treemap rect').first().waitFor();
  await look(ui, 'files-sizes');
  await ui.page.getByRole('button', { name: 'List' }).click();
  await ui.page.locator('.listing .link').first().click();
  await ui.page.getByRole('button', { name: '0, column chunks' }).click();
  await ui.page.getByText('Column chunks of row group').waitFor();
  await look(ui, 'files-inside');
});
