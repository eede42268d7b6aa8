/** Parts of the inspector's grid that need no page: where it is scrolled to, and where keys lead. */
import { describe, expect, it } from 'vitest';
import { ScaledScroll } from '../../web-demo/src/components/grid/scroll-scale.ts';
import {
  at,
  isSelected,
  moved,
  rectangle,
  type Selection,
} from '../../web-demo/src/components/grid/selection.ts';
import { readDetail } from '../../web-demo/src/panels/data/detail.ts';
import { hexDigits } from '../../web-demo/src/values.ts';
import { zonedTimestamp } from '../../web-demo/src/zones.ts';

describe('scrolling', () => {
  function scrollOf(content: number, maxHeight = 1000) {
    const scroll = new ScaledScroll(maxHeight);
    scroll.layOut(content, 100);
    return scroll;
  }

  it('is as it is where the rows are no higher than an element may be', () => {
    const scroll = scrollOf(1000);
    expect([scroll.height, scroll.isScaled]).toEqual([1000, false]);
    scroll.scrolled(345);
    expect(scroll.offset).toBe(345);
    expect(scroll.moveTo(5000)).toBe(900);
  });

  it('moves by rows in small steps and in proportion in large ones, and reaches both ends', () => {
    // 28 billion pixels: a billion rows. One pixel of the element stands for about 31 million.
    const scroll = scrollOf(28_000_000_000);
    expect([scroll.height, scroll.isScaled]).toEqual([1000, true]);
    scroll.scrolled(450);
    expect(scroll.offset).toBe((28_000_000_000 - 100) / 2);
    const middle = scroll.offset;
    scroll.scrolled(478);
    expect(scroll.offset).toBe(middle + 28);
    scroll.scrolled(450);
    expect(scroll.offset).toBe(middle);
    scroll.scrolled(900);
    expect(scroll.offset).toBe(28_000_000_000 - 100);
    scroll.scrolled(0);
    expect(scroll.offset).toBe(0);
  });

  it('that a program asks for leads back to the same rows', () => {
    const scroll = scrollOf(28_000_000);
    const top = scroll.moveTo(14_000_000);
    scroll.settle(Math.round(top));
    expect(scroll.scrolled(Math.round(top))).toBe(false);
    expect(scroll.offset).toBe(14_000_000);
  });

  it('stays within rows that have become fewer', () => {
    const scroll = scrollOf(28_000_000);
    scroll.moveTo(20_000_000);
    scroll.layOut(500, 100);
    expect(scroll.offset).toBe(400);
  });
});

describe('keys', () => {
  const size = { rows: 100, columns: 5, perPage: 10 };
  const press = (selection: Selection, key: string, held: { shiftKey?: boolean; ctrlKey?: boolean } = {}) =>
    moved(selection, { key, shiftKey: false, ctrlKey: false, metaKey: false, ...held }, size);
  const middle = at({ row: 50, column: 2 });

  it.each([
    ['ArrowUp', {}, 49, 2],
    ['ArrowRight', {}, 50, 3],
    ['PageDown', {}, 60, 2],
    ['PageUp', {}, 40, 2],
    ['Home', {}, 50, 0],
    ['End', {}, 50, 4],
    ['Home', { ctrlKey: true }, 0, 0],
    ['End', { ctrlKey: true }, 99, 4],
    ['ArrowDown', { ctrlKey: true }, 99, 2],
  ])('%s %o', (key, held, row, column) => {
    expect(press(middle, key, held)?.active).toEqual({ row, column });
  });

  it('stop at the edges, of which the head is one', () => {
    expect(press(at({ row: 0, column: 0 }), 'ArrowUp')?.active).toEqual({ row: -1, column: 0 });
    expect(press(at({ row: -1, column: 0 }), 'ArrowUp')?.active).toEqual({ row: -1, column: 0 });
    expect(press(at({ row: 99, column: 4 }), 'ArrowRight')?.active).toEqual({ row: 99, column: 4 });
    expect(press(middle, 'x')).toBe(undefined);
  });

  it('extend a selection with Shift, and select rows, columns and all', () => {
    const down = press(press(middle, 'ArrowDown', { shiftKey: true })!, 'ArrowLeft', { shiftKey: true })!;
    expect(rectangle(down, size)).toEqual({ top: 50, bottom: 52, left: 1, right: 3 });
    expect(rectangle(press(middle, ' ', { shiftKey: true })!, size)).toEqual({
      top: 50,
      bottom: 51,
      left: 0,
      right: 5,
    });
    expect(rectangle(press(middle, ' ', { ctrlKey: true })!, size)).toMatchObject({
      top: 0,
      bottom: 100,
      left: 2,
    });
    const all = rectangle(press(middle, 'a', { ctrlKey: true })!, size);
    expect(all).toEqual({ top: 0, bottom: 100, left: 0, right: 5 });
    expect([isSelected(all, 99, 4), isSelected(all, 100, 4), isSelected(undefined, 0, 0)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(rectangle(at({ row: -1, column: 2 }), size)).toBe(undefined);
  });
});

it.each([
  ['-0044-03-15T12:00:00.000000Z', 'Europe/Rome', '-000044-03-15T12:49:56.000000+00:49:56'],
  ['2024-07-01T23:59:59.999999Z', 'Asia/Kathmandu', '2024-07-02T05:44:59.999999+05:45'],
  ['2024-01-01T00:00:00.000000Z', 'America/St_Johns', '2023-12-31T20:30:00.000000-03:30'],
  ['+294247-01-10T04:00:54.775807Z', 'Europe/Rome', '+294247-01-10T04:00:54.775807Z'],
])('%s in %s', (text, zone, shown) => {
  expect(zonedTimestamp(text, zone)).toBe(shown);
});

it('binary is hex digits, also where it was cut', () => {
  expect(hexDigits('AP8Q')).toBe('00ff10');
  expect(hexDigits('AP8QAP…')).toBe('00ff10…');
  expect(hexDigits('')).toBe('');
});

it('a link says which versions are compared, or which columns are shown', () => {
  expect(readDetail('diff=3..6')).toEqual({ diff: [3, 6] });
  expect(readDetail('columns=a%2Cb,c')).toEqual({ columns: ['a,b', 'c'] });
  expect(readDetail('diff=3..x')).toEqual({});
});
