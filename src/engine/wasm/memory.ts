/** The raw module: memory, byte blocks, errors as data, traps. */
import { DeltaError, type DeltaErrorCode } from '../../errors.ts';

/** Exports of `wasm/src/bindings`. Pointers and handles are unsigned 32-bit numbers; 0 is failure. */
export interface CoreExports {
  readonly memory: WebAssembly.Memory;
  readonly [name: string]: unknown;
}

/** A pointer and a length of memory in the core. */
export type Block = readonly [pointer: number, size: number];

const utf8 = new TextDecoder();
const encoder = new TextEncoder();

/**
 * Calls into one instance of the module. After a trap the instance is suspect: every later call fails with
 * `Internal`, and `broken` is true so that the owner can make a fresh one.
 */
export class CoreMemory {
  readonly #exports: CoreExports;
  #broken: DeltaError | undefined;

  constructor(exports: CoreExports) {
    this.#exports = exports;
  }

  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /** The memory as it is now: growing detaches it, so never keep it over a call. */
  get buffer(): ArrayBuffer {
    return this.#exports.memory.buffer;
  }

  /** Calls an export; the result as an unsigned number (or a float, as it is). */
  call(name: string, ...args: number[]): number {
    if (this.#broken) throw this.#broken;
    try {
      const result = (this.#exports[name] as (...args: number[]) => number | undefined)(...args) ?? 0;
      return Number.isInteger(result) && result < 0 ? result >>> 0 : result;
    } catch (cause) {
      this.#broken = this.#trapped(name, cause);
      throw this.#broken;
    }
  }

  /** Calls an export of which 0 means failure. */
  check(name: string, ...args: number[]): number {
    const result = this.call(name, ...args);
    if (result === 0) throw this.#error();
    return result;
  }

  /** Memory for `size` bytes, to be filled before the next call. */
  allocate(size: number): number {
    const pointer = this.call('core_alloc', size);
    if (pointer === 0) throw new DeltaError('OutOfMemory', `the WASM core has no memory for ${size} bytes`);
    return pointer;
  }

  /** Copies bytes in; the call they are passed to takes them over. */
  write(bytes: Uint8Array): Block {
    const pointer = this.allocate(bytes.length);
    new Uint8Array(this.buffer, pointer, bytes.length).set(bytes);
    return [pointer, bytes.length];
  }

  writeText(text: string): Block {
    return this.write(encoder.encode(text));
  }

  /** Numbers as 64-bit floats: exact for offsets and rows up to 2^53. */
  writeNumbers(numbers: readonly number[]): Block {
    return this.write(new Uint8Array(Float64Array.from(numbers).buffer));
  }

  free([pointer, size]: Block): void {
    this.call('core_free', pointer, size);
  }

  /** The two words that the last call handed over. */
  handedOver(): Block {
    const out = new Uint32Array(this.buffer, this.call('core_out'), 2);
    return [out[0]!, out[1]!];
  }

  /** Copies out the bytes that the last call handed over, and frees them. */
  takeBytes(): Uint8Array {
    const [pointer, size] = this.handedOver();
    const bytes = new Uint8Array(this.buffer, pointer, size).slice();
    this.free([pointer, size]);
    return bytes;
  }

  takeJson<T>(): T {
    return JSON.parse(utf8.decode(this.takeBytes())) as T;
  }

  /** Running out of memory aborts; any other trap is a fault of the core. */
  #trapped(name: string, cause: unknown): DeltaError {
    const exhausted = this.#exports.core_exhausted as () => number;
    if (exhausted() === 1) {
      return new DeltaError('OutOfMemory', `the WASM core ran out of memory in ${name}`, { cause });
    }
    return new DeltaError('Internal', `the WASM core failed in ${name}`, { cause });
  }

  #error(): DeltaError {
    const [pointer] = this.handedOver();
    if (pointer === 0) return new DeltaError('OutOfMemory', 'the WASM core is out of memory');
    const { code, message, line } = this.takeJson<{ code: DeltaErrorCode; message: string; line?: number }>();
    return new DeltaError(code, message, line ? { line } : {});
  }
}
