/** Tables of a catalog, and Spark without that catalog. */
import { expect, it } from 'vitest';
import { publishedTable } from '../../helpers/published-table.ts';
import { sorted } from './rows.ts';
import type { SparkTables } from './tables.ts';

export function managedTests(tables: SparkTables): void {
  it('a published table, by its path', async () => {
    const { path, rows } = await publishedTable(tables.newPath());
    const read = await tables.sql(path, 'SELECT * FROM T');
    expect(sorted(read.rows)).toEqual(sorted(rows));
    await expect(tables.sql(path, "INSERT INTO T VALUES (4, 'x')")).rejects.toMatchObject({ name: 'X' });
  });
}
