/** The worker's rows as a grid asks for them. */
import { useEffect, useState } from 'preact/hooks';
import type { GridRows } from './components/grid.tsx';
import { type Loadable, session } from './session.ts';
import type { RowQuery, StartedRows } from './worker/protocol-data.ts';

export interface QueryRows extends GridRows {
  /** All columns that there are, shown or not. */
  readonly available: StartedRows['available'];
}

/**
 * Begins to read the rows of a query, anew when it changes or when `state` does; ends with the component. Where only the
 * columns change, the rows before stay until the new ones come.
 */
export function useQuery(query: RowQuery | undefined, state?: unknown): Loadable<QueryRows> {
  const key = JSON.stringify(query ?? null);
  const base = JSON.stringify({ ...query, columns: undefined });
  const [answer, setAnswer] = useState<{ base: string; state: unknown; rows: Loadable<QueryRows> }>();
  useEffect(() => {
    if (query === undefined) return undefined;
    let current = true;
    let id: number | undefined;
    session.startRows(query).then((result) => {
      if (!current) return;
      id = result.ok ? result.value.id : undefined;
      const rows: Loadable<QueryRows> = result.ok
        ? { state: 'done', value: queryRows(result.value) }
        : { state: 'failed', failure: result.failure };
      setAnswer({ base, state, rows });
    });
    return () => {
      current = false;
      if (id !== undefined) void session.stopRows(id);
    };
  }, [key, state]);
  return answer !== undefined && answer.base === base && answer.state === state
    ? answer.rows
    : { state: 'loading' };
}

function queryRows({ id, columns, available }: StartedRows): QueryRows {
  return {
    columns,
    available,
    rows: (start, end, readTo) => session.rows(id, start, end, readTo),
    sort: (sort) => session.sortRows(id, sort),
    cell: (row, column) => session.cell(id, row, column),
    copy: (task, range) => session.copyRows(task, id, range),
  };
}
