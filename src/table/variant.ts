/**
 * Variant values as JSON text, straight from their binary form (Apache Parquet, "Variant Binary Encoding", version 1).
 *
 * Numbers keep their digits; strings, dates, timestamps, UUIDs and binary become JSON strings in the forms that
 * columns of those types have; object fields come in stored order, which is the order of their names.
 */
import { DeltaError } from '../errors.ts';
import { formatDecimal } from '../kernel/partition-values/decimal.ts';
import { formatDate, formatTimestamp } from '../kernel/partition-values/temporal.ts';
import { base64, floatingJson } from './json-scalars.ts';

const MAX_DEPTH = 500;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The JSON text of a variant. Bytes that are no variant: `Parquet`. */
export function variantToJson(metadata: Uint8Array, value: Uint8Array): string {
  const reader = new VariantReader(metadata, value);
  return reader.json(0, 0);
}

function malformed(what: string): DeltaError {
  return new DeltaError('Parquet', `malformed variant value: ${what}`);
}

/** Little-endian bytes with bounds checks. */
class Bytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  check(at: number, length: number): void {
    if (at < 0 || at + length > this.bytes.length) throw malformed(`it ends before byte ${at + length}`);
  }

  /** An unsigned integer of 1 to 4 bytes. */
  uint(at: number, size: number): number {
    this.check(at, size);
    let value = 0;
    for (let index = size - 1; index >= 0; index -= 1) value = value * 256 + this.bytes[at + index]!;
    return value;
  }

  /** A signed integer of 1, 2, 4, 8 or 16 bytes. */
  int(at: number, size: number): bigint {
    this.check(at, size);
    if (size < 8) return BigInt.asIntN(size * 8, BigInt(this.uint(at, size)));
    if (size === 8) return this.view.getBigInt64(at, true);
    return (this.view.getBigInt64(at + 8, true) << 64n) | this.view.getBigUint64(at, true);
  }

  slice(at: number, length: number): Uint8Array {
    this.check(at, length);
    return this.bytes.subarray(at, at + length);
  }
}

class VariantReader {
  private readonly metadata: Bytes;
  private readonly value: Bytes;
  private readonly offsetSize: number;
  private readonly dictionarySize: number;
  /** In a sound value every byte belongs to one node, so more nodes than bytes mean that they overlap. */
  private nodes = 0;

  constructor(metadata: Uint8Array, value: Uint8Array) {
    this.metadata = new Bytes(metadata);
    this.value = new Bytes(value);
    const header = this.metadata.uint(0, 1);
    if ((header & 15) !== 1) throw malformed(`version ${header & 15} of the metadata is not known`);
    this.offsetSize = (header >> 6) + 1;
    this.dictionarySize = this.metadata.uint(1, this.offsetSize);
  }

  json(at: number, depth: number): string {
    this.nodes += 1;
    if (depth > MAX_DEPTH) throw malformed(`it is nested more than ${MAX_DEPTH} levels deep`);
    if (this.nodes > this.value.bytes.length) throw malformed('its parts overlap');
    const first = this.value.uint(at, 1);
    const header = first >> 2;
    switch (first & 3) {
      case 0:
        return this.primitive(header, at + 1);
      case 1:
        return this.text(at + 1, header);
      case 2:
        return this.object(header, at + 1, depth);
      default:
        return this.array(header, at + 1, depth);
    }
  }

  private text(at: number, length: number): string {
    return JSON.stringify(utf8.decode(this.value.slice(at, length)));
  }

  /** Ids are those of the encoding's table of primitive types. */
  private primitive(id: number, at: number): string {
    const { value } = this;
    switch (id) {
      case 0:
        return 'null';
      case 1:
        return 'true';
      case 2:
        return 'false';
      case 3:
      case 4:
      case 5:
      case 6:
        return String(value.int(at, 2 ** (id - 3)));
      case 7:
        value.check(at, 8);
        return floatingJson(value.view.getFloat64(at, true), 'double');
      case 8:
      case 9:
      case 10:
        return formatDecimal(value.int(at + 1, 2 ** (id - 6)), value.uint(at, 1));
      case 11:
        return `"${formatDate(Number(value.int(at, 4)))}"`;
      case 12:
        return `"${formatTimestamp(value.int(at, 8), 'T')}Z"`;
      case 13:
        return `"${formatTimestamp(value.int(at, 8), 'T')}"`;
      case 14:
        value.check(at, 4);
        return floatingJson(value.view.getFloat32(at, true), 'float');
      case 15:
        return `"${base64(value.slice(at + 4, value.uint(at, 4)))}"`;
      case 16:
        return this.text(at + 4, value.uint(at, 4));
      case 17:
        return `"${formatTimestamp(value.int(at, 8), 'T').slice(11)}"`;
      case 18:
        return `"${nanosText(value.int(at, 8))}Z"`;
      case 19:
        return `"${nanosText(value.int(at, 8))}"`;
      case 20:
        return `"${uuidText(value.slice(at, 16))}"`;
      default:
        throw malformed(`type id ${id} is not known`);
    }
  }

  private object(header: number, at: number, depth: number): string {
    const offsetSize = (header & 3) + 1;
    const idSize = ((header >> 2) & 3) + 1;
    const countSize = (header >> 4) & 1 ? 4 : 1;
    const count = this.value.uint(at, countSize);
    const ids = at + countSize;
    const offsets = ids + count * idSize;
    const start = offsets + (count + 1) * offsetSize;
    this.value.check(at, start - at);
    const fields: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const name = this.fieldName(this.value.uint(ids + index * idSize, idSize));
      const offset = this.value.uint(offsets + index * offsetSize, offsetSize);
      fields.push(`${name}:${this.json(start + offset, depth + 1)}`);
    }
    return `{${fields.join(',')}}`;
  }

  private array(header: number, at: number, depth: number): string {
    const offsetSize = (header & 3) + 1;
    const countSize = (header >> 2) & 1 ? 4 : 1;
    const count = this.value.uint(at, countSize);
    const offsets = at + countSize;
    const start = offsets + (count + 1) * offsetSize;
    this.value.check(at, start - at);
    const elements: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const offset = this.value.uint(offsets + index * offsetSize, offsetSize);
      elements.push(this.json(start + offset, depth + 1));
    }
    return `[${elements.join(',')}]`;
  }

  private fieldName(id: number): string {
    if (id >= this.dictionarySize) throw malformed(`field ${id} of ${this.dictionarySize} names`);
    const { metadata, offsetSize } = this;
    const offsets = 1 + offsetSize;
    const start = offsets + (this.dictionarySize + 1) * offsetSize;
    const from = metadata.uint(offsets + id * offsetSize, offsetSize);
    const to = metadata.uint(offsets + (id + 1) * offsetSize, offsetSize);
    if (to < from) throw malformed('the offsets of its names go back');
    return JSON.stringify(utf8.decode(metadata.slice(start + from, to - from)));
  }
}

function nanosText(nanos: bigint): string {
  const rest = ((nanos % 1000n) + 1000n) % 1000n;
  return formatTimestamp((nanos - rest) / 1000n, 'T') + String(rest).padStart(3, '0');
}

function uuidText(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
