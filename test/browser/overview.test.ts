/** The overview: figures that lead to their evidence, the schema with its rules, values of columns over all files. */
import { describe, expect, it } from 'vitest';
import { sharedMissing } from '../helpers/shared.ts';
import { useInspector } from './inspector.ts';
import { layoutShift, look } from './screens.ts';
import { metaData, protocol, serveCorpusTable, serveLog, shared } from './served-tables.ts';

const ui = useInspector();
const corpus = shared === undefined ? `: ${sharedMissing}` : '';

async function addUp(): Promise<Record<string, string[]>> {
  await ui.page.getByRole('button', { name: 'Add up the statistics' }).click();
  const lines = ui.page.locator('.column-statistics tbody tr');
  await lines.first().waitFor();
  const cells = await Promise.all(
    (await lines.all()).map((line) => line.locator('th, td').allTextContents()),
  );
  return Object.fromEntries(cells.map(([name, ...values]) => [name!, values]));
}

async function pairs(section: string): Promise<Record<string, string>> {
  const found = ui.page.locator(`section[aria-labelledby=${section}]`);
  await found.waitFor();
  const [names, values] = await Promise.all(
    ['dt', 'dd'].map((name) => found.locator(name).allTextContents()),
  );
  return Object.fromEntries(names!.map((name, at) => [name, values![at]!]));
}

describe('values of columns over all files', () => {
  it('trips: exact ids beyond 2^53, a partition column', async () => {
    await ui.start('#url=samples/trips');
    const values = await addUp();
    // Ids count up from 2^53 − 1, 400 a day, for seven days.
    expect(values.trip_id).toEqual(['9007199254740991', '9007199254743790', '0', 'all', 'exact']);
    expect(values.date).toEqual(['2021-08-29', '2021-09-04', '0', 'all', 'exact; 7 values']);
    expect(values.pickup!.at(-1)).toBe('to the millisecond');
    expect(Object.keys(values)).toContain('payment.method');
    expect(values['payment.tags']!.slice(0, 2)).toEqual(['unknown', 'unknown']);
  });

  it('bounds that are cut, loose or of some files only, and files of nothing but nulls', async () => {
    const add = (path: string, stats: object | undefined, more: object = {}) => ({
      add: {
        path,
        partitionValues: {},
        size: 1000,
        modificationTime: 1,
        dataChange: true,
        ...(stats && { stats: JSON.stringify(stats) }),
        ...more,
      },
    });
    const long = 'x'.repeat(32);
    const stats = (min: object, max: object, nullCount: object, more: object = {}) => ({
      numRecords: 10,
      minValues: min,
      maxValues: max,
      nullCount,
      ...more,
    });
    const table = await serveLog(ui, 'bounds', [
      [
        protocol,
        metaData([
          ['s', 'string'],
          ['n', 'double'],
          ['all_null', 'integer'],
          ['silent', 'integer'],
        ]),
        add('a', stats({ s: 'b', n: -0.5 }, { s: long, n: 2 }, { s: 1, n: 0, all_null: 10 })),
        add(
          'b',
          stats(
            { s: 'é', n: 3 },
            { s: '😀', n: 1e300 },
            { s: 2, n: 4, all_null: 10 },
            { tightBounds: false },
          ),
        ),
        add('c', undefined),
      ],
    ]);
    await ui.start(table);
    const values = await addUp();
    expect(values.n).toEqual([
      '-0.5',
      '1.0E300',
      'at least 4',
      '2 of 3',
      'bounds: rows with these values may be deleted; of the files that say',
    ]);
    // By UTF-8 bytes the emoji is the greatest.
    expect(values.s!.slice(0, 3)).toEqual(["'b'", "'😀'", 'at least 3']);
    expect(values.all_null).toEqual(['unknown', 'unknown', 'at least 20', '2 of 3', '']);
    expect(values.silent).toEqual(['unknown', 'unknown', 'unknown', '0 of 3', '']);
  });
});

describe('figures', () => {
  it.each([
    ['9', 'history', ''],
    ['540', 'data', ''],
    ['65', 'files', ''],
    ['59.5 KiB', 'files', 'sizes'],
  ])('%s leads to %s', async (figure, tab, detail) => {
    await ui.start('#url=samples/customers');
    await ui.page.locator('.facts').getByRole('button', { name: figure, exact: true }).click();
    await ui.page.waitForURL((url) => {
      const link = new URLSearchParams(url.hash.slice(1));
      return link.get('tab') === tab && (link.get('detail') ?? '') === detail;
    });
    expect(await ui.tab(tab).getAttribute('aria-selected')).toBe('true');
  });
});

describe.skipIf(shared === undefined)(`rules and state${corpus}`, () => {
  it('generated, default and identity columns, widened types', async () => {
    const expected: [string, string[]][] = [
      ['generated', ['generated as CAST(ts AS DATE)', 'generated as id * 2', 'partition']],
      ['default_columns', ["default 'd2'", 'default 40 + 2']],
      ['identity', ['identity from 10 in steps of 5']],
      ['type_widening', ['was short', 'was decimal(6,2)']],
    ];
    for (const [name, rules] of expected) {
      await ui.start(await serveCorpusTable(ui, `spark-4.2/${name}`));
      await ui.page.locator('.schema').waitFor();
      const badges = (await ui.page.locator('.schema .badge').allTextContents()).map((text) => text.trim());
      expect(badges, name).toEqual(expect.arrayContaining(rules));
      await ui.page.context().close();
    }
  });

  it('constraints', async () => {
    await ui.start(await serveCorpusTable(ui, 'spark-4.2/check_constraints'));
    expect(await pairs('constraints')).toEqual({
      k_ok: 'k >= 0 AND k < 10',
      s_ok: 's IS NULL OR length ( s ) < 20',
    });
  });

  it('row tracking, with its domain', async () => {
    await ui.start(await serveCorpusTable(ui, 'spark-4.2/row_tracking'));
    expect(await pairs('layout')).toMatchObject({
      'Row tracking': 'on; moved rows keep their id in _row-id-col-3479a036-c1e2-4373-8863-482e1b0d9070',
      'Partitioned by': 'nothing',
    });
    await ui.page.getByText('domain delta.rowTracking').click();
    expect(await ui.text('.applications pre')).toContain('rowIdHighWaterMark');
  });

  it('in-commit timestamps, and clustering', async () => {
    await ui.start(await serveCorpusTable(ui, 'spark-4.2/in_commit_ts'));
    expect((await pairs('layout'))['Times of commits']).toBe(
      'recorded in the commits from version 2 on, 2026-11-30 00:00:07 UTC',
    );
    await ui.page.context().close();
    await ui.start(await serveCorpusTable(ui, 'spark-4.2/clustered'));
    expect((await pairs('layout'))['Clustered by']).toBe('id');
    expect(await ui.text('.applications')).toContain('delta.clustering');
  });

  it('transactions of applications', async () => {
    await ui.start(await serveCorpusTable(ui, 'kernel/app-txn-with-last-updated'));
    await ui.page.getByText('4 applications with transactions').click();
    const lines = await ui.page.locator('.applications tbody tr').all();
    const cells = await Promise.all(lines.map((line) => line.locator('th, td').allTextContents()));
    expect(cells.map(([appId, version]) => [appId, version])).toEqual([
      ['new_app_0', '1'],
      ['new_app_1', '1'],
      ['new_app_2', '1'],
      ['old_app', '1'],
    ]);
    expect(cells.at(-1)![2]).toBe('1970-01-21 05:32:15');
  });
});

it('looks as it should', async () => {
  await ui.start('#url=samples/customers');
  await ui.page.locator('.applications .empty').waitFor();
  expect(await layoutShift(ui)).toBeLessThan(0.05);
  await addUp();
  await ui.page.locator('.applications .empty').waitFor();
  await look(ui, 'overview');
});
