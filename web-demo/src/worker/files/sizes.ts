/** How large files are: a histogram, and the largest partitions with their largest files. */
import type { FileSizes, SizeGroup, Totals } from '../protocol-files.ts';
import type { PartitionTotals } from './partition-rows.ts';
import type { FileStore } from './store.ts';
import type { Verdicts } from './verdicts.ts';

/** Each class of sizes is this many times the one before. */
const FACTOR = 4;
const FIRST_CLASS = 1024;
/** What a picture can show and a table list. */
const MAX_GROUPS = 60;
const MAX_PARTS = 600;

export function fileSizes(
  store: FileStore,
  partitions: readonly PartitionTotals[],
  verdicts: Verdicts | undefined,
): FileSizes {
  return { histogram: histogram(store), groups: groups(store, partitions, verdicts) };
}

function histogram(store: FileStore): FileSizes['histogram'] {
  const classes: Totals[] = [];
  for (let index = 0; index < store.length; index += 1) {
    const at = classOf(store.sizes[index]!);
    classes[at] ??= { files: 0, bytes: 0, rows: 0 };
    add(classes[at], store, index);
  }
  const first = classes.findIndex((each) => each !== undefined);
  return Array.from(classes, (each, at) => ({
    from: at === 0 ? 0 : FIRST_CLASS * FACTOR ** (at - 1),
    to: FIRST_CLASS * FACTOR ** at,
    ...(each ?? { files: 0, bytes: 0, rows: 0 }),
  })).slice(Math.max(first, 0));
}

function classOf(size: number): number {
  let at = 0;
  for (let limit = FIRST_CLASS; size >= limit; limit *= FACTOR) at += 1;
  return at;
}

function groups(
  store: FileStore,
  partitions: readonly PartitionTotals[],
  verdicts: Verdicts | undefined,
): SizeGroup[] {
  const largest = partitions.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_GROUPS);
  const byId = new Map(
    largest.map((each): [number, SizeGroup] => [
      each.id,
      { ...totalsOf(each), name: nameOf(store, each.values), partition: each.values, parts: [] },
    ]),
  );
  for (const index of largestFiles(store)) {
    const part = { files: 0, bytes: 0, rows: 0, path: store.paths[index]!, read: verdicts?.isRead(index) };
    add(part, store, index);
    byId.get(store.partitions.idOf(index))?.parts.push(part);
  }
  const found = [...byId.values()];
  for (const group of found)
    group.parts.push(...rest(group, group.parts, { path: undefined, read: undefined }));
  const all = partitions.reduce((sum, each) => plus(sum, each), { files: 0, bytes: 0, rows: 0 } as Totals);
  const others = rest(all, found, { name: 'all others', partition: undefined });
  return [
    ...found,
    ...others.map((each) => ({ ...each, parts: [{ ...totalsOf(each), path: undefined, read: undefined }] })),
  ];
}

/** Without sorting them all. */
function largestFiles({ sizes, length }: FileStore): number[] {
  const indexes = Uint32Array.from({ length }, (_, index) => index);
  if (length > MAX_PARTS) indexes.sort((a, b) => sizes[b]! - sizes[a]!);
  return [...indexes.subarray(0, MAX_PARTS)];
}

/** What is left of `whole` without `parts`; empty for nothing. */
function rest<T>(whole: Totals, parts: readonly Totals[], more: T): (Totals & T)[] {
  const listed = parts.reduce((sum, each) => plus(sum, each), { files: 0, bytes: 0, rows: 0 } as Totals);
  const files = whole.files - listed.files;
  if (files === 0) return [];
  const rows = whole.rows === null || listed.rows === null ? null : whole.rows - listed.rows;
  return [{ files, bytes: whole.bytes - listed.bytes, rows, ...more }];
}

/** `date = 2021-09-01, city = NYC`; empty for a table without partitions. */
function nameOf({ table }: FileStore, values: readonly (string | null)[]): string {
  return table.metadata.partitionColumns.map((name, at) => `${name} = ${values[at] ?? 'null'}`).join(', ');
}

function totalsOf({ files, bytes, rows }: Totals): Totals {
  return { files, bytes, rows };
}

function plus(a: Totals, b: Totals): Totals {
  const rows = a.rows === null || b.rows === null ? null : a.rows + b.rows;
  return { files: a.files + b.files, bytes: a.bytes + b.bytes, rows };
}

export function add(totals: Totals, { sizes, rows }: FileStore, index: number): void {
  const more = rows[index]!;
  totals.files += 1;
  totals.bytes += sizes[index]!;
  totals.rows = totals.rows === null || Number.isNaN(more) ? null : totals.rows + more;
}
