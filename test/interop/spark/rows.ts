/** Rows of several engines in one form. */
import { parse } from 'lossless-json';
import type { DeltaTable } from '../../../src/table/delta-table.ts';
import { rowTexts } from '../../helpers/rows.ts';

/** JSON with whole numbers past 2^53 as text, others as numbers. */
export function exactJson(text: string): unknown {
  return parse(text, undefined, (digits) => {
    const number = Number(digits);
    return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? digits : number;
  });
}

/** All rows as we read them. */
export async function ourRows(table: DeltaTable): Promise<Record<string, unknown>[]> {
  return (await rowTexts(table)).map((text) => exactJson(text) as Record<string, unknown>);
}

/** In an order that does not depend on who read them. */
export function sorted<T>(rows: readonly T[]): T[] {
  return rows
    .map((row) => [JSON.stringify(ordered(row)), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, ordered(item)]));
}
