/**
 * Skipping never changes a result: every readable table of the corpus, read with random predicates, gives the rows
 * that the same predicates pick from all rows, one by one. Kernel scans without a filter never lose one of these.
 *
 * A run prints its seed; `PREDICATES_SEED=…` repeats it, `PREDICATES_PER_TABLE=…` widens it.
 */
import { describe, expect, it } from 'vitest';
import { isDeltaError } from '../../src/errors.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import { bindPredicate } from '../../src/kernel/expressions/bind.ts';
import { compilePredicate } from '../../src/kernel/expressions/evaluate.ts';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import type { ScanOptions } from '../../src/kernel/scan/scan-schema.ts';
import { types } from '../../src/kernel/schema/types.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { type CorpusTable, corpusTables } from '../helpers/corpus.ts';
import {
  leavesOf,
  Random,
  type RandomPredicate,
  type Row,
  randomPredicate,
} from '../helpers/random-predicates.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';

const SEED = Number(process.env.PREDICATES_SEED ?? Math.floor(Math.random() * 2 ** 32));
const PER_TABLE = Number(process.env.PREDICATES_PER_TABLE ?? 6);
/** Of larger tables, two columns are read, and one predicate is tried. */
const LARGE = 50_000;
const LARGE_COLUMNS = 2;
const LARGE_PREDICATES = 1;
/** Rows whose values predicates are made of. */
const SAMPLE = 200;

/** Statistics that do not fit the data: what a predicate gives then is not defined. */
const WRONG_STATISTICS: Readonly<Record<string, string>> = {
  'delta-rs/issue_1374': 'claims a least timestamp that a file has rows below',
  'kernel/parsed-stats': 'claims values of a column that its files lack',
};

const engine = localEngine();
const tables = corpusTables();
const tried: string[] = [];

describe.skipIf(tables.length === 0)(
  tables.length === 0 ? `random predicates: ${sharedMissing}` : `random predicates, PREDICATES_SEED=${SEED}`,
  () => {
    for (const [index, table] of tables.entries()) {
      if (table.name in WRONG_STATISTICS) continue;
      it(table.name, () => tryPredicates(table, new Random(SEED + index)));
    }

    it('were tried on most tables', () => {
      expect(tried.length).toBeGreaterThan(100);
    });
  },
);

async function tryPredicates(table: CorpusTable, random: Random): Promise<void> {
  const loaded = await loadRows(table);
  if (loaded === undefined || loaded.rows.length === 0) return;
  const { snapshot, columns, rows } = loaded;
  tried.push(table.name);
  const schema = types.struct(snapshot.schema.fields.filter(({ name }) => columns.includes(name)));
  const leaves = leavesOf(schema, rows.slice(0, SAMPLE));
  const count = rows.length > LARGE ? LARGE_PREDICATES : PER_TABLE;
  for (let run = 0; run < count; run += 1) {
    const predicate = randomPredicate(random, leaves);
    checkEvaluator(schema, predicate, rows.slice(0, SAMPLE));
    const wanted = loaded.keys.filter((_, index) => predicate.truth(rows[index]!) === true);
    const options = { columns: [], predicate: parsePredicate(predicate.text) };
    expectSame(predicate.text, await keysOf(snapshot, options, true), wanted);
    const kept = await keysOf(snapshot, options, false);
    expectSame(predicate.text, within(kept, wanted), wanted);
  }
}

/** The reference for single values agrees. */
function checkEvaluator(
  schema: Snapshot['schema'],
  { text, truth }: RandomPredicate,
  rows: readonly Row[],
): void {
  const evaluate = compilePredicate(schema, bindPredicate(parsePredicate(text), schema));
  for (const row of rows) {
    expect({ where: text, row, truth: evaluate(row) }).toEqual({ where: text, row, truth: truth(row) });
  }
}

/** Rows in the order of files and positions; what differs is shown, not all. */
function expectSame(where: string, got: readonly number[], wanted: readonly number[]): void {
  const isSame = got.length === wanted.length && got.every((key, index) => key === wanted[index]);
  if (isSame) return;
  const [have, want] = [new Set(got), new Set(wanted)];
  expect({
    where,
    rows: got.length,
    wrong: got.filter((key) => !want.has(key)).slice(0, 3),
    missing: wanted.filter((key) => !have.has(key)).slice(0, 3),
  }).toEqual({ where, rows: wanted.length, wrong: [], missing: [] });
  throw new Error(`${where}: the rows came in another order`);
}

/** What `kept` has of `wanted`, in its order. */
function within(kept: readonly number[], wanted: readonly number[]): number[] {
  const want = new Set(wanted);
  return kept.filter((key) => want.has(key));
}

interface Loaded {
  readonly snapshot: Snapshot;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** See {@link keysOf}. */
  readonly keys: readonly number[];
}

/** All rows of a table; undefined for one that is made to be refused, or is a log without its data. */
async function loadRows({ url }: CorpusTable): Promise<Loaded | undefined> {
  try {
    const snapshot = await Snapshot.load(engine, url);
    const names = snapshot.schema.fields.map(({ name }) => name);
    const keys = await keysOf(snapshot, { columns: [] }, false);
    const columns = keys.length > LARGE ? names.slice(0, LARGE_COLUMNS) : names;
    const rows: Row[] = [];
    for await (const batch of snapshot.scan({ columns }).execute(engine))
      rows.push(...rowsOf(batch, columns));
    return { snapshot, columns, rows, keys };
  } catch (error) {
    if (isDeltaError(error)) return undefined;
    throw error;
  }
}

function rowsOf(batch: EngineData, names: readonly string[]): Row[] {
  const columns = names.map((name) => batch.column([name])!);
  return Array.from({ length: batch.length }, (_, row) => columns.map((column) => column.getValue(row)));
}

/** Names of files as numbers. */
const fileNumbers = new Map<string, number>();
const ROWS_PER_FILE = 2 ** 24;

/** Which row each is: its file and its place there, as a number. */
async function keysOf(snapshot: Snapshot, options: ScanOptions, exact: boolean): Promise<number[]> {
  const keys: number[] = [];
  const metadataColumns = { filePath: '__file', rowIndex: '__row' };
  for await (const batch of snapshot.scan({ ...options, metadataColumns }).execute(engine, { exact })) {
    // Batches do not span files.
    const file = batch.column(['__file'])!.getString(0)!;
    if (!fileNumbers.has(file)) fileNumbers.set(file, fileNumbers.size);
    const base = fileNumbers.get(file)! * ROWS_PER_FILE;
    const rows = batch.column(['__row'])!;
    for (let row = 0; row < batch.length; row += 1) keys.push(base + rows.getNumber(row)!);
  }
  return keys;
}
