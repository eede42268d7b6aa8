import { useState } from 'preact/hooks';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { FilesSummary, PartitionQuery, PartitionRow } from '../../worker/protocol-files.ts';
import type { FilesView } from './detail-link.ts';
import { type ListColumn, Listing, sortAfter } from './listing.tsx';

interface PartitionListProps {
  summary: FilesSummary;
  where: string;
  go: (view: FilesView) => void;
}

type Sort = PartitionQuery['sort'];

/** Files, bytes and rows per partition. */
export function PartitionList({ summary, where, go }: PartitionListProps) {
  const [sort, setSort] = useState<{ by: Sort; descending: boolean }>({
    by: 'partition:0',
    descending: false,
  });
  const query: PartitionQuery = { sort: sort.by, descending: sort.descending, where };
  return (
    <Listing
      label="Partitions of the table"
      unit={['partition', 'partitions']}
      columns={columnsOf(summary, where !== '', go)}
      queryKey={JSON.stringify(query)}
      fetch={(start, end) => session.partitionRows(query, start, end)}
      sort={sort}
      onSort={(by) => setSort(sortAfter(sort, by, !by.startsWith('partition:')))}
      empty="The table has no partitions."
    />
  );
}

type Column = ListColumn<PartitionRow, Sort>;

function columnsOf(
  { partitionColumns, bytes }: FilesSummary,
  hasVerdicts: boolean,
  go: PartitionListProps['go'],
): Column[] {
  return [
    ...partitionColumns.map(
      (name, at): Column => ({
        title: name,
        width: 'minmax(9rem, 1fr)',
        sort: `partition:${at}`,
        whole: ({ values }) => values[at] ?? 'null',
        cell: ({ values }) => {
          const value = values[at] ?? <em>null</em>;
          if (at > 0) return value;
          return (
            <button type="button" class="link" onClick={() => go({ kind: 'list', partition: values })}>
              {value}
            </button>
          );
        },
      }),
    ),
    { title: 'Files', width: '7rem', numeric: true, sort: 'files', cell: ({ files }) => formatCount(files) },
    ...(hasVerdicts
      ? [
          {
            title: 'Files read',
            width: '7rem',
            numeric: true,
            cell: ({ read }: PartitionRow) => (read === undefined ? '' : formatCount(read)),
          },
        ]
      : []),
    {
      title: 'Size',
      width: '7rem',
      numeric: true,
      sort: 'bytes',
      cell: (row) => formatBytes(row.bytes),
    },
    {
      title: 'Share',
      width: '9rem',
      cell: (row) => (
        <span class="bar-cell" style={{ '--share': bytes === 0 ? 0 : row.bytes / bytes }}>
          {percent(row.bytes, bytes)}
        </span>
      ),
    },
    { title: 'Rows', width: '8rem', numeric: true, sort: 'rows', cell: ({ rows }) => formatCount(rows) },
  ];
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const share = (100 * part) / whole;
  return `${share > 0 && share < 0.1 ? '< 0.1' : share.toFixed(share < 10 ? 1 : 0)} %`;
}
