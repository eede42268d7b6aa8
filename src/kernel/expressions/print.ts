/** Predicates as text, in the grammar of `parser.ts` where it has the form. */
import { formatDecimal } from '../partition-values/decimal.ts';
import { formatFloating } from '../partition-values/serialize.ts';
import { formatDate, formatTimestamp } from '../partition-values/temporal.ts';
import { columnPathToString } from '../schema/column-path.ts';
import { typeToString } from '../schema/schema.ts';
import type { Expression, Predicate, Scalar, ScalarValue } from './types.ts';

/** Text that parses to a predicate of the same meaning; forms beyond the grammar read as function calls. */
export function predicateToString(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'boolean':
      return expressionToString(predicate.expression);
    case 'not':
      return notToString(predicate.input);
    case 'and':
      return predicate.inputs.length === 0 ? 'TRUE' : predicate.inputs.map(within('or')).join(' AND ');
    case 'or':
      return predicate.inputs.length === 0 ? 'FALSE' : predicate.inputs.map(within('and', 'or')).join(' OR ');
    case 'comparison':
      return `${operand(predicate.left)} ${predicate.op} ${operand(predicate.right)}`;
    case 'distinct':
      return `${operand(predicate.left)} IS DISTINCT FROM ${operand(predicate.right)}`;
    case 'isNull':
      return `${operand(predicate.input)} IS NULL`;
    case 'in':
      return `${operand(predicate.input)} IN (${predicate.list.map(scalarToString).join(', ')})`;
    case 'startsWith':
      return `${operand(predicate.input)} LIKE ${likeText(predicate.prefix)}`;
    default:
      return `${predicate.name}(…)`;
  }
}

export function expressionToString(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return scalarToString(expression.literal);
    case 'column':
      return columnPathToString(expression.path);
    case 'arithmetic':
      return `${operand(expression.left)} ${expression.op} ${operand(expression.right)}`;
    case 'cast':
      return `CAST(${expressionToString(expression.input)} AS ${typeToString(expression.type)})`;
    case 'predicate':
      return `(${predicateToString(expression.predicate)})`;
    case 'coalesce':
      return `coalesce(${expression.inputs.map(expressionToString).join(', ')})`;
    case 'array':
      return `array(${expression.elements.map(expressionToString).join(', ')})`;
    case 'struct':
      return `struct(${expression.fields.map(expressionToString).join(', ')})`;
    case 'unknown':
      return `${expression.name}(…)`;
    default:
      return `${expression.kind}(${expressionToString(expression.input)})`;
  }
}

/** A value as a literal: `5`, `'it''s'`, `DATE '2024-01-31'`. */
export function scalarToString({ type, value }: Scalar): string {
  if (value === null) return 'NULL';
  if (type.kind === 'decimal') return formatDecimal(value as bigint, type.scale);
  if (type.kind !== 'primitive') return valueText(value);
  switch (type.name) {
    case 'string':
      return quote(value as string);
    case 'binary':
      return `X'${Array.from(value as Uint8Array, (byte) => byte.toString(16).padStart(2, '0')).join('')}'`;
    case 'boolean':
      return value ? 'TRUE' : 'FALSE';
    case 'date':
      return `DATE '${formatDate(value as number)}'`;
    case 'timestamp':
      return `TIMESTAMP '${formatTimestamp(value as bigint, ' ')}Z'`;
    case 'timestamp_ntz':
      return `TIMESTAMP_NTZ '${formatTimestamp(value as bigint, ' ')}'`;
    case 'float':
    case 'double':
      // A float by all digits of its value as a double: its own shorter text would be another number here.
      return Number.isFinite(value)
        ? formatFloating(value as number, 'double')
        : `CAST('${formatFloating(value as number, 'double')}' AS ${type.name})`;
    default:
      return String(value);
  }
}

function notToString(input: Predicate): string {
  switch (input.kind) {
    case 'isNull':
      return `${operand(input.input)} IS NOT NULL`;
    case 'distinct':
      return `${operand(input.left)} IS NOT DISTINCT FROM ${operand(input.right)}`;
    case 'boolean':
      return `NOT ${operand(input.expression)}`;
    default:
      return `NOT (${predicateToString(input)})`;
  }
}

function within(...kinds: readonly Predicate['kind'][]): (input: Predicate) => string {
  return (input) => {
    const nested = kinds.includes(input.kind) && (input as { inputs: readonly unknown[] }).inputs.length > 0;
    return nested ? `(${predicateToString(input)})` : predicateToString(input);
  };
}

function operand(expression: Expression): string {
  const text = expressionToString(expression);
  return expression.kind === 'arithmetic' ? `(${text})` : text;
}

function likeText(prefix: string): string {
  return quote(`${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function valueText(value: ScalarValue): string {
  return Array.isArray(value) ? `[${value.map(valueText).join(', ')}]` : String(value);
}
