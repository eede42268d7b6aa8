/** Pages of rows in memory, within a bound: those that are farthest from what is looked at go first. */
import { type EngineData, jsonWriters, toRecordBatch } from 'delta-kernel-web';

/** Pages whose writers, which hold decoded text, are kept. */
const MAX_WRITERS = 4;

export interface Page {
  readonly start: number;
  readonly end: number;
  readonly data: EngineData;
  readonly bytes: number;
}

/** The JSON text of a column's value at a row, or null. */
export type CellWriter = (row: number) => string | null;

export class Pages {
  /** By their rows, which do not overlap. */
  #pages: Page[] = [];
  readonly #maxBytes: number;
  readonly #writers = new Map<Page, CellWriter[]>();
  #bytes = 0;
  #isFull = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get all(): readonly Page[] {
    return this.#pages;
  }

  /** Whether pages had to go to make room. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The first row of a range that is in no page; `end` where there is none. */
  firstMissing(start: number, end: number): number {
    let row = start;
    for (let at = this.#at(start); row < end; at += 1) {
      const page = this.#pages[at];
      if (page === undefined || page.start > row) return row;
      row = page.end;
    }
    return end;
  }

  find(row: number): Page | undefined {
    const page = this.#pages[this.#at(row)];
    return page !== undefined && page.start <= row ? page : undefined;
  }

  /**
   * Rows that begin at a number; those that are here already stay as they are.
   * @param around rows that must not go to make room.
   */
  add(start: number, data: EngineData, around: { start: number; end: number }): void {
    const from = this.#presentEnd(start);
    const at = this.#at(from);
    const to = Math.min(start + data.length, this.#pages[at]?.start ?? Number.POSITIVE_INFINITY);
    if (from >= to) return;
    const rows = data.slice(from - start, to - start);
    const page = { start: from, end: to, data: rows, bytes: bytesOf(toRecordBatch(rows).data) };
    this.#pages.splice(at, 0, page);
    this.#bytes += page.bytes;
    this.#makeRoom(around, page);
  }

  clear(): void {
    this.#pages = [];
    this.#writers.clear();
    this.#bytes = 0;
    this.#isFull = false;
  }

  /** One writer per column, kept for the last few pages. */
  writersOf(page: Page): CellWriter[] {
    const writers = this.#writers.get(page) ?? cellWriters(page.data);
    this.#writers.delete(page);
    this.#writers.set(page, writers);
    const [oldest] = this.#writers.keys();
    if (this.#writers.size > MAX_WRITERS && oldest !== undefined) this.#writers.delete(oldest);
    return writers;
  }

  /** The end of the page that holds a row, or the row. */
  #presentEnd(row: number): number {
    return this.find(row)?.end ?? row;
  }

  /** Position of the first page that ends after a row. */
  #at(row: number): number {
    let [low, high] = [0, this.#pages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pages[middle]!.end <= row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #makeRoom({ start, end }: { start: number; end: number }, latest: Page): void {
    const distance = (page: Page) => Math.max(page.start - end, start - page.end);
    while (this.#bytes > this.#maxBytes) {
      this.#isFull = true;
      const spare = this.#pages.filter((page) => page !== latest && distance(page) >= 0);
      if (spare.length === 0) return;
      const farthest = spare.reduce((a, b) => (distance(b) > distance(a) ? b : a));
      this.#pages.splice(this.#pages.indexOf(farthest), 1);
      this.#writers.delete(farthest);
      this.#bytes -= farthest.bytes;
    }
  }
}

/** One per column. */
export function cellWriters(data: EngineData): CellWriter[] {
  const batch = toRecordBatch(data);
  return jsonWriters(batch, data.schema).map((write, at) => {
    const column = batch.data.children[at]!;
    return (row) => (column.getValid(row) ? write(row) : null);
  });
}

type ArrowData = ReturnType<typeof toRecordBatch>['data'];

/** Bytes of the buffers behind a batch: a slice keeps the whole ones alive. */
function bytesOf(data: ArrowData, seen = new Set<ArrayBufferLike>()): number {
  let bytes = 0;
  for (const view of [data.values, data.valueOffsets, data.nullBitmap, data.typeIds]) {
    const buffer: ArrayBufferLike | undefined = view?.buffer;
    if (buffer === undefined || seen.has(buffer)) continue;
    seen.add(buffer);
    bytes += buffer.byteLength;
  }
  for (const child of data.children) bytes += bytesOf(child as ArrowData, seen);
  return bytes;
}
