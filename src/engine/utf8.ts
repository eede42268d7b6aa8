/** UTF-8 text in Arrow buffers. */

// A byte order mark inside a value is data, so it is kept.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Below this many bytes a loop beats the call into the platform's decoder. */
const SHORT = 24;

/** The text of bytes [start, end). Bytes that are no UTF-8 become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= SHORT) {
    let text = '';
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte >= 0x80) break;
      text += String.fromCharCode(byte);
    }
    if (at === end) return text;
  }
  return decoder.decode(bytes.subarray(start, end));
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}
