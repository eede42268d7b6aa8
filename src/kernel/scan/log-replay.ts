/**
 * Which `add` rows of a log are live (`PROTOCOL.md`, "Action Reconciliation"): the newest mention of a file decides.
 *
 * Columns in, selection vectors out. What commits say of a file is remembered by key; the adds of a checkpoint, where
 * nearly all files of a large table are, are only looked up, and their paths not even decoded where no commit
 * follows it.
 */
import { DeltaError } from '../../errors.ts';
import { deletionVectorId } from '../deletion-vector/descriptor.ts';
import type { Column, EngineData, SelectionVector } from '../engine-data.ts';
import { KeySet } from '../key-set.ts';
import type { ActionBatch } from '../log/types.ts';
import { canonicalPath } from '../paths.ts';
import type { ScanFile } from './scan-files.ts';

/** Identity of a file in the log: its path in one spelling, and which deletion vector it has. */
export type FileKey = string;

/** The key of a live file. */
export function fileKeyOf({ path, deletionVector }: Pick<ScanFile, 'path' | 'deletionVector'>): FileKey {
  if (deletionVector === undefined) return canonicalPath(path);
  const { storageType, pathOrInlineDv, offset } = deletionVector;
  return `${canonicalPath(path)}\0${deletionVectorId(storageType, pathOrInlineDv, offset)}`;
}

/** Reads the keys of one kind of file action. */
export class FileKeys {
  readonly #path: Column;
  readonly #storageType: Column | undefined;
  readonly #pathOrInlineDv: Column | undefined;
  readonly #offset: Column | undefined;

  private constructor(data: EngineData, action: 'add' | 'remove', path: Column) {
    this.#path = path;
    this.#storageType = data.column([action, 'deletionVector', 'storageType']);
    this.#pathOrInlineDv = data.column([action, 'deletionVector', 'pathOrInlineDv']);
    this.#offset = data.column([action, 'deletionVector', 'offset']);
  }

  /** Undefined where the batch has no such action. */
  static of(data: EngineData, action: 'add' | 'remove'): FileKeys | undefined {
    const path = data.column([action, 'path']);
    return path && new FileKeys(data, action, path);
  }

  has(row: number): boolean {
    return !this.#path.isNull(row);
  }

  at(row: number): FileKey {
    const path = canonicalPath(this.#path.getString(row)!);
    const storageType = this.#storageType?.getString(row) ?? null;
    if (storageType === null) return path;
    const text = this.#pathOrInlineDv?.getString(row) ?? null;
    if (text === null) {
      throw new DeltaError('DeletionVector', `deletion vector of ${path} has no pathOrInlineDv`, { path });
    }
    return `${path}\0${deletionVectorId(storageType, text, this.#offset?.getNumber(row))}`;
  }
}

/** Feed it every batch of a version's log, newest first, with the columns `add` and (of commits) `remove`. */
export class LogReplay {
  /** Files that newer actions have decided. */
  readonly #decided: KeySet;
  /** Removes of the commit at hand: they hide older adds, never those of their own commit, whatever the order. */
  #removed: FileKey[] = [];
  #file: string | undefined;

  /** @param decided keys of an earlier replay that stopped at a file's end: see {@link LogReplay.state}. */
  constructor(decided: Iterable<FileKey> = []) {
    this.#decided = new KeySet(decided);
  }

  /** What a replay that goes on with the next file must know. */
  state(): FileKey[] {
    this.#endFile();
    return [...this.#decided];
  }

  /** The rows whose `add` is live; undefined where there are none. */
  select(batch: ActionBatch): SelectionVector | undefined {
    if (batch.file.location.href !== this.#file) this.#endFile();
    this.#file = batch.file.location.href;
    const adds = FileKeys.of(batch.data, 'add');
    const selection = new Uint8Array(batch.data.length);
    const live =
      adds === undefined
        ? 0
        : batch.source === 'commit'
          ? this.#commit(adds, selection)
          : this.#checkpoint(adds, selection);
    if (batch.source === 'commit') this.#rememberRemoves(batch.data);
    return live === 0 ? undefined : selection;
  }

  #commit(adds: FileKeys, selection: Uint8Array): number {
    let live = 0;
    for (let row = 0; row < selection.length; row += 1) {
      if (!adds.has(row)) continue;
      if (!this.#decided.add(adds.at(row))) continue;
      selection[row] = 1;
      live += 1;
    }
    return live;
  }

  #checkpoint(adds: FileKeys, selection: Uint8Array): number {
    let live = 0;
    const mustLook = this.#decided.size > 0;
    for (let row = 0; row < selection.length; row += 1) {
      if (!adds.has(row) || (mustLook && this.#decided.has(adds.at(row)))) continue;
      selection[row] = 1;
      live += 1;
    }
    return live;
  }

  #rememberRemoves(data: EngineData): void {
    const removes = FileKeys.of(data, 'remove');
    if (removes === undefined) return;
    for (let row = 0; row < data.length; row += 1) if (removes.has(row)) this.#removed.push(removes.at(row));
  }

  #endFile(): void {
    for (const key of this.#removed) this.#decided.add(key);
    this.#removed = [];
    this.#file = undefined;
  }
}
