/** JSON text laid out over lines without being read: what is not JSON stays as it is. */

export interface JsonToken {
  kind: 'key' | 'string' | 'number' | 'literal' | 'other';
  text: string;
}

const TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([{}[\],])|\s+|[^\s"{}[\],]+|"/g;

export function layOut(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  const put = (kind: JsonToken['kind'], piece: string) => tokens.push({ kind, text: piece });
  for (const match of text.matchAll(TOKEN)) {
    const [all, string, colon, number, literal, mark] = match;
    if (string !== undefined) {
      put(colon === undefined ? 'string' : 'key', string);
      if (colon !== undefined) put('other', ': ');
    } else if (number !== undefined) put('number', number);
    else if (literal !== undefined) put('literal', literal);
    else if (mark === ',') put('other', `,${newLine()}`);
    else if (mark === '{' || mark === '[') {
      depth += 1;
      put('other', isEmpty(text, match.index) ? mark : mark + newLine());
    } else if (mark !== undefined) {
      depth = Math.max(depth - 1, 0);
      put('other', /[{[]$/.test(tokens.at(-1)?.text ?? '') ? mark : newLine() + mark);
    } else if (all.trim() !== '') put('other', all);
  }
  return tokens;
}

/** Whether the bracket at `at` is closed right away. */
function isEmpty(text: string, at: number): boolean {
  return /^[{[]\s*[}\]]/.test(text.slice(at, at + 100));
}
