/** Statistics of single files as JSON, as far as writers must look into them. */
import { parse, stringify } from 'lossless-json';
import { DeltaError } from '../../errors.ts';
import { asSafeInteger, isObject, type JsonObject, parseJsonObject } from '../log/json.ts';

/** The statistics of a file; `StatsValidation` where they are given and no JSON object. */
export function parseStats(stats: string | undefined, path: string): JsonObject | undefined {
  if (stats === undefined) return undefined;
  const parsed = parseJsonObject(stats);
  if (parsed !== undefined) return parsed;
  throw new DeltaError('StatsValidation', `the statistics of ${path} are no JSON object`, { path });
}

/** Rows of the file, undefined where its statistics do not say. */
export function numRecordsOf(stats: JsonObject | undefined): number | undefined {
  const numRecords = asSafeInteger(stats?.numRecords);
  return numRecords !== undefined && numRecords >= 0 ? numRecords : undefined;
}

/** Rows of the file; `StatsValidation` where its statistics do not say. */
export function requireNumRecords(stats: string | undefined, path: string, why: string): number {
  const numRecords = numRecordsOf(parseStats(stats, path));
  if (numRecords !== undefined) return numRecords;
  throw new DeltaError('StatsValidation', `the file ${path} has no numRecords in its statistics: ${why}`, {
    path,
  });
}

/** `PROTOCOL.md`, "Per-file Statistics": with a deletion vector bounds are those of the file, not of its live rows. */
export function withWideBounds(stats: string): string {
  return stringify({ ...(parse(stats) as object), tightBounds: false })!;
}

/**
 * Throws `StatsValidation` where a clustering column (physical path) has no null count, or no bounds though not all
 * its values are null (`PROTOCOL.md`, "Clustered Table").
 */
export function checkClusteringStats(
  stats: string | undefined,
  path: string,
  columns: readonly (readonly string[])[],
): void {
  const parsed = parseStats(stats, path) ?? {};
  for (const column of columns) {
    const nullCount = asSafeInteger(valueAt(parsed.nullCount, column));
    const isAllNull = nullCount !== undefined && nullCount === numRecordsOf(parsed);
    const hasBounds = [parsed.minValues, parsed.maxValues].every(
      (each) => valueAt(each, column) !== undefined,
    );
    if (nullCount !== undefined && (isAllNull || hasBounds)) continue;
    const name = column.join('.');
    throw new DeltaError(
      'StatsValidation',
      `the file ${path} has no statistics of ${name}, which the table is clustered by`,
      { path, column: name, feature: 'clustering' },
    );
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) current = isObject(current) ? current[name] : undefined;
  return current ?? undefined;
}
