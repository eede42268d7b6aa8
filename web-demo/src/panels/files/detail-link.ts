/** What the files tab wants in the page's link. */

export type FilesView =
  | {
      kind: 'list';
      partition?: number | undefined;
      reason?: number | undefined;
      verdict?: 'read' | 'skipped' | undefined;
    }
  | { kind: 'partitions' }
  | { kind: 'sizes' }
  | { kind: 'file'; path: string };

export function viewOf(detail: string): FilesView {
  if (detail === 'partitions' || detail === 'sizes') return { kind: detail };
  if (detail.startsWith('file=')) return { kind: 'file', path: detail.slice('file='.length) };
  const [, partition] = /\bpartition=(\d{1,9})\b/.exec(detail) ?? [];
  const [, reason] = /\breason=(\d{1,9})\b/.exec(detail) ?? [];
  const [, verdict] = /\b(read|skipped)\b/.exec(detail) ?? [];
  return {
    kind: 'list',
    ...(partition !== undefined && { partition: Number(partition) }),
    ...(reason !== undefined && { reason: Number(reason) }),
    ...(verdict !== undefined && { verdict: verdict as 'read' | 'skipped' }),
  };
}

export function detailOf(view: FilesView): string {
  if (view.kind === 'file') return `file=${view.path}`;
  if (view.kind !== 'list') return view.kind;
  const { partition, reason, verdict } = view;
  return [
    partition !== undefined && `partition=${partition}`,
    reason !== undefined && `reason=${reason}`,
    verdict,
  ]
    .filter(Boolean)
    .join(',');
}
