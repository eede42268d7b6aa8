/** Values as text, from the JSON text that the worker makes of them, for the page and for files. */
import type { DataType } from 'delta-kernel-web';
import { zonedTimestamp } from './zones.ts';

/** The value itself: text without quotes, binary as hex digits, what is nested as JSON. */
export function valueText(json: string, type: DataType, zone = 'UTC'): string {
  if (!json.startsWith('"') || type.kind === 'variant') return json;
  const text = String(JSON.parse(json));
  if (type.kind !== 'primitive') return text;
  if (type.name === 'binary') return hexDigits(text);
  return type.name === 'timestamp' ? zonedTimestamp(text, zone) : text;
}

/** Base64 as lower-case hex digits; what is cut keeps its sign of that. */
export function hexDigits(base64: string): string {
  const cut = base64.endsWith('…');
  const whole = cut ? base64.slice(0, (base64.length - 1) & ~3) : base64;
  const hex = Array.from(atob(whole), (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return cut ? `${hex}…` : hex;
}

/** Whether a value has parts of its own. */
export function isNested(type: DataType): boolean {
  return type.kind === 'struct' || type.kind === 'array' || type.kind === 'map' || type.kind === 'variant';
}
