import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FailureBox } from '../../components/failure.tsx';
import { useVirtualRows } from '../../components/use-virtual-rows.ts';
import { formatCount } from '../../format.ts';
import type { Result } from '../../worker/protocol.ts';
import type { Window } from '../../worker/protocol-files.ts';
import { useWindow } from './use-window.ts';

/** Browsers cut elements off somewhat above 17 million pixels. */
const MAX_ROWS = 600_000;

export interface ListColumn<T, S extends string> {
  title: string;
  /** As in `grid-template-columns`. */
  width: string;
  numeric?: boolean;
  /** What sorting by this column is called; absent where that makes no sense. */
  sort?: S;
  cell: (row: T) => ComponentChildren;
  /** The whole of what a cell may cut off. */
  whole?: (row: T) => string;
}

interface ListingProps<T, S extends string> {
  label: string;
  /** What is listed, in the singular and the plural. */
  unit: [string, string];
  columns: ListColumn<T, S>[];
  /** What the list is: it is fetched anew when this changes. */
  queryKey: string;
  fetch: (start: number, end: number) => Promise<Result<Window<T>>>;
  sort: { by: S; descending: boolean };
  onSort: (by: S) => void;
  empty: string;
}

/** A long list that the worker holds: only rows in view are elements. */
export function Listing<T, S extends string>(props: ListingProps<T, S>) {
  const { label, unit, columns, queryKey, fetch, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  const virtualizer = useVirtualRows(scroller, count);
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, (items.at(-1)?.index ?? 0) + 1];
  const { window, isCurrent, failure } = useWindow(fetch, queryKey, first, last);
  const listed = Math.min(window?.total ?? 0, MAX_ROWS);
  if (count !== listed) setCount(listed);
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [queryKey]);
  const template = columns.map(({ width }) => width).join(' ');
  if (failure !== undefined) return <FailureBox failure={failure} />;
  return (
    <>
      <p class="count" aria-live="polite">
        {window === undefined || !isCurrent ? 'Looking…' : countText(window.total, unit)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section class="listing" ref={scroller} aria-label={label} aria-busy={!isCurrent} tabIndex={0}>
        <table aria-rowcount={(window?.total ?? 0) + 1}>
          <Head columns={columns} template={template} sort={props.sort} onSort={props.onSort} />
          <tbody style={{ height: `${virtualizer.getTotalSize()}px` }}>
            {items.map(({ index, start }) => (
              <Row
                key={index}
                index={index}
                top={start}
                template={template}
                columns={columns}
                row={window?.rows[index - window.start]}
              />
            ))}
          </tbody>
        </table>
        {isCurrent && window?.total === 0 && <p class="empty">{empty}</p>}
      </section>
    </>
  );
}

function countText(total: number, [one, many]: [string, string]): string {
  const text = `${formatCount(total)} ${total === 1 ? one : many}`;
  return total <= MAX_ROWS ? text : `${text}, of which the first ${formatCount(MAX_ROWS)} are listed`;
}

interface HeadProps<T, S extends string> {
  columns: ListColumn<T, S>[];
  template: string;
  sort: { by: S; descending: boolean };
  onSort: (by: S) => void;
}

function Head<T, S extends string>({ columns, template, sort, onSort }: HeadProps<T, S>) {
  return (
    <thead>
      <tr aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {columns.map(({ title, numeric, sort: by }) => {
          const isSorted = by !== undefined && by === sort.by;
          const order = sort.descending ? 'descending' : 'ascending';
          return (
            <th
              key={title}
              scope="col"
              class={numeric ? 'numeric' : ''}
              aria-sort={isSorted ? order : 'none'}
            >
              {by === undefined ? (
                title
              ) : (
                <button type="button" onClick={() => onSort(by)}>
                  {title}
                  <span aria-hidden="true">{isSorted ? (sort.descending ? ' ▾' : ' ▴') : ''}</span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface RowProps<T, S extends string> {
  index: number;
  top: number;
  template: string;
  columns: ListColumn<T, S>[];
  /** Undefined while it is on its way. */
  row: T | undefined;
}

function Row<T, S extends string>({ index, top, template, columns, row }: RowProps<T, S>) {
  return (
    <tr
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
    >
      {columns.map(({ title, numeric, cell, whole }) => (
        <td key={title} class={numeric ? 'numeric' : ''} title={row && whole?.(row)}>
          {row === undefined ? '' : cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The sort after a click on a column: the other way round where it is sorted by it already. */
export function sortAfter<S extends string>(
  { by, descending }: { by: S; descending: boolean },
  clicked: S,
  descendsFirst: boolean,
): { by: S; descending: boolean } {
  return clicked === by ? { by, descending: !descending } : { by: clicked, descending: descendsFirst };
}
