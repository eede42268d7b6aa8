/**
 * A table that was made and written through a catalog, and published, read by delta-rs.
 *
 * delta-rs knows no catalogs: it must not read such a table by its path (`PROTOCOL.md`, "Catalog-managed tables"), and
 * says so. It refuses the feature `vacuumProtocolCheck` as well, which only concerns those who vacuum. With both taken out
 * of version 0 it reads what was published.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { publishedTable, withoutFeatures } from '../helpers/published-table.ts';
import { deltaRs } from '../interop/python.ts';

const python = await deltaRs();
const missing = 'missing' in python ? python.missing : undefined;

describe.skipIf(missing !== undefined)(
  `delta-rs${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'published-'));
    afterAll(() => rm(folder, { recursive: true, force: true }));
    const read = (path: string) => ('run' in python ? python.run('read', path) : Promise.reject());

    it('refuses a table of a catalog by its path', async () => {
      const { path } = await publishedTable(join(folder, 'refused'));
      await expect(read(path)).rejects.toThrow(/catalog/i);
    });

    it('reads the published files', async () => {
      const { path, rows } = await publishedTable(join(folder, 'read'));
      await withoutFeatures(path, ['catalogManaged', 'vacuumProtocolCheck']);
      const found = await read(path);
      expect(found.version).toBe(4);
      expect([...found.rows].sort((a, b) => Number(a.id) - Number(b.id))).toEqual(rows);
      const counts = found.actions.map((action) => Number(action.num_records));
      expect(counts.sort()).toEqual([1, 2]);
    });
  },
);
