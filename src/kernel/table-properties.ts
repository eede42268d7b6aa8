/** Table properties (`metaData.configuration`) with their types and defaults. */

export type ColumnMappingMode = 'none' | 'name' | 'id';

export interface TableProperties {
  /** As stored, unknown keys too. */
  readonly raw: Readonly<Record<string, string>>;
  /** `delta.columnMapping.mode`, `none` where the protocol does not support the feature. */
  readonly columnMappingMode: ColumnMappingMode;
}
