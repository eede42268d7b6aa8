/** What writing a checkpoint or a checksum of a version came to. */
import type { SnapshotState } from '../snapshot/state.ts';

export interface WriteOutcome<S extends SnapshotState = SnapshotState> {
  /** `alreadyExists`: nothing was written, since the version has one. */
  readonly result: 'written' | 'alreadyExists';
  /** The same version, knowing what was written. */
  readonly snapshot: S;
}
