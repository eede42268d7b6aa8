/** JSON text of single values, as columns and variants have them. */
import { formatFloating } from '../kernel/partition-values/serialize.ts';

/** A JSON number with a fraction or an exponent, so that it is told from an integer; else a string. */
export function floatingJson(value: number, name: 'float' | 'double'): string {
  if (!Number.isFinite(value)) return `"${formatFloating(value, name)}"`;
  if (Number.isInteger(value) && Math.abs(value) < 1e7 && value !== 0) return `${value}.0`;
  const size = Math.abs(value);
  return name === 'double' && size >= 1e-3 && size < 1e7 ? String(value) : formatFloating(value, name);
}

/** Standard base64 with padding. */
export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(binary);
}
