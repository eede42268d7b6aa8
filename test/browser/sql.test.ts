/** The SQL tab: DuckDB over the page's scan. Expected values are delta-rs' and pyarrow's of the samples, or by hand. */
import { describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { MILLION_ROWS, writeMillion } from './data-tables.ts';
import { useInspector } from './inspector.ts';
import { look } from './screens.ts';

const ui = useInspector();
/** Milliseconds: a busy machine takes its time to compile DuckDB. */
const SLOW = 60_000;

/** What the result says of the rows that it comes from. */
const figures = () => ui.page.locator('.sql > .hint[role=status]');
const textBox = () => ui.page.getByRole('textbox', { name: 'SQL' });
const problem = () => ui.page.locator('#sql-problem');

async function open(sql = '', table = 'samples/trips'): Promise<void> {
  const detail = sql === '' ? '' : `&detail=${encodeURIComponent(sql)}`;
  await ui.start(`#url=${table}&tab=sql${detail}`);
  await ui.page.locator('.sql-editor .cm-content').waitFor({ timeout: SLOW });
}

async function run(sql: string): Promise<void> {
  await textBox().fill(sql);
  await textBox().press('Control+Enter');
}

/** The cells of a result whose first cell is as expected. */
async function rows(first: string): Promise<string[][]> {
  const cell = ui.page.locator('.grid tbody tr td[data-column="0"]').first();
  await expect.poll(() => cell.textContent({ timeout: 1000 }).catch(() => ''), { timeout: SLOW }).toBe(first);
  const found = await ui.page.locator('.grid tbody tr').all();
  return Promise.all(found.map((row) => row.locator('td[data-column]').allTextContents()));
}

describe('a query', () => {
  it('of a link runs, and reads only the columns and files that it needs', async () => {
    const sql = "SELECT city, count(*) AS n FROM t WHERE date = '2021-09-01' GROUP BY ALL ORDER BY n DESC";
    await open(sql);
    expect(await rows('Zürich')).toEqual([
      ['Zürich', '83'],
      ['NYC', '82'],
      ['Boston', '81'],
      ['Chicago', '79'],
      ['São Paulo', '75'],
    ]);
    expect(await figures().textContent()).toContain(
      "DuckDB got 400 rows of 2 of 10 columns from 1 of 7 files, where (date='2021-09-01').",
    );
    const parquet = ui.app.requests.filter(({ url }) => url.endsWith('.parquet'));
    expect(new Set(parquet.map(({ url }) => /date=([^/]*)/.exec(url)?.[1]))).toEqual(new Set(['2021-09-01']));
    await look(ui, 'sql');

    await run('SELECT count(city) FROM t');
    await rows('2800');
    await ui.page.goBack();
    await rows('Zürich');
    await run('SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7');
    await ui.page.getByText('Running the query').waitFor();
    await ui.page.getByRole('button', { name: 'Cancel' }).click();
    await ui.page.getByText('DuckDB was ended').waitFor();
    await run('SELECT count(city) FROM t');
    await rows('2800');
  });

  it('gives exact values; what is there is not read again, and nothing else is; mistakes are marked', async () => {
    await open();
    const hosts = new Set<string>();
    ui.page.context().on('request', (request) => hosts.add(new URL(request.url()).host));
    await run('SELECT max(trip_id), sum(trip_id), sum(fare) FROM trips');
    expect(await rows('9007199254743790')).toEqual([
      ['9007199254743790', '25220157913278693400', '28320.96'],
    ]);
    expect(await figures().textContent()).toContain('DuckDB got 2,800 rows of 2 of 10 columns from 7 of 7');
    expect(new URLSearchParams(new URL(ui.page.url()).hash.slice(1)).get('detail')).toContain('max(trip_id)');

    // Without a network: the rows are there.
    await ui.page.context().setOffline(true);
    await run('SELECT count(fare), avg(fare) FROM t');
    expect(await rows('2800')).toEqual([['2800', '10.114628571428572']]);
    expect(await figures().textContent()).toContain('DuckDB had 2,800 rows');
    await ui.page.context().setOffline(false);

    await run('SELECT count(fare) FROM t WHERE fare > 20');
    await rows('160');
    expect(await figures().textContent()).toContain('DuckDB got 160 rows of 1 of 10 columns');
    // Two cities, half a day of one date, all but one trip: counted by pyarrow.
    await run(
      "SELECT count(*) FROM t WHERE pickup >= '2021-09-01 12:00:00' AND pickup < '2021-09-02' AND city IN ('NYC', 'Boston') AND trip_id <> 9007199254742391",
    );
    await rows('73');
    await run('SELECT count(*) FROM t WHERE distance_km >= 5.1');
    await rows('747');
    await run("SELECT count(*) FROM t WHERE list_contains(payment.tags, 'airport')");
    await rows('673');
    await run("SELECT min(pickup), count(DISTINCT date_trunc('day', pickup)), count(*) - count(tip) FROM t");
    expect(await rows('2021-08-29 00:02:33.692334')).toEqual([['2021-08-29 00:02:33.692334', '7', '823']]);
    await run('SELECT a.city, count(*) FROM t a JOIN t b USING (trip_id) GROUP BY 1 ORDER BY 2 LIMIT 1');
    expect(await rows('Chicago')).toEqual([['Chicago', '542']]);
    await run('SELECT * FROM t LIMIT 5');
    await figures().getByText('DuckDB got 5 rows of 10 of 10 columns').waitFor();
    await run("SELECT 'a' AS x, 2 AS x");
    expect(await rows('a')).toEqual([['a', '2']]);
    expect(await figures().textContent()).toContain('did not read the table');

    await textBox().fill('SELECT city,\n  citty FROM t');
    await problem().getByText('Referenced column "citty" not found').waitFor();
    expect(await ui.page.locator('.cm-lintRange-error').textContent()).toBe('citty');
    await ui.screenshot('sql-completion');
    // What completes a word is in the way of the picture.
    await textBox().press('Escape');
    await look(ui, 'sql-mistake');
    for (const [sql, words] of [
      ['SELECT FROM WHERE t', 'syntax error'],
      ['SELECT CAST(city AS INT) FROM t', 'Could not convert string'],
      ["SELECT * FROM read_csv('https://example.com/x.csv')", 'Permission Error'],
      ["SELECT * FROM 'https://example.com/x.parquet'", 'example.com'],
      ['SELECT 1; SELECT 2', 'multiple statements'],
      ['DROP VIEW t', 'Only queries can be run here'],
      ['INSTALL icu', 'Only queries can be run here'],
      ['SELECT ?', 'Expected 1 parameters'],
    ] as const) {
      await run(sql);
      await problem().getByText(words).waitFor();
    }
    await run('SELECT count(*) FROM t');
    await rows('2800');
    expect([...hosts]).toEqual([new URL(ui.app.url).host]);
  });

  it('sees variants as JSON, mapped columns by their names, no deleted row, the version that is shown', async () => {
    await open('SELECT profile, count(*) OVER () FROM t WHERE id = 7', 'samples/customers');
    const [[profile, count]] = (await rows('{"tags":["a",null,1.5],"visits":7}')) as [[string, string]];
    expect([JSON.parse(profile), count]).toEqual([{ visits: 7, tags: ['a', null, 1.5] }, '1']);
    await run('SELECT count(id) FROM customers');
    await rows('540');
    await ui.page.context().close();
    // As the table was: version 6 has others.
    await open('SELECT count(*) FROM t', 'samples/inventory&version=3');
    await rows('117');
  });

  it('of a table with more rows than DuckDB gets says so', async () => {
    await writeMillion(ui.tables);
    await open('SELECT count(id) FROM t', `${ui.host.url}million`);
    await rows('1000000');
    expect(await ui.text('.notice')).toContain('Only the first 1,000,000 rows were loaded');
    await run('SELECT count(*) FROM t');
    await rows(String(MILLION_ROWS - 10));
    expect(await figures().textContent()).toContain('Only the number of rows was needed: 1,039,990.');
    expect(await ui.page.locator('.notice').count()).toBe(0);
  });
});
