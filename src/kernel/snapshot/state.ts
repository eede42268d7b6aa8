/** What a snapshot knows, as scans and transactions use it: an interface, so that they do not import `Snapshot`. */
import type { Metadata, Protocol } from '../actions/types.ts';
import type { Runtime } from '../engine.ts';
import type { Checksum } from '../log/checksum.ts';
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
  /** The checksum of exactly this version, where it was read or written. */
  readonly checksum?: Checksum | undefined;
  /** The in-commit timestamp of this version in ms, where it is known without reading the commit. */
  readonly inCommitTimestamp?: number | undefined;
}

/** What a snapshot is made of. */
export type SnapshotParts = Pick<
  SnapshotState,
  'logSegment' | 'protocol' | 'metadata' | 'runtime' | 'checksum' | 'inCommitTimestamp'
>;

/** `Snapshot.fromParts`, for those that `Snapshot` itself imports. */
export type SnapshotFactory<S extends SnapshotState> = (parts: SnapshotParts) => S;
