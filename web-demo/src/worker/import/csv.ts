/** CSV as rows with their lines. */
import { DeltaError } from 'delta-kernel-web';
import Papa from 'papaparse';

export interface CsvRow {
  readonly cells: readonly string[];
  /** 1-based, of its first character. */
  readonly line: number;
}

/** Errors: `ParseError` with the line, for quotes that do not close. Empty lines are no rows. */
export function readCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let at = 0;
  let line = 1;
  let problem: DeltaError | undefined;
  Papa.parse<string[]>(text, {
    delimitersToGuess: [',', '\t', ';', '|'],
    step: ({ data, errors, meta }, parser) => {
      const quotes = errors.find(({ type }) => type === 'Quotes');
      if (quotes !== undefined) {
        problem = new DeltaError('ParseError', `line ${line}: ${quotes.message.toLowerCase()}`, { line });
        parser.abort();
        return;
      }
      if (data.length > 1 || data[0] !== '') rows.push({ cells: data, line });
      line += newlines(text, at, meta.cursor);
      at = meta.cursor;
    },
  });
  if (problem !== undefined) throw problem;
  return rows;
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count > 0 || !text.includes('\r', from) ? count : text.slice(from, to).split('\r').length - 1;
}
