/** Which rows of which files a predicate selects. */
import type { CallOptions, Engine, PredicateEvaluator } from '../../kernel/engine.ts';
import type { EngineData } from '../../kernel/engine-data.ts';
import type { Predicate } from '../../kernel/expressions/types.ts';
import { referencedColumns } from '../../kernel/expressions/visit.ts';
import type { Scan } from '../../kernel/scan/scan.ts';
import { dataFileMeta, type ScanFile } from '../../kernel/scan/scan-files.ts';
import { relaxedSchema } from '../../kernel/scan/scan-schema.ts';
import type { StructType } from '../../kernel/schema/types.ts';
import type { SnapshotState } from '../../kernel/snapshot/state.ts';
import type { WriteTarget } from './commit.ts';

/** A live file of which some rows are selected. */
export interface FileMatch {
  readonly file: ScanFile;
  /** Positions of the selected rows that were not deleted before, ascending. */
  readonly rows: readonly number[];
  /** Rows of the file, deleted ones too, as its footer says. */
  readonly physicalRows: number;
  /** No other live rows are in the file. */
  readonly isWhole: boolean;
}

/**
 * Reads the columns that the predicate names of every file that may match.
 * @param files a scan with the predicate, which the transaction declares as read.
 * @param predicate bound to the table's schema.
 */
export async function matchFiles(
  { engine, snapshot }: WriteTarget,
  files: Scan,
  predicate: Predicate,
  { signal }: CallOptions,
): Promise<FileMatch[]> {
  const rowIndex = unusedName(snapshot.schema);
  const columns = [...new Set(referencedColumns(predicate).map(([name]) => name!))].map((name) => [name]);
  const rows = snapshot.scan({ columns, metadataColumns: { rowIndex }, predicate });
  const test = rowTest(engine, rows.logicalSchema, predicate);
  const matches: FileMatch[] = [];
  for await (const file of files.files(engine, { signal })) {
    const selected: number[] = [];
    for await (const batch of rows.readFiles(engine, [file], { signal })) {
      const index = batch.column([rowIndex])!;
      const isMatch = await test(batch);
      for (let row = 0; row < batch.length; row += 1) if (isMatch(row)) selected.push(index.getNumber(row)!);
    }
    if (selected.length > 0) matches.push(await matchOf(engine, snapshot, file, selected, signal));
  }
  return matches;
}

/** Counts come from the footer: statistics of other writers are not to be trusted with rows. */
async function matchOf(
  engine: Engine,
  { tableRoot }: SnapshotState,
  file: ScanFile,
  rows: readonly number[],
  signal: AbortSignal | undefined,
): Promise<FileMatch> {
  const footer = await engine.parquetHandler.readParquetFooter(dataFileMeta(tableRoot, file), { signal });
  const live = footer.numRows - (file.deletionVector?.cardinality ?? 0);
  return { file, rows, physicalRows: footer.numRows, isWhole: rows.length === live };
}

/** A test of batches under a logical schema: only true selects. */
export function rowTest(
  engine: Engine,
  schema: StructType,
  predicate: Predicate,
): (batch: EngineData) => Promise<(row: number) => boolean> {
  const evaluator: PredicateEvaluator = engine.evaluationHandler.newPredicateEvaluator(
    relaxedSchema(schema),
    predicate,
  );
  return async (batch) => {
    const output = (await evaluator.evaluate(batch)).column(['output'])!;
    return (row) => output.getBoolean(row) === true;
  };
}

/** A name that no column has. */
export function unusedName(schema: StructType, wanted = '_row_index'): string {
  const taken = new Set(schema.fields.map(({ name }) => name.toLowerCase()));
  let name = wanted;
  while (taken.has(name)) name = `_${name}`;
  return name;
}
