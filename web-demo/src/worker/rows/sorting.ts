/** The order of rows in memory by a column: numbers by value with NaN greatest, text and binary by bytes, nulls last. */
import { type DataType, type EngineData, toRecordBatch } from 'delta-kernel-web';
import type { Sort } from '../protocol-data.ts';
import type { Page } from './pages.ts';

/** Rows at most: a person waits for it. */
export const MAX_SORTED = 1_000_000;

type Key = number | bigint | Uint8Array;

export function isSortable(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && type.name !== 'void');
}

/** Numbers of the rows of the pages, the first {@link MAX_SORTED}, in order; equal rows stay as they are. */
export function sortedRows(pages: readonly Page[], { column, descending }: Sort): Uint32Array {
  const numbers: number[] = [];
  const keys: (Key | null)[] = [];
  for (const { start, data } of pages) {
    const keyAt = keysOf(data, column);
    for (let row = 0; row < data.length && numbers.length < MAX_SORTED; row += 1) {
      numbers.push(start + row);
      keys.push(keyAt(row));
    }
  }
  const direction = descending ? -1 : 1;
  const order = Uint32Array.from(numbers.keys()).sort((a, b) => {
    const [x, y] = [keys[a]!, keys[b]!];
    if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1;
    return direction * compare(x, y) || a - b;
  });
  return order.map((at) => numbers[at]!);
}

function keysOf(data: EngineData, column: number): (row: number) => Key | null {
  const field = data.schema.fields[column]!;
  const values = data.column([field.name])!;
  const read = keyReader(data, column);
  return (row) => (values.isNull(row) ? null : read(row));
}

function keyReader(data: EngineData, column: number): (row: number) => Key {
  const { name, type } = data.schema.fields[column]!;
  const values = data.column([name])!;
  if (type.kind === 'decimal') return (row) => values.getBigInt(row)!;
  if (type.kind !== 'primitive') throw new TypeError(`a column of type ${type.kind} has no order`);
  switch (type.name) {
    case 'string':
    case 'binary': {
      const { valueOffsets, values: bytes } = toRecordBatch(data).data.children[column]!;
      return (row) => bytes.subarray(Number(valueOffsets[row]), Number(valueOffsets[row + 1]));
    }
    case 'boolean':
      return (row) => Number(values.getBoolean(row));
    case 'long':
    case 'timestamp':
    case 'timestamp_ntz':
      return (row) => values.getBigInt(row)!;
    default:
      return (row) => Number(values.getValue(row));
  }
}

function compare(a: Key, b: Key): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return a.length - b.length;
}
