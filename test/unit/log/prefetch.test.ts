import { describe, expect, it } from 'vitest';
import { prefetchInOrder, type Source } from '../../../src/kernel/log/prefetch.ts';
import { collect } from '../../helpers/row-engine.ts';

/** Sources that note when they are opened and closed. */
function sources(contents: readonly (readonly number[] | Error)[], bytes?: number) {
  const events: string[] = [];
  const all: Source<number>[] = contents.map((items, index) => ({
    ...(bytes !== undefined && { bytes }),
    async *open() {
      events.push(`open ${index}`);
      try {
        if (items instanceof Error) throw items;
        yield* items;
      } finally {
        events.push(`close ${index}`);
      }
    },
  }));
  return { events, all };
}

describe('prefetchInOrder', () => {
  it('keeps the order and opens no more than it may', async () => {
    const { events, all } = sources([[1, 2], [], [3], [4, 5]]);
    const items = prefetchInOrder(all, { sources: 2 });
    expect((await items.next()).value).toBe(1);
    expect(events).toEqual(['open 0', 'open 1', 'close 1']);
    expect(await collect(items)).toEqual([2, 3, 4, 5]);
  });

  it('counts bytes, and opens what is too large alone', async () => {
    const { events, all } = sources([[1], [2], [3]], 10);
    const items = prefetchInOrder(all, { sources: 3, bytes: 20 });
    await items.next();
    expect(events).toEqual(['open 0', 'open 1']);
    expect(await collect(prefetchInOrder(all, { sources: 3, bytes: 1 }))).toEqual([1, 2, 3]);
    await items.return();
  });

  it('shows a failure in its turn, and closes the rest', async () => {
    const { events, all } = sources([[1], new Error('bad'), [3]]);
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const item of prefetchInOrder(all, { sources: 3 })) seen.push(item);
      })(),
    ).rejects.toThrow('bad');
    expect(seen).toEqual([1]);
    await Promise.resolve();
    expect(events).toContain('close 2');
  });

  it('closes what is open when the consumer stops', async () => {
    const { events, all } = sources([[1, 2], [3], [4]]);
    for await (const _ of prefetchInOrder(all, { sources: 2 })) break;
    await Promise.resolve();
    expect(events).toEqual(['open 0', 'open 1', 'close 0', 'close 1']);
  });
});
