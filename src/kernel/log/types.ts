/** What a listing of `_delta_log` comes to. */

import type { FileMeta } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';

export type LogFileKind =
  | 'commit'
  | 'stagedCommit'
  | 'classicCheckpoint'
  | 'multipartCheckpoint'
  | 'uuidCheckpoint'
  | 'compactedCommit'
  | 'checksum';

/** A log file, told by its name. */
export interface LogFile {
  readonly kind: LogFileKind;
  /** For a compacted file: the first version of its range. */
  readonly version: number;
  /** compactedCommit only. */
  readonly endVersion?: number;
  /** multipartCheckpoint only, 1-based. */
  readonly part?: number;
  readonly numParts?: number;
  readonly file: FileMeta;
}

/** What was found of `_delta_log`. */
export interface LogListing {
  readonly files: readonly LogFile[];
  /** Whether there are files of versions above the wanted one. */
  readonly newerExist: boolean;
}

/** The files that make one version of a table. */
export interface LogSegment {
  readonly tableRoot: URL;
  readonly logRoot: URL;
  /** The snapshot's version. */
  readonly version: number;
  /** Commits after the checkpoint, ascending and contiguous, up to `version`; staged ones from a catalog among them. */
  readonly commits: readonly LogFile[];
  /** Files of the chosen checkpoint (several only when multi-part); empty without one. */
  readonly checkpoint: readonly LogFile[];
  readonly checkpointVersion?: number;
  /** Compacted files that lie within `commits`. */
  readonly compactions: readonly LogFile[];
  /** Newest checksum with checkpointVersion ≤ its version ≤ `version`. */
  readonly checksum?: LogFile;
  /** The commit of `version`, also where a checkpoint at the same version removed it from `commits`. */
  readonly latestCommit?: LogFile;
  /** End of the gap-free run of published commits (protocol-spec §15.6). */
  readonly maxPublishedVersion?: number;
}

/** A batch of actions while the log is replayed newest first: commits, then the checkpoint, then its sidecars. */
export interface ActionBatch {
  readonly data: EngineData;
  readonly source: 'commit' | 'checkpoint';
  readonly version: number;
  readonly file: FileMeta;
}
