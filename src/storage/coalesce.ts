/** Fewer, larger requests: ranges of one file that lie close together are fetched as one. */
import type { FileSlice, StorageHandler } from '../kernel/engine.ts';
import { forward } from './forward.ts';

export interface CoalesceOptions {
  /** Bytes between two ranges that are fetched for nothing rather than in a second request. Default 64 KiB. */
  maxGap?: number;
  /** Bytes of a merged range; one that is larger by itself stays as it is. Default 8 MiB. */
  maxBytes?: number;
}

interface Group {
  readonly slice: FileSlice;
  /** Of the given slices, ascending. */
  readonly members: readonly number[];
}

/** The slices of one `readFiles` call are merged; they come out as asked for, as views of what was fetched. */
export function withRangeCoalescing(inner: StorageHandler, options: CoalesceOptions = {}): StorageHandler {
  const { maxGap = 64 * 2 ** 10, maxBytes = 8 * 2 ** 20 } = options;
  return forward(inner, {
    async *readFiles(files, call) {
      const groups = groupsOf(files, maxGap, maxBytes);
      const fetched = inner.readFiles(
        groups.map(({ slice }) => slice),
        call,
      );
      const ready = new Map<number, Uint8Array>();
      let next = 0;
      let group = 0;
      for await (const bytes of fetched) {
        const { slice, members } = groups[group++]!;
        for (const index of members) ready.set(index, partOf(bytes, slice, files[index]!));
        for (let part = ready.get(next); part !== undefined; part = ready.get(next)) {
          ready.delete(next++);
          call?.signal?.throwIfAborted();
          yield part;
        }
      }
    },
  });
}

/** Groups in the order in which their first slice is asked for. Empty slices stay alone: they cost nothing. */
function groupsOf(files: readonly FileSlice[], maxGap: number, maxBytes: number): Group[] {
  const groups: Group[] = [];
  const byFile = new Map<string, { index: number; start: number; end: number }[]>();
  for (const [index, { location, range }] of files.entries()) {
    if (range === undefined || range.end <= range.start) {
      groups.push({ slice: files[index]!, members: [index] });
      continue;
    }
    const ranges = byFile.get(location.href) ?? [];
    if (ranges.length === 0) byFile.set(location.href, ranges);
    ranges.push({ index, ...range });
  }
  for (const ranges of byFile.values()) groups.push(...mergeRanges(files, ranges, maxGap, maxBytes));
  return groups.sort((a, b) => a.members[0]! - b.members[0]!);
}

function mergeRanges(
  files: readonly FileSlice[],
  ranges: { index: number; start: number; end: number }[],
  maxGap: number,
  maxBytes: number,
): Group[] {
  const merged: { start: number; end: number; members: number[] }[] = [];
  for (const { index, start, end } of ranges.sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      start - last.end <= maxGap &&
      Math.max(end, last.end) - last.start <= maxBytes
    ) {
      last.end = Math.max(end, last.end);
      last.members.push(index);
    } else {
      merged.push({ start, end, members: [index] });
    }
  }
  return merged.map(({ start, end, members }) => {
    members.sort((a, b) => a - b);
    return { slice: { location: files[members[0]!]!.location, range: { start, end } }, members };
  });
}

function partOf(bytes: Uint8Array, group: FileSlice, { range }: FileSlice): Uint8Array {
  if (range === undefined || group.range === undefined) return bytes;
  return bytes.subarray(range.start - group.range.start, range.end - group.range.start);
}
