/** Rows of a scan, read as far as somebody looks at them and kept as Arrow batches. */
import {
  type DataType,
  type DeltaTable,
  jsonWriters,
  type TableScan,
  typeToString,
  type ValueWriter,
} from 'delta-kernel-web';
import type { GridColumn, RowWindow } from './protocol.ts';

/** What a page can scroll through: browsers cut elements off somewhat above 17 million pixels. */
const MAX_ROWS = 600_000;
/** Bytes of Arrow buffers. */
const MAX_BYTES = 256 * 2 ** 20;
/** Characters of a cell; nobody reads more in a grid. */
const MAX_CELL = 2000;
/** Batches whose writers, which hold decoded text, are kept. */
const MAX_WRITERS = 4;

const NUMERIC = new Set(['byte', 'short', 'integer', 'long', 'float', 'double']);

type Batch = TableScan extends AsyncIterable<infer B> ? B : never;

interface HeldBatch {
  readonly start: number;
  readonly end: number;
  readonly batch: Batch;
}

export class RowReader {
  readonly columns: GridColumn[];
  readonly #scan: TableScan;
  readonly #batches: AsyncIterator<Batch>;
  readonly #abort = new AbortController();
  readonly #held: HeldBatch[] = [];
  readonly #buffers = new Set<ArrayBufferLike>();
  readonly #writers = new Map<HeldBatch, ValueWriter[]>();
  #bytes = 0;
  #failure: { error: unknown } | undefined;
  #end: RowWindow['end'] = 'open';
  /** Calls read one after the other. */
  #reading: Promise<void> = Promise.resolve();

  /** `InvalidExpression` or `Schema` for a filter that does not fit the table. */
  constructor(table: DeltaTable, where: string | undefined) {
    this.#scan = table.scan({ where, signal: this.#abort.signal });
    this.#batches = this.#scan[Symbol.asyncIterator]();
    this.columns = this.#scan.schema.fields.map(({ name, type }) => ({
      name,
      type: typeToString(type),
      numeric: isNumeric(type),
    }));
  }

  /** Rows from `start` to before `end`, fewer where the scan has fewer, once `readTo` rows or all are there. */
  async window(start: number, end: number, readTo: number): Promise<RowWindow> {
    const reading = this.#reading.then(() => this.#read(readTo));
    this.#reading = reading.catch(() => undefined); // whoever asked hears of it; the next call tries by itself
    await reading;
    const rows: RowWindow['rows'] = [];
    for (const held of this.#held) {
      if (held.end > start && held.start < end) this.#print(held, start, end, rows);
    }
    return { start, rows, loaded: this.#loaded, end: this.#end };
  }

  /** Stops all reads; windows that are under way reject. */
  close(): void {
    this.#abort.abort();
    this.#batches.return?.().catch(() => undefined); // ends with the abort, which this call asked for
    this.#held.length = 0;
    this.#writers.clear();
    this.#buffers.clear();
  }

  get #loaded(): number {
    return this.#held.at(-1)?.end ?? 0;
  }

  async #read(to: number): Promise<void> {
    while (this.#end === 'open' && this.#loaded < to) {
      const { done, value } = await this.#next();
      this.#abort.signal.throwIfAborted();
      if (done) {
        this.#end = 'complete';
      } else if (!this.#keep(value)) {
        this.#end = 'bounded';
        await this.#batches.return?.();
      }
    }
  }

  /** A scan that has failed must not look as if it had ended. */
  async #next(): Promise<IteratorResult<Batch>> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return await this.#batches.next();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Whether there is room for more. */
  #keep(batch: Batch): boolean {
    const start = this.#loaded;
    if (batch.numRows === 0) return true;
    const end = start + batch.numRows;
    this.#held.push({ start, end: Math.min(end, MAX_ROWS), batch });
    this.#bytes += this.#newBytes(batch.data);
    return end <= MAX_ROWS && this.#bytes <= MAX_BYTES;
  }

  /** Bytes of the buffers that no batch before had: slices of one batch share theirs. */
  #newBytes(data: Batch['data']): number {
    let bytes = 0;
    for (const view of [data.values, data.valueOffsets, data.nullBitmap, data.typeIds]) {
      const buffer: ArrayBufferLike | undefined = view?.buffer;
      if (buffer === undefined || this.#buffers.has(buffer)) continue;
      this.#buffers.add(buffer);
      bytes += buffer.byteLength;
    }
    return data.children.reduce((sum, child) => sum + this.#newBytes(child as Batch['data']), bytes);
  }

  #print(held: HeldBatch, start: number, end: number, into: RowWindow['rows']): void {
    const writers = this.#writersOf(held);
    const { children } = held.batch.data;
    const last = Math.min(end, held.end) - held.start;
    for (let row = Math.max(0, start - held.start); row < last; row += 1) {
      into.push(writers.map((write, at) => (children[at]?.getValid(row) ? shorten(write(row)) : null)));
    }
  }

  #writersOf(held: HeldBatch): ValueWriter[] {
    const writers = this.#writers.get(held) ?? jsonWriters(held.batch, this.#scan.schema);
    this.#writers.delete(held);
    this.#writers.set(held, writers);
    const [oldest] = this.#writers.keys();
    if (this.#writers.size > MAX_WRITERS && oldest !== undefined) this.#writers.delete(oldest);
    return writers;
  }
}

function isNumeric(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && NUMERIC.has(type.name));
}

/** Long text stays a JSON string; other long values are cut as text. */
function shorten(json: string): string {
  if (json.length <= MAX_CELL) return json;
  if (json.startsWith('"')) return JSON.stringify(`${String(JSON.parse(json)).slice(0, MAX_CELL)}…`);
  return `${json.slice(0, MAX_CELL)}…`;
}
