import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { formatCell, formatCount } from '../format.ts';
import { session } from '../session.ts';
import type { Failure, GridColumn, RowWindow } from '../worker/protocol.ts';
import { FailureBox } from './failure.tsx';

const ROW_HEIGHT = 28;
/** Rows that are asked for beyond the visible ones. */
const AHEAD = 200;

/** A grid that holds only the rows in view; the worker keeps the rest. */
export function Grid({ columns }: { columns: GridColumn[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<RowWindow>({ start: 0, rows: [], loaded: 0, complete: false });
  const [failure, setFailure] = useState<Failure>();
  const virtualizer = useVirtualRows(scroller, shown.loaded);
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = (items.at(-1)?.index ?? 0) + 1;

  useEffect(() => {
    const missing = first < shown.start || last > shown.start + shown.rows.length;
    const more = !shown.complete && last + AHEAD > shown.loaded;
    if (failure !== undefined || (!missing && !more)) return undefined;
    let current = true;
    session.rows(Math.max(0, first - AHEAD), last + AHEAD).then((result) => {
      if (!current) return;
      if (result.ok) setShown(result.value);
      else setFailure(result.failure);
    });
    return () => {
      current = false;
    };
  }, [first, last, shown, failure]);

  if (failure !== undefined) return <FailureBox failure={failure} />;
  const template = `minmax(4rem, max-content) repeat(${columns.length}, minmax(8rem, 18rem))`;
  return (
    <>
      <p class="count" aria-live="polite">
        {formatCount(shown.loaded)} rows {shown.complete ? 'in all' : 'read so far'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <div class="grid" ref={scroller} role="table" aria-label="Rows" aria-rowcount={shown.complete ? shown.loaded : -1} tabIndex={0}>
        <div class="head" role="row" style={{ gridTemplateColumns: template }}>
          <span role="columnheader" class="index">
            #
          </span>
          {columns.map((column) => (
            <span role="columnheader" key={column.name} class={column.numeric ? 'numeric' : undefined} title={column.type}>
              {column.name} <small>{column.type}</small>
            </span>
          ))}
        </div>
        <div class="body" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {items.map((item) => (
            <Row
              key={item.index}
              index={item.index}
              top={item.start}
              template={template}
              columns={columns}
              cells={shown.rows[item.index - shown.start]}
            />
          ))}
        </div>
        {shown.complete && shown.loaded === 0 && <p class="empty">No rows.</p>}
      </div>
    </>
  );
}

interface RowProps {
  index: number;
  top: number;
  template: string;
  columns: GridColumn[];
  cells: (string | null)[] | undefined;
}

function Row({ index, top, template, columns, cells }: RowProps) {
  return (
    <div class="line" role="row" aria-rowindex={index + 1} style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}>
      <span class="index" role="rowheader">
        {index}
      </span>
      {columns.map((column, at) => (
        <Cell key={column.name} json={cells?.[at]} numeric={column.numeric} />
      ))}
    </div>
  );
}

function Cell({ json, numeric }: { json: string | null | undefined; numeric: boolean }) {
  if (json === undefined) return <span role="cell" class="waiting" />;
  if (json === null) {
    return (
      <span role="cell" class="null">
        null
      </span>
    );
  }
  const text = formatCell(json);
  return (
    <span role="cell" class={numeric ? 'numeric' : undefined} title={text}>
      {text}
    </span>
  );
}

/** TanStack's virtualizer, kept in step with the element and redrawn when the rows in view change. */
function useVirtualRows(scroller: { current: HTMLDivElement | null }, count: number) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
