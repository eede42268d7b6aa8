/** Cells as text to paste elsewhere. */
import { DeltaError } from 'delta-kernel-web';
import { valueText } from '../../values.ts';
import type { Work } from '../context.ts';
import type { CellRange } from '../protocol-data.ts';
import type { RowReader } from '../row-reader.ts';

/** Cells at most: a clipboard is no file. */
const MAX_CELLS = 2_000_000;
const MAX_CHARACTERS = 64 * 2 ** 20;
const ROWS_AT_ONCE = 2000;

/** Tab-separated, quoted as spreadsheets do; null is nothing, empty text is quoted. */
export async function copyText(
  reader: RowReader,
  { start, end, columns, header, zone }: CellRange,
  signal: AbortSignal,
  report: Work['report'],
): Promise<string> {
  if ((end - start) * columns.length > MAX_CELLS) throw tooMuch(`more than ${MAX_CELLS} cells`);
  const { default: Papa } = await import('papaparse');
  const types = columns.map((column) => reader.columns[column]!.dataType);
  const lines: string[] = [];
  let length = 0;
  const write = (rows: (string | null)[][]) => {
    const text = Papa.unparse(rows, { delimiter: '\t', newline: '\n', quotes: (value) => value === '' });
    length += text.length;
    if (length > MAX_CHARACTERS) throw tooMuch(`more than ${MAX_CHARACTERS} characters`);
    lines.push(text);
  };
  if (header) write([columns.map((column) => reader.columns[column]!.name)]);
  for (let row = start; row < end; ) {
    signal.throwIfAborted();
    const to = Math.min(end, row + ROWS_AT_ONCE);
    const { isReading } = await reader.window(row, to, to);
    const rows = reader.printed(row, to, columns);
    if (rows.length === 0 && !isReading) break;
    if (rows.length > 0) {
      write(rows.map((cells) => cells.map((json, at) => json && valueText(json, types[at]!, zone))));
    }
    row += rows.length;
    await report({ done: row - start, total: end - start, unit: 'rows' });
  }
  return lines.join('\n');
}

function tooMuch(what: string): DeltaError {
  return new DeltaError('InvalidOption', `the selection has ${what}: export it as a file instead`);
}
