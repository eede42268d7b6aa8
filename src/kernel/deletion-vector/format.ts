/** The bytes of deletion vectors and their files (`PROTOCOL.md`, "Deletion Vector File Storage Format"). */
import { DeltaError } from '../../errors.ts';
import { crc32 } from './crc32.ts';

const FORMAT_VERSION = 1;
const MAGIC = 1681511377;
const MAGIC_NATIVE = 1681511376;
const MAGIC_SIZE = 4;
/** Offset of the first vector in a file: after the version byte. */
export const FIRST_VECTOR_OFFSET = 1;
/** The size before a vector and the checksum after it. */
export const FRAME_SIZE = 8;

/** Throws `DeletionVector` where a file's first byte is no version that we know. */
export function checkFormatVersion(version: number | undefined): void {
  if (version !== FORMAT_VERSION) {
    throw new DeltaError('DeletionVector', `unsupported format version ${version} of the file`);
  }
}

/**
 * The payload (magic number and bitmap) of a framed vector: its size, `sizeInBytes` bytes, and their CRC-32.
 * Throws `DeletionVector` where the size is not that of the descriptor, the frame is cut short, or the sum is wrong.
 */
export function unframeVector(frame: Uint8Array, sizeInBytes: number): Uint8Array {
  if (frame.length < sizeInBytes + FRAME_SIZE) {
    throw new DeltaError(
      'DeletionVector',
      `${frame.length} bytes where ${sizeInBytes + FRAME_SIZE} are needed`,
    );
  }
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const size = view.getUint32(0);
  if (size !== sizeInBytes) {
    throw new DeltaError('DeletionVector', `the file says ${size} bytes, its descriptor ${sizeInBytes}`);
  }
  const payload = frame.subarray(4, 4 + size);
  const [expected, actual] = [view.getUint32(4 + size), crc32(payload)];
  if (expected !== actual) {
    throw new DeltaError('DeletionVector', `checksum ${actual} of the bytes is not ${expected}`);
  }
  return payload;
}

/**
 * The bitmap of a payload in the portable form, without its magic number. The older native form, which the example of
 * an inline vector in `PROTOCOL.md` has, is rewritten. Throws `DeletionVector` for any other magic number.
 */
export function bitmapOf(payload: Uint8Array): Uint8Array {
  if (payload.length < MAGIC_SIZE) {
    throw new DeltaError('DeletionVector', `${payload.length} bytes hold no deletion vector`);
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const magic = view.getUint32(0, true);
  if (magic === MAGIC) return payload.subarray(MAGIC_SIZE);
  if (magic === MAGIC_NATIVE) return portableOfNative(payload, view, true);
  if (view.getUint32(0) === MAGIC_NATIVE) return portableOfNative(payload, view, false);
  throw new DeltaError('DeletionVector', `magic number ${magic} is not ${MAGIC}`);
}

/**
 * Native form: a 32-bit count, then for the keys 0, 1, … each a 32-bit size and a bitmap of that many bytes. Portable:
 * a 64-bit count, then for each bitmap its 32-bit key and the same bytes; both little-endian.
 */
function portableOfNative(payload: Uint8Array, view: DataView, littleEndian: boolean): Uint8Array {
  const readInt = (at: number): number => {
    if (at + 4 <= payload.length) return view.getUint32(at, littleEndian);
    throw new DeltaError('DeletionVector', `deletion vector cut short at byte ${payload.length}`);
  };
  const count = readInt(MAGIC_SIZE);
  const parts: Uint8Array[] = [];
  let at = MAGIC_SIZE + 4;
  for (let key = 0; key < count; key += 1) {
    const end = at + 4 + readInt(at);
    if (end > payload.length)
      throw new DeltaError('DeletionVector', `deletion vector cut short at bitmap ${key}`);
    parts.push(payload.subarray(at + 4, end));
    at = end;
  }
  const portable = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 8));
  const out = new DataView(portable.buffer);
  out.setBigUint64(0, BigInt(count), true);
  let to = 8;
  for (const [key, part] of parts.entries()) {
    out.setUint32(to, key, true);
    portable.set(part, to + 4);
    to += 4 + part.length;
  }
  return portable;
}

/** A bitmap with its magic number; `sizeInBytes` of a descriptor is the length of this. */
export function encodePayload(bitmap: Uint8Array): Uint8Array {
  const payload = new Uint8Array(MAGIC_SIZE + bitmap.length);
  new DataView(payload.buffer).setUint32(0, MAGIC, true);
  payload.set(bitmap, MAGIC_SIZE);
  return payload;
}

/** A file of vectors: version byte, then each payload framed. `offsets[i]` is where the frame of payload i starts. */
export function encodeVectorFile(payloads: readonly Uint8Array[]): { bytes: Uint8Array; offsets: number[] } {
  const total = payloads.reduce((sum, payload) => sum + payload.length + FRAME_SIZE, FIRST_VECTOR_OFFSET);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  bytes[0] = FORMAT_VERSION;
  const offsets: number[] = [];
  let at = FIRST_VECTOR_OFFSET;
  for (const payload of payloads) {
    offsets.push(at);
    view.setUint32(at, payload.length);
    bytes.set(payload, at + 4);
    view.setUint32(at + 4 + payload.length, crc32(payload));
    at += payload.length + FRAME_SIZE;
  }
  return { bytes, offsets };
}
