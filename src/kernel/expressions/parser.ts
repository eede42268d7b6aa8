/**
 * Predicate text to a {@link Predicate}: the conditions of a SQL WHERE clause, unbound (`bindPredicate` resolves
 * columns and types).
 *
 * ```
 * condition  := conjunct (OR conjunct)*          conjunct := negation (AND negation)*
 * negation   := NOT negation | test
 * test       := operand [ comparison operand | [NOT] IN (literal, …) | [NOT] BETWEEN operand AND operand
 *             | [NOT] LIKE 'prefix%' | IS [NOT] (NULL | TRUE | FALSE | DISTINCT FROM operand) ]
 * operand    := terms of + and - over factors of * and /, with unary minus
 * primary    := literal | column | CAST(condition AS type) | ( condition )
 * comparison := = == <> != < <= > >= <=>
 * ```
 */
import { isDeltaError } from '../../errors.ts';
import { parseDataType } from '../schema/schema-json.ts';
import { type DataType, types } from '../schema/types.ts';
import { evaluateConstant } from './evaluate.ts';
import { ExpressionError, type SourceSpan, setSpan, spanOf } from './expression-error.ts';
import { bytesFromHex, numberScalar } from './literals.ts';
import { MAX_DEPTH, TokenCursor } from './token-cursor.ts';
import { likePattern, temporalLiteral } from './token-literals.ts';
import { type Token, tokenize } from './tokens.ts';
import type { BinaryOperator, ComparisonOperator, Expression, Predicate, Scalar } from './types.ts';

export { ExpressionError, type SourceSpan, spanOf } from './expression-error.ts';
export { type Token, tokenize } from './tokens.ts';

/** Words that cannot be a column's name without backticks. */
const RESERVED = new Set('AND OR NOT IN BETWEEN LIKE IS NULL TRUE FALSE CAST AS DISTINCT FROM'.split(' '));

const COMPARISONS: Readonly<Record<string, ComparisonOperator>> = {
  '=': '=',
  '==': '=',
  '<>': '!=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** SQL's names of types beside those of the schema JSON. */
const TYPE_ALIASES: Readonly<Record<string, DataType>> = {
  int: types.integer,
  bigint: types.long,
  smallint: types.short,
  tinyint: types.byte,
  real: types.float,
};

/**
 * Parses a condition.
 * @throws ExpressionError (`InvalidExpression`) with the span of the text at fault and what was expected there.
 */
export function parsePredicate(text: string): Predicate {
  const parser = new Parser(new TokenCursor(tokenize(text)));
  const predicate = parser.condition();
  parser.expectEnd();
  return predicate;
}

/** A side of a comparison, or a whole condition: which one is known only after it was read. */
type Node =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'predicate'; readonly predicate: Predicate };

class Parser {
  readonly #tokens: TokenCursor;

  constructor(tokens: TokenCursor) {
    this.#tokens = tokens;
  }

  condition(): Predicate {
    return this.#tokens.nested(() => toPredicate(this.#or()));
  }

  expectEnd(): void {
    if (this.#tokens.peek().kind !== 'end') throw this.#tokens.unexpected('AND, OR, or the end');
  }

  #or(): Node {
    return this.#chain('OR', 'or', () => this.#chain('AND', 'and', () => this.#not()));
  }

  #chain(word: string, kind: 'and' | 'or', next: () => Node): Node {
    const start = this.#tokens.peek().start;
    const first = next();
    if (!this.#tokens.isWord(word)) return first;
    const inputs = [toPredicate(first)];
    while (this.#tokens.takeWord(word)) inputs.push(toPredicate(next()));
    return this.#predicate(start, { kind, inputs });
  }

  #not(): Node {
    const start = this.#tokens.peek().start;
    if (!this.#tokens.takeWord('NOT')) return this.#test();
    return this.#tokens.nested(() =>
      this.#predicate(start, { kind: 'not', input: toPredicate(this.#not()) }),
    );
  }

  #test(): Node {
    const start = this.#tokens.peek().start;
    const left = this.#sum();
    const token = this.#tokens.peek();
    if (token.kind === 'operator') {
      if (token.value === '<=>') {
        this.#tokens.advance();
        const right = toExpression(this.#sum());
        return this.#negated(start, { kind: 'distinct', left: toExpression(left), right });
      }
      const op = COMPARISONS[token.value];
      if (op === undefined) return left;
      this.#tokens.advance();
      const right = toExpression(this.#sum());
      return this.#predicate(start, { kind: 'comparison', op, left: toExpression(left), right });
    }
    if (token.kind !== 'word') return left;
    if (this.#tokens.takeWord('IS')) return this.#is(start, toExpression(left));
    const not = this.#tokens.isWord('NOT');
    const word = not ? this.#tokens.peek(1).value : token.value;
    if (word !== 'IN' && word !== 'BETWEEN' && word !== 'LIKE') {
      if (not) throw this.#tokens.unexpected('IN, BETWEEN or LIKE after NOT', 1);
      return left;
    }
    this.#tokens.advance(not ? 2 : 1);
    const predicate = this.#wordTest(word, toExpression(left));
    return not ? this.#negated(start, predicate) : this.#predicate(start, predicate);
  }

  #wordTest(word: 'IN' | 'BETWEEN' | 'LIKE', input: Expression): Predicate {
    if (word === 'IN') return { kind: 'in', input, list: this.#list() };
    if (word === 'LIKE') return this.#like(input);
    const low = toExpression(this.#sum());
    this.#tokens.expectWord('AND');
    const high = toExpression(this.#sum());
    return {
      kind: 'and',
      inputs: [
        { kind: 'comparison', op: '>=', left: input, right: low },
        { kind: 'comparison', op: '<=', left: input, right: high },
      ],
    };
  }

  #is(start: number, input: Expression): Node {
    const not = this.#tokens.takeWord('NOT');
    const finish = (predicate: Predicate, negate: boolean) =>
      negate ? this.#negated(start, predicate) : this.#predicate(start, predicate);
    if (this.#tokens.takeWord('NULL')) return finish({ kind: 'isNull', input }, not);
    if (this.#tokens.takeWord('DISTINCT')) {
      this.#tokens.expectWord('FROM');
      return finish({ kind: 'distinct', left: input, right: toExpression(this.#sum()) }, not);
    }
    const truth = this.#tokens.takeWord('TRUE') || (this.#tokens.takeWord('FALSE') ? false : undefined);
    if (truth === undefined) throw this.#tokens.unexpected('NULL, TRUE, FALSE or DISTINCT FROM');
    const right = literal({ type: types.boolean, value: truth });
    return finish({ kind: 'distinct', left: input, right }, !not);
  }

  #list(): Scalar[] {
    this.#tokens.expectOperator('(');
    const list: Scalar[] = [];
    if (this.#tokens.takeOperator(')')) return list;
    do {
      const start = this.#tokens.peek().start;
      const item = toExpression(this.#unary());
      if (item.kind !== 'literal' && (item.kind !== 'cast' || item.input.kind !== 'literal')) {
        throw new ExpressionError('a list after IN holds literals only', {
          span: this.#tokens.spanFrom(start),
          expected: 'a literal',
        });
      }
      list.push(evaluateConstant(item));
    } while (this.#tokens.takeOperator(','));
    this.#tokens.expectOperator(')', ', or )');
    return list;
  }

  #like(input: Expression): Predicate {
    const token = this.#tokens.peek();
    if (token.kind !== 'string') throw this.#tokens.unexpected("a pattern like 'prefix%'");
    this.#tokens.advance();
    const pattern = likePattern(token);
    return pattern.open
      ? { kind: 'startsWith', input, prefix: pattern.text }
      : {
          kind: 'comparison',
          op: '=',
          left: input,
          right: literal({ type: types.string, value: pattern.text }),
        };
  }

  #sum(): Node {
    return this.#arithmetic(['+', '-'], () => this.#arithmetic(['*', '/'], () => this.#unary()));
  }

  #arithmetic(operators: readonly BinaryOperator[], next: () => Node): Node {
    const start = this.#tokens.peek().start;
    let node = next();
    for (let count = 1; ; count++) {
      const op = operators.find((candidate) => this.#tokens.takeOperator(candidate));
      if (op === undefined) return node;
      if (count > MAX_DEPTH) throw this.#tokens.tooDeep();
      const left = toExpression(node);
      node = this.#expression(start, { kind: 'arithmetic', op, left, right: toExpression(next()) });
    }
  }

  #unary(): Node {
    const start = this.#tokens.peek().start;
    if (this.#tokens.takeOperator('+')) return this.#tokens.nested(() => this.#unary());
    if (!this.#tokens.takeOperator('-')) return this.#primary();
    const digits = this.#tokens.peek();
    if (digits.kind === 'number') {
      this.#tokens.advance();
      return this.#literal(start, this.#number(`-${digits.value}`, digits));
    }
    const right = this.#tokens.nested(() => toExpression(this.#unary()));
    const zero = literal({ type: types.integer, value: 0 });
    return this.#expression(start, { kind: 'arithmetic', op: '-', left: zero, right });
  }

  #primary(): Node {
    const token = this.#tokens.peek();
    switch (token.kind) {
      case 'number':
        this.#tokens.advance();
        return this.#literal(token.start, this.#number(token.value, token));
      case 'string':
        this.#tokens.advance();
        return this.#literal(token.start, { type: types.string, value: token.value });
      case 'binary':
        this.#tokens.advance();
        if (token.value.length % 2 === 1) {
          throw new ExpressionError('binary needs an even number of hex digits', { span: token });
        }
        return this.#literal(token.start, { type: types.binary, value: bytesFromHex(token.value) });
      case 'quotedName':
        return this.#column();
      case 'word':
        return this.#word(token);
      default:
        return this.#parenthesised();
    }
  }

  #parenthesised(): Node {
    const start = this.#tokens.peek().start;
    if (!this.#tokens.takeOperator('(')) throw this.#tokens.unexpected('a column, a literal or (');
    const inner = this.#tokens.nested(() => this.#or());
    this.#tokens.expectOperator(')');
    return inner.kind === 'expression'
      ? this.#expression(start, { ...inner.expression })
      : this.#predicate(start, { ...inner.predicate });
  }

  #word(token: Token): Node {
    const next = this.#tokens.peek(1);
    if (next.kind === 'string' && /^(DATE|TIMESTAMP|TIMESTAMP_NTZ|TIMESTAMP_LTZ)$/.test(token.value)) {
      this.#tokens.advance(2);
      return this.#literal(token.start, temporalLiteral(token.value, next));
    }
    if (token.value === 'TRUE' || token.value === 'FALSE') {
      this.#tokens.advance();
      return this.#literal(token.start, { type: types.boolean, value: token.value === 'TRUE' });
    }
    if (token.value === 'NULL') {
      this.#tokens.advance();
      return this.#literal(token.start, { type: types.void, value: null });
    }
    if (token.value === 'CAST' && next.value === '(') return this.#cast(token.start);
    if (next.kind === 'operator' && next.value === '(' && !RESERVED.has(token.value)) {
      throw new ExpressionError(`there is no function ${token.text}; only CAST(… AS type) is known`, {
        span: token,
      });
    }
    if (RESERVED.has(token.value)) throw this.#tokens.unexpected('a column, a literal or (');
    return this.#column();
  }

  #cast(start: number): Node {
    this.#tokens.advance(2);
    const input = this.#tokens.nested(() => toExpression(this.#or()));
    this.#tokens.expectWord('AS');
    const type = this.#type();
    this.#tokens.expectOperator(')');
    return this.#expression(start, { kind: 'cast', input, type });
  }

  #type(): DataType {
    const token = this.#tokens.peek();
    if (token.kind !== 'word') throw this.#tokens.unexpected('a type');
    this.#tokens.advance();
    let name = token.text.toLowerCase();
    if (this.#tokens.takeOperator('(')) {
      const numbers = [this.#tokens.take('number', 'a number').text];
      if (this.#tokens.takeOperator(',')) numbers.push(this.#tokens.take('number', 'a number').text);
      this.#tokens.expectOperator(')');
      name += `(${numbers.join(',')}${numbers.length === 1 ? ',0' : ''})`;
    }
    const span = this.#tokens.spanFrom(token.start);
    try {
      const type = TYPE_ALIASES[name] ?? parseDataType(name);
      if (type.kind === 'primitive' || type.kind === 'decimal') return type;
    } catch (cause) {
      if (!isDeltaError(cause, 'Schema')) throw cause;
      throw new ExpressionError(cause.message, { span, cause });
    }
    throw new ExpressionError(`CAST to ${name} is not known`, {
      span,
      expected: 'a type such as long or string',
    });
  }

  #column(): Node {
    const start = this.#tokens.peek().start;
    const path: string[] = [];
    do {
      const token = this.#tokens.peek();
      const name = token.kind === 'quotedName' ? token.value : token.text;
      // After a dot any word is a name; before it the caller has looked.
      if (token.kind !== 'quotedName' && token.kind !== 'word')
        throw this.#tokens.unexpected('a column name');
      this.#tokens.advance();
      path.push(name);
    } while (this.#tokens.takeOperator('.'));
    return this.#expression(start, { kind: 'column', path });
  }

  #number(text: string, span: SourceSpan): Scalar {
    try {
      return numberScalar(text);
    } catch (cause) {
      if (!isDeltaError(cause)) throw cause;
      throw new ExpressionError(cause.message, { span, cause });
    }
  }

  #literal(start: number, scalar: Scalar): Node {
    return this.#expression(start, literal(scalar));
  }

  #expression(start: number, expression: Expression): Node {
    return { kind: 'expression', expression: setSpan(expression, this.#tokens.spanFrom(start)) };
  }

  #predicate(start: number, predicate: Predicate): Node {
    return { kind: 'predicate', predicate: setSpan(predicate, this.#tokens.spanFrom(start)) };
  }

  #negated(start: number, input: Predicate): Node {
    return this.#predicate(start, { kind: 'not', input: setSpan(input, this.#tokens.spanFrom(start)) });
  }
}

function literal(scalar: Scalar): Expression {
  return { kind: 'literal', literal: scalar };
}

function toPredicate(node: Node): Predicate {
  if (node.kind === 'predicate') return node.predicate;
  const { expression } = node;
  if (expression.kind === 'predicate') return expression.predicate;
  return withSpan<Predicate>({ kind: 'boolean', expression }, expression);
}

function toExpression(node: Node): Expression {
  if (node.kind === 'expression') return node.expression;
  const { predicate } = node;
  if (predicate.kind === 'boolean') return predicate.expression;
  return withSpan<Expression>({ kind: 'predicate', predicate }, predicate);
}

function withSpan<T extends object>(node: T, source: object): T {
  const span = spanOf(source);
  return span ? setSpan(node, span) : node;
}
