/** What a snapshot knows, as scans and transactions use it: an interface, so that they do not import `Snapshot`. */
import type { Metadata, Protocol } from '../actions/types.ts';
import type { Runtime } from '../engine.ts';
import type { LogSegment } from '../log/types.ts';
import type { StructType } from '../schema/types.ts';
import type { TableProperties } from '../table-properties.ts';

export interface SnapshotState {
  readonly version: number;
  readonly tableRoot: URL;
  readonly logSegment: LogSegment;
  readonly protocol: Protocol;
  readonly metadata: Metadata;
  /** Logical schema. */
  readonly schema: StructType;
  readonly tableProperties: TableProperties;
  readonly runtime: Runtime;
}
