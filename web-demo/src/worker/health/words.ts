/** Numbers in sentences. */
import { formatBytes, formatCount } from '../../format.ts';

/** `3 files`, `1 file`; the number alone without a noun. */
export function count(value: number, noun?: string): string {
  if (noun === undefined) return formatCount(value);
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function bytes(value: number): string {
  return formatBytes(Math.round(value));
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
