/** How a table got where it is. */
import type { DeltaTable, HistoryEntry } from 'delta-kernel-web';
import type { Commit, History } from './protocol.ts';

/** Every commit is a file to fetch: more than a person reads, few enough for a web server. */
const LIMIT = 500;

export async function readHistory(table: DeltaTable, signal: AbortSignal): Promise<History> {
  // The table may be open at an old version: later commits belong to its history too.
  const newest = await table.refresh({ signal });
  const entries = await newest.history({ limit: LIMIT, signal });
  return {
    commits: entries.map(toCommit),
    isCut: entries.length === LIMIT && (entries.at(-1)?.version ?? 0) > 0,
  };
}

function toCommit(entry: HistoryEntry): Commit {
  return {
    version: entry.version,
    timestamp: entry.timestamp ?? null,
    operation: entry.operation ?? 'unnamed operation',
    parameters: facts(entry.operationParameters),
    metrics: facts(entry.operationMetrics),
    user: entry.userName ?? entry.userId,
    engine: entry.engineInfo,
  };
}

/** Values as text, without those that say nothing. */
function facts(record: Readonly<Record<string, unknown>> = {}): [string, string][] {
  return Object.entries(record)
    .map(([key, value]): [string, string] => [key, textOf(value)])
    .filter(([, text]) => !['', '[]', '{}', 'null'].includes(text));
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
}
