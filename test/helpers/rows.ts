/** Rows of a table as the command line prints them, for comparisons. */
import { parse } from 'lossless-json';
import type { DeltaTable, ScanOptions } from '../../src/table/delta-table.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';

/** One JSON text per row, in file order. */
export async function rowTexts(table: DeltaTable, options: ScanOptions = {}): Promise<string[]> {
  const scan = table.scan(options);
  const lines: string[] = [];
  for await (const batch of scan) lines.push(...rowsToNdjson(batch, scan.schema).split('\n').slice(0, -1));
  return lines;
}

/** The lines of a commit as objects of one action each; numbers as lossless-json reads them. */
export function actionsOf(text: string): Record<string, Record<string, unknown>>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => parse(line) as Record<string, Record<string, unknown>>);
}
