import { useRef, useState } from 'preact/hooks';
import { formatCell, formatCount } from '../format.ts';
import type { GridColumn, RowWindow } from '../worker/protocol.ts';
import { FailureBox } from './failure.tsx';
import { useRows } from './use-rows.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** A grid that holds only the rows in view; the worker keeps the rest. */
export function Grid({ columns, total }: { columns: GridColumn[]; total: number | null }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  const virtualizer = useVirtualRows(scroller, count);
  const items = virtualizer.getVirtualItems();
  const { shown, failure } = useRows(items[0]?.index ?? 0, (items.at(-1)?.index ?? 0) + 1);
  if (count !== shown.loaded) setCount(shown.loaded);
  const template = useTemplate(columns, shown);

  if (failure !== undefined && shown.loaded === 0) return <FailureBox failure={failure} />;
  return (
    <>
      {failure !== undefined && <FailureBox failure={failure} />}
      <p class="count" aria-live="polite">
        {progress(shown, total)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section class="grid" ref={scroller} aria-label="Rows" tabIndex={0}>
        <table
          aria-rowcount={shown.end === 'complete' ? shown.loaded + 1 : -1}
          aria-colcount={columns.length + 1}
        >
          <Head columns={columns} template={template} />
          <tbody style={{ height: `${virtualizer.getTotalSize()}px` }}>
            {items.map(({ index, start }) => (
              <Row
                key={index}
                index={index}
                top={start}
                template={template}
                columns={columns}
                cells={shown.rows[index - shown.start]}
              />
            ))}
          </tbody>
        </table>
        {shown.end !== 'open' && shown.loaded === 0 && <p class="empty">No rows.</p>}
      </section>
    </>
  );
}

/** @param total how many rows there are, where that is known without reading them. */
function progress({ loaded, end }: RowWindow, total: number | null): string {
  const rows = `${formatCount(loaded)} ${loaded === 1 ? 'row' : 'rows'}`;
  if (end === 'complete') return rows;
  if (end === 'bounded') return `The first ${rows}: this page keeps no more. A narrower filter shows others.`;
  if (loaded === 0) return 'Reading rows…';
  const of = total === null ? '' : ` of ${formatCount(total)}`;
  return `${formatCount(loaded)}${of} rows read; scroll for more`;
}

/** Column widths in characters of the first rows that came, which stay: columns that move are hard to read. */
function useTemplate(columns: GridColumn[], { rows, loaded }: RowWindow): string {
  const template = useRef<string | undefined>(undefined);
  if (template.current !== undefined) return template.current;
  const text = [String(loaded).length + 2, ...columns.map((column, at) => widthOf(column, rows, at))]
    .map((width) => `calc(${width}ch + 1.2rem)`)
    .join(' ');
  if (rows.length > 0) template.current = text;
  return text;
}

function widthOf({ name, type }: GridColumn, rows: RowWindow['rows'], at: number): number {
  const head = name.length + 1 + Math.min(type.length, 14);
  const widest = rows.reduce((width, cells) => Math.max(width, formatCell(cells[at] ?? 'null').length), head);
  return Math.min(widest, 44);
}

function Head({ columns, template }: { columns: GridColumn[]; template: string }) {
  return (
    <thead>
      <tr aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        <th scope="col" class="index">
          #
        </th>
        {columns.map(({ name, type, numeric }) => (
          <th scope="col" key={name} class={numeric ? 'numeric' : ''} title={`${name} ${type}`}>
            {name} <small>{type}</small>
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps {
  index: number;
  top: number;
  template: string;
  columns: GridColumn[];
  /** Undefined while they are on their way. */
  cells: (string | null)[] | undefined;
}

function Row({ index, top, template, columns, cells }: RowProps) {
  const style = { transform: `translateY(${top}px)`, gridTemplateColumns: template };
  return (
    <tr aria-rowindex={index + 2} style={style}>
      <th scope="row" class="index">
        {formatCount(index + 1)}
      </th>
      {columns.map(({ name, numeric }, at) => (
        <Cell key={name} json={cells?.[at]} numeric={numeric} />
      ))}
    </tr>
  );
}

function Cell({ json, numeric }: { json: string | null | undefined; numeric: boolean }) {
  const side = numeric ? 'numeric' : '';
  if (json === undefined) return <td />;
  if (json === null) return <td class={`null ${side}`}>null</td>;
  const text = formatCell(json);
  return (
    <td class={side} title={text}>
      {text}
    </td>
  );
}
