import { describe, expect, it } from 'vitest';
import { coreSource } from '../../../src/engine/core-source.ts';
import { DefaultParquetHandler, type ParquetHandlerOptions } from '../../../src/engine/parquet-handler.ts';
import type { FileMeta } from '../../../src/kernel/engine.ts';
import type { EngineData } from '../../../src/kernel/engine-data.ts';
import type { ComparisonOperator, Predicate } from '../../../src/kernel/expressions/types.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { CountingStorage } from '../../helpers/counting-storage.ts';
import { FakeCore, fakeParquet } from './fake-parquet.ts';

const schema = (...names: string[]) => types.struct(names.map((name) => field(name, types.integer)));
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

function compare(name: string, op: ComparisonOperator, value: number): Predicate {
  const left = { kind: 'column', path: [name] } as const;
  const right = { kind: 'literal', literal: { type: types.integer, value } } as const;
  return { kind: 'comparison', op, left, right };
}

function setUp(files: Record<string, Uint8Array>, options: ParquetHandlerOptions = {}) {
  const urls = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [`memory:///t/${name}`, bytes]),
  );
  const storage = new CountingStorage(new MemoryStorageHandler({ files: urls }));
  const core = new FakeCore();
  const small = { tailBytes: 400, wholeFileBytes: 0, gapBytes: 0, pageIndexMinBytes: 0, ...options };
  const handler = new DefaultParquetHandler(
    storage,
    coreSource(async () => core.asCore()),
    small,
  );
  const metas = Object.entries(urls).map(
    ([url, bytes]): FileMeta => ({ location: new URL(url), size: bytes.length, lastModified: 0 }),
  );
  return { storage, core, handler, metas };
}

async function ints(batches: AsyncIterable<EngineData>, name = 'a'): Promise<number[]> {
  const values: number[] = [];
  for await (const batch of batches) {
    const column = batch.column([name])!;
    for (let row = 0; row < batch.length; row++) values.push(column.getNumber(row)!);
  }
  return values;
}

const abc = (rows: number, from = 0) => ({ a: upTo(rows, from), b: upTo(rows), c: upTo(rows) });

describe('requests of a read', () => {
  it('are one tail and the chunks of the wanted columns', async () => {
    const { storage, handler, metas, core } = setUp({ f: fakeParquet([abc(1000), abc(1000, 1000)]) });
    expect(await ints(handler.readParquetFiles(metas, schema('a')))).toEqual(upTo(2000));
    const size = metas[0]!.size;
    expect(storage.take().map(({ range }) => range)).toEqual([
      [size - 400, size],
      [0, 4000],
      [12000, 16000],
    ]);
    expect(core).toMatchObject({ openFiles: 0, openDecoders: 0, opened: 1 });
  });

  it('merge neighbours, and reach over gaps that are smaller than a request is dear', async () => {
    const bytes = fakeParquet([abc(1000)], { gap: 100 });
    const near = setUp({ f: bytes }, { gapBytes: 100 });
    await ints(near.handler.readParquetFiles(near.metas, schema('a', 'b')));
    expect(
      near.storage
        .take()
        .slice(1)
        .map(({ range }) => range),
    ).toEqual([[0, 8100]]);
    const far = setUp({ f: bytes }, { gapBytes: 99 });
    await ints(far.handler.readParquetFiles(far.metas, schema('a', 'b')));
    expect(
      far.storage
        .take()
        .slice(1)
        .map(({ range }) => range),
    ).toEqual([
      [0, 4000],
      [4100, 8100],
    ]);
  });

  it('split what is long, at the same time', async () => {
    const { storage, handler, metas } = setUp({ f: fakeParquet([abc(1000)]) }, { maxRequestBytes: 3000 });
    expect(await ints(handler.readParquetFiles(metas, schema('a')))).toEqual(upTo(1000));
    expect(
      storage
        .take()
        .slice(1)
        .map(({ range }) => range),
    ).toEqual([
      [0, 3000],
      [3000, 4000],
    ]);
  });

  it('are one for a small file, and none for its footer when it is read again', async () => {
    const { storage, handler, metas } = setUp({ f: fakeParquet([abc(10)]) }, { wholeFileBytes: 10_000 });
    expect(await ints(handler.readParquetFiles(metas, schema('a', 'c')))).toEqual(upTo(10));
    expect(storage.take()).toHaveLength(1);
    expect(await ints(handler.readParquetFiles(metas, schema('b')), 'b')).toEqual(upTo(10));
    expect(storage.take()).toEqual([]);
  });

  it('are two for a footer that is longer than the tail, and a head where the size is unknown', async () => {
    const { storage, handler, metas } = setUp({ f: fakeParquet([abc(1000)], { padding: 1000 }) });
    const unknown = { ...metas[0]!, size: 0 };
    expect((await handler.readParquetFooter(unknown)).numRows).toBe(1000);
    expect(storage.take().map(({ kind }) => kind)).toEqual(['head', 'read', 'read']);
    await handler.readParquetFooter(metas[0]!);
    expect(storage.take().length).toBeLessThanOrEqual(2);
  });

  it('go ahead of decoding, within the budget', async () => {
    const files = Object.fromEntries(upTo(6).map((n) => [`f${n}`, fakeParquet([abc(1000, n * 1000)])]));
    const ahead = setUp(files, { readAheadBytes: 8000, filesAhead: 3, rowGroupsAhead: 8 });
    const iterator = ahead.handler.readParquetFiles(ahead.metas, schema('a'));
    await iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const chunks = ahead.storage.requests.filter(({ range }) => range?.[0] === 0).map(({ name }) => name);
    expect(chunks).toEqual(['f0', 'f1']);
    expect(await ints(iterator)).toEqual(upTo(5000, 1000));
    expect(ahead.core.openFiles).toBe(0);
  });
});

describe('pruning', () => {
  const groups = [abc(1000), abc(1000, 1000), abc(1000, 2000)];

  it('leaves out row groups, whose bytes are not read', async () => {
    const { storage, handler, metas, core } = setUp({ f: fakeParquet(groups) }, { tailBytes: 1000 });
    const predicate = compare('a', '>=', 1500);
    expect(await ints(handler.readParquetFiles(metas, schema('a'), { predicate }))).toEqual(upTo(2000, 1000));
    expect(
      storage
        .take()
        .slice(1)
        .map(({ range }) => range),
    ).toEqual([
      [12000, 16000],
      [24000, 28000],
    ]);
    expect(core).toMatchObject({ openFiles: 0, openPredicates: 0 });
  });

  it('leaves out pages by the page index, in every column', async () => {
    const { storage, handler, metas } = setUp(
      { f: fakeParquet(groups, { pageRows: 100 }) },
      { tailBytes: 1000 },
    );
    const predicate: Predicate = {
      kind: 'and',
      inputs: [compare('a', '>=', 1250), compare('a', '<', 1400)],
    };
    const values = await ints(handler.readParquetFiles(metas, schema('a', 'b'), { predicate }), 'b');
    expect(values).toEqual(upTo(200, 200));
    expect(
      storage
        .take()
        .slice(2)
        .map(({ range }) => range),
    ).toEqual([
      [12800, 13600],
      [16800, 17600],
    ]);
  });

  it('keeps everything where nothing is known of a column', async () => {
    const { handler, metas } = setUp({ f: fakeParquet(groups) });
    const predicate = compare('other', '>=', 1500);
    expect(await ints(handler.readParquetFiles(metas, schema('a'), { predicate }))).toHaveLength(3000);
  });
});

describe('ends', () => {
  const files = Object.fromEntries(upTo(5).map((n) => [`f${n}`, fakeParquet([abc(100), abc(100)])]));

  it('a consumer that stops frees everything', async () => {
    const { handler, metas, core } = setUp(files, { batchRows: 10 });
    for await (const _ of handler.readParquetFiles(metas, schema('a'), { predicate: compare('a', '>', 0) }))
      break;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(core).toMatchObject({ openFiles: 0, openDecoders: 0, openPredicates: 0 });
  });

  it('an abort rejects with its reason and frees everything', async () => {
    const { handler, metas, core } = setUp(files, { batchRows: 10 });
    const abort = new AbortController();
    const read = async () => {
      for await (const _ of handler.readParquetFiles(metas, schema('a'), { signal: abort.signal })) {
        abort.abort(new Error('enough'));
      }
    };
    await expect(read()).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(core).toMatchObject({ openFiles: 0, openDecoders: 0 });
  });

  it('a broken file names itself, after the rows of those before it', async () => {
    const { handler, metas, core } = setUp({ ok: fakeParquet([abc(100)]), broken: new Uint8Array(100) });
    const values: number[] = [];
    const read = async () => {
      for await (const batch of handler.readParquetFiles(metas, schema('a'))) values.push(batch.length);
    };
    await expect(read()).rejects.toMatchObject({ code: 'Parquet', path: 'memory:///t/broken' });
    expect(values).toEqual([100]);
    expect(core.openFiles).toBe(0);
  });

  it('a file too short to be Parquet, or one that is missing, is a typed error', async () => {
    const { handler, metas } = setUp({ short: new Uint8Array(5) });
    await expect(handler.readParquetFooter(metas[0]!)).rejects.toMatchObject({ code: 'Parquet' });
    const missing = { location: new URL('memory:///t/none'), size: 100, lastModified: 0 };
    await expect(handler.readParquetFooter(missing)).rejects.toMatchObject({ code: 'FileNotFound' });
  });
});

describe('batches', () => {
  it('hold at most so many rows and bytes, and never span row groups', async () => {
    const lengths = async (options: ParquetHandlerOptions) => {
      const { handler, metas } = setUp({ f: fakeParquet([abc(1000), abc(300)]) }, options);
      const found: number[] = [];
      for await (const batch of handler.readParquetFiles(metas, schema('a'))) found.push(batch.length);
      return found;
    };
    expect(await lengths({ batchRows: 400 })).toEqual([400, 400, 200, 300]);
    expect(await lengths({ batchBytes: 6000 })).toEqual([500, 500, 300]);
  });
});
