/** What differs between two versions of the open table. */
import {
  type DeltaTable,
  diffSnapshots,
  liveRecords,
  type Protocol,
  type ScanFile,
  type TableDiff,
} from 'delta-kernel-web';
import type { Work, WorkerContext } from './context.ts';
import type { ColumnDiff, DiffCalls, FileGroup, VersionDiff } from './protocol-data.ts';
import { atVersion } from './rows/queries.ts';

/** Paths that are listed of each kind. */
const MAX_PATHS = 100;

export function diffCalls(context: WorkerContext): DiffCalls {
  return {
    diffVersions: (task, from, to) => context.run(task, (work) => diffVersions(work, from, to)),
  };
}

async function diffVersions(work: Work, from: number, to: number): Promise<VersionDiff> {
  const { signal, report } = work;
  report({ done: 0, total: 3, unit: 'steps' });
  const before = await atVersion(work, from, signal);
  report({ done: 1, total: 3, unit: 'steps' });
  const after = await atVersion(work, to, signal);
  report({ done: 2, total: 3, unit: 'steps' });
  const diff = await diffSnapshots(after.engine, before.snapshot, after.snapshot, { signal });
  return { ...shown(diff), hasFeed: hasFeed(before, after) };
}

function shown({ files, ...diff }: TableDiff): Omit<VersionDiff, 'hasFeed'> {
  const { protocol, partitionColumns } = diff;
  return {
    from: diff.from,
    to: diff.to,
    columns: columnsOf(diff.schema),
    properties: Object.entries(diff.properties).map(([key, { from = null, to = null }]) => ({
      key,
      from,
      to,
    })),
    protocol: protocol ? { from: protocolText(protocol.from), to: protocolText(protocol.to) } : null,
    partitionColumns: partitionColumns
      ? { from: partitionColumns.from.join(', '), to: partitionColumns.to.join(', ') }
      : null,
    files: {
      added: group(files.added),
      removed: group(files.removed),
      updated: group(files.updated.map(({ to }) => to)),
    },
    bytes: files.bytes,
    rows: files.rows,
  };
}

function columnsOf({ added, removed, changed, renamed }: TableDiff['schema']): ColumnDiff[] {
  return [
    ...added.map(({ column, type }) => ({ kind: 'added' as const, column, from: null, to: type })),
    ...removed.map(({ column, type }) => ({ kind: 'removed' as const, column, from: type, to: null })),
    ...changed.map((each) => ({ kind: 'changed' as const, ...each })),
    ...renamed.map(({ from, to }) => ({ kind: 'renamed' as const, column: to, from, to })),
  ];
}

function group(files: readonly ScanFile[]): FileGroup {
  const rows = files.map(liveRecords);
  return {
    count: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    rows: rows.includes(undefined) ? null : rows.reduce((sum: number, each) => sum + each!, 0),
    paths: files.slice(0, MAX_PATHS).map(({ path }) => path),
  };
}

function protocolText({
  minReaderVersion,
  minWriterVersion,
  readerFeatures = [],
  writerFeatures = [],
}: Protocol): string {
  const features = [...new Set([...readerFeatures, ...writerFeatures])].sort();
  return `reader ${minReaderVersion}, writer ${minWriterVersion}${features.length > 0 ? `: ${features.join(', ')}` : ''}`;
}

function hasFeed(...tables: DeltaTable[]): boolean {
  return tables.every(({ properties }) => properties.enableChangeDataFeed);
}
