/** A partition column over all files: its values are exact. */
import { type Column, type EngineData, typeToString } from 'delta-kernel-web';
import type { LeafColumn } from '../columns.ts';
import { comparisonOf } from '../files/order.ts';
import type { ColumnSummary } from '../protocol-overview.ts';

export class PartitionColumn {
  readonly #leaf: LeafColumn;
  /** What `partitionValues` calls it. */
  readonly #key: string;
  readonly #values = new Set<string>();
  #files = 0;
  #nulls = 0;
  #uncounted = 0;

  constructor(leaf: LeafColumn, key: string) {
    this.#leaf = leaf;
    this.#key = key;
  }

  /** @param records rows of each file, where its statistics count them. */
  add(files: EngineData, records: Column): void {
    const maps = files.column(['fileConstantValues', 'partitionValues'])!;
    for (let row = 0; row < files.length; row += 1) {
      const value = maps.getStringMap(row)?.get(this.#key) || null;
      this.#files += 1;
      if (value !== null) this.#values.add(value);
      else {
        const rows = records.getNumber(row);
        this.#nulls += rows ?? 0;
        this.#uncounted += rows === null ? 1 : 0;
      }
    }
  }

  summary(): ColumnSummary {
    const { name, type } = this.#leaf;
    const compare = comparisonOf(type);
    let [min, max]: [string | undefined, string | undefined] = [undefined, undefined];
    for (const value of this.#values) {
      if (min === undefined || compare(value, min, 1) < 0) min = value;
      if (max === undefined || compare(value, max, 1) > 0) max = value;
    }
    return {
      column: name,
      type: typeToString(type),
      isPartition: true,
      min,
      max,
      nulls: this.#uncounted > 0 ? undefined : this.#nulls,
      bounded: this.#files,
      counted: this.#files - this.#uncounted,
      values: this.#values.size,
      notes: [],
    };
  }
}
