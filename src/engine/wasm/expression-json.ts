/** Expressions as JSON for the core (`wasm/src/expression/parse.rs` reads it): bigints as text, bytes as hex. */
import type { Expression, Predicate, Scalar, ScalarValue } from '../../kernel/expressions/types.ts';
import type { StructType } from '../../kernel/schema/types.ts';
import { schemaToWire, toWire } from './wire.ts';

export function serializeExpression(expression: Expression): string {
  return JSON.stringify(toJson(expression));
}

export function serializePredicate(predicate: Predicate): string {
  return JSON.stringify(predicateToJson(predicate));
}

type Json = Record<string, unknown>;

function toJson(expression: Expression): Json {
  const { kind } = expression;
  switch (kind) {
    case 'literal':
      return { kind, ...scalarToJson(expression.literal) };
    case 'column':
      return { kind, path: expression.path };
    case 'arithmetic':
      return { kind, op: expression.op, left: toJson(expression.left), right: toJson(expression.right) };
    case 'struct': {
      const keep = expression.keep ? { keep: predicateToJson(expression.keep) } : {};
      return { kind, fields: expression.fields.map(toJson), ...keep };
    }
    case 'array':
      return { kind, inputs: expression.elements.map(toJson) };
    case 'coalesce':
      return { kind, inputs: expression.inputs.map(toJson) };
    case 'cast':
      return { kind, input: toJson(expression.input), type: toWire(expression.type) };
    case 'toJson':
      return { kind, input: toJson(expression.input) };
    case 'parseJson':
      return { kind, input: toJson(expression.input), schema: wireFields(expression.schema) };
    case 'mapToStruct': {
      const schema = wireFields(expression.schema);
      return { kind, input: toJson(expression.input), schema, lenient: expression.lenient ?? false };
    }
    case 'predicate':
      return { kind, predicate: predicateToJson(expression.predicate) };
    case 'unknown':
      return { kind, name: expression.name };
  }
}

function wireFields(schema: StructType): unknown {
  return JSON.parse(schemaToWire(schema));
}

function predicateToJson(predicate: Predicate): Json {
  const { kind } = predicate;
  switch (kind) {
    case 'boolean':
      return { kind, expression: toJson(predicate.expression) };
    case 'not':
      return { kind, input: predicateToJson(predicate.input) };
    case 'and':
    case 'or':
      return { kind, inputs: predicate.inputs.map(predicateToJson) };
    case 'comparison':
      return { kind, op: predicate.op, left: toJson(predicate.left), right: toJson(predicate.right) };
    case 'distinct':
      return { kind, left: toJson(predicate.left), right: toJson(predicate.right) };
    case 'isNull':
      return { kind, input: toJson(predicate.input) };
    case 'in':
      return { kind, input: toJson(predicate.input), list: predicate.list.map(scalarToJson) };
    case 'startsWith':
      return { kind, input: toJson(predicate.input), prefix: predicate.prefix };
    case 'unknown':
      return { kind, name: predicate.name };
  }
}

function scalarToJson({ type, value }: Scalar): Json {
  return { type: toWire(type), value: valueToJson(value) };
}

function valueToJson(value: ScalarValue): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Object.is(value, -0) ? '-0.0' : String(value);
  if (value instanceof Uint8Array)
    return [...value].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return value.map(valueToJson);
}
