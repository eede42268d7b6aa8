/** What the files tab wants in the page's link: nothing that another version of the table would number otherwise. */

export interface ListView {
  kind: 'list';
  /** Only files of this partition: its values. */
  partition?: (string | null)[] | undefined;
  /** Only files that are skipped since no row of theirs meets this condition. */
  reason?: string | undefined;
  verdict?: 'read' | 'skipped' | undefined;
}

export type FilesView =
  | ListView
  | { kind: 'partitions' }
  | { kind: 'sizes' }
  | { kind: 'file'; path: string };

export function viewOf(detail: string): FilesView {
  if (detail === 'partitions' || detail === 'sizes') return { kind: detail };
  if (detail === 'read' || detail === 'skipped') return { kind: 'list', verdict: detail };
  const [, name, value] = /^(file|reason|partition)=(.*)$/s.exec(detail) ?? [];
  if (name === 'file') return { kind: 'file', path: value! };
  if (name === 'reason') return { kind: 'list', reason: value };
  return { kind: 'list', partition: name === 'partition' ? valuesOf(value!) : undefined };
}

export function detailOf(view: FilesView): string {
  if (view.kind === 'file') return `file=${view.path}`;
  if (view.kind !== 'list') return view.kind;
  const { partition, reason, verdict } = view;
  if (partition !== undefined) return `partition=${JSON.stringify(partition)}`;
  return reason === undefined ? (verdict ?? '') : `reason=${reason}`;
}

/** Undefined for a link that somebody has changed by hand. */
function valuesOf(json: string): (string | null)[] | undefined {
  try {
    const values: unknown = JSON.parse(json);
    const isList = Array.isArray(values) && values.every((each) => each === null || typeof each === 'string');
    return isList ? values : undefined;
  } catch {
    return undefined;
  }
}
