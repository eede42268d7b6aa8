/** The SQL tab: DuckDB over the page's scan. Expected values are facts of the samples' generator and hand calculations. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { useInspector } from './inspector.ts';

const ui = useInspector();

const hint = () => ui.page.locator('.sql > .hint[role=status]');

async function open(sql = '', table = 'samples/trips', more = ''): Promise<void> {
  const detail = sql === '' ? '' : `&detail=${encodeURIComponent(sql)}`;
  await ui.start(`#url=${table}&tab=sql${more}${detail}`);
  await ui.page.locator('.sql-editor .cm-content').waitFor();
}

async function run(sql: string): Promise<void> {
  await ui.page.getByLabel('SQL').fill(sql);
  await ui.page.getByRole('button', { name: 'Run' }).click();
}

/** All cells of the result, once a result of a query with this text in its line of figures is there. */
async function result(): Promise<string[][]> {
  await ui.page.locator('.grid tbody tr td[data-column]').first().waitFor();
  const rows = await ui.page.locator('.grid tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td[data-column]').allTextContents()));
}

describe('a query', () => {
  it('reads only the columns and files that it needs', async () => {
    await open("SELECT city, count(*) AS n FROM t WHERE date = '2021-09-01' GROUP BY city ORDER BY city");
    const rows = await result();
    console.log(rows, await hint().textContent());
  });
});
