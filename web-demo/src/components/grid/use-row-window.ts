import { useLayoutEffect, useReducer, useState } from 'preact/hooks';
import { ScaledScroll } from './scroll-scale.ts';

/** As in the style sheet. */
export const ROW_HEIGHT = 28;
export const HEAD_HEIGHT = 30;
/** Rows beyond the view that are drawn. */
const OVERSCAN = 12;

export interface RowsInView {
  readonly first: number;
  readonly last: number;
  /** Rows that fit the view. */
  readonly perPage: number;
  /** Pixels of the element that holds the rows. */
  readonly height: number;
  /** Where a row is drawn in it. */
  readonly topOf: (row: number) => number;
  /** Scrolls as little as it takes to see a row whole. */
  readonly reveal: (row: number) => void;
}

/** Which of `count` rows are in view of a scroller whose head stays at its top; any number of rows can be scrolled. */
export function useRowWindow(scroller: { current: HTMLElement | null }, count: number): RowsInView {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const [scroll] = useState(() => new ScaledScroll());
  const view = Math.max(0, (scroller.current?.clientHeight ?? 600) - HEAD_HEIGHT);
  scroll.layOut(count * ROW_HEIGHT, view);

  const moveTo = (offset: number) => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = scroll.moveTo(offset);
    scroll.settle(element.scrollTop);
    redraw(undefined);
  };
  useLayoutEffect(() => {
    const element = scroller.current!;
    const scrolled = () => {
      if (scroll.scrolled(element.scrollTop)) redraw(undefined);
    };
    // What small movements have moved apart comes together again.
    const settled = () => {
      if (scroll.isScaled) moveTo(scroll.offset);
    };
    const turned = (event: WheelEvent) => {
      if (!scroll.isScaled || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      const unit = [1, ROW_HEIGHT, element.clientHeight][event.deltaMode] ?? 1;
      moveTo(scroll.offset + event.deltaY * unit);
    };
    const sized = new ResizeObserver(() => redraw(undefined));
    sized.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    element.addEventListener('scrollend', settled);
    element.addEventListener('wheel', turned, { passive: false });
    return () => {
      sized.disconnect();
      element.removeEventListener('scroll', scrolled);
      element.removeEventListener('scrollend', settled);
      element.removeEventListener('wheel', turned);
    };
  }, [scroll]);

  const { offset, top, height } = scroll;
  return {
    first: Math.max(0, Math.floor(offset / ROW_HEIGHT) - OVERSCAN),
    last: Math.min(count, Math.ceil((offset + view) / ROW_HEIGHT) + OVERSCAN),
    perPage: Math.max(1, Math.floor(view / ROW_HEIGHT)),
    height,
    topOf: (row) => row * ROW_HEIGHT - offset + top,
    reveal: (row) => {
      const start = row * ROW_HEIGHT;
      if (start < scroll.offset) moveTo(start);
      else if (start + ROW_HEIGHT > scroll.offset + view) moveTo(start + ROW_HEIGHT - view);
    },
  };
}
