/** Commits by their provenance, a page at a time. */
import type { DeltaTable, HistoryEntry } from 'delta-kernel-web';
import type { Commit, HistoryPage } from '../protocol-history.ts';

/** Every commit is a file to fetch. */
const PAGE = 100;

export async function readPage(
  table: DeltaTable,
  { end, signal }: { end: number | undefined; signal: AbortSignal },
): Promise<HistoryPage> {
  const entries = await table.history({ limit: PAGE, end, signal });
  const oldest = entries.at(-1)?.version ?? 0;
  const isFull = entries.length === PAGE && oldest > 0;
  return { commits: entries.map(toCommit), next: isFull ? oldest - 1 : undefined };
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
    size: entry.commitSizeInBytes,
    isStaged: entry.isStaged,
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
