/** The inspector's reader of rows, over scans that are made up: what it keeps, when it stops. */
import * as arrow from 'apache-arrow';
import { type DeltaTable, field, types } from 'delta-kernel-web';
import { expect, it } from 'vitest';
import { RowReader } from '../../web-demo/src/worker/row-reader.ts';

const schema = types.struct([field('n', types.integer), field('s', types.string)]);

function batch(first: number, length: number, text = 'a'): arrow.RecordBatch {
  const n = arrow.makeVector(Int32Array.from({ length }, (_, index) => first + index));
  const s = arrow.vectorFromArray(
    Array.from({ length }, (_, index) => ((first + index) % 2 === 0 ? text : null)),
    new arrow.Utf8(),
  );
  return new arrow.Table({ n, s }).batches[0]!;
}

/** A reader over a scan, with what the scan was asked for. */
function readerOf(scan: (signal: AbortSignal) => AsyncIterable<arrow.RecordBatch>) {
  const seen: { where: string | undefined; signal: AbortSignal | undefined } = {
    where: undefined,
    signal: undefined,
  };
  const table = {
    scan: ({ where, signal }: { where: string | undefined; signal: AbortSignal }) => {
      Object.assign(seen, { where, signal });
      return { schema, [Symbol.asyncIterator]: () => scan(signal)[Symbol.asyncIterator]() };
    },
  } as unknown as DeltaTable;
  return { reader: new RowReader(table, 'n > 0'), seen };
}

it('reads no further than it is asked to, and gives windows across batches', async () => {
  let yielded = 0;
  const { reader, seen } = readerOf(async function* () {
    for (let start = 0; start < 30; start += 10) {
      yielded += 1;
      yield batch(start, 10);
    }
  });
  expect(reader.columns).toEqual([
    { name: 'n', type: 'integer', numeric: true },
    { name: 's', type: 'string', numeric: false },
  ]);
  expect(seen.where).toBe('n > 0');
  const rows = [
    ['8', '"a"'],
    ['9', null],
    ['10', '"a"'],
  ];
  expect(await reader.window(8, 11, 11)).toEqual({ start: 8, rows, loaded: 20, end: 'open' });
  expect(yielded).toBe(2);
  const windows = await Promise.all([reader.window(28, 40, 40), reader.window(0, 1, 1)]);
  expect(windows.map(({ rows, loaded, end }) => [rows, loaded, end])).toEqual([
    [
      [
        ['28', '"a"'],
        ['29', null],
      ],
      30,
      'complete',
    ],
    [[['0', '"a"']], 30, 'complete'],
  ]);
});

it('stops at 600,000 rows and says that there may be more', async () => {
  let returned = false;
  const { reader } = readerOf(async function* () {
    try {
      for (let start = 0; ; start += 250_000) yield batch(start, 250_000);
    } finally {
      returned = true;
    }
  });
  const window = await reader.window(599_999, 600_010, 1_000_000);
  expect(window).toEqual({ start: 599_999, rows: [['599999', null]], loaded: 600_000, end: 'bounded' });
  expect(returned).toBe(true);
});

it('stops at 256 MiB, buffers that batches share counted once', async () => {
  const megabyte = new Uint8Array(2 ** 20);
  const column = (bytes: Uint8Array) =>
    arrow.makeData({
      type: new arrow.Binary(),
      length: 1,
      nullCount: 0,
      valueOffsets: Int32Array.of(0, bytes.length),
      data: bytes,
    });
  const binaries = types.struct([field('b', types.binary)]);
  const of = async (bytes: () => Uint8Array) => {
    const type = new arrow.Struct([new arrow.Field('b', new arrow.Binary())]);
    const table = {
      scan: () => ({
        schema: binaries,
        async *[Symbol.asyncIterator]() {
          for (let index = 0; index < 300; index += 1) {
            const data = arrow.makeData({ type, length: 1, nullCount: 0, children: [column(bytes())] });
            yield new arrow.RecordBatch(new arrow.Schema(type.children), data);
          }
        },
      }),
    } as unknown as DeltaTable;
    const { loaded, end } = await new RowReader(table, undefined).window(0, 0, 1000);
    return { loaded, end };
  };
  expect(await of(() => megabyte)).toEqual({ loaded: 300, end: 'complete' });
  // Offsets count as well, so the last megabyte does not fit.
  expect(await of(() => new Uint8Array(2 ** 20))).toEqual({ loaded: 256, end: 'bounded' });
});

it('cuts long cells', async () => {
  const { reader } = readerOf(async function* () {
    yield batch(0, 1, 'x'.repeat(5000));
  });
  expect((await reader.window(0, 1, 1)).rows).toEqual([['0', `"${'x'.repeat(2000)}…"`]]);
});

it('a window that fails says so each time, and rows before it stay', async () => {
  const { reader } = readerOf(async function* () {
    yield batch(0, 10);
    throw new Error('gone');
  });
  await expect(reader.window(0, 20, 20)).rejects.toThrow('gone');
  await expect(reader.window(0, 20, 20)).rejects.toThrow('gone');
  expect((await reader.window(0, 2, 2)).rows).toEqual([
    ['0', '"a"'],
    ['1', null],
  ]);
});

it('close ends the reads that are under way', async () => {
  const { reader, seen } = readerOf(async function* (signal) {
    yield batch(0, 10);
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  await reader.window(0, 5, 5);
  const pending = reader.window(0, 20, 20);
  reader.close();
  await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
  expect(seen.signal?.aborted).toBe(true);
});
