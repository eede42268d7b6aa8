/** Why files and row groups are skipped. */

/** One statistic that decided: `maxValues.fare`, and its value as a literal. */
export interface DecidingValue {
  readonly statistic: string;
  readonly value: string;
}

export interface SkipReason {
  /**
   * What decided: the exact partition value, the bounds, the count of nulls, or, of row groups, bloom filters
   * (`statistic` names the column, `value` one that its filter does not have).
   */
  readonly rule: 'partitionValues' | 'minMax' | 'nullCount' | 'bloomFilter' | 'unknown';
  /** The condition of the predicate that no row of the file can meet. */
  readonly condition: string;
  readonly values: readonly DecidingValue[];
}
