/** Reading files through a StorageHandler with few requests. */
import { DeltaError, shownUrl } from '../errors.ts';
import type { StorageHandler } from '../kernel/engine.ts';
import type { ByteRange } from './wasm/core.ts';

/** A whole file, or bytes of it. */
export async function readOne(
  storage: StorageHandler,
  location: URL,
  signal: AbortSignal | undefined,
  range?: ByteRange,
): Promise<Uint8Array> {
  const [bytes] = await readSlices(storage, location, [range], signal);
  return bytes!;
}

/** Several slices of one file, in order; `undefined` is the whole file. */
export async function readSlices(
  storage: StorageHandler,
  location: URL,
  ranges: readonly (ByteRange | undefined)[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array[]> {
  const slices: Uint8Array[] = [];
  const files = ranges.map((range) => ({ location, range }));
  for await (const bytes of storage.readFiles(files, { signal })) {
    const range = ranges[slices.length];
    if (range && bytes.length !== range.end - range.start) {
      const message = `read ${bytes.length} of the ${range.end - range.start} bytes at ${range.start}`;
      throw new DeltaError('IOError', message, { path: shownUrl(location) });
    }
    slices.push(bytes);
  }
  if (slices.length !== ranges.length) {
    const message = `the storage gave ${slices.length} of ${ranges.length} slices`;
    throw new DeltaError('IOError', message, { path: shownUrl(location) });
  }
  return slices;
}

export interface MergeOptions {
  /** Unwanted bytes worth reading to save a request. */
  gapBytes: number;
  /** Merged ranges do not grow beyond this size. */
  maxRequestBytes: number;
}

/** Ascending ranges as fewer: neighbours merged over small gaps, up to a size. */
export function mergeRanges(ranges: readonly ByteRange[], options: MergeOptions): ByteRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const last = merged.at(-1);
    const fits = last && start - last.end <= options.gapBytes && end - last.start <= options.maxRequestBytes;
    if (last && (fits || start < last.end)) last.end = Math.max(last.end, end);
    else if (end > start) merged.push({ start, end });
  }
  return merged;
}

/** A range in parts of at most `size` bytes. */
export function splitRange({ start, end }: ByteRange, size: number): ByteRange[] {
  const parts: ByteRange[] = [];
  for (let at = start; at < end; at += size) parts.push({ start: at, end: Math.min(at + size, end) });
  return parts;
}
