/** A grid of more than a million rows, over HTTP: any of them can be seen, and the page stays quick. */
import { beforeAll, expect, it } from 'vitest';
import { DELETED, MILLION_ROWS, millionRow, writeMillion } from './data-tables.ts';
import { useInspector } from './inspector.ts';
import { longestTask } from './main-thread.ts';

const ui = useInspector();
const TOTAL = MILLION_ROWS - DELETED.count;

beforeAll(() => writeMillion(ui.tables));

/** The id of a row by its number from 0. */
function idOf(row: number): number {
  return row < DELETED.from ? row : row + DELETED.count;
}

it('scrolls to its middle, its end and back, each row in its place, and no task keeps the page for 200 ms', async () => {
  await ui.start();
  await ui.openUrl(`${ui.host.url}million`);
  await ui.page.locator('.facts').waitFor();
  const longest = await longestTask(ui, async () => {
    await ui.tab('data').click();
    await ui.waitForCount(`${TOTAL.toLocaleString('en')} rows`);
    await expectRow(0);
    await scrollTo(0.096);
    await expectRow(await firstInView());
    await scrollTo(0.5);
    await expectRow(await firstInView());
    await ui.page.getByRole('grid', { name: 'Rows' }).focus();
    await ui.page.keyboard.press('Control+End');
    await expectRow(TOTAL - 1);
    await ui.page.keyboard.press('Control+Home');
    await expectRow(0);
    await scrollTo(0.73);
    const row = await firstInView();
    await expectRow(row);
    await ui.page.mouse.move(400, 400);
    await ui.page.mouse.wheel(0, 28 * 3);
    await expectRow(row + 3);
    expect(await firstInView()).toBe(row + 3);
  });
  expect(longest).toBeLessThan(200);
});

it('a filter finds its row, skipping files, and an export can be stopped', async () => {
  await ui.start(
    `#url=${ui.host.url}million&tab=data&where=score+%3D+${(MILLION_ROWS - 1) / 8}+OR+label+%3D+'nothing'`,
    {},
    'delete globalThis.showSaveFilePicker',
  );
  await ui.waitForCount('1 row');
  expect(await ui.cells('id', 1)).toEqual([String(MILLION_ROWS - 1)]);
  expect(await ui.text('.files-read')).toBe('1 of 4 files read');
  await ui.page.getByRole('button', { name: 'Clear' }).click();
  await ui.waitForCount(`${TOTAL.toLocaleString('en')} rows`);
  await ui.page.getByRole('button', { name: 'Export' }).click();
  const menu = ui.page.getByRole('dialog', { name: 'Export' });
  await menu.getByRole('button', { name: 'CSV' }).click();
  await menu.getByText(/Writing CSV… [\d,]+ rows/).waitFor();
  await menu.getByRole('button', { name: 'Cancel' }).click();
  await menu.getByText('Stopped.').waitFor();
});

async function scrollTo(share: number): Promise<void> {
  await ui.page.locator('.grid').evaluate((grid, to) => {
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * to;
  }, share);
  await ui.page.waitForTimeout(100);
}

/** Number of the first row that is wholly below the head. */
function firstInView(): Promise<number> {
  return ui.page.locator('.grid').evaluate((grid) => {
    const top = grid.querySelector('thead')!.getBoundingClientRect().bottom;
    const rows = [...grid.querySelectorAll<HTMLElement>('tbody tr')];
    return Number(rows.find((row) => row.getBoundingClientRect().top >= top - 1)!.dataset.row);
  });
}

async function expectRow(row: number): Promise<void> {
  const line = ui.page.locator(`.grid tr[data-row="${row}"]`);
  await line.locator('td:not(.waiting):not(.spacer)').first().waitFor();
  const id = idOf(row);
  const { label, score } = millionRow(id);
  expect(await line.locator('th').textContent()).toBe((row + 1).toLocaleString('en'));
  const [first, second, third] = await line.locator('td:not(.spacer)').allTextContents();
  expect([first, second, Number(third)]).toEqual([String(id), label, score]);
}
