import { describe, expect, it } from 'vitest';
import type { RowIndexSet } from '../../../src/kernel/engine.ts';
import type { EngineData } from '../../../src/kernel/engine-data.ts';
import { fromExactJson, toExactJson } from '../../../src/kernel/scan/exact-json.ts';
import { IncrementalScan } from '../../../src/kernel/scan/incremental.ts';
import { readAhead } from '../../../src/kernel/scan/read-ahead.ts';
import { undeleted } from '../../../src/kernel/scan/read-file.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { add, LogBuilder, metadata, protocol, remove } from '../../helpers/log-builder.ts';

describe('reading ahead', () => {
  const limits = { items: 3, bytes: 100 };
  async function* numbers(count: number, log: string[] = []): AsyncGenerator<number> {
    try {
      for (let n = 0; n < count; n += 1) yield n;
    } finally {
      log.push('source closed');
    }
  }
  const opener = (log: string[]) =>
    async function* (n: number): AsyncGenerator<string> {
      log.push(`open ${n}`);
      try {
        yield `${n}a`;
        yield `${n}b`;
      } finally {
        log.push(`close ${n}`);
      }
    };

  it('keeps the order, each item once', async () => {
    for (const items of [1, 2, 3, 8]) {
      const found: string[] = [];
      const read = readAhead(numbers(6), opener([]), () => 1, { items, bytes: 100 });
      for await (const text of read) found.push(text);
      expect(found).toEqual(['0', '1', '2', '3', '4', '5'].flatMap((n) => [`${n}a`, `${n}b`]));
    }
    const found: string[] = [];
    for await (const text of readAhead([7, 8], opener([]), () => 1, limits)) found.push(text);
    expect(found).toEqual(['7a', '7b', '8a', '8b']);
  });

  it('opens the next items within limits of number and bytes', async () => {
    const log: string[] = [];
    const read = readAhead(numbers(9), opener(log), () => 40, limits);
    await read.next();
    await new Promise((done) => setTimeout(done, 5));
    expect(log).toEqual(['open 0', 'open 1']);
    const more: string[] = [];
    const wide = readAhead(numbers(9), opener(more), () => 1, limits);
    await wide.next();
    await new Promise((done) => setTimeout(done, 5));
    expect(more).toEqual(['open 0', 'open 1', 'open 2']);
  });

  it('closes everything when the consumer stops', async () => {
    const log: string[] = [];
    for await (const _ of readAhead(numbers(9, log), opener(log), () => 1, limits)) {
      await new Promise((done) => setTimeout(done, 5));
      break;
    }
    await new Promise((done) => setTimeout(done, 5));
    expect(log.filter((line) => line.startsWith('close')).sort()).toEqual(['close 0', 'close 1', 'close 2']);
    expect(log).toContain('source closed');
  });

  it('fails when the turn of a failure comes', async () => {
    const found: string[] = [];
    const failing = async function* (n: number): AsyncGenerator<string> {
      if (n === 1) throw new Error('broken');
      yield `${n}`;
    };
    const read = async () => {
      for await (const text of readAhead(numbers(4), failing, () => 1, limits)) found.push(text);
    };
    await expect(read()).rejects.toThrow('broken');
    expect(found).toEqual(['0']);
    async function* source(): AsyncGenerator<number> {
      yield 0;
      throw new Error('no more');
    }
    const all = async () => {
      for await (const text of readAhead(source(), opener([]), () => 1, limits)) found.push(text);
    };
    await expect(all()).rejects.toThrow('no more');
    expect(found).toEqual(['0', '0a', '0b']);
  });
});

describe('deleted rows of a batch', () => {
  const deleted = (rows: number[]): RowIndexSet => ({
    cardinality: rows.length,
    selection: (start, length) => Uint8Array.from({ length }, (_, i) => (rows.includes(start + i) ? 0 : 1)),
    serialize: () => new Uint8Array(0),
    free: () => undefined,
  });
  const batch = (positions: number[]) =>
    ({
      length: positions.length,
      column: () => ({ getNumber: (row: number) => positions[row] }),
    }) as unknown as EngineData;

  it.each([
    [
      [0, 1, 2, 3],
      [0, 1, 0, 1],
    ],
    [
      [5, 6, 9, 10],
      [1, 1, 0, 1],
    ],
    [
      [2, 4, 6, 8, 9],
      [0, 1, 1, 1, 0],
    ],
    [[2 ** 32 + 5], [0]],
    [[], []],
  ])('at %j', (positions, expected) => {
    expect(Array.from(undeleted(batch(positions), deleted([0, 2, 9, 2 ** 32 + 5]), 'at'))).toEqual(expected);
  });
});

describe('exact JSON', () => {
  it('keeps what JSON would lose', () => {
    const value = {
      long: 2n ** 63n - 1n,
      floats: [Number.NaN, Number.NEGATIVE_INFINITY, -0, 0.1],
      bytes: Uint8Array.of(0, 255),
      url: new URL('https://h/t/?sig=a'),
      nested: [{ none: null, text: 'é' }],
    };
    expect(fromExactJson(toExactJson(value))).toEqual(value);
    expect(() => fromExactJson('{')).toThrow(expect.objectContaining({ code: 'InvalidOption' }));
  });
});

describe('incremental scans', () => {
  const schema = types.struct([field('id', types.long)]);

  it('say what was added and what is gone; what came and went is neither', async () => {
    const log = new LogBuilder()
      .commit(protocol(), metadata(schema), add('a'), add('b'), add('again'), add('restored'))
      .commit(add('c'), remove('a'), remove('again'), add('brief'), remove('restored'))
      .commit(add('again'), remove('brief'), add('restored'));
    const base = await log.open({ version: 0 });
    const target = await log.open();
    const scan = IncrementalScan.between(base, target.snapshot)!;
    const { added, removed, mentioned } = await scan.read(log.engine);
    expect(added.map(({ path }) => path)).toEqual(['again', 'restored', 'c']);
    expect(removed).toEqual([{ key: 'a', path: 'a', deletionVectorId: undefined }]);
    expect([...mentioned].sort()).toEqual(['a', 'again', 'brief', 'c', 'restored']);
  });

  it('replacing a file by itself in one commit leaves it where it is', async () => {
    for (const actions of [
      [add('a'), remove('a')],
      [remove('a'), add('a')],
    ]) {
      const log = new LogBuilder().commit(protocol(), metadata(schema), add('a')).commit(...actions);
      const target = await log.open();
      const { added, removed } = await IncrementalScan.between({ version: 0 }, target.snapshot)!.read(
        log.engine,
      );
      expect(added.map(({ path }) => path)).toEqual(['a']);
      expect(removed).toEqual([]);
    }
  });

  it('there is none where a checkpoint took the place of commits, nor backwards', async () => {
    const log = new LogBuilder()
      .commit(protocol(), metadata(schema), add('a'))
      .commit(add('b'))
      .commit(add('c'));
    await log.checkpoint(1, protocol(), metadata(schema), add('a'), add('b'));
    const { snapshot } = await log.open();
    expect(IncrementalScan.between({ version: 0 }, snapshot)).toBeUndefined();
    expect(IncrementalScan.between({ version: 1 }, snapshot)).toBeDefined();
    const same = IncrementalScan.between({ version: 2 }, snapshot)!;
    expect(await same.read(log.engine)).toEqual({ added: [], removed: [], mentioned: new Set() });
    expect(() => IncrementalScan.between({ version: 3 }, snapshot)).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
  });
});
