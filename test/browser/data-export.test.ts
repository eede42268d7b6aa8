/** Rows as files, read back by other libraries; and versions compared. */
import { readFile } from 'node:fs/promises';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parse } from 'lossless-json';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { KINDS, writeKinds } from './data-tables.ts';
import { useInspector } from './inspector.ts';
import { look } from './screens.ts';

const ui = useInspector();

beforeAll(() => writeKinds(ui.tables));

describe('exports', () => {
  async function exported(label: string): Promise<Buffer> {
    await ui.page.getByRole('button', { name: 'Export' }).click();
    const download = ui.page.waitForEvent('download');
    await ui.page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: label }).click();
    return readFile(await (await download).path());
  }
  async function open(script = 'delete globalThis.showSaveFilePicker'): Promise<void> {
    await ui.start(`#url=${ui.host.url}kinds&tab=data`, {}, script);
    await ui.waitForCount('4 rows');
  }

  it('CSV, read by Papa Parse', async () => {
    await open();
    const { data, errors } = Papa.parse<string[]>((await exported('CSV')).toString('utf8'));
    expect(errors).toEqual([]);
    const [names, first, nothing, empty, long] = data;
    expect(names!.join()).toBe('long,dec,double,text,bin,day,ts,ntz,flag,list,tags,point');
    expect(first!.slice(0, 9)).toEqual([
      '9223372036854775807',
      '-1234567890123456789012345678.0123456789',
      'NaN',
      KINDS[0]!.text,
      '00ff10',
      '0001-01-01',
      '2024-03-31T00:59:59.123456Z',
      '2024-02-29T12:00:00.000001',
      'true',
    ]);
    expect(nothing!.join('')).toBe('');
    expect(empty!.slice(0, 4)).toEqual(['-9223372036854775808', '0.0000000001', '-Infinity', '']);
    expect(long![3]).toBe('x'.repeat(5000));
    expect(data.slice(5)).toEqual([['']]);
  });

  it('NDJSON of a filter and some columns', async () => {
    await ui.start(
      `#url=${ui.host.url}kinds&tab=data&where=long+%3E+0&detail=columns%3Dlong%2Clist`,
      {},
      'delete globalThis.showSaveFilePicker',
    );
    await ui.waitForCount('1 row');
    const text = (await exported('NDJSON')).toString('utf8');
    expect(text).toBe('{"long":9223372036854775807,"list":[9007199254740993,null]}\n');
    expect(String((parse(text) as { long: unknown }).long)).toBe('9223372036854775807');
    await ui.page.getByText(/1 row, \d+ B/).waitFor();
  });

  it('Parquet, read by hyparquet', async () => {
    await open();
    const bytes = await exported('Parquet');
    const file = new Uint8Array(bytes).buffer;
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({
      long: 9_223_372_036_854_775_807n,
      double: Number.NaN,
      text: KINDS[0]!.text,
      flag: true,
      list: [9_007_199_254_740_993n, null],
    });
    expect(Object.values(rows[1]!).every((value) => value === null || value === undefined)).toBe(true);
    expect(rows[2]).toMatchObject({ long: -9_223_372_036_854_775_808n, text: '' });
    expect(rows[3]).toMatchObject({ text: 'x'.repeat(5000), double: 0.1 });
  });

  it('Arrow, read by apache-arrow, into a file that was picked', async () => {
    await open(
      `globalThis.showSaveFilePicker = async ({ suggestedName }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });`,
    );
    await ui.page.getByRole('button', { name: 'Export' }).click();
    await ui.page.getByRole('button', { name: 'Arrow IPC' }).click();
    await ui.page.getByText(/^kinds-v1\.arrow: 4 rows/).waitFor();
    const bytes = await ui.page.evaluate(async () => {
      const file = await (await navigator.storage.getDirectory()).getFileHandle('kinds-v1.arrow');
      return [...new Uint8Array(await (await file.getFile()).arrayBuffer())];
    });
    const table = tableFromIPC(Uint8Array.from(bytes));
    expect(table.numRows).toBe(4);
    expect([...table.getChild('long')!]).toEqual([
      9_223_372_036_854_775_807n,
      null,
      -9_223_372_036_854_775_808n,
      0n,
    ]);
    expect(table.getChild('text')!.get(0)).toBe(KINDS[0]!.text);
    expect(table.getChild('text')!.get(1)).toBe(null);
    expect(table.getChild('text')!.get(2)).toBe('');
    expect([...table.getChild('bin')!.get(0)]).toEqual([0, 255, 16]);
    expect(String(table.schema.fields.find(({ name }) => name === 'dec')!.type)).toBe('Decimal[38e+10]');
  });

  it.each(['CSV', 'Parquet', 'Arrow IPC'])('%s of no rows', async (label) => {
    await ui.start(
      `#url=${ui.host.url}kinds&tab=data&where=long+%3D+5`,
      {},
      'delete globalThis.showSaveFilePicker',
    );
    await ui.page.getByText('No rows.').waitFor();
    const bytes = await exported(label);
    if (label === 'CSV') expect(bytes.toString('utf8').split('\n')).toHaveLength(2);
    else if (label === 'Parquet') {
      expect(await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })).toEqual([]);
    } else expect(tableFromIPC(bytes).schema.fields).toHaveLength(12);
  });
});

describe('versions compared', () => {
  // As Spark's metrics of the commits have it: an update of 27 rows, a delete of 3, then a new column.
  it.each([
    ['1..2', { removed: 27, added: 27 }],
    ['2..3', { removed: 3, added: 0 }],
    ['1..3', { removed: 30, added: 27 }],
    ['3..2', { removed: 0, added: 3 }],
  ])('%s: the rows that differ', async (versions, { removed, added }) => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await ui.start(`#url=samples/inventory&tab=data&detail=diff%3D${versions}`, { permissions });
    await ui.waitForCount(`${removed + added} rows`);
    await ui.page.getByRole('grid', { name: 'Rows that differ' }).focus();
    for (const key of ['Control+Home', 'Control+Space', 'Control+c']) await ui.page.keyboard.press(key);
    await ui.page.getByText('Copied', { exact: true }).waitFor();
    const changes = (await ui.page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(changes.filter((change) => change === 'removed')).toHaveLength(removed);
    expect(changes.filter((change) => change === 'added')).toHaveLength(added);
  });

  it('the schema, from the button in the data tab', async () => {
    await ui.start('#url=samples/inventory&version=4&tab=data');
    await ui.waitForCount('117 rows');
    await ui.page.getByRole('button', { name: 'Compare versions' }).click();
    await ui.page.getByText('the same rows').waitFor();
    const change = ui.page.locator('.diff-changes tbody tr');
    expect(await change.allTextContents()).toEqual(['column discontinuedabsentboolean']);
    await ui.page.getByLabel('version', { exact: true }).last().fill('1');
    await ui.page.getByRole('button', { name: 'Compare', exact: true }).click();
    await ui.page.waitForURL(/diff%3D1\.\.4/);
    await ui.waitForCount('57 rows');
    await look(ui, 'data-diff');
    await ui.page.getByRole('button', { name: '◂ Rows' }).click();
    await ui.waitForCount('117 rows');
  });
});
