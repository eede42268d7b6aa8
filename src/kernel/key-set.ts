/**
 * A set of many short strings (paths of files) in a few typed arrays instead of an object per string: the keys of
 * 300,000 files take about 12 MB. Open addressing over the keys' UTF-8 bytes, which are compared: no key is ever
 * taken for another one.
 */

const FIRST_BYTES = 1 << 12;
const FIRST_SLOTS = 1 << 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class KeySet implements Iterable<string> {
  #size = 0;
  /** All keys, one after the other. */
  #bytes = new Uint8Array(FIRST_BYTES);
  /** Where key `i` begins; one more entry than keys, the last of which is where the next key goes. */
  #starts = new Uint32Array(FIRST_SLOTS / 2 + 1);
  /** 0, or the number of a key plus 1. At most half of the slots are taken. */
  #slots = new Uint32Array(FIRST_SLOTS);

  constructor(keys: Iterable<string> = []) {
    for (const key of keys) this.add(key);
  }

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    if (this.#size === 0) return false;
    const start = this.#starts[this.#size]!;
    return this.#slots[this.#slotOf(start, this.#write(key))] !== 0;
  }

  /** Whether the key is new. */
  add(key: string): boolean {
    const end = this.#write(key);
    const slot = this.#slotOf(this.#starts[this.#size]!, end);
    if (this.#slots[slot] !== 0) return false;
    this.#size += 1;
    this.#slots[slot] = this.#size;
    this.#starts[this.#size] = end;
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    return true;
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (let index = 0; index < this.#size; index += 1) {
      yield decoder.decode(this.#bytes.subarray(this.#starts[index]!, this.#starts[index + 1]!));
    }
  }

  /** Writes a key where the next one goes, without taking it in. @returns where it ends. */
  #write(key: string): number {
    const start = this.#starts[this.#size]!;
    this.#reserve(start + key.length * 3);
    const bytes = this.#bytes;
    for (let index = 0; index < key.length; index += 1) {
      const unit = key.charCodeAt(index);
      if (unit > 0x7f) return start + encoder.encodeInto(key, bytes.subarray(start)).written;
      bytes[start + index] = unit;
    }
    return start + key.length;
  }

  /** The slot of the key at [start, end) of the bytes, or the free one where it would be. */
  #slotOf(start: number, end: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(this.#bytes, start, end) & mask;
    for (let entry = this.#slots[slot]!; entry !== 0; entry = this.#slots[slot]!) {
      if (this.#isEqual(entry - 1, start, end)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #isEqual(index: number, start: number, end: number): boolean {
    const other = this.#starts[index]!;
    if (this.#starts[index + 1]! - other !== end - start) return false;
    const bytes = this.#bytes;
    for (let at = start; at < end; at += 1) if (bytes[at] !== bytes[other + at - start]) return false;
    return true;
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(length, this.#bytes.length * 2));
    bytes.set(this.#bytes.subarray(0, this.#starts[this.#size]!));
    this.#bytes = bytes;
  }

  #grow(): void {
    const starts = new Uint32Array(this.#slots.length + 1);
    starts.set(this.#starts);
    this.#starts = starts;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let index = 0; index < this.#size; index += 1) {
      this.#slots[this.#slotOf(starts[index]!, starts[index + 1]!)] = index + 1;
    }
  }
}

/** FNV-1a, its bits mixed once more since the lowest ones choose the slot. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at += 1) value = Math.imul(value ^ bytes[at]!, 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
