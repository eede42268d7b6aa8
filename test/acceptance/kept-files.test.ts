/**
 * How many files a predicate leaves, worked out by hand from the statistics that the log of each table holds
 * (quoted in short), and of how many rows of row groups from the rows that Spark read.
 */
import { describe, expect, it } from 'vitest';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { corpusTables } from '../helpers/corpus.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';

const engine = localEngine();
const tables = corpusTables();

async function scanOf(name: string, where: string) {
  const { url } = tables.find((table) => table.name === name)!;
  return (await Snapshot.load(engine, url)).scan({ predicate: parsePredicate(where) });
}

async function keptFiles(name: string, where: string): Promise<number> {
  const explanation = (await scanOf(name, where)).explain(engine);
  let kept = 0;
  for await (const file of explanation) {
    if (file.kept) kept += 1;
    // Whoever asks why gets an answer.
    else expect(file.reason).toBeDefined();
  }
  let files = 0;
  for await (const _ of (await scanOf(name, where)).files(engine)) files += 1;
  expect(files).toBe(kept);
  return kept;
}

const skipped = tables.length === 0;

/** One file of one row; every column has min = max = 0 (the date 2000-01-01, 08:00 UTC) and no null. */
describe
  .skipIf(skipped)
  .each([
    'golden/data-skipping-basic-stats-all-types',
    'golden/data-skipping-basic-stats-all-types-columnmapping-name',
  ])(`%s${skipped ? `: ${sharedMissing}` : ''}`, (name) => {
  it.each(['as_int', 'as_long', 'as_byte', 'as_short', 'as_big_decimal'])('%s', async (column) => {
    for (const test of [
      '= 0',
      '<= 0',
      '>= 0',
      '< 1',
      '> -1',
      '<> 1',
      'IN (0, 5)',
      'BETWEEN -2 AND 2',
      'IS NOT NULL',
    ]) {
      expect([test, await keptFiles(name, `${column} ${test}`)]).toEqual([test, 1]);
    }
    for (const test of [
      '= 1',
      '< 0',
      '> 0',
      '<= -1',
      '>= 1',
      '<> 0',
      'IN (1, 5)',
      'BETWEEN 1 AND 2',
      'IS NULL',
    ]) {
      expect([test, await keptFiles(name, `${column} ${test}`)]).toEqual([test, 0]);
    }
  });

  it.each(['as_float', 'as_double'])('%s, which may hold a NaN beside its bounds', async (column) => {
    for (const test of ['= 0', '<= 0', '> 0', '>= 1', '<> 0', "= CAST('NaN' AS double)", 'IS NOT NULL']) {
      expect([test, await keptFiles(name, `${column} ${test}`)]).toEqual([test, 1]);
    }
    for (const test of ['= 1', '< 0', '<= -1', 'IN (1, 2)', 'IS NULL']) {
      expect([test, await keptFiles(name, `${column} ${test}`)]).toEqual([test, 0]);
    }
  });

  it.each([
    ["as_string = '0'", 1],
    ["as_string < '1'", 1],
    ["as_string LIKE '0%'", 1],
    ["as_string = '1'", 0],
    ["as_string < '0'", 0],
    ["as_string LIKE 'a%'", 0],
    ["as_date = DATE '2000-01-01'", 1],
    ["as_date > DATE '1999-12-31'", 1],
    ["as_date < DATE '2000-01-01'", 0],
    ["as_date = DATE '2000-01-02'", 0],
    ["as_timestamp = TIMESTAMP '2000-01-01 08:00:00Z'", 1],
    // Bounds of timestamps are cut to milliseconds.
    ["as_timestamp > TIMESTAMP '2000-01-01 08:00:00.0005Z'", 1],
    ["as_timestamp = TIMESTAMP '2000-01-01 08:00:00.000999Z'", 1],
    ["as_timestamp > TIMESTAMP '2000-01-01 08:00:00.001Z'", 0],
    ["as_timestamp < TIMESTAMP '2000-01-01 08:00:00Z'", 0],
    ['as_int = 0 AND as_long = 1', 0],
    ['as_int = 1 OR as_long = 0', 1],
    ['NOT (as_int = 0)', 0],
    ['NOT (as_int = 1 AND as_long = 1)', 1],
    ['as_int = as_long', 1],
  ])('%s: %i', async (where, kept) => {
    expect(await keptFiles(name, where)).toBe(kept);
  });
});

describe.skipIf(skipped)('tables with several files', () => {
  it.each([
    // Three files of one row (0, 0): statistics of both columns, of col1, of none.
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 = 0', 3],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 = 1', 1],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col2 = 1', 2],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 = 1 AND col2 = 1', 1],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 = 0 AND col2 = 1', 2],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 = 1 OR col2 = 1', 2],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 IS NULL', 1],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col2 IS NULL', 2],
    ['golden/data-skipping-change-stats-collected-across-versions', 'col1 IS NOT NULL', 3],
    // part=0: id 0 to 12, value-0 to value-9, n all null. part=1: id 1 to 13, value-1 to value-7, n 'non-null'.
    // part=2: id 2 to 14, value-11 to value-8, n 'non-null-mix' and 3 nulls of 5.
    ['kernel/mixed-nulls', 'n IS NULL', 2],
    ['kernel/mixed-nulls', 'n IS NOT NULL', 2],
    ['kernel/mixed-nulls', "n = 'non-null'", 1],
    ['kernel/mixed-nulls', "n > 'a'", 2],
    ['kernel/mixed-nulls', 'n <=> NULL', 2],
    ['kernel/mixed-nulls', 'part = 1', 1],
    ['kernel/mixed-nulls', 'part > 0', 2],
    ['kernel/mixed-nulls', 'part IS NULL', 0],
    ['kernel/mixed-nulls', 'id < 2', 2],
    ['kernel/mixed-nulls', 'id > 13', 1],
    ['kernel/mixed-nulls', "value = 'value-8'", 2],
    ['kernel/mixed-nulls', 'id > 13 AND n IS NULL', 1],
    ['kernel/mixed-nulls', 'part = 0 OR n IS NOT NULL', 3],
    // One file per row: letter a, b, c, a, e, NULL with number 1 to 6 and a_float 1.1 to 6.6.
    ['kernel/basic_partitioned', "letter = 'a'", 2],
    ['kernel/basic_partitioned', "letter = 'a' AND number > 2", 1],
    ['kernel/basic_partitioned', 'letter IS NULL', 1],
    ['kernel/basic_partitioned', "letter <> 'a'", 3],
    ['kernel/basic_partitioned', "letter > 'a' OR letter IS NULL", 4],
    ['kernel/basic_partitioned', 'number BETWEEN 2 AND 4', 3],
    ['kernel/basic_partitioned', 'number > 6', 0],
    ['kernel/basic_partitioned', 'a_float < 2.5', 2],
    // Six files of 100 rows, id 1 to 100 and so on, four of them in a checkpoint with parsed statistics.
    ['kernel/parsed-stats', 'id > 550', 1],
    ['kernel/parsed-stats', 'id <= 100', 1],
    ['kernel/parsed-stats', 'id >= 100', 6],
    ['kernel/parsed-stats', 'id > 600', 0],
    ['kernel/parsed-stats', 'id < 150 OR id > 550', 3],
    ['kernel/parsed-stats', 'id IN (50, 350, 1000)', 2],
  ])('%s WHERE %s keeps %i', async (name, where, kept) => {
    expect(await keptFiles(name, where)).toBe(kept);
  });
});

/** One file of one row group of 5 rows, of which the log says nothing but their number. */
describe.skipIf(skipped)('row groups of kernel/parquet_row_group_skipping', () => {
  it.each([
    ['numeric.ints.int8 > 4', 0],
    ['numeric.ints.int8 >= 4', 5],
    ['numeric.ints.int16 < 1000', 0],
    ['numeric.ints.int16 <= 1000', 5],
    ['numeric.ints.int32 = 999999', 0],
    ['numeric.ints.int32 = 1000002', 5],
    ['numeric.ints.int64 > 1000000004', 0],
    ['numeric.ints.int64 IN (5, 1000000004)', 5],
    ['numeric.floats.float32 < 139', 0],
    ['numeric.floats.float32 <= 139', 5],
    ['numeric.floats.float64 = 1146.5', 0],
    // A NaN may be there that footers do not count.
    ['numeric.floats.float64 > 2e15', 5],
    ['numeric.decimals.decimal32 > 15.032', 0],
    ['numeric.decimals.decimal32 > 15.031', 5],
    ['numeric.decimals.decimal64 < 11.064', 0],
    ['numeric.decimals.decimal64 <= 11.064', 5],
    ['numeric.decimals.decimal128 > 15.128', 0],
    ['numeric.decimals.decimal128 >= 15.128', 5],
    ["chrono.date32 < DATE '1971-01-01'", 0],
    ["chrono.date32 = DATE '1971-01-05'", 5],
    ["chrono.timestamp_ntz > TIMESTAMP_NTZ '1970-01-02 00:04:00'", 0],
    ["chrono.timestamp_ntz >= TIMESTAMP_NTZ '1970-01-02 00:04:00'", 5],
    ["varlen.utf8 > 'e'", 0],
    ["varlen.utf8 LIKE 'c%'", 5],
    ['bool IS NULL', 5],
    ['numeric.ints.int8 IS NULL', 0],
    ['missing IS NOT NULL', 0],
    ['missing = 5', 0],
    ['missing IS NULL', 5],
    ['numeric.ints.int8 > 4 OR bool', 5],
    ['numeric.ints.int8 > 4 AND bool', 0],
  ])('%s leaves %i rows to be looked at', async (where, rows) => {
    let read = 0;
    const scan = await scanOf('kernel/parquet_row_group_skipping', where);
    for await (const batch of scan.execute(engine)) read += batch.length;
    expect(read).toBe(rows);
  });
});
