/**
 * Bounds of strings cut short (Delta's `dataSkippingStringPrefixLength`): a minimum may only become less, a maximum
 * only greater, in the order of code points.
 */

/** Code points kept of a bound. */
const PREFIX = 32;
/** Code points kept where the cut falls into a run of U+10FFFF, which no shorter text exceeds. */
const MAX_EXTENDED = 64;
const ASCII_MAX = '\u007f';
const UNICODE_MAX = '\u{10ffff}';

/** The first 32 code points. */
export function truncateMin(text: string): string {
  return text.slice(0, endOfPoints(text, PREFIX));
}

/**
 * The first 32 code points and one that is greater than the next; undefined where the cut falls into a run of
 * U+10FFFF that goes on beyond the 64th.
 */
export function truncateMax(text: string): string | undefined {
  let end = endOfPoints(text, PREFIX);
  for (let kept = PREFIX; end < text.length; kept += 1) {
    const dropped = text.codePointAt(end)!;
    if (dropped < 0x10ffff) return text.slice(0, end) + (dropped < 0x7f ? ASCII_MAX : UNICODE_MAX);
    if (kept >= MAX_EXTENDED) return undefined;
    end += 2;
  }
  return text;
}

/** Where the first `count` code points end, in UTF-16 units. */
function endOfPoints(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let end = 0;
  for (let points = 0; points < count && end < text.length; points += 1) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return end;
}
