import type { Sort } from '../../worker/protocol-data.ts';
import type { CellAt } from './selection.ts';
import { type ColumnLayout, type DrawnColumn, MIN_WIDTH } from './use-columns.ts';

interface HeadProps {
  id: string;
  layout: ColumnLayout;
  template: string;
  sort: Sort | null;
  active: CellAt;
  /** Undefined where rows cannot be sorted. */
  onSort: ((column: number) => void) | undefined;
  onSelect: (column: number, extend: boolean) => void;
}

/** Names of the columns: a click sorts, Ctrl and a click select, the edge is dragged. */
export function Head({ id, layout, template, sort, active, onSort, onSelect }: HeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1} style={{ gridTemplateColumns: template, width: `${layout.total}px` }}>
        <th scope="col" aria-colindex={1} class="index" aria-label="Row number">
          #
        </th>
        <td class="spacer" aria-hidden="true" />
        {layout.drawn.map((drawn) => (
          <ColumnHead
            key={drawn.column.name}
            id={`${id}-h-${drawn.index}`}
            drawn={drawn}
            order={sort?.column === drawn.index ? (sort.descending ? 'descending' : 'ascending') : undefined}
            isActive={active.row === -1 && active.column === drawn.index}
            onSort={drawn.column.sortable ? onSort : undefined}
            onSelect={onSelect}
            layout={layout}
          />
        ))}
      </tr>
    </thead>
  );
}

interface ColumnHeadProps extends Pick<HeadProps, 'onSort' | 'onSelect' | 'layout'> {
  id: string;
  drawn: DrawnColumn;
  order: 'ascending' | 'descending' | undefined;
  isActive: boolean;
}

function ColumnHead({ id, drawn, order, isActive, onSort, onSelect, layout }: ColumnHeadProps) {
  const { name, type, numeric } = drawn.column;
  const press = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || onSort === undefined) {
      onSelect(drawn.index, event.shiftKey);
    } else onSort(drawn.index);
  };
  return (
    <th
      id={id}
      scope="col"
      aria-colindex={drawn.index + 2}
      aria-sort={order ?? 'none'}
      class={`${numeric ? 'numeric' : ''} ${isActive ? 'active' : ''}`}
      title={`${name} ${type}`}
      onClick={press}
    >
      <span class="name">
        {name} <small>{type}</small>
      </span>
      {order !== undefined && (
        <span class="order" aria-hidden="true">
          {order === 'ascending' ? '▲' : '▼'}
        </span>
      )}
      <Edge drawn={drawn} layout={layout} />
    </th>
  );
}

/** The right edge of a column: drags its width, a double click fits it. Keys: Alt with arrows in the head. */
function Edge({ drawn, layout }: { drawn: DrawnColumn; layout: ColumnLayout }) {
  const drag = (event: PointerEvent) => {
    event.preventDefault();
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const move = (moved: PointerEvent) => {
      layout.resize(drawn.index, Math.max(MIN_WIDTH, drawn.width + moved.clientX - from));
    };
    const end = () => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('pointerup', end);
      handle.removeEventListener('pointercancel', end);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
  };
  return (
    <span
      class="edge"
      aria-hidden="true"
      onPointerDown={drag}
      onClick={(event) => event.stopPropagation()}
      onDblClick={() => layout.fit(drawn.index)}
    />
  );
}
