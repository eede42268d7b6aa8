/** Which checkpoint is read (`PROTOCOL.md`, "Checkpoints"): the newest that is complete. */
import { fileNameOf } from './log-path.ts';
import type { LogFile } from './types.ts';

export interface CompleteCheckpoint {
  readonly version: number;
  /** In order of parts. */
  readonly files: readonly LogFile[];
}

/**
 * The checkpoint to read among `files`. Of one version: a V2 checkpoint before a multi-part one before a classic
 * one, then more parts, then the greater name. Empty files and multi-part checkpoints with a part missing do not
 * count.
 */
export function newestCompleteCheckpoint(files: readonly LogFile[]): CompleteCheckpoint | undefined {
  let newest: Candidate | undefined;
  for (const candidate of candidates(files)) {
    if (newest === undefined || isBetter(candidate, newest)) newest = candidate;
  }
  return newest && { version: newest.version, files: newest.files };
}

/** Versions that have a complete checkpoint. */
export function completeCheckpointVersions(files: readonly LogFile[]): ReadonlySet<number> {
  return new Set([...candidates(files)].map(({ version }) => version));
}

interface Candidate extends CompleteCheckpoint {
  readonly rank: number;
  readonly name: string;
}

function* candidates(files: readonly LogFile[]): Generator<Candidate> {
  const sets = new Map<string, LogFile[]>();
  for (const file of files) {
    if (file.file.size === 0) continue;
    const { version } = file;
    const name = fileNameOf(file.file.location);
    if (file.kind === 'classicCheckpoint') yield { version, files: [file], rank: 0, name };
    if (file.kind === 'uuidCheckpoint') yield { version, files: [file], rank: 2, name };
    if (file.kind !== 'multipartCheckpoint') continue;
    const key = `${version}/${file.numParts}`;
    const set = sets.get(key);
    if (set === undefined) sets.set(key, [file]);
    else set.push(file);
  }
  for (const parts of sets.values()) {
    const { version, numParts, file } = parts[0]!;
    if (parts.length !== numParts) continue;
    parts.sort((a, b) => a.part! - b.part!);
    yield { version, files: parts, rank: 1, name: fileNameOf(file.location) };
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.version !== b.version) return a.version > b.version;
  if (a.rank !== b.rank) return a.rank > b.rank;
  if (a.files.length !== b.files.length) return a.files.length > b.files.length;
  return a.name > b.name;
}
