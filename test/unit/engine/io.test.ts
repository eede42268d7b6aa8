import { describe, expect, it } from 'vitest';
import { FooterCache } from '../../../src/engine/footer-cache.ts';
import { mergeRanges, splitRange } from '../../../src/engine/io.ts';
import { prefetchOrdered } from '../../../src/engine/prefetch.ts';

const range = (start: number, end: number) => ({ start, end });

describe('mergeRanges', () => {
  it('joins neighbours over small gaps, up to a size', () => {
    const ranges = [range(0, 10), range(10, 20), range(25, 30), range(100, 110)];
    expect(mergeRanges(ranges, { gapBytes: 5, maxRequestBytes: 1000 })).toEqual([
      range(0, 30),
      range(100, 110),
    ]);
    expect(mergeRanges(ranges, { gapBytes: 0, maxRequestBytes: 1000 })).toEqual([
      range(0, 20),
      range(25, 30),
      range(100, 110),
    ]);
    expect(mergeRanges(ranges, { gapBytes: 5, maxRequestBytes: 20 })).toEqual([
      range(0, 20),
      range(25, 30),
      range(100, 110),
    ]);
  });

  it('leaves long ranges to be split, and keeps offsets beyond 2^32 exact', () => {
    const far = 5 * 2 ** 30;
    expect(mergeRanges([range(far, far + 25)], { gapBytes: 0, maxRequestBytes: 10 })).toEqual([
      range(far, far + 25),
    ]);
    expect(splitRange(range(far, far + 25), 10)).toEqual([
      range(far, far + 10),
      range(far + 10, far + 20),
      range(far + 20, far + 25),
    ]);
  });

  it('drops empty ranges and reads overlapping ones once', () => {
    expect(mergeRanges([range(5, 5)], { gapBytes: 0, maxRequestBytes: 10 })).toEqual([]);
    expect(mergeRanges([range(0, 8), range(4, 12)], { gapBytes: 0, maxRequestBytes: 100 })).toEqual([
      range(0, 12),
    ]);
  });
});

describe('prefetchOrdered', () => {
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('gives results in order whatever their speed, within its limit', async () => {
    let running = 0;
    let most = 0;
    const results: number[] = [];
    const source = prefetchOrdered([5, 1, 4, 0, 3], { limit: 3 }, async (ms) => {
      most = Math.max(most, ++running);
      await later(ms);
      running--;
      return ms;
    });
    for await (const result of source) results.push(result);
    expect(results).toEqual([5, 1, 4, 0, 3]);
    expect(most).toBe(3);
  });

  it('keeps to its budget, but always lets one item through', async () => {
    const started: number[] = [];
    const source = prefetchOrdered([10, 1, 1, 10], { limit: 10, budget: 2, weight: (n) => n }, async (n) => {
      started.push(n);
      return n;
    });
    expect((await source.next()).value).toBe(10);
    expect(started).toEqual([10]);
    await source.next();
    expect(started).toEqual([10, 1, 1]);
    await source.return();
  });

  it('raises a failure when its turn comes, after the results before it', async () => {
    const results: number[] = [];
    const failing = async () => {
      const source = prefetchOrdered([1, 2, 3], { limit: 3 }, async (n) => {
        if (n === 2) throw new Error('two');
        return n;
      });
      for await (const result of source) results.push(result);
    };
    await expect(failing()).rejects.toThrow('two');
    expect(results).toEqual([1]);
  });

  it('raises a failure of its source after the results before it', async () => {
    async function* source() {
      yield 1;
      throw new Error('source');
    }
    const results: number[] = [];
    const failing = async () => {
      for await (const n of prefetchOrdered(source(), { limit: 5 }, async (n) => n)) results.push(n);
    };
    await expect(failing()).rejects.toThrow('source');
    expect(results).toEqual([1]);
  });

  it('aborts what is under way and closes its source when the consumer stops', async () => {
    let closed = false;
    async function* source() {
      try {
        for (let n = 0; ; n++) yield n;
      } finally {
        closed = true;
      }
    }
    const signals: AbortSignal[] = [];
    for await (const _ of prefetchOrdered(source(), { limit: 3 }, async (n, signal) => {
      signals.push(signal);
      return n;
    })) {
      break;
    }
    expect(closed).toBe(true);
    expect(signals.length).toBeGreaterThan(1);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });

  it('hands the reason of an outer abort to the work', async () => {
    const outer = new AbortController();
    const source = prefetchOrdered([1], { limit: 1, signal: outer.signal }, (_, signal) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const next = source.next();
    outer.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});

describe('FooterCache', () => {
  const file = (name: string, size = 10) => ({
    location: new URL(`memory:///t/${name}`),
    size,
    lastModified: 0,
  });
  const tail = (length: number) => ({ start: 0, bytes: new Uint8Array(length) });

  it('keeps the latest within its bytes', () => {
    const cache = new FooterCache(25);
    cache.set(file('a'), tail(10));
    cache.set(file('b'), tail(10));
    expect(cache.get(file('a'))).toBeDefined();
    cache.set(file('c'), tail(10));
    expect([cache.get(file('a')), cache.get(file('b')), cache.get(file('c'))].map(Boolean)).toEqual([
      true,
      false,
      true,
    ]);
    cache.set(file('big'), tail(26));
    expect(cache.get(file('big'))).toBeUndefined();
    expect(cache.get(file('a'))).toBeDefined();
  });

  it('tells files of other sizes apart and forgets a location', () => {
    const cache = new FooterCache(100);
    cache.set(file('a', 10), tail(1));
    cache.set(file('a', 11), tail(1));
    expect(cache.get(file('a', 12))).toBeUndefined();
    cache.forget(new URL('memory:///t/a'));
    expect([cache.get(file('a', 10)), cache.get(file('a', 11))]).toEqual([undefined, undefined]);
  });
});
