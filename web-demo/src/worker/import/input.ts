/** What was given: Parquet, or text. */
import { DeltaError } from 'delta-kernel-web';
import type { ImportInput } from '../protocol-write.ts';

/** Bytes of text: it and its rows lie in memory. */
const MAX_TEXT = 128 << 20;

/** The file, where it is Parquet. */
export async function parquetOf(input: ImportInput): Promise<File | undefined> {
  if (input.kind === 'text') return undefined;
  const magic = new Uint8Array(await input.file.slice(0, 4).arrayBuffer());
  return String.fromCharCode(...magic) === 'PAR1' ? input.file : undefined;
}

export function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

export async function textOf(input: ImportInput): Promise<string> {
  if (input.kind === 'text') return input.text;
  const { file } = input;
  if (file.size > MAX_TEXT) {
    const message = `${file.name} has more than ${MAX_TEXT >> 20} MiB of text: split it, or give Parquet`;
    throw new DeltaError('InvalidOption', message);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (cause) {
    throw new DeltaError('ParseError', `${file.name} is neither Parquet nor text in UTF-8`, { cause });
  }
}

export function empty(): DeltaError {
  return new DeltaError('InvalidOption', 'there are no rows in it');
}
