/**
 * Data skipping: a predicate over rows becomes one over what is known of a file or row group as a whole. Only a
 * definite FALSE of it drops the file; NULL (a missing statistic, a form that statistics cannot answer) keeps it.
 *
 * The rewritten predicate reads a struct of the shape of {@link statsSchema}, plus `partitionValues` with the exact
 * typed value of each partition column. NOT is pushed down to the leaves before they are rewritten: a rewritten leaf
 * says "may hold", whose negation means nothing. Rules: `PROTOCOL.md`, "Per-file Statistics".
 */
import { columnPathToString } from '../schema/column-path.ts';
import { findField } from '../schema/schema.ts';
import { type StructType, types } from '../schema/types.ts';
import { compareScalars } from './compare.ts';
import { predicateToString } from './print.ts';
import {
  and,
  type BoundsOptions,
  column,
  compareToBounds,
  constant,
  NULL,
  startsWith,
  type Target,
} from './skipping-bounds.ts';
import { hasNullCount } from './stats-schema.ts';
import type { ComparisonOperator, Expression, Predicate, Scalar } from './types.ts';
import { isPrimitive } from './types-of.ts';
import { containsKind, mapColumns, referencedColumns } from './visit.ts';

export interface SkippingOptions extends BoundsOptions {
  /** The physical schema, whose names the predicate uses. */
  readonly schema: StructType;
  /** Physical names of the partition columns; leave them out where their values are not at hand. */
  readonly partitionColumns?: readonly string[];
  /** For texts: the column's name as people know it (the logical name of a physical path). */
  readonly displayPath?: (path: readonly string[]) => readonly string[];
}

/** What decided: the exact partition value, the bounds, the count of nulls, or nothing could. */
export type SkippingRule = 'partitionValues' | 'minMax' | 'nullCount' | 'unknown';

/** One leaf of a conjunct, with its own part of the rewritten predicate. */
export interface SkippingLeaf {
  readonly rule: SkippingRule;
  readonly text: string;
  readonly skipping: Predicate;
}

/** One condition of those that must all hold: a file is dropped where `skipping` of any is FALSE. */
export interface SkippingConjunct {
  readonly predicate: Predicate;
  /** The condition as text. */
  readonly text: string;
  readonly skipping: Predicate;
  readonly leaves: readonly SkippingLeaf[];
}

/** Longer lists after IN are tested as the range from the least to the greatest. */
const MAX_EQUALITIES = 200;
const NEGATED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '=': '!=',
  '!=': '=',
};
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '=': '=',
  '!=': '!=',
};

/** The skipping predicate of a bound predicate (`bindPredicate`) on physical names. */
export function skippingPredicate(predicate: Predicate, options: SkippingOptions): Predicate {
  return and(skippingConjuncts(predicate, options).map((conjunct) => conjunct.skipping));
}

/** The same, condition by condition, to tell which one skips. */
export function skippingConjuncts(predicate: Predicate, options: SkippingOptions): SkippingConjunct[] {
  return conjunctsOf(predicate).map((conjunct) => {
    const rewriter = new Rewriter(options);
    const skipping = rewriter.rewrite(conjunct, false);
    return { predicate: conjunct, text: rewriter.text(conjunct), skipping, leaves: rewriter.leaves };
  });
}

/** True unless the predicate is FALSE, never NULL: for evaluators, where only true selects. */
export function keepUnlessFalse(skipping: Predicate): Predicate {
  return {
    kind: 'distinct',
    left: { kind: 'predicate', predicate: skipping },
    right: { kind: 'literal', literal: { type: types.boolean, value: false } },
  };
}

/** The conditions of nested ANDs, also behind NOT over OR. */
function conjunctsOf(predicate: Predicate): Predicate[] {
  if (predicate.kind === 'and') return predicate.inputs.flatMap(conjunctsOf);
  if (predicate.kind !== 'not') return [predicate];
  const { input } = predicate;
  if (input.kind === 'not') return conjunctsOf(input.input);
  if (input.kind !== 'or') return [predicate];
  return input.inputs.flatMap((part) => conjunctsOf({ kind: 'not', input: part }));
}

class Rewriter {
  readonly leaves: SkippingLeaf[] = [];
  readonly #options: SkippingOptions;
  readonly #partitionColumns: ReadonlySet<string>;

  constructor(options: SkippingOptions) {
    this.#options = options;
    this.#partitionColumns = new Set(options.partitionColumns);
  }

  text(predicate: Predicate): string {
    const { displayPath } = this.#options;
    return predicateToString(displayPath ? mapColumns(predicate, displayPath) : predicate);
  }

  rewrite(predicate: Predicate, negated: boolean): Predicate {
    switch (predicate.kind) {
      case 'not':
        return this.rewrite(predicate.input, !negated);
      case 'and':
      case 'or': {
        const kind = (predicate.kind === 'and') === negated ? 'or' : 'and';
        return { kind, inputs: predicate.inputs.map((input) => this.rewrite(input, negated)) };
      }
      default: {
        const original: Predicate = negated ? { kind: 'not', input: predicate } : predicate;
        if (predicate.kind === 'boolean' && predicate.expression.kind === 'predicate') {
          return this.rewrite(predicate.expression.predicate, negated);
        }
        const [rule, skipping] = this.#leaf(predicate, negated, original);
        this.leaves.push({ rule, text: this.text(original), skipping });
        return skipping;
      }
    }
  }

  #leaf(predicate: Predicate, negated: boolean, original: Predicate): [SkippingRule, Predicate] {
    if (this.#isExact(predicate)) return ['partitionValues', this.#exact(original)];
    switch (predicate.kind) {
      case 'boolean':
        return this.#boolean(predicate.expression, negated);
      case 'comparison': {
        const sides = this.#columnAndLiteral(predicate.left, predicate.right);
        if (!sides) return UNKNOWN;
        const op = sides.mirrored ? MIRRORED[predicate.op] : predicate.op;
        const compared = this.#compare(sides.target, negated ? NEGATED[op] : op, sides.literal);
        return ['minMax', this.#guarded(sides.target, compared)];
      }
      case 'distinct': {
        const sides = this.#columnAndLiteral(predicate.left, predicate.right);
        return sides ? this.#distinct(sides.target, sides.literal, negated) : UNKNOWN;
      }
      case 'isNull': {
        const target = this.#target(predicate.input);
        return target ? ['nullCount', this.#isNull(target, negated)] : UNKNOWN;
      }
      case 'in': {
        const target = this.#target(predicate.input);
        return target ? ['minMax', this.#in(target, predicate.list, negated)] : UNKNOWN;
      }
      case 'startsWith': {
        const target = this.#target(predicate.input);
        if (!target || !isPrimitive(target.type, 'string')) return UNKNOWN;
        return ['minMax', this.#guarded(target, startsWith(target, predicate.prefix, negated))];
      }
      default:
        return UNKNOWN;
    }
  }

  /** Whether partition values alone decide; arithmetic may fail on a value, so it never does. */
  #isExact(predicate: Predicate): boolean {
    const columns = referencedColumns(predicate);
    if (columns.length === 0 || containsKind(predicate, 'arithmetic', 'unknown', 'struct', 'mapToStruct'))
      return false;
    return columns.every((path) => path.length === 1 && this.#partitionColumns.has(path[0]!));
  }

  /** The predicate itself over the exact values; where it would be NULL no row matches, so FALSE. */
  #exact(original: Predicate): Predicate {
    const mapped = mapColumns(original, partitionPath);
    if (containsKind(original, 'distinct', 'isNull', 'predicate', 'coalesce', 'cast')) return mapped;
    if (isEmptyList(original)) return mapped;
    const present = referencedColumns(mapped).map((path) => not({ kind: 'isNull', input: column(path) }));
    return and([...present, mapped]);
  }

  #boolean(expression: Expression, negated: boolean): [SkippingRule, Predicate] {
    if (expression.kind === 'literal') {
      const { value } = expression.literal;
      return ['unknown', typeof value === 'boolean' ? constant(value !== negated) : NULL];
    }
    const target = this.#target(expression);
    // Booleans have no bounds: only a column of nothing but nulls is skipped.
    return target ? ['nullCount', this.#guarded(target, NULL)] : UNKNOWN;
  }

  #distinct(target: Target, literal: Scalar, negated: boolean): [SkippingRule, Predicate] {
    if (literal.value === null) return ['nullCount', this.#isNull(target, !negated)];
    const compared = this.#compare(target, negated ? '=' : '!=', literal);
    const nulls = this.#isNull(target, negated);
    return ['minMax', negated ? and([nulls, compared]) : { kind: 'or', inputs: [nulls, compared] }];
  }

  #in(target: Target, list: readonly Scalar[], negated: boolean): Predicate {
    const values = list.filter((item) => item.value !== null);
    if (values.length > MAX_EQUALITIES) return negated ? NULL : this.#range(target, values);
    const parts = list.map((item) => this.#compare(target, negated ? '!=' : '=', item));
    return { kind: negated ? 'and' : 'or', inputs: parts };
  }

  #range(target: Target, values: readonly Scalar[]): Predicate {
    const least = values.reduce((a, b) => (compareScalars(b, a) < 0 ? b : a));
    const greatest = values.reduce((a, b) => (compareScalars(b, a) > 0 ? b : a));
    return and([this.#compare(target, '>=', least), this.#compare(target, '<=', greatest)]);
  }

  /** WHERE drops NULL: a column of nothing but nulls cannot satisfy a comparison. */
  #guarded(target: Target, compared: Predicate): Predicate {
    return and([this.#isNull(target, true), compared]);
  }

  #isNull(target: Target, negated: boolean): Predicate {
    if (!hasNullCount(target.type, this.#options.source)) return NULL;
    // Counts may include rows that a deletion vector hides; none and all are right all the same.
    const count = column(['nullCount', ...target.path]);
    const bound: Expression = negated ? column(['numRecords']) : long(0n);
    return { kind: 'comparison', op: '!=', left: count, right: bound };
  }

  #compare(target: Target, op: ComparisonOperator, literal: Scalar): Predicate {
    return compareToBounds(target, op, literal, this.#options);
  }

  #columnAndLiteral(left: Expression, right: Expression) {
    const mirrored = left.kind === 'literal';
    const literal = mirrored ? left : right;
    const target = this.#target(mirrored ? right : left);
    return target && literal.kind === 'literal' ? { target, literal: literal.literal, mirrored } : undefined;
  }

  /** A data column that statistics may cover. */
  #target(expression: Expression): Target | undefined {
    if (expression.kind !== 'column' || this.#partitionColumns.has(expression.path[0]!)) return undefined;
    const found = findField(this.#options.schema, expression.path);
    if (!found || columnPathToString(found.path) !== columnPathToString(expression.path)) return undefined;
    return { path: found.path, type: found.field.type };
  }
}

/** `x IN ()` is false for NULL too. */
function isEmptyList(predicate: Predicate): boolean {
  if (predicate.kind === 'not') return isEmptyList(predicate.input);
  return predicate.kind === 'in' && predicate.list.length === 0;
}

function partitionPath(path: readonly string[]): readonly string[] {
  return ['partitionValues', ...path];
}

function long(value: bigint): Expression {
  return { kind: 'literal', literal: { type: types.long, value } };
}

function not(input: Predicate): Predicate {
  return { kind: 'not', input };
}

const UNKNOWN: [SkippingRule, Predicate] = ['unknown', NULL];
