/** Counts over the live files of a version, as checksums have them (`PROTOCOL.md`, "Version Checksum File"). */
import { DeltaError } from '../../errors.ts';
import type { Column, EngineData, SelectionVector } from '../engine-data.ts';
import { isSelected } from '../engine-data.ts';
import type { FileSizeHistogram } from './histogram.ts';
import { countFile } from './histogram.ts';

/** Undefined counts are unknown: they stay unknown. */
export interface FileTotals {
  readonly numFiles: number;
  readonly sizeInBytes: number;
  readonly numDeletionVectors: number | undefined;
  readonly numDeletedRecords: number | undefined;
  readonly histogram: FileSizeHistogram | undefined;
}

/** Adds files to totals and takes them away. */
export class FileCounter {
  #numFiles: number;
  #sizeInBytes: number;
  #numDeletionVectors: number | undefined;
  #numDeletedRecords: number | undefined;
  readonly #histogram: FileSizeHistogram | undefined;

  /** @param histogram is changed. */
  constructor({ histogram, ...start }: FileTotals) {
    this.#numFiles = start.numFiles;
    this.#sizeInBytes = start.sizeInBytes;
    this.#numDeletionVectors = start.numDeletionVectors;
    this.#numDeletedRecords = start.numDeletedRecords;
    this.#histogram = histogram;
  }

  /**
   * Counts the selected rows of one action. Throws `ChecksumWriteUnsupported` for a file without a size.
   * @param sign 1: the files come; −1: they go.
   */
  count(data: EngineData, action: 'add' | 'remove', selection: SelectionVector, sign: 1 | -1): void {
    const size = data.column([action, 'size']);
    const vector = data.column([action, 'deletionVector', 'storageType']);
    const cardinality = data.column([action, 'deletionVector', 'cardinality']);
    for (let row = 0; row < data.length; row += 1) {
      if (!isSelected(selection, row)) continue;
      this.#countSize(sizeAt(size, row, data, action), sign);
      if (vector === undefined || vector.isNull(row)) continue;
      this.#countVector(cardinality?.getNumber(row) ?? null, sign);
    }
  }

  #countSize(size: number, sign: 1 | -1): void {
    this.#numFiles += sign;
    this.#sizeInBytes += sign * size;
    if (this.#histogram !== undefined) countFile(this.#histogram, size, sign);
  }

  #countVector(cardinality: number | null, sign: 1 | -1): void {
    if (this.#numDeletionVectors !== undefined) this.#numDeletionVectors += sign;
    if (this.#numDeletedRecords === undefined) return;
    this.#numDeletedRecords = cardinality === null ? undefined : this.#numDeletedRecords + sign * cardinality;
  }

  /** Undefined where they cannot be true: what was started from was wrong. */
  get totals(): FileTotals | undefined {
    const totals = {
      numFiles: this.#numFiles,
      sizeInBytes: this.#sizeInBytes,
      numDeletionVectors: this.#numDeletionVectors,
      numDeletedRecords: this.#numDeletedRecords,
      histogram: this.#histogram,
    };
    const { numFiles, sizeInBytes, numDeletionVectors = 0, numDeletedRecords = 0 } = totals;
    const counts = [numFiles, sizeInBytes, numDeletionVectors, numDeletedRecords];
    const histogram = [...(this.#histogram?.fileCounts ?? []), ...(this.#histogram?.totalBytes ?? [])];
    return [...counts, ...histogram].every((count) => Number.isSafeInteger(count) && count >= 0)
      ? totals
      : undefined;
  }
}

function sizeAt(size: Column | undefined, row: number, data: EngineData, action: string): number {
  const value = size?.getNumber(row) ?? null;
  if (value !== null && value >= 0) return value;
  const path = data.column([action, 'path'])?.getString(row) ?? '';
  throw new DeltaError(
    'ChecksumWriteUnsupported',
    `the log does not say the size of ${path}, which a checksum counts`,
    { path },
  );
}
