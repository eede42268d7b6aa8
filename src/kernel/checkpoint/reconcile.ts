/**
 * The file actions of a version (`PROTOCOL.md`, "Action Reconciliation"): live adds, and removes that are not to be
 * forgotten yet. Columns in, selections out.
 */
import type { EngineData, SelectionVector } from '../engine-data.ts';
import { KeySet } from '../key-set.ts';
import type { ActionBatch } from '../log/types.ts';
import { type FileKey, FileKeys } from '../scan/log-replay.ts';

/** Rows of a batch that count, all of one action. */
export interface SelectedActions {
  readonly action: 'add' | 'remove';
  readonly data: EngineData;
  readonly selection: SelectionVector;
}

/** The removes of one batch of the commit at hand, by row. */
interface PendingRemoves {
  readonly data: EngineData;
  readonly keys: ReadonlyMap<number, FileKey>;
}

/** Feed it every batch of a version's log, newest first, with the columns `add` and `remove`; then `finish` it. */
export class FileReplay {
  /** Removes at or before this time (ms since the epoch) are forgotten; undefined: all are. */
  readonly #expiry: number | undefined;
  /** Files that commits have decided. What a checkpoint says of a file is said once. */
  readonly #decided = new KeySet();
  /** Until their commit is seen whole: an add beats a remove of its own commit, whatever the order. */
  #pending: PendingRemoves[] = [];
  #file: string | undefined;

  constructor(expiry: number | undefined) {
    this.#expiry = expiry;
  }

  *select(batch: ActionBatch): Generator<SelectedActions, void> {
    const { href } = batch.file.location;
    if (href !== this.#file) yield* this.finish();
    this.#file = href;
    const { data } = batch;
    const isCommit = batch.source === 'commit';
    const adds = this.#adds(data, isCommit);
    if (adds !== undefined) yield { action: 'add', data, selection: adds };
    if (isCommit) this.#holdRemoves(data);
    else yield* this.#removes(data, keysOf(data));
  }

  /** What is left once the last batch has been given. */
  *finish(): Generator<SelectedActions, void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { data, keys } of pending) yield* this.#removes(data, keys, true);
  }

  #adds(data: EngineData, remember: boolean): SelectionVector | undefined {
    const keys = FileKeys.of(data, 'add');
    if (keys === undefined) return undefined;
    const mustLook = remember || this.#decided.size > 0;
    return selectRows(data.length, (row) => {
      if (!keys.has(row)) return false;
      if (!mustLook) return true;
      const key = keys.at(row);
      return remember ? this.#decided.add(key) : !this.#decided.has(key);
    });
  }

  #holdRemoves(data: EngineData): void {
    const keys = keysOf(data);
    if (keys.size > 0) this.#pending.push({ data, keys });
  }

  *#removes(
    data: EngineData,
    keys: ReadonlyMap<number, FileKey>,
    remember = false,
  ): Generator<SelectedActions, void> {
    const time = data.column(['remove', 'deletionTimestamp']);
    const expiry = this.#expiry ?? Number.POSITIVE_INFINITY;
    const selection = selectRows(data.length, (row) => {
      const key = keys.get(row);
      if (key === undefined) return false;
      const isNews = remember ? this.#decided.add(key) : !this.#decided.has(key);
      return isNews && (time?.getNumber(row) ?? 0) > expiry;
    });
    if (selection !== undefined) yield { action: 'remove', data, selection };
  }
}

function keysOf(data: EngineData): Map<number, FileKey> {
  const keys = new Map<number, FileKey>();
  const removes = FileKeys.of(data, 'remove');
  if (removes === undefined) return keys;
  for (let row = 0; row < data.length; row += 1) if (removes.has(row)) keys.set(row, removes.at(row));
  return keys;
}

/** Undefined where no row is wanted. */
function selectRows(length: number, isWanted: (row: number) => boolean): SelectionVector | undefined {
  const selection = new Uint8Array(length);
  let count = 0;
  for (let row = 0; row < length; row += 1) {
    if (!isWanted(row)) continue;
    selection[row] = 1;
    count += 1;
  }
  return count === 0 ? undefined : selection;
}
