/** A snapshot as the writers of its data files need it. */
import type { CallOptions, Engine } from '../../kernel/engine.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import type { Transaction } from '../../kernel/transaction/transaction.ts';
import type { DataFileTable } from './data-files.ts';

/** Reads the clustering columns where the table has some: their statistics are always written. */
export async function dataFileTable(
  engine: Engine,
  snapshot: Snapshot,
  transaction: Transaction<Snapshot>,
  options: CallOptions,
): Promise<DataFileTable> {
  const clusteringColumns = await snapshot.clusteringColumns(engine, options);
  return {
    partitionColumns: snapshot.metadata.partitionColumns,
    properties: snapshot.tableProperties,
    runtime: snapshot.runtime,
    tableRoot: snapshot.tableRoot,
    version: snapshot.version,
    context: (values) => transaction.partitionedWriteContext(values, { clusteringColumns }),
  };
}
