/** What the cases of `suite.ts` have in common: no test framework runs in a page or a Worker. */
import type * as Delta from '../../src/index.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';

/** All rows as JSON, sorted. */
export async function readRows(table: Delta.DeltaTable): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of table.scan()) {
    lines.push(
      ...rowsToNdjson(batch, table.schema)
        .split('\n')
        .filter((line) => line !== ''),
    );
  }
  return lines.sort();
}

/** Throws where two values are not the same, objects by their JSON. */
export function same(actual: unknown, expected: unknown): void {
  if (Object.is(actual, expected)) return;
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  const isObject = typeof actual === 'object' && !(actual instanceof Error);
  if (!isObject || a !== e) throw new Error(`got ${a ?? String(actual)}, expected ${e ?? String(expected)}`);
}
