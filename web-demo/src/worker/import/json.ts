/** JSON texts as rows with their lines: newline-delimited objects, a list of them, or a single one. */
import { DeltaError } from 'delta-kernel-web';
import { parse } from 'lossless-json';

export interface JsonRow {
  readonly row: Readonly<Record<string, unknown>>;
  /** 1-based; in a list the number of the row. */
  readonly line: number;
}

export function readJson(text: string): { rows: JsonRow[]; isList: boolean } {
  if (text.trimStart().startsWith('[')) {
    const list = parsed(text, 1) as unknown[];
    return { rows: list.map((value, index) => asRow(value, index + 1)), isList: true };
  }
  return { rows: readLines(text) ?? [asRow(parsed(text, 1), 1)], isList: false };
}

/** Undefined where the text is one object over several lines. */
function readLines(text: string): JsonRow[] | undefined {
  const rows: JsonRow[] = [];
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (content.trim() === '') continue;
    // An object that ends on a later line.
    if (rows.length === 0 && !isWhole(content) && isWhole(text)) return undefined;
    rows.push(asRow(parsed(content, index + 1), index + 1));
  }
  return rows;
}

function isWhole(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string, line: number): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new DeltaError('MalformedJson', `line ${line}: ${(cause as Error).message}`, { line, cause });
  }
}

function asRow(value: unknown, line: number): JsonRow {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !('isLosslessNumber' in value);
  if (isObject) return { row: value as JsonRow['row'], line };
  throw new DeltaError('MalformedJson', `line ${line}: expected an object of columns`, { line });
}
