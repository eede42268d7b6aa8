/**
 * Columnar batches as the kernel sees them. An engine brings its own representation (ours is Arrow); kernel code
 * reads it only through these interfaces, so no row objects exist on hot paths.
 */
import { DeltaError } from '../errors.ts';
import type { ScalarValue } from './expressions/types.ts';
import type { DataType, StructType } from './schema/types.ts';

/**
 * One bit of meaning per row: non-zero selects. A vector shorter than its batch selects the missing tail; a longer
 * one is an error (`InvalidSelectionVector`).
 */
export type SelectionVector = Uint8Array;

/** Read access to one (possibly nested) column; a row is null where the column or any struct above it is. */
export interface Column {
  readonly type: DataType;
  readonly length: number;
  isNull(row: number): boolean;
  /** The string at `row`, null where null. */
  getString(row: number): string | null;
  /** byte, short, integer, long, date or timestamp as a number; beyond ±(2^53 − 1) an error (`ParseError`). */
  getNumber(row: number): number | null;
  /** byte, short, integer, long, timestamp or decimal (unscaled), exact. */
  getBigInt(row: number): bigint | null;
  getBoolean(row: number): boolean | null;
  /** A map of strings to strings, in stored order; the last duplicate wins. */
  getStringMap(row: number): Map<string, string | null> | null;
  /** A value of any type: see {@link ScalarValue}. */
  getValue(row: number): ScalarValue;
}

/** An immutable columnar batch. */
export interface EngineData {
  readonly length: number;
  readonly schema: StructType;
  /** The column at a path of field names through structs, undefined where the schema has no such column. */
  column(path: readonly string[]): Column | undefined;
  /** This batch with the columns of `other` (same length) after its own. */
  appendColumns(other: EngineData): EngineData;
  /** The selected rows only, in order. */
  select(selection: SelectionVector): EngineData;
  /** Rows [start, end) without a copy. */
  slice(start: number, end: number): EngineData;
}

/** A batch and the rows of it that count. */
export interface FilteredEngineData {
  readonly data: EngineData;
  readonly selectionVector: SelectionVector;
}

/** Whether `row` is selected: rows beyond the end of a vector are. */
export function isSelected(selection: SelectionVector, row: number): boolean {
  return row >= selection.length || selection[row] !== 0;
}

/** Throws `InvalidSelectionVector` where the vector is longer than its batch. */
export function checkSelectionVector(selection: SelectionVector, length: number): void {
  if (selection.length > length) {
    throw new DeltaError(
      'InvalidSelectionVector',
      `selection vector of ${selection.length} rows for a batch of ${length}`,
    );
  }
}

/** A batch with all its rows selected. */
export function allSelected(data: EngineData): FilteredEngineData {
  return { data, selectionVector: new Uint8Array(0) };
}
