/** Files, bytes and rows of each partition. */
import type { PartitionQuery, PartitionRow, Totals } from '../protocol-files.ts';
import { compareNumbers, comparisonOf } from './order.ts';
import { add } from './sizes.ts';
import type { FileStore } from './store.ts';
import type { Verdicts } from './verdicts.ts';

export interface PartitionTotals extends Totals {
  id: number;
  values: (string | null)[];
}

export function partitionTotals(store: FileStore): PartitionTotals[] {
  const totals = Array.from({ length: store.partitions.ids }, (_, id): PartitionTotals => {
    return { id, values: store.partitions.values(id), files: 0, bytes: 0, rows: 0 };
  });
  for (let index = 0; index < store.length; index += 1)
    add(totals[store.partitions.idOf(index)]!, store, index);
  return totals;
}

/** In the order that is asked for, with how many files of each are read. */
export function sortedPartitions(
  store: FileStore,
  totals: readonly PartitionTotals[],
  { sort, descending }: PartitionQuery,
  verdicts: Verdicts | undefined,
): PartitionRow[] {
  const read = verdicts && readCounts(store, verdicts);
  const sign = descending ? -1 : 1;
  const compare = comparison(store, sort);
  return totals
    .map((each): PartitionRow => ({ ...each, read: read?.[each.id] }))
    .sort((a, b) => compare(a, b, sign) || a.id - b.id);
}

function readCounts(store: FileStore, verdicts: Verdicts): Uint32Array {
  const counts = new Uint32Array(store.partitions.ids);
  for (let index = 0; index < store.length; index += 1) {
    if (verdicts.isRead(index)) counts[store.partitions.idOf(index)]! += 1;
  }
  return counts;
}

function comparison({ table }: FileStore, sort: PartitionQuery['sort']) {
  if (sort === 'files' || sort === 'bytes' || sort === 'rows') {
    const value = (row: PartitionTotals) => row[sort] ?? Number.NaN;
    return (a: PartitionTotals, b: PartitionTotals, sign: number) => compareNumbers(value(a), value(b), sign);
  }
  const at = Number(sort.slice('partition:'.length));
  const name = table.metadata.partitionColumns[at];
  const compare = comparisonOf(table.schema.fields.find((field) => field.name === name)?.type);
  return (a: PartitionTotals, b: PartitionTotals, sign: number) =>
    compare(a.values[at]!, b.values[at]!, sign);
}
