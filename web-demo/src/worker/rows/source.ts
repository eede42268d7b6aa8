/** Where rows come from: what can be read from its beginning, and again from any place that it has named. */
import type { EngineData, StructType } from 'delta-kernel-web';
import type { FilesRead } from '../protocol-data.ts';

/** A part of the source (a file, a version), and a position in it. */
export interface Place {
  readonly part: number;
  readonly row: number;
}

export const BEGINNING: Place = { part: 0, row: 0 };

export interface PlacedRows {
  /** At least one row; columns beyond those of the source's schema may follow. */
  readonly data: EngineData;
  /** Of the first row. */
  readonly at: Place;
}

/** How many rows each part has, where that is known without reading them. */
export interface PartSizes {
  readonly total: number;
  /** Number of the first row of a part. */
  startOf(part: number): number;
  /** Where the row of a number is to be looked for: a place at or before it, and the number of the row there. */
  find(row: number): { readonly row: number; readonly place: Place };
}

export interface RowSource {
  readonly schema: StructType;
  /** Rows from a place on. Aborting ends it. */
  read(from: Place, signal: AbortSignal): AsyncIterable<PlacedRows>;
  /** Undefined as long as nobody knows. */
  readonly sizes?: PartSizes | undefined;
  readonly files?: FilesRead | undefined;
}
