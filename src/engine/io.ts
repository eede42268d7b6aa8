/** Reading single slices through a StorageHandler, and naming files in errors. */
import { DeltaError } from '../errors.ts';
import type { StorageHandler } from '../kernel/engine.ts';
import type { ByteRange, FileBytes } from './wasm/core.ts';

/** A file for an error's `path` and for `filePath` columns: its URL without query and credentials. */
export function locationOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** A whole file, or bytes of it. */
export async function readOne(
  storage: StorageHandler,
  location: URL,
  signal: AbortSignal | undefined,
  range?: ByteRange,
): Promise<Uint8Array> {
  for await (const bytes of storage.readFiles([{ location, range }], { signal })) {
    if (range && bytes.length !== range.end - range.start) {
      throw new DeltaError(
        'IOError',
        `read ${bytes.length} of the ${range.end - range.start} bytes at ${range.start}`,
        { path: locationOf(location) },
      );
    }
    return bytes;
  }
  throw new DeltaError('IOError', 'the storage returned nothing', { path: locationOf(location) });
}

/** Several ranges of one file, each with its place, requested at the same time. */
export function readRanges(
  storage: StorageHandler,
  location: URL,
  ranges: readonly ByteRange[],
  signal: AbortSignal | undefined,
): Promise<FileBytes[]> {
  return Promise.all(
    ranges.map(async (range) => ({
      start: range.start,
      bytes: await readOne(storage, location, signal, range),
    })),
  );
}

export interface MergeOptions {
  /** Unwanted bytes worth reading to save a request. */
  gapBytes: number;
  /** A request grows by merging up to this size; a longer single range is split. */
  maxRequestBytes: number;
}

/** Ascending ranges as few requests: neighbours merged over small gaps, long ones split. */
export function mergeRanges(ranges: readonly ByteRange[], options: MergeOptions): ByteRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const last = merged.at(-1);
    const fits = last && start - last.end <= options.gapBytes && end - last.start <= options.maxRequestBytes;
    if (last && (fits || start < last.end)) last.end = Math.max(last.end, end);
    else if (end > start) merged.push({ start, end });
  }
  return merged.flatMap((range) => splitRange(range, options.maxRequestBytes));
}

function splitRange({ start, end }: ByteRange, size: number): ByteRange[] {
  const parts: ByteRange[] = [];
  for (let at = start; at < end; at += size) parts.push({ start: at, end: Math.min(at + size, end) });
  return parts;
}
