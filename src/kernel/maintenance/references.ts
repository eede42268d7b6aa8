/** Which files of a table's folder the table still needs. */
import { isDeltaError } from '../../errors.ts';
import { actionField } from '../actions/schemas.ts';
import { AppState } from '../checkpoint/app-state.ts';
import { replayFileActions } from '../checkpoint/replay.ts';
import { descriptorAt, descriptorColumns } from '../deletion-vector/descriptor.ts';
import { vectorLocation } from '../deletion-vector/load.ts';
import { type CallOptions, type Engine, pathOf } from '../engine.ts';
import { type EngineData, isSelected, type SelectionVector } from '../engine-data.ts';
import { listCommits } from '../history/commit-listing.ts';
import { KeySet } from '../key-set.ts';
import { inFile } from '../log/place.ts';
import type { LogFile } from '../log/types.ts';
import { relativePath, resolvePath } from '../paths.ts';
import { types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';

const FILE_FIELDS = ['path', 'deletionVector'] as const;
const REMOVE = actionField('remove', ...FILE_FIELDS, 'deletionTimestamp');

/** Paths that must stay, decoded, relative to the table's root. */
export class References {
  readonly #tableRoot: URL;
  readonly #paths = new KeySet();

  constructor(tableRoot: URL) {
    this.#tableRoot = tableRoot;
  }

  /** @param path relative to the root, decoded. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** The files, and their deletion vectors, of the selected rows of one action. */
  collect(data: EngineData, action: 'add' | 'remove' | 'cdc', selection: SelectionVector): void {
    const path = data.column([action, 'path']);
    if (path === undefined) return;
    const vectors = descriptorColumns(data, [action, 'deletionVector']);
    for (let row = 0; row < data.length; row += 1) {
      const text = isSelected(selection, row) ? path.getString(row) : null;
      if (text === null) continue;
      this.#add(resolvePath(this.#tableRoot, text));
      const vector = descriptorAt(vectors, row, text);
      const location = vector && vectorLocation(this.#tableRoot, vector);
      if (location !== undefined) this.#add(location);
    }
  }

  /**
   * A location outside the root may be the same place by another name (`s3a:`, another host, a mount): every ending of
   * its path is kept, which at worst keeps a file too many.
   */
  #add(location: URL): void {
    const relative = relativePath(this.#tableRoot, location);
    if (relative !== undefined) {
      this.#paths.add(relative);
      return;
    }
    const path = pathOf(location);
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      this.#paths.add(path.slice(slash + 1));
    }
  }
}

/**
 * Live files of a version, files that were removed at or after `cutoff` (ms since the epoch; by the log as it is kept,
 * and by every commit that is still there), what commits since then added, and the deletion vectors of all of them.
 */
export async function referencesOf(
  engine: Engine,
  snapshot: SnapshotState,
  cutoff: number,
  options: CallOptions,
): Promise<References> {
  const references = new References(snapshot.tableRoot);
  const actions = replayFileActions(engine, snapshot, new AppState(), {
    ...options,
    fileActions: [actionField('add', ...FILE_FIELDS), REMOVE],
    stats: false,
    // Removes after a time: those at the cutoff itself count.
    removesAfter: cutoff - 1,
  });
  for await (const { action, data, selection } of actions) references.collect(data, action, selection);
  const { commits } = await listCommits(engine, snapshot, options);
  for (const commit of commits) await collectCommit(engine, snapshot, commit, cutoff, references, options);
  return references;
}

async function collectCommit(
  engine: Engine,
  { tableRoot }: SnapshotState,
  { file, version }: LogFile,
  cutoff: number,
  references: References,
  { signal }: CallOptions,
): Promise<void> {
  const schema = types.struct([actionField('add', ...FILE_FIELDS), REMOVE, actionField('cdc', 'path')]);
  // A commit without a time counts as one of now.
  const isRecent = file.lastModified === 0 || file.lastModified >= cutoff;
  try {
    for await (const data of engine.jsonHandler.readJsonFiles([file], schema, { signal })) {
      references.collect(data, 'remove', removedSince(data, cutoff));
      if (!isRecent) continue;
      references.collect(data, 'add', ALL);
      references.collect(data, 'cdc', ALL);
    }
  } catch (error) {
    // Another writer's cleanup: a commit that is gone binds nobody any more.
    if (isDeltaError(error, 'FileNotFound')) return;
    throw inFile(error, { tableRoot }, file, version);
  }
}

const ALL = new Uint8Array(0);

function removedSince(data: EngineData, cutoff: number): SelectionVector {
  const time = data.column(['remove', 'deletionTimestamp']);
  return Uint8Array.from({ length: data.length }, (_, row) => {
    return (time?.getNumber(row) ?? Number.NEGATIVE_INFINITY) >= cutoff ? 1 : 0;
  });
}
