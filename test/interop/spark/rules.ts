/** What tables ask of writers, and what they keep about their commits: Spark and we hold each other to it. */
import { expect, it } from 'vitest';
import { field, METADATA_KEYS, types } from '../../../src/kernel/schema/types.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { numbered } from './dialog.ts';
import { expectRows } from './expectations.ts';
import { exactJson, sorted } from './rows.ts';
import type { SparkRow } from './session.ts';
import type { SparkTables } from './tables.ts';

const plain = types.struct([field('id', types.long), field('k', types.string)]);

export function ruleTests(tables: SparkTables): void {
  it('constraints of ours bind Spark, and its bind us', async () => {
    const path = tables.newPath();
    const schema = types.struct([field('id', types.long), field('k', types.string, { nullable: false })]);
    const properties = { 'delta.constraints.positive': 'id > 0' };
    const table = await tables.create(path, schema, { properties });
    await table.append([{ id: 1, k: 'a' }]);
    await expect(tables.sql(path, "INSERT INTO T VALUES (0, 'a')")).rejects.toMatchObject({
      name: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES',
    });
    await expect(tables.sql(path, 'INSERT INTO T VALUES (2, NULL)')).rejects.toMatchObject({
      name: 'DELTA_NOT_NULL_CONSTRAINT_VIOLATED',
    });
    await tables.sql(path, "ALTER TABLE T ADD CONSTRAINT early CHECK (k < 'm')");
    // The table as it was before: what it appends is checked anew.
    await expect(table.append([{ id: 2, k: 'z' }])).rejects.toMatchObject({ code: 'ConstraintViolation' });
    await table.append([{ id: 3, k: 'b' }]);
    await expectRows(tables, path, [
      { id: 1, k: 'a' },
      { id: 3, k: 'b' },
    ]);
  });

  it('defaults and generated columns', async () => {
    const path = tables.newPath();
    const schema = types.struct([
      field('id', types.long),
      field('k', types.string, { metadata: { [METADATA_KEYS.currentDefault]: "'none'" } }),
      field('g', types.string, { metadata: { [METADATA_KEYS.generationExpression]: 'CAST(id AS STRING)' } }),
    ]);
    const table = await tables.create(path, schema);
    await table.append([{ id: 1 }]);
    await tables.sql(path, 'INSERT INTO T (id) VALUES (2)', "ALTER TABLE T ALTER COLUMN k SET DEFAULT 'new'");
    await expect(tables.sql(path, "INSERT INTO T VALUES (3, 'x', 'wrong')")).rejects.toMatchObject({
      name: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES',
    });
    await (await tables.open(path)).append([{ id: 4 }]);
    await expectRows(tables, path, [
      { id: 1, k: 'none', g: '1' },
      { id: 2, k: 'none', g: '2' },
      { id: 4, k: 'new', g: '4' },
    ]);
  });

  it.each(['true', 'false'])('the change feed, deletion vectors: %s', async (vectors) => {
    const path = tables.newPath();
    const table = await tables.create(path, plain, {
      properties: { 'delta.enableChangeDataFeed': 'true', 'delta.enableDeletionVectors': vectors },
    });
    await table.append(numbered(4));
    await table.delete('id = 2');
    await tables.sql(path, "UPDATE T SET k = 'u' WHERE id = 3", 'DELETE FROM T WHERE id = 4');
    const change = (version: number, kind: string, id: number, k: string | null = null): SparkRow => {
      return { id, k, _change_type: kind, _commit_version: version };
    };
    const expected = sorted([
      ...[1, 2, 3, 4].map((id) => change(1, 'insert', id)),
      change(2, 'delete', 2),
      change(3, 'update_preimage', 3),
      change(3, 'update_postimage', 3, 'u'),
      change(4, 'delete', 4),
    ]);
    const columns = 'id, k, _change_type, _commit_version';
    const theirs = await tables.sql(path, `SELECT ${columns} FROM table_changes_by_path('${path}', 0)`);
    expect(sorted(theirs.rows)).toEqual(expected);
    const changes: unknown[] = [];
    for await (const batch of (await tables.open(path)).changes({ start: 0 })) {
      for (const { _commit_timestamp, ...row } of batch.toArray().map((row) => row.toJSON())) {
        changes.push({ ...row, id: Number(row.id), _commit_version: Number(row._commit_version) });
      }
    }
    expect(sorted(changes)).toEqual(expected);
  });

  it('row ids stay through changes of both', async () => {
    const path = tables.newPath();
    const table = await tables.create(path, plain, { properties: { 'delta.enableRowTracking': 'true' } });
    await table.append(numbered(3));
    await table.append([{ id: 4 }]);
    await table.delete('id = 1');
    await tables.sql(path, "UPDATE T SET k = 'u' WHERE id = 2");
    await (await tables.open(path)).delete('id = 4');
    await tables.sql(path, 'INSERT INTO T VALUES (5, NULL)');
    const newest = await tables.open(path);
    const metadataColumns = { rowId: 'row', rowCommitVersion: 'version' };
    const ours = (await rowTexts(newest, { columns: ['id'], metadataColumns })).map(exactJson);
    const metadata = '_metadata.row_id AS row, _metadata.row_commit_version AS version';
    const theirs = await tables.sql(path, `SELECT id, ${metadata} FROM T`);
    expect(sorted(ours)).toEqual(sorted(theirs.rows));
    const known = theirs.rows.filter(({ id }) => id !== 5);
    expect(sorted(known)).toEqual(
      sorted([
        { id: 2, row: 1, version: 4 },
        { id: 3, row: 2, version: 1 },
      ]),
    );
    const added = theirs.rows.find(({ id }) => id === 5);
    expect(Number(added!.row)).toBeGreaterThan(3);
  });

  it('commit times, and tables as they were', async () => {
    const path = tables.newPath();
    const properties = { 'delta.enableInCommitTimestamps': 'true' };
    const table = await tables.create(path, plain, { properties });
    await table.append([{ id: 1 }]);
    await tables.sql(path, 'INSERT INTO T VALUES (2, NULL)');
    const newest = await tables.open(path);
    await newest.append([{ id: 3 }]);
    const ours = await newest.history();
    const theirs = (await tables.sql(path, 'DESCRIBE HISTORY T')).rows;
    expect(theirs.map(({ version, operation }) => [version, operation])).toEqual(
      ours.map(({ version, operation }) => [version, operation]),
    );
    expect(theirs.map(({ timestamp }) => Date.parse(String(timestamp)))).toEqual(
      ours.map(({ timestamp }) => timestamp),
    );
    const at = theirs.find(({ version }) => version === 2)!.timestamp;
    const then = await tables.sql(path, `SELECT id FROM T TIMESTAMP AS OF '${at}'`);
    expect(then.rows.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('Spark reads what our vacuum leaves, and we what its leaves', async () => {
    const path = tables.newPath();
    const properties = { 'delta.enableDeletionVectors': 'true' };
    const table = await tables.create(path, plain, { properties });
    await table.append(numbered(3));
    await table.append(numbered(6).slice(3));
    await table.delete('id = 1');
    await table.delete('id >= 4');
    const { files } = await table.vacuum({ retainHours: 0, allowShortRetention: true });
    expect(files.length).toBe(1);
    await tables.sql(path, 'DELETE FROM T WHERE id = 2');
    await expectRows(tables, path, [{ id: 3 }]);
    await tables.sql(path, 'VACUUM T RETAIN 0 HOURS');
    await expectRows(tables, path, [{ id: 3 }]);
  });
}
