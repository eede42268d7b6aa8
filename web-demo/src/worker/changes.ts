/** The change feed: how many rows of each kind there are, and which versions have one. */
import { type DeltaTable, isDeltaError, typeToString } from 'delta-kernel-web';
import type { Work, WorkerContext } from './context.ts';
import {
  CHANGE_TYPES,
  type ChangeCount,
  type ChangeRange,
  type ChangesCalls,
  type ChangeType,
} from './protocol-changes.ts';
import { loadChanges } from './rows/changes-source.ts';
import { openSource } from './sources.ts';

export function changesCalls(context: WorkerContext): ChangesCalls {
  return {
    changeRange: (task) => context.run(task, changeRange),
    countChanges: (task, start, end) => context.run(task, (work) => countChanges(work, start, end)),
  };
}

async function countChanges(
  { table, signal, report }: Work,
  start: number,
  end: number,
): Promise<ChangeCount[]> {
  const columns = ['_change_type', '_commit_version', '_commit_timestamp'];
  const scan = await loadChanges(table, { start, end }, signal, columns);
  const counts = new Map<number, ChangeCount>();
  let done = 0;
  for await (const rows of scan.execute(table.engine, { signal })) {
    const [types, versions, times] = columns.map((name) => rows.column([name])!);
    for (let row = 0; row < rows.length; row += 1) {
      const version = versions!.getNumber(row)!;
      const count = counts.get(version) ?? newCount(version, times!.getBigInt(row));
      counts.set(version, count);
      const type = types!.getString(row) as ChangeType;
      count.rows[type] = (count.rows[type] ?? 0) + 1;
    }
    done += rows.length;
    await report({ done, unit: 'rows' });
  }
  return [...counts.values()];
}

function newCount(version: number, micros: bigint | null): ChangeCount {
  const rows = Object.fromEntries(CHANGE_TYPES.map((type) => [type, 0])) as Record<ChangeType, number>;
  return { version, timestamp: micros === null ? null : Number(micros / 1000n), rows };
}

/** By halving: whoever enables the feed, or changes the schema, seldom takes it back. The read itself checks all. */
async function changeRange({ table, source, signal, report }: Work): Promise<ChangeRange> {
  const end = table.version;
  if (!table.properties.enableChangeDataFeed) return { start: null, end };
  let [low, high] = [0, end];
  let reason: string | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    await report({ done: end - high, total: end, unit: 'versions' });
    const missing = whyNot(await openAt(middle), table, middle);
    if (missing === undefined) high = middle;
    else [low, reason] = [middle + 1, missing];
  }
  return { start: low, end, ...(reason !== undefined && { reason }) };

  async function openAt(version: number): Promise<DeltaTable | undefined> {
    try {
      return await openSource(source, { version, signal });
    } catch (error) {
      // Versions that the log no longer has, or that need a feature we lack, are no part of the range.
      if (isDeltaError(error)) return undefined;
      throw error;
    }
  }
}

function whyNot(then: DeltaTable | undefined, now: DeltaTable, version: number): string | undefined {
  if (then === undefined) return `version ${version} cannot be opened any more`;
  if (!then.properties.enableChangeDataFeed) return `version ${version} has no feed`;
  if (typeToString(then.schema) !== typeToString(now.schema)) return `version ${version} has another schema`;
  return undefined;
}
