/**
 * Expressions and predicates as data, as in Delta Kernel: built by the kernel or by a user, evaluated by the
 * engine's EvaluationHandler. Plain immutable objects.
 */
import type { DataType, StructType } from '../schema/types.ts';

/**
 * A JS value of a Delta type.
 * byte, short, integer, date (days since 1970-01-01), float, double: number; long, timestamp and timestamp_ntz
 * (µs since the epoch), decimal (unscaled): bigint; string: string; binary: Uint8Array; boolean: boolean;
 * struct: array of values in field order; array: array; map: array of [key, value]; NULL: null.
 */
export type ScalarValue = null | boolean | number | bigint | string | Uint8Array | readonly ScalarValue[];

/** A typed value; `value === null` is a typed NULL. */
export interface Scalar {
  readonly type: DataType;
  readonly value: ScalarValue;
}

export type BinaryOperator = '+' | '-' | '*' | '/';
export type ComparisonOperator = '<' | '<=' | '>' | '>=' | '=' | '!=';

export type Expression =
  | { readonly kind: 'literal'; readonly literal: Scalar }
  /** A column by its path of field names, one entry per level. */
  | { readonly kind: 'column'; readonly path: readonly string[] }
  /** Same-type operands, no implicit casts; integer division truncates, a zero divisor or overflow is an error. */
  | {
      readonly kind: 'arithmetic';
      readonly op: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** One expression per field of the output struct; where `keep` is given and not true, the struct is null. */
  | { readonly kind: 'struct'; readonly fields: readonly Expression[]; readonly keep?: Predicate }
  | { readonly kind: 'array'; readonly elements: readonly Expression[] }
  /** SQL CAST; a value that cannot be converted gives NULL. */
  | { readonly kind: 'cast'; readonly input: Expression; readonly type: DataType }
  | { readonly kind: 'coalesce'; readonly inputs: readonly Expression[] }
  | { readonly kind: 'toJson'; readonly input: Expression }
  /** Unparseable or empty text gives NULL; a field that does not fit its type gives NULL for that field alone. */
  | { readonly kind: 'parseJson'; readonly input: Expression; readonly schema: StructType }
  /**
   * A string-to-string map to a struct of typed fields by partition-value rules: a missing key is null, the last
   * duplicate wins, an unparseable value is an error (`ParseError`), or null where `lenient`.
   */
  | {
      readonly kind: 'mapToStruct';
      readonly input: Expression;
      readonly schema: StructType;
      readonly lenient?: boolean;
    }
  | { readonly kind: 'predicate'; readonly predicate: Predicate }
  /** Known to nobody but the caller: NULL for skipping, never evaluated as a filter. */
  | { readonly kind: 'unknown'; readonly name: string };

export type Predicate =
  /** Boolean-typed expression. */
  | { readonly kind: 'boolean'; readonly expression: Expression }
  | { readonly kind: 'not'; readonly input: Predicate }
  /** Kleene; empty AND is true, empty OR is false. */
  | { readonly kind: 'and' | 'or'; readonly inputs: readonly Predicate[] }
  | {
      readonly kind: 'comparison';
      readonly op: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** Null-safe inequality (`IS DISTINCT FROM`): never NULL. */
  | { readonly kind: 'distinct'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'isNull'; readonly input: Expression }
  /** NULL input: NULL; no match beside a NULL element: NULL; empty list: false. */
  | { readonly kind: 'in'; readonly input: Expression; readonly list: readonly Scalar[] }
  /** `input LIKE 'prefix%'`, by code points. */
  | { readonly kind: 'startsWith'; readonly input: Expression; readonly prefix: string }
  | { readonly kind: 'unknown'; readonly name: string };
