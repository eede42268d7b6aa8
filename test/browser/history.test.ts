/** The history tab: what each commit did, the table over versions, the actions as they are written, older pages. */
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DeltaError, field, MemoryStorageHandler, types } from 'delta-kernel-web';
import { MemoryRecordStore, StorageCatalog } from 'delta-kernel-web/catalog';
import { describe, expect, it } from 'vitest';
import { historyCalls } from '../../web-demo/src/worker/commits.ts';
import { WorkerContext } from '../../web-demo/src/worker/context.ts';
import type { Result } from '../../web-demo/src/worker/protocol.ts';
import { useInspector } from './inspector.ts';
import { samples } from './inspector-tables.ts';
import { layoutShift, look } from './screens.ts';
import { metaData, protocol, serveLog } from './served-tables.ts';

const ui = useInspector();

function commit(version: number) {
  return ui.page.locator('.history > li', {
    has: ui.page.getByTitle(`Open version ${version}`, { exact: true }),
  });
}

/** What commits did, newest first, once it is added up. */
async function changes(): Promise<string[]> {
  await ui.page.locator('.history .change').first().waitFor();
  return ui.page.locator('.history .change').allTextContents();
}

/** Version, size, files and rows, newest first. */
async function trend(): Promise<string[][]> {
  await ui.page.locator('.trend summary').click();
  const rows = await ui.page.locator('.trend tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
}

const add = (path: string, more: object = {}) => ({
  add: { path, partitionValues: {}, size: 1000, modificationTime: 1, dataChange: true, ...more },
});
const remove = (path: string, more: object = {}) => ({ remove: { path, dataChange: true, ...more } });
const rows = (numRecords: number) => ({ stats: JSON.stringify({ numRecords }) });
const start = [protocol, metaData([['a', 'long']])];

describe('what commits did', () => {
  it('inventory: files and rows of each, and the table over versions', async () => {
    await ui.start('#url=samples/inventory&tab=history');
    // Made: 120 rows; three deleted; a merge of 20 new ones; updates and a new column.
    const size = String.raw`[\d.]+ KiB`;
    expect(await changes()).toEqual([
      expect.stringMatching(`^\\+1 file, ${size}, 137 rows · −1 file, ${size}, 137 rows$`),
      expect.stringMatching(`^\\+1 file, ${size}, 137 rows · −1 file, ${size}, 117 rows$`),
      'no files added or removed',
      expect.stringMatching(`^\\+1 file, ${size}, 117 rows · −1 file, ${size}, 120 rows$`),
      expect.stringMatching(`^\\+1 file, ${size}, 120 rows · −1 file, ${size}, 120 rows$`),
      expect.stringMatching(`^\\+1 file, ${size}, 120 rows$`),
      'no files added or removed',
    ]);
    const lines = await trend();
    expect(lines.map(([version]) => version)).toEqual(['6', '5', '4', '3', '2', '1', '0']);
    expect(lines.map(([, , files]) => files)).toEqual(['1', '1', '1', '1', '1', '1', '0']);
    expect(lines.map(([, , , count]) => count)).toEqual(['137', '137', '117', '117', '120', '120', '0']);
    const plots = ui.page.locator('.plot [role=img]');
    expect(await plots.nth(2).getAttribute('aria-label')).toBe('Rows: 0 at version 0, 137 at version 6');
  });

  it('removals that do not say what they removed, vectors, and files that are only restated', async () => {
    const vector = (cardinality: number) => ({
      deletionVector: {
        storageType: 'i',
        pathOrInlineDv: 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L',
        sizeInBytes: 40,
        cardinality,
      },
    });
    const table = await serveLog(ui, 'removals', [
      start,
      [add('a', rows(10)), add('b', rows(20))],
      [remove('a')],
      [remove('b'), add('b', { ...rows(20), ...vector(6) })],
      [add('b', { ...rows(20), ...vector(6), dataChange: false, tags: { x: 'y' } })],
    ]);
    await ui.start(`${table}&tab=history`);
    expect(await changes()).toEqual([
      '1 file added once more, with other statistics or tags',
      '+1 file, 1000 B, 14 rows · −1 file, 1000 B, 20 rows',
      '−1 file, 1000 B, 10 rows',
      '+2 files, 1.95 KiB, 30 rows',
      'no files added or removed',
    ]);
    expect(await trend()).toEqual([
      ['4', '1000 B', '1', '14'],
      ['3', '1000 B', '1', '14'],
      ['2', '1000 B', '1', '20'],
      ['1', '1.95 KiB', '2', '30'],
      ['0', '0 B', '0', '0'],
    ]);
    expect(await ui.text('.trend')).not.toContain('estimates');
  });

  it('a log that does not add up says so', async () => {
    const table = await serveLog(ui, 'adds-up', [
      start,
      [add('a', rows(1)), remove('never-there', { size: 5 })],
    ]);
    await ui.start(`${table}&tab=history`);
    await ui.page.getByText('figures of old versions are estimates').waitFor();
  });

  it('travel, and comparing', async () => {
    await ui.start('#url=samples/inventory&tab=history');
    await commit(5).getByRole('button', { name: 'Compare version 5' }).click();
    await commit(5).getByRole('spinbutton').fill('2');
    await commit(5).getByRole('button', { name: 'Compare', exact: true }).click();
    await ui.page.waitForURL((url) => {
      const link = new URLSearchParams(url.hash.slice(1));
      return link.get('tab') === 'data' && link.get('detail') === 'diff=2..5';
    });
    await ui.page.goBack();
    await commit(3).getByTitle('Open version 3').click();
    await ui.page.waitForURL((url) => url.hash.includes('version=3'));
    expect(await ui.page.getByLabel('version').first().inputValue()).toBe('3');
  });
});

describe('the actions of a commit', () => {
  const text = [
    '{"commitInfo":{"timestamp":1,"operation":"WRITE","big":9007199254740993,"float":1.10,"e":1E+2,"u":"\\u00e9","a":[],"o":{}}}',
    JSON.stringify({ add: add('x=\\"1\\".parquet').add }),
    '{"txn":{"appId":"job-7","version":9223372036854775807}}',
  ].join('\n');

  it('are shown digit by digit, and handed out byte by byte', async () => {
    const table = await serveLog(ui, 'raw', [start, text]);
    await ui.start(`${table}&tab=history&detail=commit%3D1`);
    const lines = ui.page.locator('.raw details');
    await lines.first().waitFor();
    expect(await lines.locator('summary').allTextContents()).toEqual([
      'commitInfo WRITE',
      'add x=\\"1\\".parquet',
      'txn job-7',
    ]);
    expect(await lines.first().locator('pre').textContent()).toBe(
      [
        '{',
        '  "commitInfo": {',
        '    "timestamp": 1,',
        '    "operation": "WRITE",',
        '    "big": 9007199254740993,',
        '    "float": 1.10,',
        '    "e": 1E+2,',
        '    "u": "\\u00e9",',
        '    "a": [],',
        '    "o": {}',
        '  }',
        '}',
      ].join('\n'),
    );
    expect(await lines.last().locator('pre').textContent()).toContain('"version": 9223372036854775807');
    const download = ui.page.waitForEvent('download');
    await ui.page.getByRole('button', { name: 'Download the file' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('00000000000000000001.json');
    expect(await readFile((await file.path())!, 'utf8')).toBe(text);
  });

  it('many of them come as they are asked for, by kind', async () => {
    const adds = Array.from({ length: 120 }, (_, at) => add(`f${at}`));
    const table = await serveLog(ui, 'many-actions', [start, [...adds, remove('r', { size: 1 })]]);
    await ui.start(`${table}&tab=history`);
    await commit(1).getByRole('button', { name: 'Actions of version 1' }).click();
    const lines = ui.page.locator('.raw details');
    await ui.page.getByText('50 of 121').waitFor();
    await ui.page.getByRole('button', { name: 'Show more' }).click();
    await ui.page.getByText('100 of 121').waitFor();
    expect(await lines.count()).toBe(100);
    await ui.page.getByRole('button', { name: 'remove 1' }).click();
    await lines.first().getByText('remove').waitFor();
    expect(await lines.count()).toBe(1);
    await commit(1).getByRole('button', { name: 'Actions of version 1' }).click();
    await lines.first().waitFor({ state: 'detached' });
  });
});

describe('logs of all kinds', () => {
  it('long ones come in pages, and their sizes are known back to the first', async () => {
    const commits = Array.from({ length: 129 }, (_, at) => [add(`f${at}`, rows(1))]);
    const table = await serveLog(ui, 'long', [start, ...commits]);
    await ui.start(`${table}&tab=history`);
    const items = ui.page.locator('.history > li');
    await ui.page.getByText('100 are listed, down to version 30').waitFor();
    expect(await items.count()).toBe(100);
    await ui.page.getByRole('button', { name: 'Older commits' }).click();
    await items.nth(129).waitFor();
    await ui.page.getByRole('button', { name: 'Older commits' }).waitFor({ state: 'detached' });
    expect(await items.count()).toBe(130);
    await ui.page.waitForFunction(() => document.querySelectorAll('.trend tbody tr').length === 130);
    const lines = await trend();
    expect(lines[0]?.slice(2)).toEqual(['129', '129']);
    expect(lines.at(-1)).toEqual(['0', '0 B', '0', '0']);
  });

  it('one that was cleaned up behind a checkpoint, and one of which only the checkpoint is left', async () => {
    const file = (name: string) => join(ui.tables, 'cleaned/_delta_log', name);
    const version = (number: number) => `${String(number).padStart(20, '0')}.json`;
    await cp(join(samples, 'customers'), join(ui.tables, 'cleaned'), { recursive: true });
    for (const gone of [0, 1, 2, 3, 4]) await rm(file(version(gone)));
    const link = `#url=${encodeURIComponent(`${ui.host.url}cleaned`)}&tab=history`;
    await ui.start(link);
    await ui.page.getByText('The log begins with version 5').waitFor();
    expect(await ui.page.locator('.history .number').allTextContents()).toEqual(['9', '8', '7', '6', '5']);
    expect((await trend()).map(([, , , count]) => count)[0]).toBe('540');
    await ui.page.context().close();

    for (const gone of [5, 6, 7, 8, 9]) {
      await rm(file(version(gone)));
      await rm(file(version(gone).replace('json', 'crc')), { force: true });
    }
    await ui.start(link);
    await ui.page.getByText('only a checkpoint of version 5').waitFor();
  });
});

describe('a table of a catalog', () => {
  it('has commits that are not published: they are told apart, read where they lie, and add up', async () => {
    const storage = new MemoryStorageHandler();
    const catalog = new StorageCatalog({
      records: new MemoryRecordStore(),
      storage,
      root: 'memory:///lake/',
    });
    const table = await catalog.create('orders', types.struct([field('id', types.long)]));
    await table.append([{ id: 1n }, { id: 2n }]);
    // From here on commits are ratified, and cannot be published.
    storage.copyAtomic = async () => {
      throw new DeltaError('IOError', 'no copies today');
    };
    const onWarning = () => {};
    await table.append([{ id: 3n }], { onWarning });
    await table.delete('id < 3', { onWarning });
    const context = new WorkerContext();
    // At an old version, as one who travels has it.
    const old = await catalog.open('orders', { version: 1 });
    context.set({ table: old, source: { kind: 'catalog', table: 'orders' }, version: 1 });
    const calls = historyCalls(context);
    const page = answer(await calls.history({ id: 1 }));
    expect(page.commits.map(({ version, isStaged }) => [version, isStaged])).toEqual([
      [3, true],
      [2, true],
      [1, false],
      [0, false],
    ]);
    const { changes: told, trend: over, addsUp } = answer(await calls.commitChanges({ id: 2 }));
    expect(told.map(({ added, removed }) => [added.files, removed.files])).toEqual([
      [0, 1],
      [1, 0],
      [1, 0],
      [0, 0],
    ]);
    expect(over.map(({ version, files, rows: count }) => [version, files, count])).toEqual([
      [0, 0, 0],
      [1, 1, 2],
      [2, 2, 3],
      [3, 1, 1],
    ]);
    expect(addsUp).toBe(true);
    for (const { version, size } of page.commits) {
      const file = answer(await calls.commitFile({ id: 3 }, version));
      expect(file.name).toMatch(version > 1 ? /^0+[23]\.[0-9a-f-]{36}\.json$/ : /^0+[01]\.json$/);
      expect(file.bytes.length).toBe(size);
    }
    const opened = answer(await calls.openCommit({ id: 4 }, 3));
    expect(opened.actions).toContainEqual(['remove', 1]);
  });

  function answer<T>(result: Result<T>): T {
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  }
});

it('looks as it should', async () => {
  await ui.start('#url=samples/inventory&tab=history&detail=commit%3D5');
  await ui.page.locator('.history .change').first().waitFor();
  expect(await layoutShift(ui)).toBeLessThan(0.05);
  await ui.page.locator('.raw summary').last().click();
  await ui.page.locator('.raw pre').first().waitFor();
  await ui.page.locator('.plot canvas').first().waitFor();
  await look(ui, 'history');
});
