/**
 * Batches into and out of the core. In: one block in the order of an Arrow IPC record-batch body (`exchange.rs` reads
 * it). Out: the Arrow C data interface through arrow-js-ffi, always copied: no view on WASM memory leaves.
 */
import { type Data, RecordBatch, type Schema, Struct, Type } from 'apache-arrow';
import { parseData } from 'arrow-js-ffi';
import { isBitSet, rawData, validityOf } from '../arrow-data.ts';
import type { CoreMemory } from './memory.ts';

/** A handle of a batch in the core; the call it is passed to takes it over. */
export function importBatch(core: CoreMemory, batch: RecordBatch, wireSchema: string): number {
  const body = new Body();
  for (const column of batch.data.children) body.add(column);
  const block = body.write(core);
  const layout = core.write(new Uint8Array(Uint32Array.from(body.layout).buffer));
  return core.check('batch_new', ...core.writeText(wireSchema), batch.numRows, ...layout, ...block);
}

/** Copies out the batch that the last call handed over, as one of `schema`, and releases it. */
export function takeBatch(core: CoreMemory, schema: Schema): RecordBatch {
  const [array] = core.handedOver();
  try {
    if (schema.fields.length === 0) {
      const rows = Number(new DataView(core.buffer).getBigInt64(array, true));
      return new RecordBatch(schema, rawData(new Struct([]), rows, {}) as Data<Struct>);
    }
    const data = parseData(core.buffer, array, new Struct(schema.fields), true) as Data<Struct>;
    return new RecordBatch(schema, data);
  } finally {
    core.call('batch_release', array);
  }
}

const ALIGNMENT = 16;

/** The buffers of a batch and where each goes. */
class Body {
  readonly layout: number[] = [];
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  /** Adds a column with its children, rows from 0. */
  add(data: Data): void {
    this.layout.push(data.length);
    const validity = validityOf(data);
    this.#buffer(validity ? bitsFrom(validity.bits, validity.offset, data.length) : new Uint8Array(0));
    switch (data.typeId) {
      case Type.Null:
        break;
      case Type.Struct:
        for (const child of data.children) this.add(child);
        break;
      case Type.Bool:
        this.#buffer(bitsFrom(data.values as Uint8Array, data.offset, data.length));
        break;
      case Type.Utf8:
      case Type.Binary: {
        const { offsets, start, end } = fromZero(data);
        this.#buffer(bytesOf(offsets));
        this.#buffer((data.values as Uint8Array | undefined)?.subarray(start, end) ?? new Uint8Array(0));
        break;
      }
      case Type.List:
      case Type.Map: {
        const { offsets, start, end } = fromZero(data);
        this.#buffer(bytesOf(offsets));
        this.add(data.children[0]!.slice(start, end - start));
        break;
      }
      default:
        this.#buffer(bytesOf(data.values as Uint8Array).subarray(0, byteWidth(data) * data.length));
    }
  }

  write(core: CoreMemory): readonly [number, number] {
    const pointer = core.allocate(this.#size);
    const target = new Uint8Array(core.buffer, pointer, this.#size);
    let at = 0;
    for (const part of this.#parts) {
      target.set(part, at);
      at += padded(part.length);
    }
    return [pointer, this.#size];
  }

  #buffer(bytes: Uint8Array): void {
    this.layout.push(this.#size, bytes.length);
    this.#parts.push(bytes);
    this.#size += padded(bytes.length);
  }
}

function padded(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer as ArrayBuffer, values.byteOffset, values.byteLength);
}

/** Bytes of one value of a fixed-width type. */
function byteWidth(data: Data): number {
  if (data.typeId === Type.Decimal) return 16;
  return (data.values as Uint8Array).BYTES_PER_ELEMENT * data.stride;
}

/** The bits of rows from 0: the bitmap itself where it begins at a byte. */
function bitsFrom(bits: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset % 8 === 0) return bits.subarray(offset >> 3, (offset + length + 7) >> 3);
  const moved = new Uint8Array((length + 7) >> 3);
  for (let row = 0; row < length; row++) {
    if (isBitSet(bits, offset + row)) moved[row >> 3]! |= 1 << (row & 7);
  }
  return moved;
}

/** Offsets that begin at 0, and the range of values that they are about. */
function fromZero(data: Data): { offsets: Int32Array; start: number; end: number } {
  const all = data.valueOffsets as Int32Array | undefined;
  if (data.length === 0 || all === undefined) return { offsets: new Int32Array(1), start: 0, end: 0 };
  const start = all[0]!;
  const own = all.subarray(0, data.length + 1);
  const offsets = start === 0 ? own : own.map((offset) => offset - start);
  return { offsets, start, end: all[data.length]! };
}
