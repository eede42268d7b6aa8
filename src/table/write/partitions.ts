/** Batches by the values of the partition columns. */

import { takeRuns } from '../../engine/arrow-data.ts';
import { ArrowEngineData, makeBatch } from '../../engine/arrow-engine-data.ts';
import type { Scalar } from '../../kernel/expressions/types.ts';
import { serializePartitionValue } from '../../kernel/partition-values/serialize.ts';

/** The rows of a batch that have the same partition values. */
export interface PartitionRows {
  /** One text per combination of values. */
  readonly key: string;
  /** By logical name; empty without partition columns. */
  readonly values: Readonly<Record<string, Scalar>>;
  readonly rows: ArrowEngineData;
}

interface Group {
  readonly values: Record<string, Scalar>;
  /** Ascending [start, end) pairs. */
  readonly bounds: number[];
  count: number;
}

/**
 * Splits a batch, each part in row order. Values that the log writes alike (NULL and '') are one partition.
 * Throws `InvalidPartitionValues` for values that cannot be written.
 */
export function splitByPartition(
  batch: ArrowEngineData,
  partitionColumns: readonly string[],
): PartitionRows[] {
  if (batch.length === 0) return [];
  if (partitionColumns.length === 0) return [{ key: '', values: {}, rows: batch }];
  const groups = groupRows(batch, partitionColumns);
  if (groups.size === 1) {
    const [[key, { values }]] = groups as unknown as [[string, Group]];
    return [{ key, values, rows: batch }];
  }
  const { recordBatch, schema } = batch;
  return Array.from(groups, ([key, { values, bounds, count }]) => {
    const children = recordBatch.data.children.map((child) => takeRuns(child, { bounds, rows: count }));
    return { key, values, rows: new ArrowEngineData(makeBatch(recordBatch.schema, count, children), schema) };
  });
}

function groupRows(batch: ArrowEngineData, partitionColumns: readonly string[]): Map<string, Group> {
  const columns = partitionColumns.map((name) => ({ name, column: batch.column([name])! }));
  const groups = new Map<string, Group>();
  for (let row = 0; row < batch.length; row += 1) {
    const values = columns.map(({ column }): Scalar => ({ type: column.type, value: column.getValue(row) }));
    const key = JSON.stringify(values.map(serializePartitionValue));
    let group = groups.get(key);
    if (group === undefined) {
      group = {
        values: Object.fromEntries(columns.map(({ name }, i) => [name, values[i]!])),
        bounds: [],
        count: 0,
      };
      groups.set(key, group);
    }
    if (group.bounds.at(-1) === row) group.bounds[group.bounds.length - 1] = row + 1;
    else group.bounds.push(row, row + 1);
    group.count += 1;
  }
  return groups;
}
