import { formatCount } from '../../format.ts';
import { cellDisplay, oneLine } from './display.ts';
import { isSelected, type Rectangle, type Selection } from './selection.ts';
import type { ColumnLayout, DrawnColumn } from './use-columns.ts';

interface RowProps {
  id: string;
  index: number;
  /** Of the row in the table's order. */
  number: number;
  top: number;
  template: string;
  layout: ColumnLayout;
  /** Undefined while they are on their way. */
  cells: (string | null)[] | undefined;
  selection: Selection;
  box: Rectangle | undefined;
  zone: string;
  /** A class of its own, by its cells. */
  mark: string;
}

export function Row(props: RowProps) {
  const { id, index, number, top, template, layout, cells, selection, box, zone, mark } = props;
  const style = {
    transform: `translateY(${top}px)`,
    gridTemplateColumns: template,
    width: `${layout.total}px`,
  };
  return (
    <tr aria-rowindex={index + 2} data-row={index} class={mark} style={style}>
      <th scope="row" aria-colindex={1} class="index" data-column={-1}>
        {formatCount(number + 1)}
      </th>
      <td class="spacer" aria-hidden="true" />
      {layout.drawn.map((drawn) => (
        <Cell
          key={drawn.column.name}
          id={`${id}-${index}-${drawn.index}`}
          drawn={drawn}
          json={cells === undefined ? undefined : (cells[drawn.index] ?? null)}
          zone={zone}
          isActive={selection.active.row === index && selection.active.column === drawn.index}
          isSelected={isSelected(box, index, drawn.index)}
        />
      ))}
    </tr>
  );
}

interface CellProps {
  id: string;
  drawn: DrawnColumn;
  json: string | null | undefined;
  zone: string;
  isActive: boolean;
  isSelected: boolean;
}

function Cell({ id, drawn, json, zone, isActive, isSelected: selected }: CellProps) {
  const { dataType, numeric } = drawn.column;
  const { text, kind } = cellDisplay(json, dataType, zone);
  const classes = [kind, numeric && 'numeric', isActive && 'active', selected && 'selected'];
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: in a grid a td is a cell of it
    <td
      id={id}
      aria-colindex={drawn.index + 2}
      aria-selected={selected}
      data-column={drawn.index}
      class={classes.filter(Boolean).join(' ')}
      title={kind === 'value' || kind === 'nested' ? text : undefined}
    >
      {oneLine(text)}
    </td>
  );
}
