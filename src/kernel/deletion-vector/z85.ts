/** Z85, the base-85 form that deletion vector descriptors use: 5 characters stand for 4 bytes, big-endian. */
import { DeltaError } from '../../errors.ts';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const DIGITS = new Map(Array.from(ALPHABET, (char, index) => [char, index]));

/** Throws `DeletionVector` for a length that is no multiple of 5, or an unknown character. */
export function decodeZ85(text: string): Uint8Array {
  if (text.length % 5 !== 0) {
    throw new DeltaError('DeletionVector', `Z85 text of ${text.length} characters: not a multiple of 5`);
  }
  const bytes = new Uint8Array((text.length / 5) * 4);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 5) {
    let value = 0;
    for (const char of text.slice(at, at + 5)) {
      const digit = DIGITS.get(char);
      if (digit === undefined) throw new DeltaError('DeletionVector', `no Z85 character: ${char}`);
      value = value * 85 + digit;
    }
    // What lies above 32 bits is dropped, as Spark drops it: there are tables whose padding has such a group.
    view.setUint32((at / 5) * 4, value);
  }
  return bytes;
}

/** Bytes, padded with zeros to a multiple of 4. */
export function encodeZ85(bytes: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  let text = '';
  for (let at = 0; at < padded.length; at += 4) {
    let value = view.getUint32(at);
    let group = '';
    for (let digit = 0; digit < 5; digit += 1) {
      group = ALPHABET[value % 85] + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
