/** Tables that we and Apache Spark write and read in turns, in one Spark session. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deltaRs } from './python.ts';
import { complete, expectRows, shownColumns, sparkColumns } from './spark/expectations.ts';
import { featureDialogs } from './spark/features.ts';
import { installSpark } from './spark/install.ts';
import { managedTests } from './spark/managed.ts';
import { sorted } from './spark/rows.ts';
import { ruleTests } from './spark/rules.ts';
import type { SparkRow } from './spark/session.ts';
import { SparkTables } from './spark/tables.ts';
import { typeDialogs } from './spark/types.ts';
import { sparkMade } from './spark/written-by-spark.ts';

const spark = await installSpark();
const missing = 'missing' in spark ? spark.missing : undefined;
const python = missing === undefined ? await deltaRs() : { missing };

describe.skipIf(missing !== undefined)(
  `Spark${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const tables = new SparkTables();
    beforeAll(async () => {
      if ('python' in spark) await tables.start(spark);
    });
    afterAll(() => tables.stop());

    describe.each([...typeDialogs, ...featureDialogs])('$name', (dialog) => {
      const path = tables.newPath();
      it('Spark reads what we wrote', async () => {
        const table = await dialog.write(await tables.create(path, dialog.schema, dialog.options));
        const result = await expectRows(tables, path, dialog.rows);
        expect(sparkColumns(result)).toEqual(shownColumns(table.schema));
        const [detail] = (await tables.sql(path, 'DESCRIBE DETAIL T')).rows;
        expect(detail).toMatchObject({
          tableFeatures: [...dialog.features].sort(),
          partitionColumns: table.metadata.partitionColumns,
          clusteringColumns: dialog.options?.clusterBy ?? [],
          properties: dialog.options?.properties ?? {},
        });
      });

      it('and changes it, and we read that', async () => {
        await tables.sql(path, ...dialog.spark);
        await expectRows(tables, path, dialog.after);
      });

      it('and reads our checkpoint after further commits of ours', async () => {
        const rows = dialog.after.filter(({ id }) => id !== 1);
        const last = { id: 90, ...dialog.last };
        await expectCheckpointed(path, last, [...rows, last], dialog.deltaRs);
      });
    });

    describe.each(sparkMade)('made by Spark: $name', (made) => {
      const path = tables.newPath();
      it('we read it', async () => {
        await tables.sql(path, `CREATE TABLE T ${made.create}`);
        await tables.sql(path, ...made.statements);
        await expectRows(tables, path, made.rows);
      });

      it('and Spark reads our checkpoint after commits of ours', async () => {
        const rows = made.rows.filter(({ id }) => id !== 1);
        await expectCheckpointed(path, made.append, [...rows, made.appended ?? made.append], made.deltaRs);
      });
    });

    describe('rules of tables', () => ruleTests(tables));
    describe('tables of catalogs', () => managedTests(tables));

    /** We append, delete the row with `id` 1 and checkpoint: then all read the rows, with that checkpoint only. */
    async function expectCheckpointed(
      path: string,
      append: SparkRow,
      rows: readonly SparkRow[],
      byDeltaRs = false,
    ): Promise<void> {
      const table = await tables.open(path);
      await table.append([append]);
      await table.delete('id = 1');
      await table.checkpoint();
      const copy = tables.onlyCheckpoint(path, table.version);
      await expectRows(tables, copy, rows);
      if (!byDeltaRs || !('run' in python)) return;
      expect(sorted((await python.run('read', copy)).rows)).toEqual(complete(table, rows));
    }
  },
);
