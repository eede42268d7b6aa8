/** Text of CSV cells as values that the package takes for a column's type. What is no such value stays text: the check says so. */
import type { DataType } from 'delta-kernel-web';
import { parse } from 'lossless-json';

const WHOLE = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGERS = new Set(['byte', 'short', 'integer', 'long']);

/** A non-empty cell's value. */
export type CellReader = (text: string) => unknown;

export function cellReader(type: DataType): CellReader {
  if (type.kind === 'primitive') return primitiveReader(type.name);
  if (type.kind === 'decimal') return trimmed((text) => text);
  return json;
}

function primitiveReader(name: string): CellReader {
  if (name === 'string') return (text) => text;
  if (name === 'boolean')
    return trimmed((text) => ({ true: true, false: false })[text.toLowerCase()] ?? text);
  if (INTEGERS.has(name)) return trimmed((text) => (WHOLE.test(text) ? BigInt(text.replace('+', '')) : text));
  if (name === 'float' || name === 'double') return trimmed(floating);
  return trimmed((text) => text);
}

/** Text stays where a number would become infinite. */
function floating(text: string): unknown {
  if (!NUMBER.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Lists, maps and structs. */
function json(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

function trimmed(read: CellReader): CellReader {
  return (text) => read(text.trim());
}
