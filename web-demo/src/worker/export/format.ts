/** What formats make files of. */
import type { EngineData, StructType } from 'delta-kernel-web';

export interface Rows {
  readonly schema: StructType;
  readonly rows: AsyncIterable<EngineData>;
  /** A batch of no rows, for files that must have one. */
  readonly none: () => EngineData;
}
