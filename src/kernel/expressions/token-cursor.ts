/** Where a parser is in its tokens: looking, taking, and errors that say what was expected there. */
import { ExpressionError, type SourceSpan } from './expression-error.ts';
import type { Token } from './tokens.ts';

/** Levels of nesting, and operators in one chain of arithmetic, at most. */
export const MAX_DEPTH = 200;

export class TokenCursor {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  spanFrom(start: number): SourceSpan {
    return { start, end: this.#tokens[this.#at - 1]?.end ?? start };
  }

  nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw this.tooDeep();
    const result = parse();
    this.#depth--;
    return result;
  }

  tooDeep(): ExpressionError {
    return new ExpressionError(`the predicate is nested deeper than ${MAX_DEPTH} levels`, {
      span: this.peek(),
    });
  }

  /** The next token, or one further `ahead`; the end for ever after it. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  advance(count = 1): void {
    this.#at += count;
  }

  isWord(word: string): boolean {
    const token = this.peek();
    return token.kind === 'word' && token.value === word;
  }

  takeWord(word: string): boolean {
    const found = this.isWord(word);
    if (found) this.#at++;
    return found;
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) throw this.unexpected(word);
  }

  takeOperator(operator: string): boolean {
    const token = this.peek();
    const found = token.kind === 'operator' && token.value === operator;
    if (found) this.#at++;
    return found;
  }

  expectOperator(operator: string, expected = operator): void {
    if (!this.takeOperator(operator)) throw this.unexpected(expected);
  }

  take(kind: Token['kind'], expected: string): Token {
    const token = this.peek();
    if (token.kind !== kind) throw this.unexpected(expected);
    this.#at++;
    return token;
  }

  unexpected(expected: string, ahead = 0): ExpressionError {
    const token = this.peek(ahead);
    const found = token.kind === 'end' ? 'the end of the text' : token.text;
    return new ExpressionError(`expected ${expected}, found ${found}`, {
      span: { start: token.start, end: token.end },
      expected,
    });
  }
}
