/** The cell that keys act on, and the cells that are selected with it. */

/** Row −1 is the head; column −1 the row's number. */
export interface CellAt {
  readonly row: number;
  readonly column: number;
}

export interface Selection {
  readonly active: CellAt;
  /** The corner opposite to the active cell. */
  readonly anchor: CellAt;
  /** Whole columns, or rows, instead of a rectangle. */
  readonly whole?: 'rows' | 'columns' | 'all';
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
  readonly perPage: number;
}

export interface Rectangle {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export const FIRST: Selection = at({ row: 0, column: 0 });

export function at(cell: CellAt): Selection {
  return { active: cell, anchor: cell };
}

/** What is selected, ends excluded; undefined in the head alone. */
export function rectangle(
  { active, anchor, whole }: Selection,
  { rows, columns }: Size,
): Rectangle | undefined {
  const isTall = whole === 'columns' || whole === 'all';
  const isWide = whole === 'rows' || whole === 'all';
  const top = isTall ? 0 : Math.max(0, Math.min(active.row, anchor.row));
  const bottom = isTall ? rows : Math.min(rows, Math.max(active.row, anchor.row) + 1);
  const left = isWide ? 0 : Math.max(0, Math.min(active.column, anchor.column));
  const right = isWide ? columns : Math.min(columns, Math.max(active.column, anchor.column) + 1);
  return top < bottom && left < right ? { top, bottom, left, right } : undefined;
}

export function isSelected(box: Rectangle | undefined, row: number, column: number): boolean {
  return box !== undefined && row >= box.top && row < box.bottom && column >= box.left && column < box.right;
}

interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Where a key leads, as in any grid (ARIA practices); undefined for keys that do not move. */
export function moved(selection: Selection, key: Key, size: Size): Selection | undefined {
  const control = key.ctrlKey || key.metaKey;
  if (control && key.key.toLowerCase() === 'a') return { ...selection, whole: 'all' };
  if (key.key === ' ' && key.shiftKey) return { ...selection, whole: 'rows' };
  if (key.key === ' ' && control) return { ...selection, whole: 'columns' };
  const to = destination(selection.active, key.key, control, size);
  if (to === undefined) return undefined;
  const active = {
    row: Math.min(Math.max(to.row, -1), size.rows - 1),
    column: Math.min(Math.max(to.column, 0), size.columns - 1),
  };
  return key.shiftKey ? { active, anchor: selection.anchor } : at(active);
}

function destination({ row, column }: CellAt, key: string, control: boolean, size: Size): CellAt | undefined {
  const { rows, columns, perPage } = size;
  switch (key) {
    case 'ArrowUp':
      return { row: control ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: control ? rows - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: control ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: control ? columns - 1 : column + 1 };
    case 'PageUp':
      return { row: Math.max(0, row - perPage), column };
    case 'PageDown':
      return { row: row + perPage, column };
    case 'Home':
      return { row: control ? 0 : row, column: 0 };
    case 'End':
      return { row: control ? rows - 1 : row, column: columns - 1 };
    default:
      return undefined;
  }
}
