/** How many files of which size a table has (`PROTOCOL.md`, "File Size Histogram Schema"). */
import { asSafeInteger, isObject } from '../log/json.ts';

/** Bin `i` holds files of at least `sortedBinBoundaries[i]` bytes and fewer than the next boundary. */
export interface FileSizeHistogram {
  readonly sortedBinBoundaries: readonly number[];
  readonly fileCounts: number[];
  readonly totalBytes: number[];
}

/** 0, 8 KiB, and doubled up to 256 GiB. */
const BOUNDARIES: readonly number[] = [0, ...Array.from({ length: 26 }, (_, index) => 2 ** (13 + index))];

export function emptyHistogram(): FileSizeHistogram {
  return {
    sortedBinBoundaries: BOUNDARIES,
    fileCounts: BOUNDARIES.map(() => 0),
    totalBytes: BOUNDARIES.map(() => 0),
  };
}

/** The histogram of a checksum, undefined where there is none or it makes no sense. */
export function parseHistogram(json: unknown): FileSizeHistogram | undefined {
  if (!isObject(json)) return undefined;
  const [sortedBinBoundaries, fileCounts, totalBytes] = [
    integers(json.sortedBinBoundaries),
    integers(json.fileCounts),
    integers(json.totalBytes),
  ];
  if (!sortedBinBoundaries || !fileCounts || !totalBytes) return undefined;
  const bins = sortedBinBoundaries.length;
  if (fileCounts.length !== bins || totalBytes.length !== bins || sortedBinBoundaries[0] !== 0) {
    return undefined;
  }
  const isSorted = sortedBinBoundaries.every(
    (each, index) => index === 0 || each > sortedBinBoundaries[index - 1]!,
  );
  return isSorted ? { sortedBinBoundaries, fileCounts, totalBytes } : undefined;
}

function integers(json: unknown): number[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const numbers = json.flatMap((item) => asSafeInteger(item) ?? []);
  return numbers.length === json.length ? numbers : undefined;
}

/** @param sign 1: a file comes; −1: it goes. */
export function countFile(histogram: FileSizeHistogram, size: number, sign: 1 | -1): void {
  const { sortedBinBoundaries, fileCounts, totalBytes } = histogram;
  const bin = sortedBinBoundaries.findLastIndex((boundary) => boundary <= size);
  fileCounts[bin]! += sign;
  totalBytes[bin]! += sign * size;
}
