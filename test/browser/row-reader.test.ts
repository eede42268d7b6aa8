/** The inspector's reader of rows, over sources that are made up: what it reads, keeps, reads again, and when it stops. */
import {
  createEngine,
  type EngineData,
  type ExplainedFile,
  field,
  MemoryStorageHandler,
  type ScalarValue,
  type ScanExplanation,
  type StructType,
  types,
} from 'delta-kernel-web';
import { describe, expect, it } from 'vitest';
import { RowReader } from '../../web-demo/src/worker/row-reader.ts';
import { FileListing } from '../../web-demo/src/worker/rows/file-listing.ts';
import type { PartSizes, Place, RowSource } from '../../web-demo/src/worker/rows/source.ts';

const engine = createEngine({ storage: new MemoryStorageHandler() });
const schema = types.struct([field('n', types.integer), field('s', types.string)]);

function batch(rows: ScalarValue[][], of: StructType = schema): EngineData {
  const scalars = rows.map((row) => row.map((value, at) => ({ type: of.fields[at]!.type, value })));
  return engine.evaluationHandler.createMany(of, scalars);
}

/** Row `n` of a part: its number, and text in even rows. */
function rowsOf(first: number, length: number, text = 'a'): EngineData {
  return batch(Array.from({ length }, (_, at) => [first + at, (first + at) % 2 === 0 ? text : null]));
}

/** Parts of given numbers of rows, in batches of at most ten; remembers where it was read from. */
class Parts implements RowSource {
  readonly schema = schema;
  readonly asked: Place[] = [];
  readonly #parts: readonly number[];
  sizes: PartSizes | undefined;

  constructor(parts: readonly number[], claimed?: readonly number[]) {
    this.#parts = parts;
    if (claimed !== undefined) this.sizes = sizesOf(claimed);
  }

  async *read(from: Place, signal: AbortSignal) {
    this.asked.push(from);
    let number = this.#parts.slice(0, from.part).reduce((sum, rows) => sum + rows, 0);
    for (let part = from.part; part < this.#parts.length; part += 1) {
      const first = part === from.part ? from.row : 0;
      for (let row = first; row < this.#parts[part]!; row += 10) {
        signal.throwIfAborted();
        const length = Math.min(10, this.#parts[part]! - row);
        yield { data: rowsOf(number + row, length), at: { part, row } };
      }
      number += this.#parts[part]!;
    }
  }
}

function sizesOf(parts: readonly number[]): PartSizes {
  const startOf = (part: number) => parts.slice(0, part).reduce((sum, rows) => sum + rows, 0);
  return {
    total: startOf(parts.length),
    startOf,
    find: (row) => {
      const part = Math.max(
        0,
        parts.findLastIndex((_, at) => startOf(at) <= row),
      );
      return { row, place: { part, row: row - startOf(part) } };
    },
  };
}

const numbersOf = (rows: (string | null)[][]) => rows.map(([n]) => Number(n));
const range = (start: number, end: number) => Array.from({ length: end - start }, (_, at) => start + at);

/** Asks until nothing is on its way any more. */
async function settled(reader: RowReader, start: number, end: number, readTo = end) {
  for (;;) {
    const window = await reader.window(start, end, readTo);
    if (!window.isReading) return window;
  }
}

describe('windows', () => {
  it('are read no further than asked, and go across batches', async () => {
    const source = new Parts([10, 20]);
    const reader = new RowReader(source);
    expect(reader.columns).toMatchObject([
      { name: 'n', type: 'integer', numeric: true, sortable: true },
      { name: 's', type: 'string', numeric: false, sortable: true },
    ]);
    expect(await reader.window(8, 11, 11)).toEqual({
      start: 8,
      rows: [
        ['8', '"a"'],
        ['9', null],
        ['10', '"a"'],
      ],
      known: 20,
      isAll: false,
      isReading: false,
    });
    const [end, start] = await Promise.all([reader.window(28, 40, 40), reader.window(0, 1, 1)]);
    expect([numbersOf(end.rows), end.known, end.isAll]).toEqual([[28, 29], 30, true]);
    expect([numbersOf(start.rows), start.known, start.isAll]).toEqual([[0], 30, true]);
    expect(source.asked).toEqual([{ part: 0, row: 0 }]);
  });

  it('that were dropped to save memory are read again from the nearest place, with the same rows', async () => {
    const source = new Parts(Array.from({ length: 60 }, () => 1000));
    const reader = new RowReader(source, { bytes: 40_000 });
    expect((await settled(reader, 0, 10, Number.MAX_SAFE_INTEGER)).known).toBe(60_000);
    source.asked.length = 0;
    const middle = await settled(reader, 30_000, 30_020);
    expect(numbersOf(middle.rows)).toEqual(range(30_000, 30_020));
    // 5000 rows before, for whoever goes back a little.
    expect(source.asked).toEqual([{ part: 25, row: 0 }]);
    const first = await settled(reader, 3, 6);
    expect(numbersOf(first.rows)).toEqual([3, 4, 5]);
  });

  it('far away are read at once where the sizes of all parts are known', async () => {
    const claimed = Array.from({ length: 100 }, () => 10_000);
    const source = new Parts(claimed, claimed);
    const reader = new RowReader(source);
    const window = await settled(reader, 999_990, 1_000_010);
    expect(window).toMatchObject({ known: 1_000_000, isAll: true });
    expect(numbersOf(window.rows)).toEqual(range(999_990, 1_000_000));
    expect(source.asked).toEqual([{ part: 99, row: 4990 }]);
  });

  it.each([
    ['fewer', [10, 7, 10], 27],
    ['more', [10, 13, 10], 33],
  ])('of a part with %s rows than the log says are counted as they are read', async (_, real, total) => {
    const source = new Parts(real, [10, 10, 10]);
    const reader = new RowReader(source);
    const window = await settled(reader, 0, 100);
    expect(numbersOf(window.rows)).toEqual(range(0, total));
    expect(window).toMatchObject({ known: total, isAll: true, isMiscounted: true });
  });

  it('answer after a moment with what is there, and go on', async () => {
    let release = () => {};
    const source: RowSource = {
      schema,
      async *read() {
        yield { data: rowsOf(0, 10), at: { part: 0, row: 0 } };
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        yield { data: rowsOf(10, 10), at: { part: 0, row: 10 } };
      },
    };
    const reader = new RowReader(source, { answerMs: 20 });
    expect(await reader.window(5, 15, 15)).toMatchObject({
      known: 10,
      isAll: false,
      isReading: true,
      rows: { length: 5 },
    });
    release();
    expect(numbersOf((await settled(reader, 5, 15)).rows)).toEqual(range(5, 15));
  });

  it('that fail say so, rows before stay, and another try begins anew', async () => {
    let tries = 0;
    const source: RowSource = {
      schema,
      async *read(from) {
        tries += 1;
        yield { data: rowsOf(from.row, 10 - from.row), at: from };
        if (tries < 3) throw new Error('gone');
        yield { data: rowsOf(10, 10), at: { part: 0, row: 10 } };
      },
    };
    const reader = new RowReader(source);
    await expect(reader.window(0, 20, 20)).rejects.toThrow('gone');
    expect(numbersOf((await reader.window(0, 2, 2)).rows)).toEqual([0, 1]);
    await expect(reader.window(0, 20, 20)).rejects.toThrow('gone');
    expect(numbersOf((await settled(reader, 0, 20)).rows)).toEqual(range(0, 20));
  });

  it('reject when the reader is closed, which ends the read', async () => {
    let ended: AbortSignal | undefined;
    const source: RowSource = {
      schema,
      async *read(_, signal) {
        ended = signal;
        yield { data: rowsOf(0, 10), at: { part: 0, row: 0 } };
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const reader = new RowReader(source);
    await reader.window(0, 5, 5);
    const pending = reader.window(0, 20, 20);
    await new Promise((resolve) => setTimeout(resolve));
    reader.close();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    expect(ended?.aborted).toBe(true);
  });
});

it('cells are cut in windows, and whole one by one', async () => {
  const text = 'x'.repeat(5000);
  const source: RowSource = {
    schema,
    async *read() {
      yield { data: rowsOf(0, 1, text), at: { part: 0, row: 0 } };
    },
  };
  const reader = new RowReader(source);
  expect((await settled(reader, 0, 1)).rows).toEqual([['0', `"${'x'.repeat(2000)}…"`]]);
  expect(reader.cell(0, 1)).toBe(`"${text}"`);
  expect(reader.printed(0, 5, [1])).toEqual([[`"${text}"`]]);
});

describe('sorting', () => {
  const order = async (
    type: (typeof schema.fields)[number]['type'],
    values: ScalarValue[],
    descending: boolean,
  ) => {
    const of = types.struct([field('v', type)]);
    const source: RowSource = {
      schema: of,
      async *read() {
        yield {
          data: batch(
            values.map((value) => [value]),
            of,
          ),
          at: { part: 0, row: 0 },
        };
      },
    };
    const reader = new RowReader(source);
    await settled(reader, 0, values.length + 1);
    expect(reader.sort({ column: 0, descending })).toBe(values.length);
    const window = await reader.window(0, values.length, 0);
    expect(window).toMatchObject({ known: values.length, isAll: true });
    return window.numbers;
  };

  it.each([
    ['long', types.long, [9007199254740993n, null, 9007199254740992n, -1n], [3, 2, 0, 1], [0, 2, 3, 1]],
    ['double', types.double, [1.5, Number.NaN, null, -0, 2], [3, 0, 4, 1, 2], [1, 4, 0, 3, 2]],
    // In UTF-16 the second would come before the first.
    ['string', types.string, ['\uffee', '😀', '', null, 'Z', 'a'], [2, 4, 5, 0, 1, 3], [1, 0, 5, 4, 2, 3]],
    ['decimal', types.decimal(20, 2), [100n, -5n, 99n], [1, 2, 0], [0, 2, 1]],
    ['boolean', types.boolean, [true, false, true], [1, 0, 2], [0, 2, 1]],
    ['date', types.date, [10, -10, 0], [1, 2, 0], [0, 2, 1]],
  ] as const)('%s: nulls last both ways, equal values as they were', async (_, type, values, up, down) => {
    expect(await order(type, [...values], false)).toEqual(up);
    expect(await order(type, [...values], true)).toEqual(down);
  });

  it('concerns the rows in memory only, and ends', async () => {
    const source = new Parts([20, 20]);
    const reader = new RowReader(source);
    await reader.window(0, 10, 10);
    expect(reader.sort({ column: 0, descending: true })).toBe(10);
    const window = await reader.window(0, 3, 40);
    expect([window.numbers, numbersOf(window.rows), window.known]).toEqual([[9, 8, 7], [9, 8, 7], 10]);
    expect(reader.cell(0, 0)).toBe('9');
    reader.sort(null);
    expect(numbersOf((await settled(reader, 15, 17)).rows)).toEqual([15, 16]);
  });
});

describe('the listing of files', () => {
  const file = (path: string, rows: number | null, rest: object = {}) => ({
    path,
    rows,
    kept: true,
    ...rest,
  });

  function listingOf(files: { path: string; rows: number | null; kept: boolean; deletionVector?: object }[]) {
    let rows: number | null = 0;
    const explanation = {
      get totals() {
        return { kept: { files: 0, bytes: 0, rows } };
      },
      async *[Symbol.asyncIterator]() {
        for (const { path, kept, rows: own, deletionVector } of files) {
          if (kept) rows = rows === null || own === null ? null : rows + own;
          yield { kept, file: { path, deletionVector, stats: 'x' } } as unknown as ExplainedFile;
        }
      },
    };
    return new FileListing(explanation as unknown as ScanExplanation);
  }

  it('finds rows by number: within a file, or at its beginning where rows of it are deleted', async () => {
    const listing = listingOf([
      file('a', 10),
      file('x', 5, { kept: false }),
      file('b', 0),
      file('c', 20, { deletionVector: {} }),
      file('d', 1),
    ]);
    const paths: string[] = [];
    for await (const each of listing.from(1)) paths.push(`${each.part} ${each.file.path}`);
    expect(paths).toEqual(['1 b', '2 c', '3 d']);
    expect(listing).toMatchObject({ kept: 4, skipped: 1, isDone: true, isCounted: true, total: 31 });
    expect(listing.find(9)).toEqual({ row: 9, place: { part: 0, row: 9 } });
    expect(listing.find(10)).toEqual({ row: 10, place: { part: 2, row: 0 } });
    expect(listing.find(25)).toEqual({ row: 10, place: { part: 2, row: 0 } });
    expect(listing.find(30)).toEqual({ row: 30, place: { part: 3, row: 0 } });
  });

  it('counts nothing where a file does not tell', async () => {
    const listing = listingOf([file('a', 10), file('b', null), file('c', 3)]);
    for await (const _ of listing.from(0));
    expect(listing).toMatchObject({ isDone: true, isCounted: false });
  });
});
