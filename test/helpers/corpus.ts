/** Tables of the shared corpus, and rows in a form in which two readers' output can be compared. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isLosslessNumber, parse } from 'lossless-json';
import { sharedDir } from './shared.ts';

export interface CorpusTable {
  /** `<source>/<name>`. */
  readonly name: string;
  readonly dir: string;
  readonly url: string;
  /** Files of expected rows: version (undefined: the latest) to path. */
  readonly rows: readonly { readonly version: number | undefined; readonly path: string }[];
  /** Parquet files that hold all rows of the latest version. */
  readonly expected: readonly string[];
  /** What Spark said. */
  readonly source: string;
}

/** All tables, sorted by name; none where the corpus is absent. */
export function corpusTables(): CorpusTable[] {
  const shared = sharedDir();
  if (shared === undefined) return [];
  const root = join(shared, 'corpus', 'tables');
  return tableDirs(root).map((dir) => readTable(root, dir));
}

function tableDirs(dir: string): string[] {
  const names = readdirSync(dir).sort();
  if (names.includes('rows.source')) return [dir];
  return names
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isDirectory())
    .flatMap(tableDirs);
}

function readTable(root: string, dir: string): CorpusTable {
  const names = readdirSync(dir);
  const rows = names.flatMap((name) => {
    const match = /^rows(?:@(\d+))?\.ndjson$/.exec(name);
    if (match === null) return [];
    return [{ version: match[1] === undefined ? undefined : Number(match[1]), path: join(dir, name) }];
  });
  const expected = names.includes('expected') ? readdirSync(join(dir, 'expected')) : [];
  return {
    name: relative(root, dir),
    dir,
    url: `${pathToFileURL(join(dir, 'delta')).href}/`,
    rows,
    expected: expected.filter((name) => name.endsWith('.parquet')).map((name) => join(dir, 'expected', name)),
    source: readFileSync(join(dir, 'rows.source'), 'utf8'),
  };
}

/** Sorted rows with sorted keys, integers by their digits, other numbers to six digits, as `check_rows.py` has them. */
export function canonicalRows(ndjson: string): string[] {
  return ndjson
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.stringify(canonical(parse(line))))
    .sort();
}

function canonical(value: unknown): unknown {
  if (isLosslessNumber(value)) return canonicalNumber(value.toString());
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((key) => [key, canonical(fields[key])]),
  );
}

function canonicalNumber(text: string): { number: string } {
  if (/^-?\d+$/.test(text)) return { number: text };
  const rounded = Number(Number(text).toPrecision(6));
  return { number: Object.is(rounded, -0) ? '0' : String(rounded) };
}
