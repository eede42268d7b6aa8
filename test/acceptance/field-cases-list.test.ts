/** `test/field-cases.md` has every case of the groups that it is for, and names tests that are there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';

const GROUPS = [
  'log replay',
  'checkpoint',
  'schema/column mapping',
  'stats & skipping',
  'partition values & paths',
  'deletion vectors',
  'parquet decoding',
  'arrow-js interop',
  'commit/conflict/transaction',
  'S3/browser/CORS/storage',
  'catalog-managed/UC',
];

const tests = fileURLToPath(new URL('..', import.meta.url));
const rows = readFileSync(join(tests, 'field-cases.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]{2}-\d+ /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, id, file, test]) => ({ id: id!, file: file!, test: test! }));
const shared = sharedDir();

describe.skipIf(shared === undefined)(
  `cases from the field${shared === undefined ? `: ${sharedMissing}` : ''}`,
  () => {
    it('are all listed', () => {
      const text = readFileSync(join(shared!, 'design/field-cases.md'), 'utf8');
      const sections = text.split(/^## /m).filter((section) => GROUPS.includes(section.split('\n', 1)[0]!));
      expect(sections).toHaveLength(GROUPS.length);
      const ids = sections.flatMap((section) =>
        [...section.matchAll(/^\| ([A-Z]{2}-\d+) /gm)].map((match) => match[1]!),
      );
      expect(ids.length).toBeGreaterThan(80);
      const listed = rows.map(({ id }) => id);
      expect(ids.filter((id) => !listed.includes(id))).toEqual([]);
    });
  },
);

it('each row names a test that is there, or says why there is none', () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  for (const { id, file, test } of rows) {
    expect(test, id).not.toBe('');
    if (file === '') continue;
    const path = join(tests, file);
    expect(existsSync(path), `${id}: ${file}`).toBe(true);
    expect(readFileSync(path, 'utf8').includes(test), `${id}: ${test} in ${file}`).toBe(true);
  }
});
