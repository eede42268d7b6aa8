/** Rows of a source by their numbers: read as far as somebody looks, kept within a bound, and read again where needed. */
import { type DataType, typeToString } from 'delta-kernel-web';
import { Moment, within } from './moment.ts';
import type { GridColumn, RowWindow, Sort } from './protocol-data.ts';
import { Pages } from './rows/pages.ts';
import { Places } from './rows/places.ts';
import { isSortable, sortedRows } from './rows/sorting.ts';
import type { PlacedRows, RowSource } from './rows/source.ts';

export interface ReaderLimits {
  /** Bytes of Arrow buffers in memory. */
  readonly bytes: number;
  /** Characters of a cell; nobody reads more in a grid. */
  readonly cell: number;
  /** How long an answer may take before it has what is there. */
  readonly answerMs: number;
}

const LIMITS: ReaderLimits = { bytes: 256 * 2 ** 20, cell: 2000, answerMs: 200 };
/** Rows before those that are looked for which are read along, for whoever goes back a little. */
const BEFORE = 5000;
/** Reading on over so many rows costs less than beginning anew. */
const NEAR = 100_000;

const NUMERIC = new Set(['byte', 'short', 'integer', 'long', 'float', 'double']);

interface Cursor {
  readonly rows: AsyncIterator<PlacedRows>;
  readonly abort: AbortController;
  /** Number of the next row. */
  next: number;
  /** The part that the last rows came from. */
  part: number;
  pending: Promise<IteratorResult<PlacedRows>> | undefined;
}

export class RowReader {
  readonly columns: GridColumn[];
  readonly #source: RowSource;
  readonly #limits: ReaderLimits;
  readonly #pages: Pages;
  readonly #places = new Places();
  #cursor: Cursor | undefined;
  /** Rows seen so far. */
  #seen = 0;
  /** Number of all rows, once the end was seen. */
  #total: number | undefined;
  #isMiscounted = false;
  #sorted: { readonly numbers: Uint32Array } | undefined;
  #isClosed = false;
  /** Calls read one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(source: RowSource, limits: Partial<ReaderLimits> = {}) {
    this.#source = source;
    this.#limits = { ...LIMITS, ...limits };
    this.#pages = new Pages(this.#limits.bytes);
    this.columns = source.schema.fields.map(({ name, type }) => ({
      name,
      type: typeToString(type),
      dataType: type,
      numeric: isNumeric(type),
      sortable: isSortable(type),
    }));
  }

  /** Rows `start` to before `end`, as many as are there after a moment; those up to `readTo` come into memory. */
  async window(start: number, end: number, readTo: number): Promise<RowWindow> {
    const turn = this.#turn.then(() => this.#windowNow(start, end, readTo));
    this.#turn = turn.catch(() => undefined); // whoever asked hears of it; the next call tries by itself
    return turn;
  }

  /** The JSON text of a cell, whole; the row must be in a window that was asked for last. */
  cell(row: number, column: number): string | null {
    const number = this.#sorted === undefined ? row : this.#sorted.numbers[row]!;
    return this.#print(number, [column], Number.POSITIVE_INFINITY)?.[0] ?? null;
  }

  /** Rows of a range that are in memory, with whole cells, up to the first that is not. */
  printed(start: number, end: number, columns: readonly number[]): (string | null)[][] {
    const rows: (string | null)[][] = [];
    for (let row = start; row < end; row += 1) {
      const cells = this.#print(this.#sorted?.numbers[row] ?? row, columns, Number.POSITIVE_INFINITY);
      if (cells === undefined) break;
      rows.push(cells);
    }
    return rows;
  }

  /** Shows the rows that are in memory by a column, until this is called with null. @returns how many they are. */
  sort(sort: Sort | null): number {
    this.#sorted = sort === null ? undefined : { numbers: sortedRows(this.#pages.all, sort) };
    return this.#sorted?.numbers.length ?? this.#known;
  }

  /** Stops all reads; windows that are under way reject. */
  close(): void {
    this.#isClosed = true;
    this.#dropCursor();
    this.#pages.clear();
    this.#sorted = undefined;
  }

  get #sizes() {
    return this.#isMiscounted ? undefined : this.#source.sizes;
  }

  get #all(): number | undefined {
    return this.#total ?? this.#sizes?.total;
  }

  get #known(): number {
    return this.#all ?? this.#seen;
  }

  async #windowNow(start: number, end: number, readTo: number): Promise<RowWindow> {
    if (this.#sorted !== undefined) return this.#sortedWindow(this.#sorted.numbers, start, end);
    const moment = new Moment(this.#limits.answerMs);
    const around = { start, end };
    // Rows in view do not wait for those ahead: these are for the next call.
    const isSeen = this.#missing(start, end) === undefined;
    const wanted = () => (isSeen ? this.#wanted(start, end, readTo) : this.#missing(start, end));
    for (let row = wanted(); row !== undefined && !moment.isOver; row = wanted()) {
      await this.#readTowards(row, around, moment);
    }
    return {
      start,
      rows: this.#printRange(start, Math.min(end, this.#known)),
      known: this.#known,
      isAll: this.#all !== undefined,
      isReading: this.#wanted(start, end, readTo) !== undefined,
      ...(this.#isMiscounted && { isMiscounted: true }),
      ...(this.#source.files && { files: this.#source.files }),
    };
  }

  #sortedWindow(numbers: Uint32Array, start: number, end: number): RowWindow {
    const shown = [...numbers.subarray(start, end)];
    return {
      start,
      rows: shown.map((number) => this.#print(number, undefined, this.#limits.cell) ?? []),
      numbers: shown,
      known: numbers.length,
      isAll: true,
      isReading: false,
      ...(this.#source.files && { files: this.#source.files }),
    };
  }

  /** The first row of a range that exists, as far as anybody knows, and is not in memory. */
  #missing(start: number, end: number): number | undefined {
    const last = Math.min(end, this.#all ?? Number.POSITIVE_INFINITY);
    const missing = this.#pages.firstMissing(start, last);
    return missing < last ? missing : undefined;
  }

  /** The next row that must be read; undefined where all that was asked for is there. */
  #wanted(start: number, end: number, readTo: number): number | undefined {
    const missing = this.#missing(start, end);
    if (missing !== undefined) return missing;
    // What is full would only lose other rows, and these again.
    if (this.#all !== undefined) return this.#pages.isFull ? undefined : this.#missing(end, readTo);
    return this.#seen < readTo ? this.#seen : undefined;
  }

  /** Takes in the next rows on the way to a row, if they come within the moment. */
  async #readTowards(row: number, around: { start: number; end: number }, moment: Moment): Promise<void> {
    if (this.#isClosed) throw new DOMException('the rows were closed', 'AbortError');
    const cursor = this.#cursorFor(row);
    cursor.pending ??= cursor.rows.next();
    let next: IteratorResult<PlacedRows> | undefined;
    try {
      next = await within(cursor.pending, moment);
    } catch (error) {
      // The next call begins anew: what failed may work again.
      if (this.#cursor === cursor) this.#dropCursor();
      throw error;
    }
    cursor.abort.signal.throwIfAborted();
    if (next === undefined) return;
    cursor.pending = undefined;
    if (next.done) this.#reachedEnd(cursor);
    else this.#take(cursor, next.value, around);
  }

  #take(cursor: Cursor, { data, at }: PlacedRows, around: { start: number; end: number }): void {
    const expected = at.part === cursor.part ? cursor.next : this.#sizes?.startOf(at.part);
    if (expected !== undefined && expected !== cursor.next) {
      this.#miscounted();
      return;
    }
    cursor.part = at.part;
    this.#places.add({ row: cursor.next, place: at });
    this.#pages.add(cursor.next, data, around);
    cursor.next += data.length;
    this.#seen = Math.max(this.#seen, cursor.next);
  }

  #reachedEnd(cursor: Cursor): void {
    if (this.#sizes !== undefined && this.#sizes.total !== cursor.next) this.#miscounted();
    else this.#total = cursor.next;
    this.#dropCursor();
  }

  /** Some file has more or fewer rows than the log says: from here on rows are counted as they are read. */
  #miscounted(): void {
    this.#isMiscounted = true;
    this.#dropCursor();
    this.#pages.clear();
    this.#places.clear();
    this.#seen = 0;
    this.#total = undefined;
  }

  #cursorFor(row: number): Cursor {
    const from = this.#placeFor(row);
    const cursor = this.#cursor;
    if (cursor !== undefined) {
      const isAhead = cursor.next <= row;
      if (isAhead && (row - cursor.next <= NEAR || from.row <= cursor.next)) return cursor;
    }
    this.#dropCursor();
    const abort = new AbortController();
    const rows = this.#source.read(from.place, abort.signal)[Symbol.asyncIterator]();
    this.#cursor = { rows, abort, next: from.row, part: from.place.part, pending: undefined };
    return this.#cursor;
  }

  #placeFor(row: number) {
    const before = Math.max(0, row - BEFORE);
    const known = this.#places.before(before);
    const counted = this.#sizes?.find(before);
    return counted !== undefined && counted.row > known.row ? counted : known;
  }

  #dropCursor(): void {
    const cursor = this.#cursor;
    this.#cursor = undefined;
    if (cursor === undefined) return;
    cursor.abort.abort(new DOMException('no longer wanted', 'AbortError'));
    // Both end with the abort, which was asked for.
    cursor.pending?.catch(() => undefined);
    cursor.rows.return?.().catch(() => undefined);
  }

  #printRange(start: number, end: number): RowWindow['rows'] {
    const rows: RowWindow['rows'] = [];
    for (let row = start; row < end; row += 1) {
      const cells = this.#print(row, undefined, this.#limits.cell);
      if (cells === undefined) break;
      rows.push(cells);
    }
    return rows;
  }

  /** Undefined where the row is not in memory. */
  #print(row: number, columns: readonly number[] | undefined, length: number): (string | null)[] | undefined {
    const page = this.#pages.find(row);
    if (page === undefined) return undefined;
    const writers = this.#pages.writersOf(page);
    const at = row - page.start;
    const chosen = columns ?? this.columns.keys();
    return Array.from(chosen, (column) => {
      const json = writers[column]!(at);
      return json === null ? null : shortened(json, length);
    });
  }
}

function isNumeric(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && NUMERIC.has(type.name));
}

/** Long text stays a JSON string; other long values are cut as text. */
function shortened(json: string, length: number): string {
  if (json.length <= length) return json;
  if (json.startsWith('"')) return JSON.stringify(`${String(JSON.parse(json)).slice(0, length)}…`);
  return `${json.slice(0, length)}…`;
}
