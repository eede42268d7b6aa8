/** JSON for values that JSON has no form for: bigint, bytes, URLs, floats that are no JSON numbers. */
import { DeltaError } from '../../errors.ts';

type Tagged =
  | { readonly $bigint: string }
  | { readonly $bytes: readonly number[] }
  | { readonly $float: string }
  | { readonly $url: string };

/** Text of plain objects, arrays and the values above; `undefined` members are left out. */
export function toExactJson(value: unknown): string {
  return JSON.stringify(tag(value));
}

function tag(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) } satisfies Tagged;
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $float: Object.is(value, -0) ? '-0' : String(value) } satisfies Tagged;
  }
  if (value instanceof Uint8Array) return { $bytes: [...value] } satisfies Tagged;
  if (value instanceof URL) return { $url: value.href } satisfies Tagged;
  if (Array.isArray(value)) return value.map(tag);
  if (typeof value !== 'object' || value === null) return value;
  // A text form of their own, as numbers of lossless-json have, is not for here: field metadata stays out.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tag(inner)]));
}

/** The values of {@link toExactJson}'s text. `InvalidOption` where it is none. */
export function fromExactJson(text: string): unknown {
  try {
    return untag(JSON.parse(text));
  } catch (cause) {
    throw new DeltaError('InvalidOption', 'the text is no saved scan', { cause });
  }
}

function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== 'object' || value === null) return value;
  const { $bigint, $float, $bytes, $url } = value as Record<string, unknown>;
  if (typeof $bigint === 'string') return BigInt($bigint);
  if (typeof $float === 'string') return Number($float);
  if (Array.isArray($bytes)) return Uint8Array.from($bytes as number[]);
  if (typeof $url === 'string') return new URL($url);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, untag(inner)]));
}
