/** The health tab: findings of tables whose numbers are worked out by hand. */
import { cp, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useInspector } from './inspector.ts';
import { samples } from './inspector-tables.ts';
import { expectNoOverflow } from './screens.ts';

const ui = useInspector();
const MIB = 2 ** 20;
const NOW = Date.now();
const DAY = 86_400_000;

describe('a table in need of care', () => {
  // 25 commits of 8 files of 1 MiB with 100 rows each; 10 files of the last commit have 60 rows deleted.
  const vector = { storageType: 'u', pathOrInlineDv: 'vBn[lx{q8@P<9BNH/isA', offset: 1, sizeInBytes: 36 };
  const addsOf = (version: number) =>
    Array.from({ length: 8 }, (_, at) => ({
      add: {
        path: `part-${version}-${at}.parquet`,
        partitionValues: {},
        size: MIB,
        modificationTime: NOW,
        dataChange: true,
        stats: JSON.stringify({
          numRecords: 100,
          ...(at < 4 && { minValues: { id: 1 }, maxValues: { id: 9 }, nullCount: { id: 0 } }),
        }),
        ...(version === 24 && { deletionVector: { ...vector, cardinality: 60 } }),
      },
    }));
  // Two tombstones, one of them older than the week that is kept.
  const removes = [8, 2].map((days, at) => ({
    remove: {
      path: `part-0-${at}.parquet`,
      deletionTimestamp: NOW - days * DAY,
      dataChange: true,
      size: MIB,
    },
  }));

  it('says what stands out, with its numbers, and where to see it', async () => {
    await writeLog('neglected', [
      ...Array.from({ length: 25 }, (_, version) => [...(version === 0 ? head() : []), ...addsOf(version)]),
      removes,
    ]);
    await ui.start(`#url=${ui.host.url}neglected&tab=health&where=ID+%3D+5`);
    await finding('small-files').waitFor();
    // 198 MiB are two files of 128 MiB.
    expect(await said('small-files')).toContain(
      '198 of 198 files are under 32.0 MiB, 198.0 MiB together. Files of 128.0 MiB would be 2.',
    );
    expect(await said('checkpoint')).toContain('None at version 25: 26 commits must be read');
    expect(await said('deletion-vectors')).toContain(
      '8 of 198 files have one: 480 rows (2.4 % of those in the files)',
    );
    // 100 of the 200 files had statistics; the two that are gone were among them.
    expect(await said('statistics')).toContain('Columns of the filter without statistics: id (100 files).');
    expect(await said('tombstones')).toContain(
      '2 removed files, 2.00 MiB that only older versions need; 1 are past',
    );
    expect(await said('readers')).toContain('deletionVectors');
    expect(await severities()).toEqual({
      'small-files': 'warning',
      checkpoint: 'warning',
      statistics: 'warning',
      readers: 'note',
      'deletion-vectors': 'fine',
      partitions: 'fine',
      'log-tail': 'fine',
      tombstones: 'fine',
      unpublished: 'fine',
    });
    await finding('small-files').getByRole('button', { name: 'Files by size' }).click();
    expect(await ui.tab('files').getAttribute('aria-selected')).toBe('true');
  });
});

describe('partitions', () => {
  const partitioned = (sizes: readonly number[]) =>
    sizes.map((size, at) => ({
      add: {
        path: `day=${at}/f.parquet`,
        partitionValues: { day: String(at) },
        size,
        modificationTime: NOW,
        dataChange: true,
      },
    }));

  it('are skewed where one is ten times the middle one', async () => {
    await writeLog('skewed', [
      [...head(['day']), ...partitioned([40, 40, 40, 40, 2000].map((size) => size * MIB))],
    ]);
    await ui.start(`#url=${ui.host.url}skewed&tab=health`);
    // (4 × 40 + 2000) / 5 = 432
    expect(await said('partitions')).toContain(
      '5 partitions of 432.0 MiB on average; the largest, day=4, has 1.95 GiB, the middle one 40.0 MiB.',
    );
    expect((await severities()).partitions).toBe('note');
    expect(await said('statistics')).toContain('5 of 5 files do not say how many rows they have.');
  });

  it('are too fine where there are many small ones', async () => {
    await writeLog('fine', [[...head(['day']), ...partitioned(Array.from({ length: 150 }, () => MIB))]]);
    await ui.start(`#url=${ui.host.url}fine&tab=health`);
    expect(await said('partitions')).toContain('150 partitions of 1.00 MiB on average.');
    expect((await severities()).partitions).toBe('warning');
  });
});

it('a table that is well has no findings; folders are searched for files that nothing refers to', async () => {
  await ui.start('#url=samples/trips&tab=health');
  await ui.page.getByRole('heading', { name: 'Nothing stands out' }).waitFor();
  expect(await ui.page.locator('.findings li').count()).toBe(9);
  await ui.page.getByRole('button', { name: 'Look for them' }).click();
  // Over HTTP nothing can be listed: it says so.
  await ui.page.getByRole('alert').waitFor();
  expect(await ui.text('.orphans [role=alert]')).toContain('the storage cannot list folders');
});

it('a folder with a file that nothing refers to', async () => {
  const folder = join(ui.tables, 'littered');
  await cp(join(samples, 'trips'), folder, { recursive: true });
  const stray = join(folder, 'date=2021-08-29/stray.parquet');
  await writeFile(stray, Buffer.alloc(3 * MIB));
  const longAgo = (NOW - 30 * DAY) / 1000;
  await utimes(stray, longAgo, longAgo);
  // Younger than a week: it may belong to a write that is under way.
  await writeFile(join(folder, 'date=2021-08-29/fresh.parquet'), 'x');
  await ui.start('', {}, 'delete globalThis.showDirectoryPicker');
  const chooser = ui.page.waitForEvent('filechooser');
  await ui.page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await chooser).setFiles(folder);
  await ui.tab('health').click();
  await ui.page.getByRole('button', { name: 'Look for them' }).click();
  await ui.page.getByText('1 file, 3.00 MiB').waitFor();
  expect(await ui.page.locator('.orphans .paths').allTextContents()).toEqual([
    'date=2021-08-29/stray.parquet',
  ]);
});

it.each(['light', 'dark'] as const)('is %s, wide and narrow', async (colorScheme) => {
  for (const [size, width] of [
    ['wide', 1280],
    ['narrow', 360],
  ] as const) {
    await ui.start(`#url=${ui.host.url}neglected&tab=health`, {
      colorScheme,
      viewport: { width, height: 800 },
    });
    await finding('small-files').waitFor();
    await expectNoOverflow(ui, `health ${size}`);
    await ui.screenshot(`health-${colorScheme}-${size}`);
    await ui.page.context().close();
  }
});

function finding(id: string) {
  return ui.page.locator(`[data-finding="${id}"]`);
}

async function said(id: string): Promise<string> {
  await finding(id).waitFor({ state: 'attached' });
  return (await finding(id).textContent()) ?? '';
}

async function severities(): Promise<Record<string, string>> {
  const items = await ui.page.locator('[data-finding]').all();
  const pairs = items.map(async (item) => [
    await item.getAttribute('data-finding'),
    await item.getAttribute('class'),
  ]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** Protocol and metadata of a table with the column `id`, and one that it is partitioned by. */
function head(partitionColumns: readonly string[] = []): object[] {
  const column = (name: string, type: string) => ({ name, type, nullable: true, metadata: {} });
  const fields = [column('id', 'long'), ...partitionColumns.map((name) => column(name, 'string'))];
  return [
    {
      protocol: {
        minReaderVersion: 3,
        minWriterVersion: 7,
        readerFeatures: ['deletionVectors'],
        writerFeatures: ['deletionVectors'],
      },
    },
    {
      metaData: {
        id: 'b1d5a2f0-5f0e-4f7e-9d0b-1f9f7a3f1c11',
        format: { provider: 'parquet', options: {} },
        schemaString: JSON.stringify({ type: 'struct', fields }),
        partitionColumns,
        configuration: {},
      },
    },
  ];
}

/** A log for the host, an array of actions per version; data files are not there, nobody reads them. */
async function writeLog(name: string, commits: readonly (readonly object[])[]): Promise<void> {
  const log = join(ui.tables, name, '_delta_log');
  await mkdir(log, { recursive: true });
  for (const [version, actions] of commits.entries()) {
    const lines = actions.map((action) => JSON.stringify(action)).join('\n');
    await writeFile(join(log, `${String(version).padStart(20, '0')}.json`), lines);
  }
}
