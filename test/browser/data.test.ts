/** The data tab: values as they are, keys, columns, filters, copies. */
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { WIDE_COLUMNS, writeKinds, writeWide } from './data-tables.ts';
import { useInspector } from './inspector.ts';
import { look, seriousIssues } from './screens.ts';

const ui = useInspector();
const grid = () => ui.page.getByRole('grid', { name: 'Rows' });
const active = () => ui.page.locator('.grid .active');

beforeAll(() => Promise.all([writeKinds(ui.tables), writeWide(ui.tables)]));

async function openKinds(): Promise<void> {
  await ui.start(`#url=${ui.host.url}kinds&tab=data`, { timezoneId: 'America/New_York' });
  await ui.waitForCount('4 rows');
  await ui.page.locator('.grid td.value').first().waitFor();
}

/** The cells of a row, by column. */
async function row(number: number): Promise<Record<string, string>> {
  const cells = ui.page.locator(`.grid tr[data-row="${number}"] td:not(.spacer)`);
  const [names, texts] = [await ui.headers(), await cells.allTextContents()];
  return Object.fromEntries(names.map((name, at) => [name, texts[at]!]));
}

async function pressAll(...keys: string[]): Promise<void> {
  for (const key of keys) await ui.page.keyboard.press(key);
}

describe('values', () => {
  it('are exact, and null is told from empty text', async () => {
    await openKinds();
    expect(await row(0)).toEqual({
      long: '9223372036854775807',
      dec: '-1234567890123456789012345678.0123456789',
      double: 'NaN',
      text: 'a "quoted", comma⇥and⏎line',
      bin: '0x00ff10',
      day: '0001-01-01',
      ts: '2024-03-31T00:59:59.123456Z',
      ntz: '2024-02-29T12:00:00.000001',
      flag: 'true',
      list: '[9007199254740993,null]',
      tags: '{"a":1}',
      point: '{"at":"1970-01-01T00:00:00.000000Z","raw":"yv4="}',
    });
    expect(new Set(Object.values(await row(1)))).toEqual(new Set(['null']));
    expect(await row(2)).toMatchObject({
      long: '-9223372036854775808',
      dec: '0.0000000001',
      double: '-Infinity',
      text: 'empty',
      bin: 'empty',
      day: '9999-12-31',
      ntz: '1969-12-31T23:59:59.999999',
      list: '[]',
      tags: '{}',
      point: '{"at":null,"raw":null}',
    });
    expect(await row(3)).toMatchObject({ double: '0.1', dec: '1.0000000000' });
  });

  it('of time are shown in any zone, which is remembered', async () => {
    await openKinds();
    const shown = async (zone: string) => {
      await ui.page.getByLabel('Time zone').selectOption(zone);
      return [(await row(0)).ts, (await row(2)).ts, (await row(3)).ts, (await row(0)).ntz];
    };
    // The clocks of Zürich went forward at 01:00 UTC; before 1853 they showed Zürich's own mean time, 34:08 ahead.
    expect(await shown('Europe/Zurich')).toEqual([
      '2024-03-31T01:59:59.123456+01:00',
      '2024-03-31T03:00:00.000000+02:00',
      '1850-07-01T12:34:08.000000+00:34:08',
      '2024-02-29T12:00:00.000001',
    ]);
    expect((await shown('America/New_York'))[0]).toBe('2024-03-30T20:59:59.123456-04:00');
    expect(await ui.page.getByLabel('Time zone').locator('option').nth(1).textContent()).toBe(
      'America/New_York (here)',
    );
    await ui.page.reload();
    await ui.page.locator('.grid td.value').first().waitFor();
    expect((await row(0)).ts).toBe('2024-03-30T20:59:59.123456-04:00');
  });

  it('are whole in a dialog, nested ones as a tree', async () => {
    await openKinds();
    const dialog = ui.page.getByRole('dialog');
    const openCell = async (number: number, column: string) => {
      const at = (await ui.headers()).indexOf(column);
      await ui.page.locator(`.grid tr[data-row="${number}"] td[data-column="${at}"]`).dblclick();
      await dialog.getByRole('heading', { name: column }).waitFor();
    };
    await openCell(3, 'text');
    expect(await dialog.locator('pre').textContent()).toBe('x'.repeat(5000));
    await ui.page.keyboard.press('Escape');
    await openCell(3, 'bin');
    const hex = Array.from({ length: 3000 }, (_, at) => (at & 255).toString(16).padStart(2, '0')).join('');
    expect(await dialog.locator('pre').textContent()).toBe(`0x${hex}`);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await openCell(0, 'list');
    await dialog.locator('.leaf').first().waitFor();
    expect(await dialog.locator('.leaf').allTextContents()).toEqual(['9007199254740993', 'null']);
    await ui.page.keyboard.press('Escape');
    await openCell(3, 'list');
    await dialog.locator('.leaf').first().waitFor();
    expect(await dialog.locator('.leaf').count()).toBe(200);
    await dialog.getByRole('button', { name: '300 more' }).click();
    expect(await dialog.locator('.leaf').count()).toBe(400);
    await ui.page.keyboard.press('Escape');
    await openCell(0, 'point');
    await dialog.locator('.leaf').first().waitFor();
    expect(await dialog.locator('.leaf').allTextContents()).toEqual([
      '1970-01-01T00:00:00.000000Z',
      '0xcafe',
    ]);
    await ui.page.keyboard.press('Escape');
    await ui.page.waitForFunction(() => document.querySelector('dialog.cell') === null);
  });
});

describe('keys', () => {
  it('move between cells, open them, and change widths', async () => {
    await ui.start('#url=samples/trips&tab=data');
    await ui.waitForCount('2,800 rows');
    await grid().focus();
    const at = async () => {
      const name = await grid().getAttribute('aria-activedescendant');
      return (await active().getAttribute('id')) === name && name!.split('-').slice(-2).join();
    };
    expect(await at()).toBe('0,0');
    await pressAll('ArrowDown', 'ArrowDown', 'ArrowRight');
    expect(await at()).toBe('2,1');
    await pressAll('End');
    expect(await at()).toBe('2,9');
    await pressAll('Control+End');
    expect(await at()).toBe('2799,9');
    await pressAll('Home', 'PageUp', 'ArrowUp');
    const line = Number(((await at()) as string).split(',')[0]);
    expect(line).toBeGreaterThan(2700);
    expect(line).toBeLessThan(2798);
    await pressAll('Control+Home', 'ArrowUp', 'ArrowUp');
    expect(await at()).toBe('h,0');
    const width = () => active().evaluate((cell) => cell.getBoundingClientRect().width);
    const before = await width();
    await pressAll('Alt+ArrowRight', 'Alt+ArrowRight', 'Alt+ArrowLeft');
    expect(await width()).toBe(before + 16);
    await pressAll('ArrowDown', 'Enter');
    await ui.page.getByRole('dialog').getByText('9007199254743391').waitFor();
    await pressAll('Escape');
    await ui.page.waitForFunction(() => document.querySelector('dialog.cell') === null);
  });

  it('select and copy cells, rows, columns and everything, as text with tabs', async () => {
    await ui.start(`#url=${ui.host.url}kinds&tab=data`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await ui.waitForCount('4 rows');
    const clipboard = () => ui.page.evaluate(() => navigator.clipboard.readText());
    const copied = async (...keys: string[]) => {
      await ui.page.evaluate(() => navigator.clipboard.writeText('nothing yet'));
      await grid().focus();
      await pressAll('Control+Home', ...keys, 'Control+c');
      await expect.poll(clipboard).not.toBe('nothing yet');
      return clipboard();
    };
    expect(await copied()).toBe('9223372036854775807');
    expect(await copied('ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight')).toBe(
      '-Infinity\t""',
    );
    expect(
      await copied('ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown'),
    ).toBe('text\tbin\n"a ""quoted"", comma\tand\nline"\t00ff10\n\t');
    const whole = Papa.parse<string[]>(await copied('Control+a'), { delimiter: '\t' }).data;
    expect(whole.map((cells) => cells.length)).toEqual([12, 12, 12, 12, 12]);
    expect(whole[4]![3]).toBe('x'.repeat(5000));
    expect(await copied('Control+Space')).toBe('9223372036854775807\n\n-9223372036854775808\n0');
    expect((await copied('ArrowDown', 'ArrowDown', 'Shift+Space')).split('\t')).toHaveLength(12);
  });
});

describe('columns', () => {
  it('are searched, hidden, shown and found; only those that are shown are read, and the link says which', async () => {
    await ui.start('#url=samples/trips&tab=data');
    await ui.waitForCount('2,800 rows');
    const picker = ui.page.getByRole('dialog', { name: 'Columns' });
    await ui.page.getByRole('button', { name: 'Columns' }).click();
    await picker.getByLabel('Search columns').fill('t');
    expect(await picker.locator('li label span').allTextContents()).toEqual([
      'trip_id',
      'city',
      'date',
      'distance_km',
      'tip',
      'payment',
    ]);
    await picker.getByLabel('Search columns').fill('fare');
    await picker.getByRole('button', { name: 'Only found' }).click();
    await ui.page.waitForFunction(() => document.querySelectorAll('.grid thead th[title]').length === 1);
    expect(await ui.headers()).toEqual(['fare']);
    await picker.getByLabel('Search columns').fill('');
    await picker.getByLabel(/^tip /).check();
    await ui.page.waitForFunction(() => document.querySelectorAll('.grid thead th[title]').length === 2);
    expect(new URL(ui.page.url()).hash).toContain('columns%3Dfare%2Ctip');
    await picker.getByRole('button', { name: 'Go to tip' }).click();
    expect(await active().getAttribute('aria-colindex')).toBe('3');

    const link = new URL(ui.page.url()).hash;
    await ui.page.context().close();
    await ui.start(link);
    await ui.waitForCount('2,800 rows');
    expect(await ui.headers()).toEqual(['fare', 'tip']);
    await ui.page.getByRole('button', { name: 'Columns 2/10' }).click();
    await ui.page.getByRole('button', { name: 'Show all' }).click();
    await ui.page.waitForFunction(() => document.querySelectorAll('.grid thead th[title]').length === 10);
  });

  it('are drawn where they are in view, however many there are', async () => {
    await ui.start(`#url=${ui.host.url}wide&tab=data`);
    await ui.waitForCount('3 rows');
    await ui.page.locator('.grid td.value').first().waitFor();
    await grid().focus();
    await pressAll('ArrowDown', 'ArrowDown', 'End');
    await ui.page.getByText(String(2000 + WIDE_COLUMNS - 1), { exact: true }).waitFor();
    expect(await active().textContent()).toBe(String(2000 + WIDE_COLUMNS - 1));
    expect(await ui.cells(`c${WIDE_COLUMNS - 2}`, 3)).toEqual(['498', '1498', '2498']);
    expect(await ui.page.locator('.grid td').count()).toBeLessThan(150);
    await pressAll('Home');
    expect(await ui.cells('c1', 3)).toEqual(['1', '1001', '2001']);
    await ui.page.getByRole('button', { name: 'Columns' }).click();
    await ui.page.getByLabel('Search columns').fill('c250');
    await ui.page.getByRole('button', { name: 'Go to c250' }).click();
    expect(await ui.cells('c250', 3)).toEqual(['250', '1250', '2250']);
    expect(await active().textContent()).toBe('2250');
  });

  it('are dragged wider, and sorted within what is loaded', async () => {
    await ui.start('#url=samples/trips&tab=data');
    await ui.waitForCount('2,800 rows');
    const edged = ui.page.locator('.grid thead th[title^="date "]');
    const before = (await edged.boundingBox())!;
    await ui.page.mouse.move(before.x + before.width - 3, before.y + 10);
    await ui.page.mouse.down();
    await ui.page.mouse.move(before.x + before.width + 57, before.y + 10, { steps: 4 });
    await ui.page.mouse.up();
    expect((await edged.boundingBox())!.width).toBe(before.width + 60);

    const head = ui.page.locator('.grid thead th[title^="fare "]');
    await head.click();
    await ui.page.getByText('within the 2,800 rows that are loaded').waitFor();
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    const [first, second] = await ui.cells('fare', 2);
    expect(Number(first)).toBeLessThanOrEqual(Number(second));
    await head.click();
    await ui.page.waitForFunction(() => document.querySelector('[aria-sort="descending"]') !== null);
    await ui.page.waitForFunction(
      (least) => Number(document.querySelector('.grid tbody td[aria-colindex="8"]')?.textContent) > least,
      Number(first),
    );
    await head.click();
    await ui.page.waitForFunction(() => document.querySelector('.sorted') === null);
    expect(await ui.cells('trip_id', 1)).toEqual([await firstId()]);
  });

  const firstId = async () =>
    (await ui.page.locator('.grid tr[data-row="0"] td[aria-colindex="2"]').textContent())!;
});

describe('the filter', () => {
  it('completes columns, operators and values, marks what is wrong, and Enter applies', async () => {
    await ui.start('#url=samples/trips&tab=data');
    await ui.waitForCount('2,800 rows');
    await ui.page.getByLabel('WHERE').click();
    await ui.page.locator('.filter-editor .cm-content').waitFor();
    const options = ui.page.locator('.cm-tooltip-autocomplete li');
    const labels = () => options.locator('.cm-completionLabel').allTextContents();
    await ui.page.keyboard.type('pay');
    await options.first().waitFor();
    expect(await labels()).toEqual(['payment', 'payment.method', 'payment.tags']);
    await pressAll('ArrowDown', 'Enter');
    await ui.page.keyboard.type(' ');
    await options.getByText('LIKE').waitFor();
    expect(await labels()).toEqual(
      expect.arrayContaining(['=', '<', 'IN (', 'BETWEEN', 'IS NULL', "LIKE '"]),
    );
    await ui.page.keyboard.type("= 'cash' AND city = ");
    await options.getByText("'NYC'").waitFor();
    await ui.page.keyboard.press('Escape');
    await ui.page.keyboard.type("'NYC' AND nothing > 3");
    await ui.page.getByText(/there is no column nothing/).waitFor();
    expect(await ui.page.locator('.cm-lintRange-error').textContent()).toBe('nothing');
    await ui.screenshot('data-filter');
    for (let at = 0; at < ' AND nothing > 3'.length; at += 1) await ui.page.keyboard.press('Backspace');
    await ui.page.waitForFunction(() => document.querySelector('.cm-lintRange-error') === null);
    await pressAll('Escape', 'Enter');
    await ui.page.waitForURL(/where=/);
    expect(decodeURIComponent(new URL(ui.page.url()).hash.replaceAll('+', ' '))).toContain(
      "where=payment.method = 'cash' AND city = 'NYC'",
    );
    await ui.page.getByText(/^\d+ rows$/).waitFor();
    expect(new Set(await ui.cells('city', 5))).toEqual(new Set(['NYC']));
  });

  it('says how many files are read', async () => {
    await ui.start("#url=samples/trips&tab=data&where=date+%3D+'2021-09-01'");
    await ui.waitForCount('400 rows');
    expect(await ui.text('.files-read')).toBe('1 of 7 files read');
  });
});

it('looks right, and assistive technology finds no serious issue', async () => {
  await ui.start('#url=samples/trips&tab=data');
  await ui.waitForCount('2,800 rows');
  await look(ui, 'data');
  await ui.page.getByRole('button', { name: 'Columns' }).click();
  expect(await seriousIssues(ui)).toEqual([]);
  await ui.page.keyboard.press('Escape');
  await ui.page.getByRole('button', { name: 'Export' }).click();
  expect(await seriousIssues(ui)).toEqual([]);
  await ui.page.keyboard.press('Escape');
  await ui.page.locator('.grid td.value').first().dblclick();
  await ui.page.getByRole('dialog').waitFor();
  await look(ui, 'data-cell');
});
