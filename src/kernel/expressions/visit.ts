/** Walks over predicates: which columns they name, and the same predicate over other columns. */
import type { Expression, Predicate } from './types.ts';

/** Everything directly below a node. */
function children(node: Predicate | Expression): readonly (Predicate | Expression)[] {
  switch (node.kind) {
    case 'boolean':
      return [node.expression];
    case 'predicate':
      return [node.predicate];
    case 'not':
    case 'isNull':
    case 'in':
    case 'startsWith':
    case 'cast':
    case 'toJson':
    case 'parseJson':
    case 'mapToStruct':
      return [node.input];
    case 'and':
    case 'or':
    case 'coalesce':
      return node.inputs;
    case 'comparison':
    case 'distinct':
    case 'arithmetic':
      return [node.left, node.right];
    case 'struct':
      return node.keep ? [...node.fields, node.keep] : node.fields;
    case 'array':
      return node.elements;
    default:
      return [];
  }
}

/** The columns that a predicate or expression names, each once, in order of appearance. */
export function referencedColumns(node: Predicate | Expression): (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  const visit = (current: Predicate | Expression): void => {
    if (current.kind === 'column') found.set(JSON.stringify(current.path), current.path);
    for (const child of children(current)) visit(child);
  };
  visit(node);
  return [...found.values()];
}

/** Whether any node of a predicate or expression is of one of the kinds. */
export function containsKind(node: Predicate | Expression, ...kinds: readonly string[]): boolean {
  return kinds.includes(node.kind) || children(node).some((child) => containsKind(child, ...kinds));
}

/** What a column becomes: another path (logical to physical names), or any expression. */
export type ColumnMapping = (path: readonly string[]) => readonly string[] | Expression;

/** The same predicate with every column replaced. */
export function mapColumns(predicate: Predicate, mapping: ColumnMapping): Predicate {
  switch (predicate.kind) {
    case 'boolean':
      return { ...predicate, expression: mapExpressionColumns(predicate.expression, mapping) };
    case 'not':
      return { ...predicate, input: mapColumns(predicate.input, mapping) };
    case 'and':
    case 'or':
      return { ...predicate, inputs: predicate.inputs.map((input) => mapColumns(input, mapping)) };
    case 'comparison':
    case 'distinct':
      return {
        ...predicate,
        left: mapExpressionColumns(predicate.left, mapping),
        right: mapExpressionColumns(predicate.right, mapping),
      };
    case 'isNull':
    case 'in':
    case 'startsWith':
      return { ...predicate, input: mapExpressionColumns(predicate.input, mapping) };
    default:
      return predicate;
  }
}

/** {@link mapColumns} of an expression. */
export function mapExpressionColumns(expression: Expression, mapping: ColumnMapping): Expression {
  const map = (input: Expression) => mapExpressionColumns(input, mapping);
  switch (expression.kind) {
    case 'column': {
      const target = mapping(expression.path);
      return 'kind' in target ? target : { kind: 'column', path: target };
    }
    case 'arithmetic':
      return { ...expression, left: map(expression.left), right: map(expression.right) };
    case 'struct': {
      const fields = expression.fields.map(map);
      return expression.keep
        ? { ...expression, fields, keep: mapColumns(expression.keep, mapping) }
        : { ...expression, fields };
    }
    case 'array':
      return { ...expression, elements: expression.elements.map(map) };
    case 'coalesce':
      return { ...expression, inputs: expression.inputs.map(map) };
    case 'cast':
    case 'toJson':
    case 'parseJson':
    case 'mapToStruct':
      return { ...expression, input: map(expression.input) };
    case 'predicate':
      return { ...expression, predicate: mapColumns(expression.predicate, mapping) };
    default:
      return expression;
  }
}
