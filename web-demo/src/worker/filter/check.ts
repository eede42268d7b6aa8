/** What is wrong with a filter while it is typed. */
import { type DeltaTable, ExpressionError, isDeltaError } from 'delta-kernel-web';
import type { FilterProblem } from '../protocol-data.ts';

/** Parses the filter and binds it to the table's columns. Undefined for a right one, and for none. */
export function filterProblem(table: DeltaTable, where: string): FilterProblem | undefined {
  if (where.trim() === '') return undefined;
  try {
    table.scan({ where });
    return undefined;
  } catch (error) {
    if (!isDeltaError(error)) throw error;
    const message = error.message.replace(/ \(at offset \d+\)$/, '');
    if (!(error instanceof ExpressionError) || error.span === undefined) return { message };
    const { start, end } = error.span;
    return { message, from: start, to: end };
  }
}
