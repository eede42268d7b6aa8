/** The words of predicate text: for the parser, and for editors that colour what is typed. */
import { ExpressionError, type SourceSpan } from './expression-error.ts';

export type TokenKind = 'word' | 'quotedName' | 'string' | 'binary' | 'number' | 'operator' | 'end';

/** `text` is as typed; `value` what it stands for: without quotes, words in upper case, binary as hex digits. */
export interface Token extends SourceSpan {
  readonly kind: TokenKind;
  readonly text: string;
  readonly value: string;
}

/** Characters of a predicate at most. */
export const MAX_TEXT_LENGTH = 1_000_000;

type Rule = readonly [kind: TokenKind, pattern: RegExp, value: (match: RegExpExecArray) => string];

const RULES: readonly Rule[] = [
  ['binary', /[xX]'([0-9a-fA-F]*)'/y, (m) => m[1]!],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_])/uy, (m) => m[0]],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy, (m) => m[0].toUpperCase()],
  ['quotedName', /`((?:[^`]|``)+)`/y, (m) => m[1]!.replaceAll('``', '`')],
  ['string', /'((?:[^']|'')*)'/y, (m) => m[1]!.replaceAll("''", "'")],
  ['operator', /<=>|<=|>=|<>|!=|==|[=<>+\-*/(),.]/y, (m) => m[0]],
];

/**
 * Splits predicate text; the last token is `end`.
 * @throws ExpressionError for a character that begins no token, and for a quote that stays open.
 */
export function tokenize(text: string): Token[] {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new ExpressionError(
      `the predicate has ${text.length} characters; at most ${MAX_TEXT_LENGTH} are read`,
    );
  }
  const tokens: Token[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skipSpace(text, token.end);
  }
  tokens.push({ kind: 'end', text: '', value: '', start: text.length, end: text.length });
  return tokens;
}

function skipSpace(text: string, at: number): number {
  const space = /\s*/y;
  space.lastIndex = at;
  return at + (space.exec(text)?.[0].length ?? 0);
}

function tokenAt(text: string, start: number): Token {
  for (const [kind, pattern, value] of RULES) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match) return { kind, text: match[0], value: value(match), start, end: start + match[0].length };
  }
  const char = String.fromCodePoint(text.codePointAt(start)!);
  const rest = { start, end: text.length };
  if (char === "'")
    throw new ExpressionError("a string is not closed: expected '", { span: rest, expected: "'" });
  if (char === '`')
    throw new ExpressionError('a name is not closed: expected `', { span: rest, expected: '`' });
  if (char === '"') {
    throw new ExpressionError("double quotes mean nothing here: 'text' is a string, `name` a column", {
      span: rest,
    });
  }
  const malformed = /\d/.test(char) ? /[\p{L}\p{N}_.]+/uy : undefined;
  if (malformed) {
    malformed.lastIndex = start;
    const word = malformed.exec(text)![0];
    throw new ExpressionError(`${word} is neither a number nor a name`, {
      span: { start, end: start + word.length },
    });
  }
  throw new ExpressionError(`unexpected character ${JSON.stringify(char)}`, {
    span: { start, end: start + char.length },
  });
}
