import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { GridColumn, RowWindow } from '../../worker/protocol-data.ts';
import { cellDisplay } from './display.ts';

export const MIN_WIDTH = 48;
const MAX_WIDTH = 2000;
/** Characters of a column's first width, at most. */
const MAX_CHARACTERS = 44;
/** A cell's padding, and the room for the mark of sorting. */
const PADDING = 20;
const MARK = 18;
/** Up to so many columns all are drawn: leaving some out pays for wide tables only. */
const DRAW_ALL = 40;

export interface DrawnColumn {
  readonly index: number;
  readonly column: GridColumn;
  readonly width: number;
}

export interface ColumnLayout {
  readonly drawn: readonly DrawnColumn[];
  /** Pixels of the column of row numbers, and of the columns left of those that are drawn. */
  readonly indexWidth: number;
  readonly before: number;
  /** Pixels of all columns with the row numbers. */
  readonly total: number;
  readonly resize: (index: number, width: number) => void;
  /** As wide as what is in view. */
  readonly fit: (index: number) => void;
  readonly reveal: (index: number) => void;
}

/** Widths by what the first rows hold; they stay then, until somebody changes them: columns that move are hard to read. */
export function useColumns(
  scroller: { current: HTMLElement | null },
  columns: readonly GridColumn[],
  { rows, known }: Pick<RowWindow, 'rows' | 'known'>,
  zone: string,
): ColumnLayout {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const chosen = useRef(new Map<string, number>());
  const first = useRef(new Map<string, number>());
  const ch = useCharacter(scroller);
  const widths = columns.map((column, index) => {
    const width = chosen.current.get(column.name) ?? first.current.get(column.name);
    if (width !== undefined) return width;
    const wide = contentWidth(column, index, rows, ch, MAX_CHARACTERS, zone);
    if (rows.length > 0) first.current.set(column.name, wide);
    return wide;
  });
  const indexWidth = Math.round((String(known).length * 1.34 + 1) * ch) + PADDING;

  const options = {
    count: columns.length,
    horizontal: true,
    getScrollElement: () => scroller.current,
    estimateSize: (index: number) => widths[index] ?? MIN_WIDTH,
    paddingStart: indexWidth,
    scrollPaddingStart: indexWidth,
    overscan: columns.length <= DRAW_ALL ? DRAW_ALL : 3,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  const measured = useRef('');
  const key = `${indexWidth}|${widths.join()}`;
  if (measured.current !== key) {
    measured.current = key;
    virtualizer.measure();
  }

  const items = virtualizer.getVirtualItems().filter(({ index }) => index < columns.length);
  const resize = (index: number, width: number) => {
    chosen.current.set(columns[index]!.name, Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH)));
    redraw(undefined);
  };
  return {
    drawn: items.map(({ index }) => ({ index, column: columns[index]!, width: widths[index]! })),
    indexWidth,
    before: (items[0]?.start ?? indexWidth) - indexWidth,
    total: widths.reduce((sum, width) => sum + width, indexWidth),
    resize,
    fit: (index) => resize(index, contentWidth(columns[index]!, index, rows, ch, MAX_WIDTH, zone)),
    reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}

function contentWidth(
  column: GridColumn,
  index: number,
  rows: RowWindow['rows'],
  ch: number,
  maxCharacters: number,
  zone: string,
): number {
  const head = column.name.length + 1 + Math.min(column.type.length, 14);
  const widest = rows.reduce((width, cells) => {
    return Math.max(width, cellDisplay(cells[index], column.dataType, zone).text.length);
  }, 0);
  const characters = Math.min(Math.max(widest * ch, head * ch + MARK), maxCharacters * ch);
  return Math.max(MIN_WIDTH, Math.ceil(characters) + PADDING);
}

/** Pixels of a character of the grid's font. */
function useCharacter(scroller: { current: HTMLElement | null }): number {
  const width = useRef(0);
  if (width.current === 0 && scroller.current !== null) {
    const context = document.createElement('canvas').getContext('2d')!;
    context.font = getComputedStyle(scroller.current).font;
    width.current = context.measureText('0').width;
  }
  return width.current || 7.8;
}
