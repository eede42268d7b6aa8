/** Seeded data for the benchmarks: twelve columns of every common kind. */
import {
  Bool,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  makeData,
  makeVector,
  Table,
  TimestampMicrosecond,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';

const CITIES = ['New York', 'Boston', 'Chicago', 'São Paulo', 'Zürich', 'Tōkyō', 'Accra', 'Lima'];

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An apache-arrow table of `rows` rows. */
export function sampleTable(rows) {
  const next = random(20210901);
  const fill = (array, make) => {
    for (let row = 0; row < rows; row++) array[row] = make(row);
    return array;
  };
  const fixed = (type, data) => new Vector([makeData({ type, length: rows, nullCount: 0, data })]);
  const valid = fill(new Uint8Array(Math.ceil(rows / 8)), () => Math.floor(next() * 256));
  const cents = new BigInt64Array(2 * rows);
  for (let row = 0; row < rows; row++) cents[2 * row] = BigInt(Math.floor(next() * 1e9));
  return new Table({
    id: makeVector(fill(new BigInt64Array(rows), (row) => BigInt(row))),
    code: fixed(
      new Int32(),
      fill(new Int32Array(rows), () => Math.floor(next() * 1000)),
    ),
    small: fixed(
      new Int16(),
      fill(new Int16Array(rows), () => Math.floor(next() * 30_000)),
    ),
    price: fixed(
      new Float64(),
      fill(new Float64Array(rows), () => Math.round(next() * 1e6) / 100),
    ),
    ratio: fixed(
      new Float32(),
      fill(new Float32Array(rows), () => next()),
    ),
    active: fixed(
      new Bool(),
      fill(new Uint8Array(Math.ceil(rows / 8)), () => Math.floor(next() * 256)),
    ),
    day: fixed(
      new DateDay(),
      fill(new Int32Array(rows), () => 18_000 + Math.floor(next() * 1000)),
    ),
    seen: fixed(
      new TimestampMicrosecond('UTC'),
      fill(new BigInt64Array(rows), () => 1_600_000_000_000_000n + BigInt(Math.floor(next() * 1e14))),
    ),
    amount: fixed(new Decimal(2, 12, 128), new Uint32Array(cents.buffer)),
    city: vectorFromArray(
      Array.from({ length: rows }, () => CITIES[Math.floor(next() * 8)]),
      new Utf8(),
    ),
    note: vectorFromArray(
      Array.from({ length: rows }, () => `note ${Math.floor(next() * 1e9).toString(36)}`),
      new Utf8(),
    ),
    sparse: new Vector([
      makeData({
        type: new Int64(),
        length: rows,
        nullCount: -1,
        nullBitmap: valid,
        data: fill(new BigInt64Array(rows), () => BigInt(Math.floor(next() * 1e12))),
      }),
    ]),
  });
}
