/** Tables for the tests of the data tab, made by the package's own writer. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Table, Utf8, vectorFromArray } from 'apache-arrow';
import { DeltaTable, field, types } from 'delta-kernel-web';
import { FileSystemStorageHandler } from 'delta-kernel-web/node';

export const MILLION_ROWS = 1_040_000;
/** Deleted in a deletion vector: rows after have numbers that are so much smaller than their `id`. */
export const DELETED = { from: 100_000, count: 10 };
const ROWS_PER_FILE = 260_000;

/** What the row of an id holds. */
export function millionRow(id: number): { label: string; score: number } {
  // Knuth's multiplicative hash: no two neighbours are alike.
  return { label: `row ${((id * 2_654_435_761) >>> 0).toString(36)}`, score: id / 8 };
}

/** A table whose rows are in the order of their `id`, in four files of which one has a deletion vector. */
export async function writeMillion(folder: string): Promise<void> {
  const location = {
    storage: new FileSystemStorageHandler(),
    url: pathToFileURL(`${join(folder, 'million')}/`),
  };
  const schema = types.struct([
    field('id', types.long),
    field('label', types.string),
    field('score', types.double),
  ]);
  const properties = { 'delta.enableDeletionVectors': 'true' };
  const table = await DeltaTable.create(location, schema, { properties });
  // A scan has the newest files first, so the file with the first rows is the last to be written.
  for (let start = MILLION_ROWS - ROWS_PER_FILE; start >= 0; start -= ROWS_PER_FILE) {
    const ids = Array.from({ length: ROWS_PER_FILE }, (_, at) => start + at);
    const rows = new Table({
      id: vectorFromArray(BigInt64Array.from(ids, BigInt)),
      label: vectorFromArray(
        ids.map((id) => millionRow(id).label),
        new Utf8(),
      ),
      score: vectorFromArray(Float64Array.from(ids, (id) => millionRow(id).score)),
    });
    await table.append(rows);
  }
  const { from, count } = DELETED;
  await table.delete(`id >= ${from} AND id < ${from + count}`);
}

/** A table of every type, with values that are easily shown wrong. */
export async function writeKinds(folder: string): Promise<void> {
  const location = {
    storage: new FileSystemStorageHandler(),
    url: pathToFileURL(`${join(folder, 'kinds')}/`),
  };
  const point = types.struct([field('at', types.timestamp), field('raw', types.binary)]);
  const schema = types.struct([
    field('long', types.long),
    field('dec', types.decimal(38, 10)),
    field('double', types.double),
    field('text', types.string),
    field('bin', types.binary),
    field('day', types.date),
    field('ts', types.timestamp),
    field('ntz', types.timestampNtz),
    field('flag', types.boolean),
    field('list', types.array(types.long)),
    field('tags', types.map(types.string, types.long)),
    field('point', point),
  ]);
  const table = await DeltaTable.create(location, schema);
  await table.append(KINDS);
}

/** Rows of the table of every type: extremes, nothing, empty things, long things. */
export const KINDS = [
  {
    long: 9_223_372_036_854_775_807n,
    dec: '-1234567890123456789012345678.0123456789',
    double: Number.NaN,
    text: 'a "quoted", comma\tand\nline',
    bin: Uint8Array.of(0, 255, 16),
    day: '0001-01-01',
    ts: '2024-03-31T00:59:59.123456Z',
    ntz: '2024-02-29T12:00:00.000001',
    flag: true,
    list: [9_007_199_254_740_993n, null],
    tags: new Map([['a', 1n]]),
    point: { at: '1970-01-01T00:00:00Z', raw: Uint8Array.of(202, 254) },
  },
  Object.fromEntries(
    ['long', 'dec', 'double', 'text', 'bin', 'day', 'ts', 'ntz', 'flag', 'list', 'tags', 'point'].map(
      (name) => [name, null],
    ),
  ),
  {
    long: -9_223_372_036_854_775_808n,
    dec: '0.0000000001',
    double: Number.NEGATIVE_INFINITY,
    text: '',
    bin: new Uint8Array(0),
    day: '9999-12-31',
    ts: '2024-03-31T01:00:00Z',
    ntz: '1969-12-31T23:59:59.999999',
    flag: false,
    list: [],
    tags: new Map(),
    point: { at: null, raw: null },
  },
  {
    long: 0n,
    dec: '1',
    double: 0.1,
    text: 'x'.repeat(5000),
    bin: Uint8Array.from({ length: 3000 }, (_, at) => at & 255),
    day: '1970-01-01',
    ts: '1850-07-01T12:00:00Z',
    ntz: '2000-01-01T00:00:00',
    flag: true,
    list: Array.from({ length: 500 }, (_, at) => BigInt(at)),
    tags: new Map([['long', 2n]]),
    point: { at: '2024-07-01T00:00:00Z', raw: null },
  },
];

export const WIDE_COLUMNS = 500;

/** More columns than anybody draws at once; a cell of column `c7` in row 2 holds 2007. */
export async function writeWide(folder: string): Promise<void> {
  const location = {
    storage: new FileSystemStorageHandler(),
    url: pathToFileURL(`${join(folder, 'wide')}/`),
  };
  const names = Array.from({ length: WIDE_COLUMNS }, (_, at) => `c${at}`);
  const table = await DeltaTable.create(
    location,
    types.struct(names.map((name) => field(name, types.integer))),
  );
  await table.append(
    [0, 1, 2].map((row) => Object.fromEntries(names.map((name, at) => [name, row * 1000 + at]))),
  );
}
