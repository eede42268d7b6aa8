/** Filtering and sorting of the list of files. */
import type { DataType } from 'delta-kernel-web';
import type { FileQuery, FileSort } from '../protocol-files.ts';
import type { FileStore } from './store.ts';
import type { Verdicts } from './verdicts.ts';

const NUMERIC = new Set(['byte', 'short', 'integer', 'long', 'float', 'double']);

/** Indexes of the files that a query asks for, in its order; the last answer is kept, since windows follow each other. */
export class FileOrder {
  readonly #store: FileStore;
  #key = '';
  #indexes: Uint32Array = new Uint32Array(0);

  constructor(store: FileStore) {
    this.#store = store;
  }

  of(query: FileQuery, verdicts: Verdicts | undefined): Uint32Array {
    const key = JSON.stringify([query, verdicts?.id]);
    if (key !== this.#key) {
      this.#indexes = this.#sorted(this.#filtered(query, verdicts), query);
      this.#key = key;
    }
    return this.#indexes;
  }

  #filtered({ search, partition, verdict, reason }: FileQuery, verdicts: Verdicts | undefined): Uint32Array {
    const { paths, partitions, length } = this.#store;
    const wanted = search.trim().toLowerCase();
    const partitionId = partition && partitions.find(partition);
    const found = new Uint32Array(length);
    let count = 0;
    for (let index = 0; index < length; index += 1) {
      if (wanted !== '' && !paths[index]!.toLowerCase().includes(wanted)) continue;
      if (partition !== undefined && partitions.idOf(index) !== partitionId) continue;
      if (verdict !== undefined && verdicts?.isRead(index) !== (verdict === 'read')) continue;
      if (reason !== undefined && verdicts?.conditionOf(index) !== reason) continue;
      found[count] = index;
      count += 1;
    }
    return found.subarray(0, count);
  }

  #sorted(indexes: Uint32Array, { sort, descending }: FileQuery): Uint32Array {
    if (sort === 'log') return descending ? indexes.reverse() : indexes;
    const compare = this.#comparison(sort);
    const sign = descending ? -1 : 1;
    return indexes.sort((a, b) => compare(a, b, sign) || a - b);
  }

  #comparison(sort: Exclude<FileSort, 'log'>): (a: number, b: number, sign: number) => number {
    const { paths, sizes, rows, deleted, times, partitions, table } = this.#store;
    if (sort === 'path') return (a, b, sign) => sign * compareText(paths[a]!, paths[b]!);
    if (sort.startsWith('partition:')) {
      const at = Number(sort.slice('partition:'.length));
      const name = table.metadata.partitionColumns[at];
      const compare = comparisonOf(table.schema.fields.find((field) => field.name === name)?.type);
      return (a, b, sign) => compare(partitions.valuesOf(a)[at]!, partitions.valuesOf(b)[at]!, sign);
    }
    const numbers = { size: sizes, rows, deleted, time: times }[sort as 'size' | 'rows' | 'deleted' | 'time'];
    return (a, b, sign) => compareNumbers(numbers[a]!, numbers[b]!, sign);
  }
}

/** Unknown ones come last in either direction. */
export function compareNumbers(a: number, b: number, sign: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return sign * (a - b);
}

/** How partition values of a type are ordered; nulls come last in either direction. */
export function comparisonOf(type: DataType | undefined) {
  const isNumeric = type?.kind === 'decimal' || (type?.kind === 'primitive' && NUMERIC.has(type.name));
  return (a: string | null, b: string | null, sign: number): number => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return isNumeric ? compareNumbers(Number(a), Number(b), sign) : sign * compareText(a, b);
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
