/**
 * A WASM core for tests of the I/O plan: it reads a toy format, int columns with a JSON footer, and keeps account of
 * what is open. Expressions run on the kernel's own row evaluator.
 */
import type { RecordBatch } from 'apache-arrow';
import { buildColumn } from '../../../src/engine/arrow-build.ts';
import { ArrowEngineData, makeBatch } from '../../../src/engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../../src/engine/arrow-schema.ts';
import { statsSchema } from '../../../src/engine/parquet-statistics.ts';
import type {
  ByteRange,
  FileBytes,
  ParquetFileCore,
  RowRanges,
  WasmCore,
} from '../../../src/engine/wasm/core.ts';
import { DeltaError } from '../../../src/errors.ts';
import { compilePredicate } from '../../../src/kernel/expressions/evaluate.ts';
import type { Predicate, ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';

interface Chunk {
  start: number;
  min: number;
  max: number;
}

interface Footer {
  /** Padding, so that footers of any length can be made. */
  padding: string;
  pageRows: number;
  rowGroups: { numRows: number; columns: Record<string, Chunk> }[];
}

const WIDTH = 4;

/** Row groups of int columns, one chunk after the other. */
export function fakeParquet(
  rowGroups: readonly Record<string, readonly number[]>[],
  { padding = 0, gap = 0, pageRows = 0 } = {},
): Uint8Array {
  const footer: Footer = { padding: 'x'.repeat(padding), pageRows, rowGroups: [] };
  const body: Uint8Array[] = [];
  let at = 0;
  for (const group of rowGroups) {
    const columns: Record<string, Chunk> = {};
    for (const [name, values] of Object.entries(group)) {
      columns[name] = { start: at, min: Math.min(...values), max: Math.max(...values) };
      body.push(new Uint8Array(Int32Array.from(values).buffer), new Uint8Array(gap));
      at += WIDTH * values.length + gap;
    }
    footer.rowGroups.push({ numRows: Object.values(group)[0]!.length, columns });
  }
  const json = new TextEncoder().encode(JSON.stringify(footer));
  const tail = new Uint8Array(8);
  new DataView(tail.buffer).setUint32(0, json.length, true);
  tail.set(new TextEncoder().encode('FAKE'), 4);
  return new Uint8Array(Buffer.concat([...body, json, tail]));
}

/** Counts of things that must be freed. */
export class FakeCore {
  openFiles = 0;
  openDecoders = 0;
  openPredicates = 0;
  opened = 0;

  asCore(): WasmCore {
    return {
      parquetTailLength: (tail: Uint8Array) => {
        if (new TextDecoder().decode(tail.subarray(-4)) !== 'FAKE')
          throw new DeltaError('Parquet', 'no magic');
        return new DataView(tail.buffer, tail.byteOffset + tail.length - 8).getUint32(0, true) + 8;
      },
      openParquet: (tail: Uint8Array) => this.#open(tail),
      compilePredicate: (schema: StructType, predicate: Predicate) => this.#predicate(schema, predicate),
    } as unknown as WasmCore;
  }

  #predicate(schema: StructType, predicate: Predicate) {
    this.openPredicates++;
    const test = compilePredicate(schema, predicate);
    return {
      evaluate: (batch: RecordBatch) => {
        const data = new ArrowEngineData(batch, schema);
        const rows = Array.from({ length: data.length }, (_, row) =>
          schema.fields.map(({ name }) => data.column([name])!.getValue(row)),
        );
        const output = buildColumn(types.boolean, rows.map(test));
        return makeBatch(toArrowSchema(types.struct([field('output', types.boolean)])), rows.length, [
          output,
        ]);
      },
      free: () => {
        this.openPredicates--;
      },
    };
  }

  #open(tail: Uint8Array): ParquetFileCore {
    this.openFiles++;
    this.opened++;
    const { rowGroups, pageRows }: Footer = JSON.parse(new TextDecoder().decode(tail.subarray(0, -8)));
    const pagesOf = (group: Footer['rowGroups'][number]): RowRanges =>
      Array.from({ length: Math.ceil(group.numRows / pageRows) }, (_, i) => ({
        start: i * pageRows,
        end: Math.min((i + 1) * pageRows, group.numRows),
      }));
    let indexed = false;
    return {
      footer: {
        schema: types.struct([]),
        numRows: rowGroups.reduce((sum, { numRows }) => sum + numRows, 0),
        rowGroups: rowGroups.map(({ numRows, columns }) => ({
          numRows,
          totalByteSize: numRows * WIDTH * Object.keys(columns).length,
        })),
        keyValueMetadata: new Map(),
      },
      layout: () => [],
      hasBloomFilters: false,
      askBloomFilter: () => undefined,
      pageIndexRanges: () => (pageRows > 0 ? [{ start: 0, end: 1 }] : []),
      loadPageIndex: () => {
        indexed = true;
      },
      rowGroupStats: (schema) =>
        stats(
          schema,
          rowGroups.map((group) => group.columns),
        ),
      pageStats: (schema, rowGroup) => {
        if (!indexed) return undefined;
        const group = rowGroups[rowGroup]!;
        const rows = pagesOf(group);
        // The toy's values ascend by one, so that a page's bounds follow from its place.
        const page = ({ start, end }: ByteRange) =>
          Object.fromEntries(
            Object.entries(group.columns).map(([name, { min, start: at }]) => [
              name,
              { start: at, min: min + start, max: min + end - 1 },
            ]),
          );
        return { stats: stats(schema, rows.map(page)), rows };
      },
      plan: (schema, rowGroup, rows) => {
        const { columns, numRows } = rowGroups[rowGroup]!;
        const wanted = rows ?? [{ start: 0, end: numRows }];
        return schema.fields.flatMap(({ name }) =>
          wanted.map(({ start, end }) => ({
            start: columns[name]!.start + WIDTH * start,
            end: columns[name]!.start + WIDTH * end,
          })),
        );
      },
      decode: (schema, rowGroup, chunks, options) => {
        const { columns, numRows } = rowGroups[rowGroup]!;
        return this.#decode(
          schema,
          columns,
          options.rows ?? [{ start: 0, end: numRows }],
          chunks,
          options.batchSize,
        );
      },
      free: () => {
        this.openFiles--;
      },
    };
  }

  *#decode(
    schema: StructType,
    columns: Record<string, Chunk>,
    rows: RowRanges,
    chunks: readonly FileBytes[],
    batchSize: number,
  ): Generator<RecordBatch> {
    this.openDecoders++;
    try {
      const indexes = rows.flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, i) => start + i),
      );
      for (let at = 0; at < indexes.length; at += batchSize) {
        const batch = indexes.slice(at, at + batchSize);
        const children = schema.fields.map(({ name, type }) =>
          buildColumn(
            type,
            batch.map((row) => int32At(chunks, columns[name]!.start + WIDTH * row)),
          ),
        );
        yield makeBatch(toArrowSchema(schema), batch.length, children);
      }
    } finally {
      this.openDecoders--;
    }
  }
}

function int32At(chunks: readonly FileBytes[], offset: number): number {
  const chunk = chunks.find(({ start, bytes }) => start <= offset && offset + WIDTH <= start + bytes.length);
  if (!chunk) throw new Error(`byte ${offset} was not read`);
  return new DataView(chunk.bytes.buffer, chunk.bytes.byteOffset).getInt32(offset - chunk.start, true);
}

function stats(schema: StructType, groups: readonly Record<string, Chunk>[]): RecordBatch {
  const columns = statsSchema(schema);
  const part = (value: (chunk: Chunk) => ScalarValue) =>
    groups.map((group) => schema.fields.map(({ name }) => value(group[name]!)));
  const values: ScalarValue[][] = [
    groups.map(() => 1n),
    part(() => 0n),
    part(({ min }) => min),
    part(({ max }) => max),
  ];
  const children = columns.fields.map(({ type }, i) => buildColumn(type, values[i]!));
  return makeBatch(toArrowSchema(columns), groups.length, children);
}
