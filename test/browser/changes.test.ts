/** The changes tab: rows that versions changed, by kind; why there are none; versions to choose. */
import { describe, expect, it } from 'vitest';
import { useInspector } from './inspector.ts';
import { look } from './screens.ts';

const ui = useInspector();

/** Rows of the counts: version and numbers by kind. */
async function counts(): Promise<string[][]> {
  await ui.page.locator('.change-counts tbody tr').first().waitFor();
  const rows = await ui.page.locator('.change-counts tbody tr').all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.locator('th, td').allTextContents();
      return cells.filter((_, at) => at !== 1);
    }),
  );
}

describe('the feed of the sample inventory', () => {
  // As Spark's metrics of its commits have it: a merge of 20 updates and 20 inserts, then an update of 11 rows.
  it('counts rows by version and kind, in the versions of one schema', async () => {
    await ui.start('#url=samples/inventory&tab=changes');
    expect(await counts()).toEqual([
      ['6', '', '11', '11', ''],
      ['5', '20', '20', '20', ''],
      ['All', '20', '31', '31', '0'],
    ]);
    await ui.waitForCount('82 rows');
    expect(await ui.text('.range .hint')).toContain('version 3 has another schema');
    expect(await ui.page.getByLabel('Versions').inputValue()).toBe('4');
  });

  it('shows rows by kind, in words and colours, and the link keeps the choice', async () => {
    await ui.start('#url=samples/inventory&version=3&tab=changes');
    expect(await counts()).toEqual([
      ['3', '', '', '', '3'],
      ['2', '', '27', '27', ''],
      ['1', '120', '', '', ''],
      ['All', '120', '27', '27', '3'],
    ]);
    await ui.waitForCount('177 rows');
    for (const kind of ['insert', 'update, before', 'update, after'])
      await ui.page.getByLabel(kind).uncheck();
    await ui.waitForCount('3 rows');
    expect(await ui.cells('_change_type', 3)).toEqual(['delete', 'delete', 'delete']);
    expect(await ui.cells('_commit_version', 3)).toEqual(['3', '3', '3']);
    expect(await ui.cells('stock', 3)).toEqual(['13', '13', '13']);
    expect(await ui.page.locator('.grid tbody tr.change-delete').count()).toBe(3);

    const link = new URL(ui.page.url()).hash;
    await ui.page.context().close();
    await ui.start(link);
    await ui.waitForCount('3 rows');
    await ui.page.getByLabel('insert').check();
    await ui.page.getByRole('button', { name: '1', exact: true }).click();
    await ui.waitForCount('120 rows');
    expect(await ui.page.getByLabel('to', { exact: true }).inputValue()).toBe('1');
    await ui.page.getByRole('button', { name: 'All with a feed: 0 to 3' }).click();
    await ui.waitForCount('123 rows');
  });

  it('a range with two schemas is explained', async () => {
    await ui.start('#url=samples/inventory&tab=changes');
    await ui.waitForCount('82 rows');
    await ui.page.getByLabel('Versions').fill('1');
    await ui.page.getByRole('button', { name: 'Show' }).click();
    await ui.page.getByRole('alert').waitFor();
    expect(await ui.text('.failure')).toContain('Choose a range of one schema');
  });
});

it('a table without a feed says which property to set', async () => {
  await ui.start('#url=samples/trips&tab=changes');
  await ui.page.getByRole('heading', { name: 'Version 7 has no change feed' }).waitFor();
  expect(await ui.text('.no-feed pre')).toContain('SET TBLPROPERTIES (delta.enableChangeDataFeed = true)');
});

it('looks right, and assistive technology finds no serious issue', async () => {
  await ui.start('#url=samples/inventory&version=3&tab=changes');
  await ui.waitForCount('177 rows');
  await counts();
  await look(ui, 'changes');
});
