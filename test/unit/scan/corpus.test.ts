/** Every readable table of the corpus, planned in other ways than in one go: the files must be the same. */
import { describe, expect, it } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import { canonicalPath } from '../../../src/kernel/paths.ts';
import { IncrementalScan } from '../../../src/kernel/scan/incremental.ts';
import { scanFilesFromJson, scanFilesToJson } from '../../../src/kernel/scan/saved-scan.ts';
import { Scan } from '../../../src/kernel/scan/scan.ts';
import type { ScanFile } from '../../../src/kernel/scan/scan-files.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { type CorpusTable, corpusTables } from '../../helpers/corpus.ts';
import { sharedMissing } from '../../helpers/shared.ts';
import { localEngine } from '../../helpers/test-engine.ts';

const engine = localEngine();
const tables = corpusTables();

async function open(table: CorpusTable, version?: number): Promise<Snapshot | undefined> {
  try {
    return await Snapshot.load(engine, table.url, { version });
  } catch (error) {
    // Tables that are made to be refused.
    if (isDeltaError(error)) return undefined;
    throw error;
  }
}

async function filesOf(scan: Scan): Promise<ScanFile[]> {
  const files: ScanFile[] = [];
  for await (const file of scan.files(engine)) files.push(file);
  return files;
}

async function inPages(scan: Scan, budget: { requests?: number; bytes?: number }): Promise<ScanFile[]> {
  const files: ScanFile[] = [];
  let token: string | undefined;
  do {
    const page = await scan.plan(engine, { budget, token });
    files.push(...page.files);
    token = page.token;
  } while (token !== undefined);
  return files;
}

const byPath = (files: readonly ScanFile[]) =>
  [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

describe.skipIf(tables.length === 0)(`plans${tables.length === 0 ? `: ${sharedMissing}` : ''}`, () => {
  for (const table of tables) {
    it(`${table.name}: pages, shards and a saved scan give the same files`, async () => {
      const snapshot = await open(table);
      if (snapshot === undefined || isRefused(snapshot)) return;
      const scan = snapshot.scan();
      const files = await filesOf(scan);
      expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
      expect(await inPages(scan, { requests: 1 })).toEqual(files);
      expect(await inPages(scan, { bytes: 1 })).toEqual(files);
      const restored = Scan.fromJSON(scan.toJSON());
      expect(await inPages(restored, {})).toEqual(files);
      expect(scanFilesFromJson(scanFilesToJson(files))).toEqual(files);
      const shards = await scan.shards(engine, { count: 3 });
      const parts = [...shards.files];
      for (const token of shards.tokens) {
        const page = await restored.plan(engine, { token });
        expect(page.token).toBeUndefined();
        parts.push(...page.files);
      }
      expect(byPath(parts)).toEqual(byPath(files));
    });

    it(`${table.name}: files of each version are the last one's and the commit's`, async () => {
      const latest = await open(table);
      if (latest === undefined || isRefused(latest)) return;
      const first = (latest.logSegment.checkpointVersion ?? 0) + 1;
      for (const { version } of latest.logSegment.commits.filter((commit) => commit.version >= first)) {
        const [base, target] = [await open(table, version - 1), await open(table, version)];
        if (base === undefined || target === undefined) continue;
        const scan = IncrementalScan.between(base, target);
        if (scan === undefined) continue;
        const { added, removed } = await scan.read(engine);
        const before = new Map((await filesOf(base.scan())).map((file) => [keyOf(file), file]));
        for (const { path, deletionVectorId } of removed) {
          before.delete([path, deletionVectorId].join('\0'));
        }
        for (const file of added) before.set(keyOf(file), file);
        const after = await filesOf(target.scan());
        expect([...before.keys()].sort()).toEqual(after.map(keyOf).sort());
      }
    });
  }
});

function keyOf({ path, deletionVector: dv }: ScanFile): string {
  const id = dv && `${dv.storageType}${dv.pathOrInlineDv}${dv.offset === undefined ? '' : `@${dv.offset}`}`;
  return [canonicalPath(path), id].join('\0');
}

/** A table with a type change that `PROTOCOL.md` does not list; Spark refuses it as well. */
function isRefused(snapshot: Snapshot): boolean {
  if (!snapshot.tableRoot.pathname.endsWith('/kernel/type-widening/delta/')) return false;
  expect(() => snapshot.scan()).toThrow(
    expect.objectContaining({ code: 'Unsupported', column: 'byte_decimal', version: snapshot.version }),
  );
  return true;
}

/** Kept files as `corpus/README.md` and the tables' own statistics give them. */
describe.skipIf(tables.length === 0)('skipping in tables of other engines', () => {
  it.each([
    // Six files of 100 rows: id 1 to 100, 101 to 200 and so on; four of them in a checkpoint with parsed statistics.
    ['kernel/parsed-stats', 'id > 550', 1],
    ['kernel/parsed-stats', 'id = 250', 1],
    ['kernel/parsed-stats', 'id <= 100', 1],
    ['kernel/parsed-stats', 'id >= 100', 6],
    ['kernel/parsed-stats', 'id < 150 OR id > 550', 3],
    ['kernel/parsed-stats', 'id > 600', 0],
    ['kernel/parsed-stats', 'id IS NULL', 0],
    ['kernel/parsed-stats', 'id IS NOT NULL', 6],
    ['kernel/parsed-stats', 'NOT (id > 100)', 1],
    ['kernel/parsed-stats', "name = 'zzz'", 0],
    // One file per row: letter a, b, c, a, e, NULL and number 1 to 6.
    ['kernel/basic_partitioned', "letter = 'a'", 2],
    ['kernel/basic_partitioned', "LETTER = 'a' AND number > 2", 1],
    ['kernel/basic_partitioned', 'letter IS NULL', 1],
    ['kernel/basic_partitioned', "letter <> 'a'", 3],
    ['kernel/basic_partitioned', "letter IN ('a', 'e') OR number = 6", 4],
    ['kernel/basic_partitioned', '1 = 2', 0],
    ['kernel/basic_partitioned', "letter = 'a' OR number > 100", 2],
    // Bounds of floats may leave out NaN, which is greater than every number.
    ['kernel/basic_partitioned', "letter = 'a' OR a_float > 100", 6],
    ['kernel/basic_partitioned', 'a_float < 2', 1],
  ])('%s WHERE %s reads %i files', async (name, where, kept) => {
    const snapshot = await open(tables.find((table) => table.name === name)!);
    const scan = snapshot!.scan({ predicate: parsePredicate(where) });
    const files = await filesOf(scan);
    expect(files).toHaveLength(kept);
    const explanation = scan.explain(engine);
    const verdicts: boolean[] = [];
    for await (const { kept: isKept, reason } of explanation) {
      verdicts.push(isKept);
      expect(reason === undefined).toBe(isKept);
    }
    expect(verdicts.filter(Boolean)).toHaveLength(kept);
    expect(explanation.totals.kept.files).toBe(kept);
    expect(explanation.totals.kept.files + explanation.totals.skipped.files).toBe(verdicts.length);
    expect(await inPages(scan, { requests: 1 })).toEqual(files);
  });
});
