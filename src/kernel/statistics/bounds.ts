/** The least and greatest value of a column, batch by batch, and their JSON (`PROTOCOL.md`, "Per-file Statistics"). */
import type { Column } from '../engine-data.ts';
import { compareStrings } from '../expressions/compare.ts';
import { hasMinMax } from '../expressions/stats-schema.ts';
import { isFloat, isPrimitive, isTimestamp } from '../expressions/types-of.ts';
import { formatDecimal } from '../partition-values/decimal.ts';
import { formatFloating } from '../partition-values/serialize.ts';
import { formatDate, formatTimestamp } from '../partition-values/temporal.ts';
import type { DataType } from '../schema/types.ts';
import { truncateMax, truncateMin } from './truncate.ts';

/** JSON text of the bounds; a member is missing where there is no bound to give. */
export interface BoundsJson {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export interface Bounds {
  /** Takes in the values of a column of the type that the bounds were made for. */
  add(column: Column): void;
  toJson(): BoundsJson;
}

/** Bounds of a type; undefined for types that have none (boolean, binary, nested types). */
export function boundsOf(type: DataType): Bounds | undefined {
  if (!hasMinMax(type)) return undefined;
  if (isFloat(type)) return new FloatBounds(isPrimitive(type, 'float') ? 'float' : 'double');
  if (isPrimitive(type, 'string')) return new OrderedBounds(read.string, compareStrings, stringJson);
  if (isPrimitive(type, 'byte', 'short', 'integer'))
    return new OrderedBounds(read.number, difference, numberJson);
  if (isPrimitive(type, 'date')) return new OrderedBounds(read.number, difference, dateJson);
  if (isTimestamp(type)) return new OrderedBounds(read.bigint, order, timestampJson(type));
  const scale = type.kind === 'decimal' ? type.scale : 0;
  return new OrderedBounds(read.bigint, order, ({ min, max }) => ({
    min: formatDecimal(min, scale),
    max: formatDecimal(max, scale),
  }));
}

interface Range<T> {
  readonly min: T;
  readonly max: T;
}

const read = {
  string: (column: Column, row: number) => column.getString(row),
  number: (column: Column, row: number) => column.getNumber(row),
  bigint: (column: Column, row: number) => column.getBigInt(row),
};

class OrderedBounds<T> implements Bounds {
  readonly #read: (column: Column, row: number) => T | null;
  readonly #compare: (a: T, b: T) => number;
  readonly #json: (range: Range<T>) => BoundsJson;
  #min: T | undefined;
  #max: T | undefined;

  constructor(
    read: (column: Column, row: number) => T | null,
    compare: (a: T, b: T) => number,
    json: (range: Range<T>) => BoundsJson,
  ) {
    this.#read = read;
    this.#compare = compare;
    this.#json = json;
  }

  add(column: Column): void {
    for (let row = 0; row < column.length; row += 1) {
      const value = this.#read(column, row);
      if (value === null) continue;
      if (this.#min === undefined || this.#compare(value, this.#min) < 0) this.#min = value;
      if (this.#max === undefined || this.#compare(value, this.#max) > 0) this.#max = value;
    }
  }

  toJson(): BoundsJson {
    if (this.#min === undefined || this.#max === undefined) return {};
    return this.#json({ min: this.#min, max: this.#max });
  }
}

/**
 * Any NaN: no maximum, since readers disagree on whether NaN counts as the greatest value; the minimum is that of the
 * others. A zero is written with the sign that widens, since readers disagree on whether the two are equal.
 */
class FloatBounds implements Bounds {
  readonly #name: 'float' | 'double';
  #min: number | undefined;
  #max: number | undefined;
  #hasNaN = false;

  constructor(name: 'float' | 'double') {
    this.#name = name;
  }

  add(column: Column): void {
    for (let row = 0; row < column.length; row += 1) {
      const value = column.getValue(row) as number | null;
      if (value === null) continue;
      if (Number.isNaN(value)) this.#hasNaN = true;
      else {
        if (this.#min === undefined || value < this.#min) this.#min = value;
        if (this.#max === undefined || value > this.#max) this.#max = value;
      }
    }
  }

  toJson(): BoundsJson {
    const json = (value: number) => {
      const text = formatFloating(value, this.#name);
      return Number.isFinite(value) ? text : `"${text}"`;
    };
    return {
      min: this.#min === undefined ? undefined : json(this.#min === 0 ? -0 : this.#min),
      max: this.#max === undefined || this.#hasNaN ? undefined : json(this.#max === 0 ? 0 : this.#max),
    };
  }
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function difference(a: number, b: number): number {
  return a - b;
}

function numberJson({ min, max }: Range<number>): BoundsJson {
  return { min: String(min), max: String(max) };
}

function stringJson({ min, max }: Range<string>): BoundsJson {
  const greatest = truncateMax(max);
  return {
    min: JSON.stringify(truncateMin(min)),
    max: greatest === undefined ? undefined : JSON.stringify(greatest),
  };
}

function dateJson({ min, max }: Range<number>): BoundsJson {
  return { min: JSON.stringify(formatDate(min)), max: JSON.stringify(formatDate(max)) };
}

/** Cut down to milliseconds: readers add 999 µs to the maximum. */
function timestampJson(type: DataType): (range: Range<bigint>) => BoundsJson {
  const zone = isPrimitive(type, 'timestamp') ? 'Z' : '';
  const json = (micros: bigint) => {
    // The last three digits are below a millisecond, also before 1970: the text counts up within its second.
    return JSON.stringify(formatTimestamp(micros, 'T').slice(0, -3) + zone);
  };
  return ({ min, max }) => ({ min: json(min), max: json(max) });
}
