/** Tables of a catalog, and Spark without that catalog. */
import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { publishedTable, withoutFeatures } from '../../helpers/published-table.ts';
import { sorted } from './rows.ts';
import type { SparkTables } from './tables.ts';

export function managedTests(tables: SparkTables): void {
  it('Spark refuses one by its path, and reads what was published of it', async () => {
    const { path, rows } = await publishedTable(tables.newPath());
    const refusal = { name: 'DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED' };
    await expect(tables.sql(path, 'SELECT * FROM T')).rejects.toMatchObject(refusal);
    await expect(tables.sql(path, "INSERT INTO T VALUES (4, 'x')")).rejects.toMatchObject(refusal);

    const copy = tables.newPath();
    cpSync(path, copy, { recursive: true });
    await withoutFeatures(copy, ['catalogManaged']);
    expect(sorted((await tables.sql(copy, 'SELECT * FROM T')).rows)).toEqual(sorted(rows));
  });
}
