import { useState } from 'preact/hooks';
import { formatBytes, formatCount, formatTime } from '../../format.ts';
import { session } from '../../session.ts';
import type { FileQuery, FileRow, FileSort, FilesSummary } from '../../worker/protocol-files.ts';
import type { FilesView, ListView } from './detail-link.ts';
import { type ListColumn, Listing, sortAfter } from './listing.tsx';

interface FileListProps {
  summary: FilesSummary;
  /** The predicate whose verdicts are known; empty for none. */
  where: string;
  /** Rises when the verdicts change. */
  revision: number;
  view: ListView;
  go: (view: FilesView) => void;
}

/** All files, or those of a partition or a verdict; searched and sorted by the worker. */
export function FileList({ summary, where, revision, view, go }: FileListProps) {
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<{ by: FileSort; descending: boolean }>({ by: 'log', descending: false });
  const { partition } = view;
  const [reason, verdict] = where === '' ? [undefined, undefined] : [view.reason, view.verdict];
  const query: FileQuery = {
    search,
    sort: sort.by,
    descending: sort.descending,
    where,
    partition,
    reason,
    verdict,
  };
  const isNarrowed = partition !== undefined || reason !== undefined || verdict !== undefined;
  return (
    <section class="file-list" aria-label="Files">
      <div class="tools">
        <label class="search">
          <span>Path contains</span>
          <input
            type="search"
            value={search}
            spellcheck={false}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        {isNarrowed && (
          <button type="button" onClick={() => go({ kind: 'list' })}>
            {narrowing(view, summary)} ✕<span class="hidden">: show all files</span>
          </button>
        )}
      </div>
      <Listing
        label="Files of the table"
        unit={['file', 'files']}
        columns={columnsOf(summary, where !== '', (path) => go({ kind: 'file', path }))}
        queryKey={JSON.stringify([query, revision])}
        fetch={(start, end) => session.fileRows(query, start, end)}
        sort={sort}
        onSort={(by) => setSort(sortAfter(sort, by, ['size', 'rows', 'deleted', 'time'].includes(by)))}
        empty="No file is like that."
      />
    </section>
  );
}

function narrowing({ partition, reason, verdict }: ListView, { partitionColumns }: FilesSummary): string {
  if (partition !== undefined)
    return `Only ${partitionColumns.map((name, at) => `${name} = ${partition[at] ?? 'null'}`).join(', ')}`;
  if (reason !== undefined) return `Only those without ${reason}`;
  return verdict === 'read' ? 'Only files that are read' : 'Only files that are skipped';
}

type Column = ListColumn<FileRow, FileSort>;

function columnsOf(
  { partitionColumns, filesWithVectors }: FilesSummary,
  hasVerdicts: boolean,
  onOpen: (path: string) => void,
): Column[] {
  const path: Column = {
    title: 'Path',
    width: 'minmax(16rem, 2fr)',
    sort: 'path',
    whole: (row) => row.path,
    cell: (row) => (
      <button type="button" class="link" onClick={() => onOpen(row.path)}>
        {row.path}
      </button>
    ),
  };
  const verdict: Column = {
    title: 'Read by the query',
    width: 'minmax(16rem, 2fr)',
    cell: verdictText,
    whole: verdictText,
  };
  const deleted: Column = {
    title: 'Deleted rows',
    width: '11rem',
    numeric: true,
    sort: 'deleted',
    cell: ({ vector, deletedRows }) => (vector === null ? '' : `${formatCount(deletedRows)} · ${vector}`),
  };
  return [
    path,
    ...(hasVerdicts ? [verdict] : []),
    { title: 'Size', width: '7rem', numeric: true, sort: 'size', cell: ({ size }) => formatBytes(size) },
    { title: 'Rows', width: '7rem', numeric: true, sort: 'rows', cell: ({ rows }) => formatCount(rows) },
    ...(filesWithVectors > 0 ? [deleted] : []),
    ...partitionColumns.map(
      (name, at): Column => ({
        title: name,
        width: 'minmax(8rem, 1fr)',
        sort: `partition:${at}`,
        cell: ({ partition }) => partition[at] ?? <em>null</em>,
        whole: ({ partition }) => partition[at] ?? 'null',
      }),
    ),
    { title: 'Added (UTC)', width: '12rem', sort: 'time', cell: ({ time }) => formatTime(time) },
  ];
}

/** `skipped: date = DATE '2021-09-04'` */
export function verdictText({ verdict }: FileRow): string {
  if (verdict === undefined) return '';
  const { read, why, rowGroups } = verdict;
  if (!read) return `skipped: ${why?.values || why?.condition || ''}`;
  return rowGroups === undefined
    ? 'read'
    : `read, ${formatCount(rowGroups.read)} of ${formatCount(rowGroups.total)} row groups`;
}
