/** Rows in request bodies: newline-delimited JSON objects, or one JSON array of them. 64-bit numbers stay exact. */
import type { Row } from 'delta-kernel-web';
import { parse } from 'lossless-json';
import { RequestError } from './failures.ts';

/** Errors: 413 for a body that is too large, 400 for one that is no rows. */
export async function rowsOf(request: Request, maxBytes: number): Promise<Row[]> {
  const text = await bodyOf(request, maxBytes);
  const rows = /^\s*\[/.test(text) ? arrayOf(text) : linesOf(text);
  if (rows.length > 0) return rows;
  throw malformed('the body has no rows');
}

/** The text of a body of at most `maxBytes`, whatever its headers say of its length. */
export async function bodyOf(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = request.body?.getReader();
  let text = '';
  let bytes = 0;
  for (;;) {
    const read = await reader?.read();
    if (read?.value === undefined) return text + decoded(() => decoder.decode());
    bytes += read.value.byteLength;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw new RequestError(
        413,
        'BodyTooLarge',
        `the body has more than ${maxBytes} bytes: send it in parts`,
      );
    }
    text += decoded(() => decoder.decode(read.value, { stream: true }));
  }
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw malformed('the body is not UTF-8');
  }
}

function arrayOf(text: string): Row[] {
  const value = parsed(text, 'the body');
  return (value as unknown[]).map((row, index) => rowOf(row, `row ${index + 1}`));
}

function linesOf(text: string): Row[] {
  const rows: Row[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const where = `line ${index + 1}`;
    if (line.trim() !== '') rows.push(rowOf(parsed(line, where), where));
  }
  return rows;
}

function parsed(text: string, where: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw malformed(`${where} is no JSON: ${(error as Error).message}`);
  }
}

function rowOf(value: unknown, where: string): Row {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject && !('isLosslessNumber' in value)) return value as Row;
  throw malformed(`${where} is no JSON object`);
}

function malformed(message: string): RequestError {
  return new RequestError(400, 'MalformedJson', message);
}
