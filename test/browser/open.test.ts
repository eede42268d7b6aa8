/** The start: tables of this browser, recent ones, what is nearby, and stopping. */
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { useInspector } from './inspector.ts';
import { makingFolders } from './inspector-tables.ts';
import { stored } from './stored.ts';

const ui = useInspector();

const closeTable = () => ui.page.getByRole('button', { name: 'Close the table' }).click();
const failure = async () => {
  await ui.page.locator('.failure').waitFor();
  return ui.text('.failure');
};

describe('tables in this browser', () => {
  it('a sample is copied, opened with its whole past, found again, and deleted when that is confirmed', async () => {
    await ui.start();
    const copy = ui.page.locator('.samples li', { hasText: 'Inventory' }).getByText('Copy to this browser');
    await copy.click();
    await ui.page.getByRole('button', { name: 'Open inventory of this browser' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Version: '6', Rows: '137' });
    expect(new URL(ui.page.url()).hash).toBe('#url=opfs%3A%2F%2F%2Finventory');
    await ui.page.getByLabel('version').fill('3');
    await ui.page.getByLabel('version').press('Enter');
    await ui.page.getByText('117').waitFor();
    await ui.page.reload();
    await ui.page.getByText('117').waitFor();

    await closeTable();
    await copy.click();
    const tables = ui.page.locator('section', { hasText: 'In this browser' }).locator('.name');
    await ui.page.getByRole('button', { name: 'Open inventory-2 of this browser' }).waitFor();
    expect(await tables.allTextContents()).toEqual(['inventory', 'inventory-2']);
    await ui.page.getByRole('button', { name: 'Delete inventory…' }).click();
    await ui.page.getByRole('button', { name: 'Keep' }).click();
    expect(await tables.count()).toBe(2);
    await ui.page.getByRole('button', { name: 'Delete inventory…' }).click();
    await ui.page.getByRole('button', { name: 'Delete inventory', exact: true }).click();
    await ui.page
      .getByRole('button', { name: 'Open inventory of this browser' })
      .waitFor({ state: 'detached' });
    const folders = await ui.page.evaluate(async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names;
    });
    expect(folders).toEqual(['inventory-2']);
  });

  it('a table of its catalog opens, and goes with its record', async () => {
    await ui.start('', {}, `globalThis.makeTable = () => import('./make-table.js');`);
    const body = await catalogTableScript();
    await ui.page.route('**/make-table.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
    await ui.page.evaluate('makeTable()');
    await ui.page.reload();
    await ui.page.getByRole('button', { name: 'Open orders of this browser' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Version: '1', Rows: '2' });
    await ui.page.reload();
    await ui.page.locator('.facts').waitFor();
    await closeTable();
    await ui.page.getByRole('button', { name: 'Delete orders…' }).click();
    await ui.page.getByRole('button', { name: 'Delete orders', exact: true }).click();
    await ui.page.getByRole('heading', { name: 'In this browser' }).waitFor({ state: 'detached' });
  });
});

/** Makes a table with two rows in the catalog of the page's own storage, with the package as any page would. */
async function catalogTableScript(): Promise<string> {
  const contents = `
    import { field, types } from 'delta-kernel-web';
    import { OpfsRecordStore, StorageCatalog } from 'delta-kernel-web/catalog';
    import { OpfsStorageHandler } from 'delta-kernel-web/opfs';
    const catalog = new StorageCatalog({
      records: new OpfsRecordStore(), storage: new OpfsStorageHandler(), root: 'opfs:///catalog/',
    });
    const table = await catalog.create('orders', types.struct([field('id', types.long)]));
    await table.append([{ id: 1n }, { id: 2n }]);`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    mainFields: ['browser', 'module', 'main'],
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}

describe('recent tables', () => {
  it('are links without secrets, newest first, and can be cleared', async () => {
    await ui.start();
    await ui.openUrl(`${ui.host.url}trips?sig=SECRET`);
    await ui.page.locator('.facts').waitFor();
    await closeTable();
    await ui.openSample('Inventory');
    await closeTable();
    const links = ui.page.locator('section', { hasText: 'Recent' }).getByRole('link');
    expect(await links.allTextContents()).toEqual([
      `inventory ${ui.app.url}samples/inventory/`,
      `trips ${ui.host.url}trips`,
    ]);
    expect(await stored(ui.page)).not.toContain('SECRET');
    await ui.page.reload();
    await links.nth(1).click();
    await ui.page.locator('.facts').waitFor();
    expect(await ui.page.getByRole('heading', { level: 1 }).textContent()).toBe('trips');
    await closeTable();
    await ui.page.getByRole('button', { name: 'Clear the recent tables' }).click();
    await links.first().waitFor({ state: 'detached' });
    await ui.page.reload();
    await ui.page.getByText('Samples').waitFor();
    expect(await links.count()).toBe(0);
  });

  it('folders open again after a reload, to be written to where that was allowed', async () => {
    await ui.start('', {}, await makingFolders());
    await ui.page.getByRole('button', { name: 'Choose one to write to' }).click();
    await ui.page.locator('.facts').waitFor();
    await ui.tab('write').click();
    await ui.page.getByRole('button', { name: 'Append rows' }).waitFor();
    await ui.page.goto(`${ui.app.url}index.html`);
    await ui.page.getByRole('button', { name: 'customers folder' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Version: '9', Rows: '540' });
  });
});

describe('where there is no table', () => {
  it('one above is found, from a link to a file of it', async () => {
    await ui.start();
    await ui.openUrl(`${ui.host.url}trips/_delta_log/00000000000000000000.json?sig=SECRET`);
    expect(await failure()).toContain('There is a table trips.');
    await ui.page.getByRole('button', { name: 'Open trips' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(ui.host.requests.filter(({ url }) => url.startsWith('/trips/')).at(-1)?.url).toContain(
      'sig=SECRET',
    );
    expect(ui.page.url()).not.toContain('SECRET');
  });

  it('one below is found, in a folder', async () => {
    await ui.start('', {}, await makingFolders());
    await ui.page.evaluate(`makeFolders().then(() => {
      globalThis.showDirectoryPicker = () => navigator.storage.getDirectory();
    })`);
    await ui.page.getByRole('button', { name: 'Choose a folder' }).click();
    expect(await failure()).toContain('There is a table customers.');
    await ui.page.getByRole('button', { name: 'Open customers' }).click();
    await ui.page.locator('.facts').waitFor();
    expect(await ui.facts()).toMatchObject({ Rows: '540' });
  });
});

describe('opening', () => {
  it('tells how far it is, can be stopped, also with Escape, and done again', async () => {
    await ui.start();
    const silent: (() => void)[] = [];
    ui.host.faults = {
      intercept: ({ url = '', headers }, response) => {
        // Not where its length is asked for.
        if (!url.includes('00000000000000000003.json') || headers.range === 'bytes=0-0') return false;
        silent.push(() => response.destroy());
        return true;
      },
    };
    await ui.openUrl(`${ui.host.url}trips`);
    await ui.page.getByText(/Reading the log… \d/).waitFor();
    await ui.page.getByRole('button', { name: 'Cancel' }).click();
    await ui.page.getByText('Stopped.').waitFor();
    await ui.page.getByRole('button', { name: 'Try again' }).click();
    await ui.page.getByText(/Reading the log… \d/).waitFor();
    await ui.page.keyboard.press('Escape');
    await ui.page.getByText('Stopped.').waitFor();
    ui.host.faults = {};
    for (const give of silent) give();
    await ui.page.getByRole('button', { name: 'Try again' }).click();
    await ui.page.locator('.facts').waitFor();
  });

  it('says that the page lacks its worker', async () => {
    await ui.start(
      '',
      {},
      `globalThis.Worker = class extends Worker {
      constructor() { super('./no-such-worker.js', { type: 'module' }); }
    };`,
    );
    await ui.page.locator('.sample').first().click();
    expect(await failure()).toContain('Reload the page.');
  });

  it('says that the browser is offline', async () => {
    await ui.start();
    await ui.openSample('Inventory');
    await closeTable();
    // The browser says so to the page; its workers' requests go on, so the host has to fall silent as well.
    await ui.page.context().setOffline(true);
    ui.host.faults = {
      intercept: (request) => {
        request.socket.destroy();
        return true;
      },
    };
    await ui.openUrl(`${ui.host.url}trips`);
    expect(await failure()).toContain('This browser is offline.');
    await ui.page.context().setOffline(false);
    ui.host.faults = {};
    await ui.page.getByRole('button', { name: 'Try again' }).click();
    await ui.page.locator('.facts').waitFor();
  });
});
