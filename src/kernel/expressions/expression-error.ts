/** Errors about a predicate's text, with the place in it, and where parsed expressions came from. */
import { DeltaError, type DeltaErrorContext } from '../../errors.ts';

/** Offsets into a predicate's text in UTF-16 units: [start, end). */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** `InvalidExpression`, with the part of the text that it is about where the predicate came from text. */
export class ExpressionError extends DeltaError {
  readonly span?: SourceSpan;
  /** What would have been right at that place, in words. */
  readonly expected?: string;

  constructor(
    message: string,
    context: DeltaErrorContext & { span?: SourceSpan | undefined; expected?: string } = {},
  ) {
    const { span, expected, ...place } = context;
    super('InvalidExpression', span ? `${message} (at offset ${span.start})` : message, place);
    if (span) this.span = span;
    if (expected !== undefined) this.expected = expected;
  }
}

/** Spans of parsed nodes, beside the nodes: expressions stay plain data that compares by content. */
const spans = new WeakMap<object, SourceSpan>();

/** Remembers which text a node was parsed from. */
export function setSpan<T extends object>(node: T, span: SourceSpan): T {
  spans.set(node, span);
  return node;
}

/** The text that a node was parsed from, undefined for nodes that were built. */
export function spanOf(node: object): SourceSpan | undefined {
  return spans.get(node);
}
