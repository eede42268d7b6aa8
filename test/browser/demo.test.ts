/** The inspector as people use it: the built page in Chromium, over its samples, folders and bad hosts. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleDemo } from '../../scripts/build-demo.mjs';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { makingFolders, samples, writeTables } from './inspector-tables.ts';

const shots = fileURLToPath(new URL('../../test-results/demo', import.meta.url));

let dir: string;
let browser: Browser;
let app: StaticServer;
/** Another origin with the same tables, and with bad ones. */
let host: StaticServer;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'demo-'));
  await bundleDemo(join(dir, 'page'));
  await writeTables(join(dir, 'tables'));
  await mkdir(shots, { recursive: true });
  [app, host] = await Promise.all([
    startStaticServer(join(dir, 'page')),
    startStaticServer(join(dir, 'tables')),
  ]);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([app?.close(), host?.close()]);
  await rm(dir, { recursive: true, force: true });
});
afterEach(async () => {
  await page?.context().close();
  host.faults = {};
  expect(problems.splice(0)).toEqual([]);
});

describe('samples', () => {
  it('trips: figures, schema and protocol', async () => {
    await start();
    await openSample('Taxi trips');
    expect(await facts()).toMatchObject({ Version: '7', Rows: '2,800', Files: '7' });
    const date = page.locator('.schema > li', { has: page.locator('.name', { hasText: /^date$/ }) });
    expect(await date.textContent()).toContain('partition');
    expect(await page.locator('.schema .name').allTextContents()).toEqual([
      ...['trip_id', 'city', 'date', 'pickup', 'dropoff', 'distance_km', 'fare', 'tip', 'passengers'],
      ...['payment', 'method', 'tags'],
    ]);
    expect(await text('#panel')).toContain('unique over all cities');
    expect(await text('#panel')).toContain('reader version 1, writer version 2');
  });

  it('trips: exact values', async () => {
    await start('#url=samples/trips&version=1&tab=data');
    await waitForCount('400 rows');
    expect(await cells('trip_id', 2)).toEqual(['9007199254740991', '9007199254740992']);
    expect(await cells('date', 1)).toEqual(['2021-08-29']);
    expect((await cells('fare', 1))[0]).toMatch(/^\d+\.\d\d$/);
    expect(JSON.parse((await cells('payment', 1))[0]!)).toMatchObject({
      method: expect.any(String),
      tags: expect.any(Array),
    });
  });

  it('inventory: every version has the rows and columns of its time', async () => {
    // Made: 120 rows; three deleted with stock 13 (ids 3, 43, 83); a merge of 40 ids, 20 of them new.
    const rows = { 0: 'No rows.', 1: '120 rows', 3: '117 rows', 5: '137 rows', 6: '137 rows' };
    await start();
    await openSample('Inventory');
    await tab('data').click();
    for (const [version, count] of Object.entries(rows)) {
      await page.getByLabel('version').fill(version);
      await page.getByLabel('version').press('Enter');
      await page.waitForURL((url) => url.hash.includes(`version=${version}&`));
      if (version === '0') await page.getByText(count).waitFor();
      else await waitForCount(count);
      expect((await headers()).includes('discontinued')).toBe(Number(version) >= 4);
    }
  });

  it('customers: deleted rows are absent; NaN, nulls, variants and renamed columns are shown', async () => {
    await start();
    await openSample('Customers');
    expect(await facts()).toMatchObject({ Version: '9', Rows: '540' });
    expect(await text('#panel')).toContain('deletionVectors');
    await tab('data').click();
    await filter('id < 8');
    await waitForCount('7 rows');
    expect(await cells('id', 7)).toEqual(['0', '1', '2', '4', '5', '6', '7']);
    expect(await cells('name (display)', 1)).toEqual(['Customer 0']);
    expect((await cells('score', 7))[6]).toBe('NaN');
    expect((await cells('local_time', 1))[0]).toBe('2024-02-29T12:00:00.000001');
    expect(JSON.parse((await cells('profile', 7))[6]!)).toEqual({ visits: 7, tags: ['a', null, 1.5] });
    expect(JSON.parse((await cells('attributes', 1))[0]!)).toEqual({ tier: 'gold', region: null });
  });
});

describe('rows', () => {
  it('are filtered, and the filter can be cleared', async () => {
    await start('#url=samples/trips&tab=data');
    await filter("date = '2021-09-01'");
    await waitForCount('400 rows');
    expect(new Set(await cells('date', 10))).toEqual(new Set(['2021-09-01']));
    await filter('no_such_column = 1');
    await page.getByRole('alert').waitFor();
    expect(await text('.failure')).toContain('no_such_column');
    await filter('date = ');
    expect(await text('.failure')).toContain('Examples:');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('2,800').waitFor();
  });

  it('are all there at the end of the scroll, and only those in view are elements', async () => {
    await start('#url=samples/trips&tab=data');
    await page.locator('.grid td').first().waitFor();
    await page.getByRole('region', { name: 'Rows' }).focus();
    for (let attempt = 0; attempt < 50; attempt += 1) {
      await page.keyboard.press('End');
      if ((await text('.count')) === '2,800 rows') break;
      await page.waitForTimeout(100);
    }
    await waitForCount('2,800 rows');
    await page.keyboard.press('End');
    await page.locator('tr[aria-rowindex="2801"] td').first().waitFor();
    expect(await page.locator('tr[aria-rowindex="2801"] th').textContent()).toBe('2,800');
    expect(await page.locator('tr[aria-rowindex="2801"] td').first().textContent()).toMatch(
      /^90071992547\d{5}$/,
    );
    expect(await page.locator('.grid tbody tr').count()).toBeLessThan(100);
    await page.keyboard.press('Home');
    await page.locator('tr[aria-rowindex="2"] td').first().waitFor();
  });
});

describe('history', () => {
  it('lists all commits and travels', async () => {
    await start();
    await openSample('Inventory');
    await tab('history').click();
    await page.locator('.history > li').first().waitFor();
    const operations = ['UPDATE', 'MERGE', 'ADD COLUMNS', 'DELETE', 'UPDATE', 'WRITE', 'CREATE TABLE'];
    expect(await page.locator('.operation').allTextContents()).toEqual(operations);
    expect(await page.locator('time').first().getAttribute('datetime')).toBe('2026-11-30T05:54:52.151Z');
    await page.getByRole('button', { name: /DELETE/ }).click();
    await waitForCount('117 rows');
    expect(await page.getByLabel('version').inputValue()).toBe('3');

    await tab('history').click();
    await page.locator('.history > li').first().waitFor();
    expect(await page.locator('.history > li').count()).toBe(7);
    expect(await page.locator('.history .current .number').textContent()).toBe('3');
    // Faster than the page can follow.
    await page.evaluate(() => {
      history.back();
      setTimeout(() => history.back());
    });
    await page.waitForFunction(() => !location.hash.includes('version'));
    expect(await page.getByLabel('version').inputValue()).not.toBe('3');
    await page.goForward();
    await page.getByRole('button', { name: 'Go to latest' }).click();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#version')?.value === '6');
  });
});

describe('links', () => {
  it('restore version, tab and filter, and hold no secret', async () => {
    await start();
    await openUrl(`${host.url}trips?sig=SECRET`);
    await page.locator('.facts').waitFor();
    expect(host.requests.some(({ url }) => url.includes('sig=SECRET'))).toBe(true);
    await page.getByLabel('version').fill('4');
    await page.getByLabel('version').press('Enter');
    await tab('data').click();
    await filter("city = 'NYC'");
    await page.getByText(/^\d+ rows$/).waitFor();
    const [link, count, shown] = [page.url(), await text('.count'), await page.content()];
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(`${link} ${shown} ${stored}`).not.toContain('SECRET');

    await page.context().close();
    await start(new URL(link).hash);
    await waitForCount(count);
    expect(await page.getByLabel('version').inputValue()).toBe('4');
    expect(await page.getByLabel('WHERE').inputValue()).toBe("city = 'NYC'");
  });

  it('lead back to the start', async () => {
    await start();
    await openSample('Taxi trips');
    await page.goBack();
    await page.getByRole('heading', { name: 'Delta table inspector' }).waitFor();
  });
});

describe('failures say what to do', () => {
  const failure = async (url: string) => {
    await start();
    await openUrl(url);
    await page.getByRole('alert').waitFor();
    return text('.failure');
  };

  it.each([
    ['not a link', 'https://host/path/to/table'],
    ['s3://bucket/table', 'Paste a link that starts with https://'],
  ])('%s', async (url, advice) => {
    expect(await failure(url)).toContain(advice);
  });

  it('no table there', async () => {
    expect(await failure(`${host.url}nothing/here?sig=SECRET`)).toMatch(
      /^Table not found.*nothing\/here.*the folder that holds _delta_log/s,
    );
    expect(await page.content()).not.toContain('SECRET');
  });

  it('a host without CORS: the rule to add', async () => {
    host.faults = { noCors: true };
    const shown = await failure(`${host.url}trips`);
    expect(shown).toContain('Add this CORS rule');
    expect(JSON.parse((await page.locator('.snippet pre').textContent())!)).toMatchObject([
      {
        AllowedOrigins: [new URL(app.url).origin],
        AllowedMethods: ['GET', 'HEAD'],
        AllowedHeaders: ['Range'],
      },
    ]);
    await screenshot('cors');
  });

  it.each([
    [401, 'wants credentials'],
    [403, 'refuses access'],
  ])('status %i', async (status, advice) => {
    host.faults = {
      intercept: (_, response) => {
        response.writeHead(status).end();
        return true;
      },
    };
    expect(await failure(`${host.url}trips`)).toContain(advice);
  });

  it('a feature that is not known', async () => {
    const shown = await failure(`${host.url}unknown-feature`);
    expect(shown).toContain('uses the feature hyperdrive, which is not supported');
  });

  it('a table that a catalog manages', async () => {
    expect(await failure(`${host.url}catalog-managed`)).toContain('only be opened through that catalog');
  });

  it('a version that is not there, and the way back', async () => {
    await start('#url=samples/inventory&version=99');
    await page.getByRole('alert').waitFor();
    expect(await text('.failure')).toContain('99');
    await page.getByRole('button', { name: 'Go to latest' }).click();
    await page.locator('.facts').waitFor();
  });
});

describe('folders', () => {
  it('are picked through an input where the browser has no picker', async () => {
    await start('', {}, 'delete globalThis.showDirectoryPicker');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await (await chooser).setFiles(join(samples, 'customers'));
    await expectCustomers();
    await page.waitForFunction(() => location.hash === '#tab=data');
  });

  it('are picked as handles', async () => {
    await start('', {}, await makingFolders());
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await expectCustomers();
  });

  it('are dropped', async () => {
    await start('', {}, await makingFolders());
    await page.evaluate('dropHandle("customers")');
    await expectCustomers();
  });

  it('are dropped as entries, where the browser has no handles', async () => {
    await start('', {}, await makingFolders());
    await page.evaluate('dropEntry("customers")');
    await expectCustomers();
  });

  it('files are refused', async () => {
    await start('', {}, await makingFolders());
    await page.evaluate('dropHandle("customers/_delta_log/00000000000000000000.json")');
    expect(await text('[role=alert]')).toBe('Drop the folder of a table: the one that holds _delta_log.');
  });

  async function expectCustomers() {
    await page.locator('.facts').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('customers');
    expect(await facts()).toMatchObject({ Version: '9', Rows: '540' });
    await tab('data').click();
    await filter('id = 7');
    await waitForCount('1 row');
    await page.getByRole('button', { name: 'Clear' }).click();
  }
});

describe('the page', () => {
  it('switches tabs by keyboard', async () => {
    await start();
    await openSample('Taxi trips');
    await tab('overview').focus();
    for (const [key, name] of [
      ['ArrowRight', 'data'],
      ['ArrowRight', 'history'],
      ['ArrowRight', 'overview'],
      ['ArrowLeft', 'history'],
      ['Home', 'overview'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe(`tab-${name}`);
      expect(await tab(name).getAttribute('aria-selected')).toBe('true');
    }
  });

  it.each(['light', 'dark'] as const)('is %s, wide and narrow, without overflow', async (colorScheme) => {
    for (const [size, width, height] of [
      ['wide', 1280, 800],
      ['narrow', 360, 740],
    ] as const) {
      await start('', { colorScheme, viewport: { width, height } });
      await look(`start-${colorScheme}-${size}`);
      for (const sample of ['Taxi trips', 'Customers', 'Inventory']) {
        await openSample(sample);
        const name = `${sample.split(' ')[0]!.toLowerCase()}-${colorScheme}-${size}`;
        await look(`${name}-overview`);
        await tab('data').click();
        await page.locator('.grid td').first().waitFor();
        await look(`${name}-data`);
        await tab('history').click();
        await page.locator('.history > li').first().waitFor();
        await look(`${name}-history`);
        await page.getByRole('button', { name: 'Close the table' }).click();
      }
      await page.context().close();
    }
  });

  async function look(name: string) {
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} overflows`).toBe(0);
    await screenshot(name);
  }
});

/** Opens the page; a relative `url` in the hash is one of its samples. */
async function start(hash = '', options: BrowserContextOptions = {}, script?: string): Promise<void> {
  const context = await browser.newContext(options);
  if (script !== undefined) await context.addInitScript(script);
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(`${app.url}index.html${hash.replace('url=samples', `url=${app.url}samples`)}`);
}

async function openSample(title: string): Promise<void> {
  await page.getByRole('button', { name: title }).click();
  await page.locator('.facts').waitFor();
}

async function openUrl(url: string): Promise<void> {
  await page.getByLabel('Link to a table').fill(url);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
}

async function filter(where: string): Promise<void> {
  await page.getByLabel('WHERE').fill(where);
  await page.getByRole('button', { name: 'Apply' }).click();
}

function tab(name: string) {
  return page.getByRole('tab', { name });
}

async function text(selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? '';
}

async function waitForCount(count: string): Promise<void> {
  await page.locator('.count').getByText(count, { exact: true }).waitFor();
}

async function facts(): Promise<Record<string, string>> {
  const names = await page.locator('.fact dt').allTextContents();
  const values = await page.locator('.fact dd').allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}

/** Column names of the grid. */
async function headers(): Promise<string[]> {
  const titles = await page.locator('.grid thead th[title]').all();
  return Promise.all(titles.map(async (title) => (await title.getAttribute('title'))!.replace(/ \S+$/, '')));
}

/** The first values of a column. */
async function cells(column: string, count: number): Promise<string[]> {
  const at = (await headers()).indexOf(column);
  const first = page.locator(`.grid tbody tr td:nth-of-type(${at + 1})`);
  await first.nth(count - 1).waitFor();
  return (await first.allTextContents()).slice(0, count);
}

async function screenshot(name: string): Promise<void> {
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
