/** The inspector as people use it: the built page in Chromium, over its samples, folders and bad hosts. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useInspector } from './inspector.ts';
import { makingFolders, samples } from './inspector-tables.ts';
import { expectNoOverflow } from './screens.ts';

const ui = useInspector();

describe('samples', () => {
  it('trips: figures, schema and protocol', async () => {
    await ui.start();
    await ui.openSample('Taxi trips');
    expect(await ui.facts()).toMatchObject({ Version: '7', Rows: '2,800', Files: '7' });
    const date = ui.page.locator('.schema > li', { has: ui.page.locator('.name', { hasText: /^date$/ }) });
    expect(await date.textContent()).toContain('partition');
    expect(await ui.page.locator('.schema .name').allTextContents()).toEqual([
      ...['trip_id', 'city', 'date', 'pickup', 'dropoff', 'distance_km', 'fare', 'tip', 'passengers'],
      ...['payment', 'method', 'tags'],
    ]);
    expect(await ui.text('#panel')).toContain('unique over all cities');
    expect(await ui.text('#panel')).toContain('reader version 1, writer version 2');
  });

  it('trips: exact values', async () => {
    await ui.start('#url=samples/trips&version=1&tab=data');
    await ui.waitForCount('400 rows');
    expect(await ui.cells('trip_id', 2)).toEqual(['9007199254740991', '9007199254740992']);
    expect(await ui.cells('date', 1)).toEqual(['2021-08-29']);
    expect((await ui.cells('fare', 1))[0]).toMatch(/^\d+\.\d\d$/);
    expect(JSON.parse((await ui.cells('payment', 1))[0]!)).toMatchObject({
      method: expect.any(String),
      tags: expect.any(Array),
    });
  });

  it('inventory: every version has the rows and columns of its time', async () => {
    // Made: 120 rows; three deleted with stock 13 (ids 3, 43, 83); a merge of 40 ids, 20 of them new.
    const rows = { 0: 'No rows.', 1: '120 rows', 3: '117 rows', 5: '137 rows', 6: '137 rows' };
    await ui.start();
    await ui.openSample('Inventory');
    await ui.tab('data').click();
    for (const [version, count] of Object.entries(rows)) {
      await ui.page.getByLabel('version').fill(version);
      await ui.page.getByLabel('version').press('Enter');
      await ui.page.waitForURL((url) => url.hash.includes(`version=${version}&`));
      if (version === '0') await ui.page.getByText(count).waitFor();
      else await ui.waitForCount(count);
      expect((await ui.headers()).includes('discontinued')).toBe(Number(version) >= 4);
    }
  });

  it('customers: deleted rows are absent; NaN, nulls, variants and renamed columns are shown', async () => {
    await ui.start();
    await ui.openSample('Customers');
    expect(await ui.facts()).toMatchObject({ Version: '9', Rows: '540' });
    expect(await ui.text('#panel')).toContain('deletionVectors');
    await ui.tab('data').click();
    await ui.filter('id < 8');
    await ui.waitForCount('7 rows');
    expect(await ui.cells('id', 7)).toEqual(['0', '1', '2', '4', '5', '6', '7']);
    expect(await ui.cells('name (display)', 1)).toEqual(['Customer 0']);
    expect((await ui.cells('score', 7))[6]).toBe('NaN');
    expect((await ui.cells('local_time', 1))[0]).toBe('2024-02-29T12:00:00.000001');
    expect(JSON.parse((await ui.cells('profile', 7))[6]!)).toEqual({ visits: 7, tags: ['a', null, 1.5] });
    expect(JSON.parse((await ui.cells('attributes', 1))[0]!)).toEqual({ tier: 'gold', region: null });
  });
});

describe('rows', () => {
  it('are filtered, and the filter can be cleared', async () => {
    await ui.start('#url=samples/trips&tab=data');
    await ui.filter("date = '2021-09-01'");
    await ui.waitForCount('400 rows');
    expect(new Set(await ui.cells('date', 10))).toEqual(new Set(['2021-09-01']));
    await ui.filter('no_such_column = 1');
    await ui.page.getByRole('alert').waitFor();
    expect(await ui.text('.failure')).toContain('no_such_column');
    await ui.filter('date = ');
    expect(await ui.text('.failure')).toContain('Examples:');
    await ui.page.getByRole('button', { name: 'Clear' }).click();
    await ui.page.getByText('2,800').waitFor();
  });
});

describe('history', () => {
  it('lists all commits and travels', async () => {
    await ui.start();
    await ui.openSample('Inventory');
    await ui.tab('history').click();
    await ui.page.locator('.history > li').first().waitFor();
    const operations = ['UPDATE', 'MERGE', 'ADD COLUMNS', 'DELETE', 'UPDATE', 'WRITE', 'CREATE TABLE'];
    expect(await ui.page.locator('.operation').allTextContents()).toEqual(operations);
    expect(await ui.page.locator('time').first().getAttribute('datetime')).toBe('2026-11-30T05:54:52.151Z');
    await ui.page.getByRole('button', { name: /DELETE/ }).click();
    await ui.waitForCount('117 rows');
    expect(await ui.page.getByLabel('version').inputValue()).toBe('3');

    await ui.tab('history').click();
    await ui.page.locator('.history > li').first().waitFor();
    expect(await ui.page.locator('.history > li').count()).toBe(7);
    expect(await ui.page.locator('.history .current .number').textContent()).toBe('3');
    // Faster than the page can follow.
    await ui.page.evaluate(() => {
      history.back();
      setTimeout(() => history.back());
    });
    await ui.page.waitForFunction(() => !location.hash.includes('version'));
    expect(await ui.page.getByLabel('version').inputValue()).not.toBe('3');
    await ui.page.goForward();
    await ui.page.getByRole('button', { name: 'Go to latest' }).click();
    await ui.page.waitForFunction(() => document.querySelector<HTMLInputElement>('#version')?.value === '6');
  });
});

describe('links', () => {
  it('restore version, tab and filter, and hold no secret', async () => {
    await ui.start();
    await ui.openUrl(`${ui.host.url}trips?sig=SECRET`);
    await ui.page.locator('.facts').waitFor();
    expect(ui.host.requests.some(({ url }) => url.includes('sig=SECRET'))).toBe(true);
    await ui.page.getByLabel('version').fill('4');
    await ui.page.getByLabel('version').press('Enter');
    await ui.tab('data').click();
    await ui.filter("city = 'NYC'");
    await ui.page.getByText(/^\d+ rows$/).waitFor();
    const [link, count, shown] = [ui.page.url(), await ui.text('.count'), await ui.page.content()];
    const stored = await ui.page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(`${link} ${shown} ${stored}`).not.toContain('SECRET');

    await ui.page.context().close();
    await ui.start(new URL(link).hash);
    await ui.waitForCount(count);
    expect(await ui.page.getByLabel('version').inputValue()).toBe('4');
    expect(await ui.page.getByLabel('WHERE').inputValue()).toBe("city = 'NYC'");
  });

  it('lead back to the start', async () => {
    await ui.start();
    await ui.openSample('Taxi trips');
    await ui.page.goBack();
    await ui.page.getByRole('heading', { name: 'Delta table inspector' }).waitFor();
  });
});

describe('failures say what to do', () => {
  const failure = async (url: string) => {
    await ui.start();
    await ui.openUrl(url);
    await ui.page.getByRole('alert').waitFor();
    return ui.text('.failure');
  };

  it.each([
    ['not a link', 'https://host/path/to/table'],
    ['ftp://host/table', 'Paste a link that starts with https:// or s3://'],
  ])('%s', async (url, advice) => {
    expect(await failure(url)).toContain(advice);
  });

  it('no table there', async () => {
    expect(await failure(`${ui.host.url}nothing/here?sig=SECRET`)).toMatch(
      /^Table not found.*nothing\/here.*the folder that holds _delta_log/s,
    );
    expect(await ui.page.content()).not.toContain('SECRET');
  });

  it('a host without CORS: the rule to add', async () => {
    ui.host.faults = { noCors: true };
    const shown = await failure(`${ui.host.url}trips`);
    expect(shown).toContain('Add this CORS rule');
    expect(JSON.parse((await ui.page.locator('.snippet pre').textContent())!)).toMatchObject([
      {
        AllowedOrigins: [new URL(ui.app.url).origin],
        AllowedMethods: ['GET', 'HEAD'],
        AllowedHeaders: ['Range'],
      },
    ]);
    await ui.screenshot('cors');
  });

  it.each([
    [401, 'wants credentials'],
    [403, 'refuses access'],
  ])('status %i', async (status, advice) => {
    ui.host.faults = {
      intercept: (_, response) => {
        response.writeHead(status).end();
        return true;
      },
    };
    expect(await failure(`${ui.host.url}trips`)).toContain(advice);
  });

  it('a feature that is not known', async () => {
    const shown = await failure(`${ui.host.url}unknown-feature`);
    expect(shown).toContain('uses the feature hyperdrive, which is not supported');
  });

  it('a table that a catalog manages', async () => {
    expect(await failure(`${ui.host.url}catalog-managed`)).toContain('only be opened through that catalog');
  });

  it('a version that is not there, and the way back', async () => {
    await ui.start('#url=samples/inventory&version=99');
    await ui.page.getByRole('alert').waitFor();
    expect(await ui.text('.failure')).toContain('99');
    await ui.page.getByRole('button', { name: 'Go to latest' }).click();
    await ui.page.locator('.facts').waitFor();
  });
});

describe('folders', () => {
  it('are picked through an input where the browser has no picker', async () => {
    await ui.start('', {}, 'delete globalThis.showDirectoryPicker');
    const chooser = ui.page.waitForEvent('filechooser');
    await ui.page.getByRole('button', { name: 'Choose a folder' }).click();
    await (await chooser).setFiles(join(samples, 'customers'));
    await expectCustomers();
    await ui.page.waitForFunction(() => location.hash === '#tab=data');
  });

  it('are picked as handles', async () => {
    await ui.start('', {}, await makingFolders());
    await ui.page.getByRole('button', { name: 'Choose a folder' }).click();
    await expectCustomers();
  });

  it('are dropped', async () => {
    await ui.start('', {}, await makingFolders());
    await ui.page.evaluate('dropHandle("customers")');
    await expectCustomers();
  });

  it('are dropped as entries, where the browser has no handles', async () => {
    await ui.start('', {}, await makingFolders());
    await ui.page.evaluate('dropEntry("customers")');
    await expectCustomers();
  });

  it('files are refused', async () => {
    await ui.start('', {}, await makingFolders());
    await ui.page.evaluate('dropHandle("customers/_delta_log/00000000000000000000.json")');
    expect(await ui.text('[role=alert]')).toBe('Drop the folder of a table: the one that holds _delta_log.');
  });

  async function expectCustomers() {
    await ui.page.locator('.facts').waitFor();
    expect(await ui.page.getByRole('heading', { level: 1 }).textContent()).toBe('customers');
    expect(await ui.facts()).toMatchObject({ Version: '9', Rows: '540' });
    await ui.tab('data').click();
    await ui.filter('id = 7');
    await ui.waitForCount('1 row');
    await ui.page.getByRole('button', { name: 'Clear' }).click();
  }
});

describe('the page', () => {
  it('switches tabs by keyboard', async () => {
    await ui.start();
    await ui.openSample('Taxi trips');
    await ui.tab('overview').focus();
    for (const [key, name] of [
      ['ArrowRight', 'data'],
      ['ArrowRight', 'history'],
      ['End', 'write'],
      ['ArrowRight', 'overview'],
      ['ArrowLeft', 'write'],
      ['Home', 'overview'],
    ] as const) {
      await ui.page.keyboard.press(key);
      expect(await ui.page.evaluate(() => document.activeElement?.id)).toBe(`tab-${name}`);
      expect(await ui.tab(name).getAttribute('aria-selected')).toBe('true');
    }
  });

  it.each([
    ['wide', 1280, 800],
    ['narrow', 360, 740],
  ] as const)('is %s, without overflow', async (size, width, height) => {
    await ui.start('', { viewport: { width, height } });
    for (const sample of ['Taxi trips', 'Customers', 'Inventory']) {
      await ui.openSample(sample);
      const name = `${sample.split(' ')[0]!.toLowerCase()}-${size}`;
      await look(`${name}-overview`);
      await ui.tab('data').click();
      await ui.page.locator('.grid td:not(.spacer)').first().waitFor();
      await look(`${name}-data`);
      await ui.tab('history').click();
      await ui.page.locator('.history > li').first().waitFor();
      await look(`${name}-history`);
      await ui.page.getByRole('button', { name: 'Close the table' }).click();
    }
  });

  async function look(name: string) {
    await expectNoOverflow(ui, name);
    await ui.screenshot(name);
  }
});
