/**
 * Arrow's `Data` at the level of buffers: validity, raw construction, and the rows of a selection.
 *
 * The layout is that of apache-arrow: `values` and `valueOffsets` already start at the first row of a slice and the
 * children of a struct are sliced with it, while validity bitmaps (and the bits of booleans) start at `offset`.
 */
import { type DataType as ArrowType, Data, Type } from 'apache-arrow';
import { DeltaError } from '../errors.ts';

/** Bits of which a set one means a value; row 0 is bit `offset`. */
export interface Validity {
  readonly bits: Uint8Array;
  readonly offset: number;
}

/** The buffers of a column; rows start at 0. */
export interface Buffers {
  readonly valueOffsets?: unknown;
  readonly values?: unknown;
  readonly nullBitmap?: Uint8Array | undefined;
  readonly children?: Data[];
}

/** A column from its buffers. The null count is found when it is asked for. */
export function rawData(type: ArrowType, length: number, buffers: Buffers, offset = 0): Data {
  const nullCount = buffers.nullBitmap ? -1 : 0;
  const parts = [buffers.valueOffsets, buffers.values, buffers.nullBitmap] as never;
  return new Data(type, offset, length, nullCount, parts, buffers.children ?? []);
}

/** A column of Arrow's Null type. */
export function nullData(type: ArrowType, length: number): Data {
  return new Data(type, 0, length, length);
}

/** Where the nulls of a column are; undefined where it has none (a column of type Null has no bitmap either). */
export function validityOf(data: Data): Validity | undefined {
  if (data.typeId === Type.Null || data.nullCount <= 0) return undefined;
  return { bits: data.nullBitmap, offset: data.offset };
}

/** Whether the bit of `row` is set. */
export function isBitSet(bits: Uint8Array, index: number): boolean {
  return ((bits[index >> 3]! >> (index & 7)) & 1) === 1;
}

/** Bytes of a bitmap, in Arrow's padding to 8. */
export function bitmapBytes(length: number): number {
  return ((length + 63) >> 6) << 3;
}

/** `data` with a row null where it is null or `parent` (of the same length) is. */
export function nullWhereParentIs(data: Data, parent: Validity | undefined): Data {
  if (!parent || data.typeId === Type.Null) return data;
  const own = validityOf(data);
  const nullBitmap = new Uint8Array(bitmapBytes(data.offset + data.length));
  for (let row = 0; row < data.length; row++) {
    if (!isBitSet(parent.bits, parent.offset + row)) continue;
    if (own && !isBitSet(own.bits, own.offset + row)) continue;
    const bit = data.offset + row;
    nullBitmap[bit >> 3]! |= 1 << (bit & 7);
  }
  const buffers = [data.valueOffsets, data.values, nullBitmap] as never;
  return data.clone(data.type, data.offset, data.length, -1, buffers);
}

/** Ascending, disjoint, non-empty row ranges: [start, end) pairs, and the rows that they hold. */
export interface Runs {
  readonly bounds: readonly number[];
  readonly rows: number;
}

/** The selected rows of a batch as runs; rows beyond the end of the vector are selected. */
export function selectedRuns(selection: Uint8Array, length: number): Runs {
  const bounds: number[] = [];
  let rows = 0;
  let start = -1;
  for (let row = 0; row < length; row++) {
    const selected = row >= selection.length || selection[row] !== 0;
    if (selected && start < 0) start = row;
    if (!selected && start >= 0) {
      bounds.push(start, row);
      rows += row - start;
      start = -1;
    }
  }
  if (start >= 0) {
    bounds.push(start, length);
    rows += length - start;
  }
  return { bounds, rows };
}

/** The rows of `runs`, copied to a new column. */
export function takeRuns(data: Data, runs: Runs): Data {
  const { type } = data;
  const nullBitmap = takeBits(validityOf(data), runs);
  switch (data.typeId) {
    case Type.Null:
      return nullData(type, runs.rows);
    case Type.Bool: {
      const values = takeBits({ bits: data.values as Uint8Array, offset: data.offset }, runs);
      return rawData(type, runs.rows, { values, nullBitmap });
    }
    case Type.Struct: {
      const children = data.children.map((child) => takeRuns(child, runs));
      return rawData(type, runs.rows, { nullBitmap, children });
    }
    case Type.Utf8:
    case Type.Binary: {
      const { valueOffsets, inner } = takeOffsets(data.valueOffsets as Int32Array, runs);
      const values = takeValues(data.values as Uint8Array, inner, 1);
      return rawData(type, runs.rows, { valueOffsets, values, nullBitmap });
    }
    case Type.List:
    case Type.Map: {
      const { valueOffsets, inner } = takeOffsets(data.valueOffsets as Int32Array, runs);
      const children = [takeRuns(data.children[0]!, inner)];
      return rawData(type, runs.rows, { valueOffsets, nullBitmap, children });
    }
    default:
      if (!data.values || data.valueOffsets || data.children.length > 0 || data.dictionary) {
        throw new DeltaError('Unsupported', `selecting rows of an Arrow column of type ${String(type)}`);
      }
      return rawData(type, runs.rows, {
        values: takeValues(data.values as Uint8Array, runs, data.stride),
        nullBitmap,
      });
  }
}

function takeValues<T extends Uint8Array>(values: T, { bounds, rows }: Runs, stride: number): T {
  const out = new (values.constructor as new (length: number) => T)(rows * stride);
  let at = 0;
  for (let i = 0; i < bounds.length; i += 2) {
    const start = bounds[i]! * stride;
    const end = bounds[i + 1]! * stride;
    // Short runs are faster copied one by one than through a view.
    if (end - start < 32) for (let j = start; j < end; j++) out[at++] = values[j]!;
    else {
      out.set(values.subarray(start, end), at);
      at += end - start;
    }
  }
  return out;
}

function takeOffsets(offsets: Int32Array, { bounds, rows }: Runs): { valueOffsets: Int32Array; inner: Runs } {
  const valueOffsets = new Int32Array(rows + 1);
  const inner: number[] = [];
  let at = 0;
  let row = 0;
  for (let i = 0; i < bounds.length; i += 2) {
    const [start, end] = [bounds[i]!, bounds[i + 1]!];
    const shift = at - offsets[start]!;
    for (let j = start; j < end; j++) valueOffsets[++row] = offsets[j + 1]! + shift;
    if (offsets[end]! > offsets[start]!) inner.push(offsets[start]!, offsets[end]!);
    at = offsets[end]! + shift;
  }
  return { valueOffsets, inner: { bounds: inner, rows: at } };
}

function takeBits(from: Validity | undefined, { bounds, rows }: Runs): Uint8Array | undefined {
  if (!from) return undefined;
  const out = new Uint8Array(bitmapBytes(rows));
  let to = 0;
  for (let i = 0; i < bounds.length; i += 2) {
    for (let row = bounds[i]!; row < bounds[i + 1]!; row++, to++) {
      if (isBitSet(from.bits, from.offset + row)) out[to >> 3]! |= 1 << (to & 7);
    }
  }
  return out;
}
