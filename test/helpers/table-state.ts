/** What a version of a table consists of, as plain values that two logs can be compared by. */
import { parse } from 'lossless-json';
import { domainMetadatas } from '../../src/kernel/actions/domain-metadata.ts';
import { actionsSchema } from '../../src/kernel/actions/schemas.ts';
import { setTransactions } from '../../src/kernel/actions/set-transaction.ts';
import type { SetTransaction } from '../../src/kernel/actions/types.ts';
import type { Engine } from '../../src/kernel/engine.ts';
import { readActions } from '../../src/kernel/log/read-actions.ts';
import type { ScanFile } from '../../src/kernel/scan/scan-files.ts';
import type { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';

export interface TableState {
  readonly protocol: unknown;
  readonly metadata: unknown;
  readonly transactions: readonly unknown[];
  readonly domains: readonly unknown[];
  /** By path and deletion vector. */
  readonly files: readonly unknown[];
}

/**
 * Live files as a scan gives them; transactions and domains by a replay of their actions alone. Transactions that the
 * table need not remember any more are left out.
 */
export async function stateOf(engine: Engine, snapshot: Snapshot): Promise<TableState> {
  const { schema: _schema, ...metadata } = snapshot.metadata;
  const transactions = new Map<string, SetTransaction>();
  const domains = new Map<string, { removed: boolean }>();
  const schema = actionsSchema('txn', 'domainMetadata');
  for await (const { data } of readActions(engine, snapshot.logSegment, schema)) {
    for (const each of setTransactions(data)) {
      if (!transactions.has(each.appId)) transactions.set(each.appId, each);
    }
    for (const each of domainMetadatas(data)) if (!domains.has(each.domain)) domains.set(each.domain, each);
  }
  const now = snapshot.runtime.now();
  const retention = snapshot.tableProperties.setTransactionRetentionDuration ?? Number.POSITIVE_INFINITY;
  const files: unknown[] = [];
  for await (const file of snapshot.scan().files(engine, { stats: true })) files.push(comparable(file));
  return {
    protocol: snapshot.protocol,
    metadata,
    transactions: sorted(
      [...transactions.values()].filter(({ lastUpdated = now }) => lastUpdated > now - retention),
    ),
    domains: sorted([...domains.values()].filter(({ removed }) => !removed)),
    files: sorted(files),
  };
}

function comparable({ stats, baseRowId, ...file }: ScanFile): unknown {
  return { ...file, baseRowId: baseRowId?.toString(), stats: statsOf(stats) };
}

/** Some writers' statistics are no JSON: their text. Some say timestamps without a zone, which are UTC. */
function statsOf(stats: string | undefined): unknown {
  try {
    return stats === undefined ? undefined : parse(stats.replace(/(T[\d:]{8}\.\d{3})Z"/g, '$1"'));
  } catch {
    return stats;
  }
}

function sorted(items: readonly unknown[]): unknown[] {
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}
