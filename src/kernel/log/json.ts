/** JSON documents of the log that are single values: the checkpoint hint, checksums, commitInfo. */
import { isLosslessNumber, parse } from 'lossless-json';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that `text` holds, undefined where it is no JSON or not an object. Numbers keep their text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** A whole number of JSON within ±(2^53 − 1), undefined for anything else. */
export function asSafeInteger(value: unknown): number | undefined {
  if (!isLosslessNumber(value) || !/^-?\d+$/.test(value.value)) return undefined;
  const number = Number(value.value);
  return Number.isSafeInteger(number) ? number : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A list of strings, undefined for anything else. */
export function asStrings(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = value.filter((item) => typeof item === 'string');
  return strings.length === value.length ? strings : undefined;
}

/**
 * A value as plain JavaScript: numbers that a `number` holds exactly as such, larger whole numbers as `bigint`,
 * other numbers as the nearest `number`.
 */
export function plainJson(value: unknown): unknown {
  if (isLosslessNumber(value)) {
    const integer = /^-?\d+$/.test(value.value);
    const number = Number(value.value);
    return integer && !Number.isSafeInteger(number) ? BigInt(value.value) : number;
  }
  if (Array.isArray(value)) return value.map(plainJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}
