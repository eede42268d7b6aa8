/** Asks the bloom filters of a file, of which only those are read that can decide, in few requests. */
import { type Equality, type EqualityTree, equalitiesOf, refutation } from './bloom-filters.ts';
import type { ParquetFile } from './parquet-file.ts';
import type { ByteRange, FileBytes } from './wasm/core.ts';

/** Row groups whose filters are in memory at the same time. */
const ROW_GROUPS_AT_ONCE = 8;
/** Larger filters are not read. */
const MAX_FILTER_BYTES = 4 << 20;

/** One question to one filter. */
interface Asked {
  readonly rowGroup: number;
  readonly equality: Equality;
  readonly chunks: FileBytes[];
  needs: ByteRange | undefined;
  isAbsent: boolean;
}

/**
 * The row groups, of those given, in which `tree` holds for no row, each with the equalities that show it.
 * `bytes` is what reading a row group would cost: a filter that costs as much is not asked.
 */
export async function refutedRowGroups(
  file: ParquetFile,
  tree: EqualityTree,
  rowGroups: readonly number[],
  bytes: (rowGroup: number) => number,
  signal: AbortSignal | undefined,
): Promise<Map<number, readonly Equality[]>> {
  const refuted = new Map<number, readonly Equality[]>();
  const equalities = equalitiesOf(tree);
  for (let from = 0; from < rowGroups.length; from += ROW_GROUPS_AT_ONCE) {
    const groups = rowGroups.slice(from, from + ROW_GROUPS_AT_ONCE);
    const asked = groups.flatMap((rowGroup) => equalities.map((equality) => question(rowGroup, equality)));
    await answer(file, asked, bytes, signal);
    for (const rowGroup of groups) {
      const absent = asked.filter((each) => each.rowGroup === rowGroup && each.isAbsent);
      const shown = refutation(tree, (equality) => absent.some((each) => each.equality === equality));
      if (shown.length > 0) refuted.set(rowGroup, shown);
    }
  }
  return refuted;
}

function question(rowGroup: number, equality: Equality): Asked {
  return { rowGroup, equality, chunks: [], needs: undefined, isAbsent: false };
}

/** Asks, reads what that needs, and asks again: a filter whose length the footer does not tell needs two reads. */
async function answer(
  file: ParquetFile,
  asked: readonly Asked[],
  bytes: (rowGroup: number) => number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let open = asked; open.length > 0; ) {
    open = file.step(() => open.filter((each) => ask(file, each, bytes)));
    const ranges = open.map(({ needs }) => needs!).sort((a, b) => a.start - b.start);
    if (ranges.length === 0) return;
    const chunks = await file.read(ranges, signal);
    for (const each of open) each.chunks.push(slice(chunks, each.needs!));
  }
}

/** Whether more bytes are needed, and worth it. */
function ask(file: ParquetFile, each: Asked, bytes: (rowGroup: number) => number): boolean {
  const { rowGroup, equality, chunks } = each;
  const found = file.core.askBloomFilter(equality, rowGroup, chunks);
  if (found === undefined) return false;
  if ('absent' in found) {
    each.isAbsent = found.absent.every(Boolean);
    return false;
  }
  const { needs } = found;
  each.needs = needs;
  return file.holds(needs) || needs.end - needs.start <= Math.min(MAX_FILTER_BYTES, bytes(rowGroup));
}

function slice(chunks: readonly FileBytes[], { start, end }: ByteRange): FileBytes {
  const found = chunks.find((each) => each.start <= start && end <= each.start + each.bytes.length)!;
  return { start, bytes: found.bytes.subarray(start - found.start, end - found.start) };
}
