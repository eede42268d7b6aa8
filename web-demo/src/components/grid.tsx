import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Failure, Result, Task } from '../worker/protocol.ts';
import type { CellRange, GridColumn, Sort } from '../worker/protocol-data.ts';
import { FailureBox } from './failure.tsx';
import { CellDialog, type OpenCell } from './grid/cell-dialog.tsx';
import { Head } from './grid/head.tsx';
import { Row } from './grid/row.tsx';
import { at, FIRST, moved, rectangle, type Selection } from './grid/selection.ts';
import { GridStatus } from './grid/status.tsx';
import { useColumns } from './grid/use-columns.ts';
import { useRowWindow } from './grid/use-row-window.ts';
import { useZone, ZonePicker } from './grid/zone.tsx';
import { type AskRows, useRows } from './use-rows.ts';

/** Rows for a grid: they are asked for by window. */
export interface GridRows {
  readonly columns: GridColumn[];
  readonly rows: AskRows;
  /** Absent where rows cannot be sorted. */
  readonly sort?: (sort: Sort | null) => Promise<Result<number>>;
  /** The whole value of a cell that is cut; absent where none is. */
  readonly cell?: (row: number, column: number) => Promise<Result<string | null>>;
  /** Absent where nothing can be copied. */
  readonly copy?: (task: Task, range: CellRange) => Promise<Result<string>>;
}

interface GridProps {
  /** A new object begins anew. */
  source: GridRows;
  /** Name for assistive technology. */
  label?: string;
  /** A class for a row, by its cells. */
  markOf?: (cells: (string | null)[]) => string;
  /** A column to scroll to, with the number of the request. */
  goTo?: { column: string; request: number } | undefined;
  /** Beside the number of rows. */
  tools?: ComponentChildren;
}

/** Pixels by which a key makes a column wider. */
const RESIZE_STEP = 16;

/** A grid of any number of rows that holds only those in view; keys as in the ARIA grid pattern. */
export function Grid({ source, label = 'Rows', markOf, goTo, tools }: GridProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  const [zone, setZone] = useZone();
  const [sort, setSort] = useState<Sort | null>(null);
  const [sorted, setSorted] = useState(0);
  const [selection, setSelection] = useState<Selection>(FIRST);
  const [open, setOpen] = useState<OpenCell>();
  const [failure, setFailure] = useState<Failure>();
  const { columns } = source;
  const view = useRowWindow(scroller, count);
  const rows = useRows(source.rows, sorted, view.first, view.last);
  const { shown } = rows;
  if (count !== shown.known) setCount(shown.known);
  const layout = useColumns(scroller, columns, shown, zone);
  const size = { rows: count, columns: columns.length, perPage: view.perPage };
  const box = rectangle(selection, size);
  const { active } = selection;

  useEffect(() => setSort(null), [source]);
  useEffect(() => {
    const column = columns.findIndex(({ name }) => name === goTo?.column);
    if (column < 0) return;
    layout.reveal(column);
    setSelection(at({ row: Math.max(active.row, 0), column }));
  }, [goTo]);

  const select = (next: Selection) => {
    setSelection(next);
    if (next.whole !== undefined) return;
    if (next.active.row >= 0) view.reveal(next.active.row);
    if (next.active.column >= 0) layout.reveal(next.active.column);
  };
  const sortBy = async (column: number) => {
    const next = nextSort(sort, column);
    const result = await source.sort?.(next);
    if (result === undefined) return;
    setFailure(result.ok || result.failure.code === 'Cancelled' ? undefined : result.failure);
    if (!result.ok) return;
    setSort(next);
    setSorted((before) => before + 1);
  };
  const openCell = async ({ row, column }: { row: number; column: number }) => {
    const cells = shown.rows[row - shown.start];
    if (cells === undefined || columns[column] === undefined) return;
    const whole = await source.cell?.(row, column);
    const number = shown.numbers?.[row - shown.start] ?? row;
    const json = whole?.ok ? whole.value : (cells[column] ?? null);
    setOpen({ id: `${number} ${column} ${performance.now()}`, column: columns[column], number, json });
  };
  const press = (event: KeyboardEvent) => {
    const isCopy = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'c';
    if (isCopy && getSelection()?.isCollapsed !== false) {
      scroller.current?.parentElement?.querySelector<HTMLButtonElement>('button.copy')?.click();
    } else if (event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      const width = layout.drawn.find(({ index }) => index === active.column)?.width ?? 0;
      layout.resize(active.column, width + (event.key === 'ArrowLeft' ? -RESIZE_STEP : RESIZE_STEP));
    } else if (event.key === 'Enter' || event.key === 'F2') {
      if (active.row >= 0) void openCell(active);
      else if (columns[active.column]?.sortable) void sortBy(active.column);
    } else if (event.key === 'Escape') {
      setSelection(at(active));
    } else {
      const next = moved(selection, event, size);
      if (next === undefined) return;
      select(next);
    }
    event.preventDefault();
  };
  const point = (event: PointerEvent) => {
    const cell = cellAt(event);
    if (cell === undefined || event.button !== 0) return;
    // What is under the pointer is in view, and must not move before the second click.
    if (cell.column < 0) {
      setSelection({
        active: { ...cell, column: 0 },
        anchor: { row: event.shiftKey ? selection.anchor.row : cell.row, column: 0 },
        whole: 'rows',
      });
    } else setSelection(event.shiftKey ? { active: cell, anchor: selection.anchor } : at(cell));
  };
  const drag = (event: PointerEvent) => {
    const cell = (event.buttons & 1) === 1 ? cellAt(event) : undefined;
    if (cell === undefined || cell.column < 0) return;
    if (cell.row !== active.row || cell.column !== active.column) {
      setSelection({ active: cell, anchor: selection.anchor });
    }
  };

  const template = [
    `${layout.indexWidth}px`,
    `${layout.before}px`,
    ...layout.drawn.map(({ width }) => `${width}px`),
  ].join(' ');
  const activeId = active.row < 0 ? `${id}-h-${active.column}` : `${id}-${active.row}-${active.column}`;
  const isActiveDrawn =
    layout.drawn.some(({ index }) => index === active.column) &&
    (active.row < 0 || (active.row >= view.first && active.row < view.last));
  return (
    <>
      {failure !== undefined && <FailureBox failure={failure} />}
      {rows.failure !== undefined && (
        <div class="row-failure">
          <FailureBox failure={rows.failure} />
          <button type="button" onClick={() => rows.goOn(false)}>
            Try again
          </button>
        </div>
      )}
      <GridStatus
        rows={rows}
        sort={sort}
        columns={columns}
        source={source}
        box={box}
        zone={zone}
        onUnsort={() => void sortBy(sort!.column)}
      >
        {columns.some(({ dataType }) => mentionsTimestamp(dataType)) && (
          <ZonePicker zone={zone} onZone={setZone} />
        )}
        {tools}
      </GridStatus>
      <div class="grid" ref={scroller}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the cells of such a table are a grid's
          role="grid"
          style={{ width: `${layout.total}px` }}
          aria-label={label}
          aria-rowcount={shown.isAll ? count + 1 : -1}
          aria-colcount={columns.length + 1}
          aria-multiselectable="true"
          aria-busy={rows.isReading}
          aria-activedescendant={isActiveDrawn && count > 0 ? activeId : undefined}
          tabIndex={0}
          onKeyDown={press}
          onPointerDown={point}
          onPointerMove={drag}
          onDblClick={(event) => {
            const cell = cellAt(event);
            if (cell !== undefined && cell.column >= 0) void openCell(cell);
          }}
        >
          <Head
            id={id}
            layout={layout}
            template={template}
            sort={sort}
            active={active}
            onSort={source.sort && ((column) => void sortBy(column))}
            onSelect={(column, extend) =>
              setSelection({
                active: { row: 0, column },
                anchor: { row: 0, column: extend ? selection.anchor.column : column },
                whole: 'columns',
              })
            }
          />
          <tbody style={{ height: `${view.height}px` }}>
            {Array.from({ length: Math.max(0, view.last - view.first) }, (_, offset) => {
              const index = view.first + offset;
              const cells = shown.rows[index - shown.start];
              return (
                <Row
                  key={index}
                  id={id}
                  index={index}
                  number={shown.numbers?.[index - shown.start] ?? index}
                  top={view.topOf(index)}
                  template={template}
                  layout={layout}
                  cells={cells}
                  selection={selection}
                  box={box}
                  zone={zone}
                  mark={cells === undefined ? '' : (markOf?.(cells) ?? '')}
                />
              );
            })}
          </tbody>
        </table>
        {shown.isAll && shown.known === 0 && <p class="empty">No rows.</p>}
      </div>
      {open !== undefined && (
        <CellDialog
          key={open.id}
          open={open}
          zone={zone}
          onClose={() => setOpen((now) => (now === open ? undefined : now))}
        />
      )}
    </>
  );
}

/** Ascending, descending, as it was. */
function nextSort(sort: Sort | null, column: number): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}

function cellAt(event: Event): { row: number; column: number } | undefined {
  const cell = (event.target as Element).closest<HTMLElement>('[data-column]');
  const row = cell?.closest<HTMLElement>('[data-row]');
  if (cell === null || cell === undefined || row === null || row === undefined) return undefined;
  return { row: Number(row.dataset.row), column: Number(cell.dataset.column) };
}

function mentionsTimestamp(type: GridColumn['dataType']): boolean {
  return JSON.stringify(type).includes('"name":"timestamp"');
}
