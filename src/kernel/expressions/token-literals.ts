/** Literals that are texts with a form: times, and patterns after LIKE. */
import { parseDate, parseTimestamp } from '../partition-values/temporal.ts';
import { types } from '../schema/types.ts';
import { ExpressionError } from './expression-error.ts';
import type { Token } from './tokens.ts';
import type { Scalar } from './types.ts';

/** `DATE '…'`, `TIMESTAMP '…'`, `TIMESTAMP_NTZ '…'`: the word, and the text after it. */
export function temporalLiteral(word: string, token: Token): Scalar {
  const text = token.value.trim();
  const [type, value] =
    word === 'DATE'
      ? [types.date, parseDate(text)]
      : word === 'TIMESTAMP_NTZ'
        ? [types.timestampNtz, parseTimestamp(text, false)]
        : [types.timestamp, parseTimestamp(text, true)];
  if (value === undefined) {
    const form = word === 'DATE' ? 'YYYY-MM-DD' : 'YYYY-MM-DD HH:MM:SS[.ffffff]';
    throw new ExpressionError(`${token.text} is no ${word}: expected ${form}`, {
      span: token,
      expected: form,
    });
  }
  return { type, value };
}

/** `open` where the pattern ends in `%`. A backslash makes `%`, `_` and itself plain. */
export function likePattern(token: Token): { text: string; open: boolean } {
  let text = '';
  const parts = token.value.match(/\\.|./gsu) ?? [];
  for (const [i, part] of parts.entries()) {
    if (part === '%' && i === parts.length - 1) return { text, open: true };
    if (part === '%' || part === '_') {
      throw new ExpressionError(
        `LIKE ${token.text}: only a prefix ('abc%') or an exact text is supported; write \\${part} for the character itself`,
        { span: token, expected: "a pattern like 'prefix%'" },
      );
    }
    text += part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
  }
  return { text, open: false };
}
