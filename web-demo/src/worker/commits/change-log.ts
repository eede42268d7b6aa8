/**
 * What each commit did to the table's files, and how large the table was after it: the newest version's size is known,
 * and commits are taken back one by one. What a removed file held is often said only where it was added, in an older
 * commit: such removals wait for it.
 */
import type { DeltaTable } from 'delta-kernel-web';
import type { Work } from '../context.ts';
import type { Commit, CommitChange, FileCounts, HistoryChanges } from '../protocol-history.ts';
import { placeOfCommit } from './commit-file.ts';
import { type FileAction, type FileActions, readFileActions } from './file-actions.ts';

/** Commits that are read at the same time. */
const AT_ONCE = 8;
/** Removals that wait; where there are more, what they held stays unknown. */
const MAX_WAITING = 2_000_000;

/** Sums in which NaN stands for what is not known. */
interface Sums {
  files: number;
  bytes: number;
  rows: number;
}

interface Change {
  readonly version: number;
  readonly added: Sums;
  readonly removed: Sums;
  readonly restated: number;
  /** Removals whose bytes and rows are not known yet. */
  waiting: { bytes: number; rows: number };
}

interface Waiting {
  readonly change: Change;
  readonly needs: { readonly bytes: boolean; readonly rows: boolean };
}

export class ChangeLog {
  readonly table: DeltaTable;
  readonly #commits: Commit[] = [];
  readonly #changes: Change[] = [];
  readonly #waiting = new Map<string, Waiting>();
  #newest: Promise<Sums> | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  /** @param table at its newest version. */
  constructor(table: DeltaTable) {
    this.table = table;
  }

  /** Older commits than those before, newest first; others are here already. */
  append(commits: readonly Commit[]): void {
    const oldest = this.#commits.at(-1)?.version ?? Number.POSITIVE_INFINITY;
    this.#commits.push(...commits.filter(({ version }) => version < oldest));
  }

  /** Reads the commits that were not read yet. */
  async read(work: Pick<Work, 'signal' | 'report'>): Promise<HistoryChanges> {
    // One after the other: each call goes on where the one before has stopped.
    const reading = this.#reading.then(() => this.#readOn(work));
    this.#reading = reading.catch(() => undefined); // whoever asked hears of it
    await reading;
    this.#newest ??= totalsOf(this.table, work.signal);
    const newest = await this.#newest.catch((error: unknown) => {
      this.#newest = undefined;
      throw error;
    });
    return this.#answer(newest);
  }

  async #readOn({ signal, report }: Pick<Work, 'signal' | 'report'>): Promise<void> {
    while (this.#changes.length < this.#commits.length) {
      const next = this.#commits.slice(this.#changes.length, this.#changes.length + AT_ONCE);
      const read = await Promise.all(
        next.map(({ version, size }) => {
          const file = { ...placeOfCommit(this.table, version), size };
          return readFileActions(this.table, file, signal);
        }),
      );
      signal.throwIfAborted();
      for (const [at, { version }] of next.entries()) this.#take(version, read[at]!);
      report({ done: this.#changes.length, total: this.#commits.length, unit: 'commits' });
    }
  }

  #take(version: number, { adds, removes }: FileActions): void {
    // Files that a commit adds without a change of data and without removing any were there before.
    const isRestating = removes.length === 0 && adds.every(({ dataChange }) => !dataChange);
    const change: Change = {
      version,
      added: isRestating ? none() : sumOf(adds),
      removed: { ...none(), files: removes.length },
      restated: isRestating ? adds.length : 0,
      waiting: { bytes: 0, rows: 0 },
    };
    if (!isRestating) for (const add of adds) this.#resolve(add);
    for (const remove of removes) this.#remove(change, remove);
    this.#changes.push(change);
  }

  /** What a newer commit removed. */
  #resolve({ path, bytes, rows }: FileAction): void {
    const found = this.#waiting.get(path);
    if (found === undefined) return;
    this.#waiting.delete(path);
    const { change, needs } = found;
    if (needs.bytes) {
      change.removed.bytes += bytes;
      change.waiting.bytes -= 1;
    }
    if (needs.rows) {
      change.removed.rows += rows;
      change.waiting.rows -= 1;
    }
  }

  #remove(change: Change, { path, bytes, rows }: FileAction): void {
    const needs = { bytes: Number.isNaN(bytes), rows: Number.isNaN(rows) };
    if (!needs.bytes) change.removed.bytes += bytes;
    if (!needs.rows) change.removed.rows += rows;
    if (!needs.bytes && !needs.rows) return;
    if (needs.bytes) change.waiting.bytes += 1;
    if (needs.rows) change.waiting.rows += 1;
    if (this.#waiting.size < MAX_WAITING) this.#waiting.set(path, { change, needs });
  }

  #answer(newest: Sums): HistoryChanges {
    const trend: HistoryChanges['trend'] = [];
    let state = newest;
    for (const change of this.#changes) {
      trend.push({ version: change.version, ...counts(state) });
      state = before(state, change);
    }
    const isWhole = this.#changes.at(-1)?.version === 0;
    const addsUp = !isWhole || (state.files === 0 && (Number.isNaN(state.bytes) || state.bytes === 0));
    return { changes: this.#changes.map(toChange), trend: trend.reverse(), addsUp };
  }
}

async function totalsOf(table: DeltaTable, signal: AbortSignal): Promise<Sums> {
  const { numFiles, sizeInBytes, numRecords } = await table.detail({ signal });
  return { files: numFiles, bytes: sizeInBytes, rows: numRecords ?? Number.NaN };
}

function before(state: Sums, change: Change): Sums {
  const { added } = change;
  const removed = removedOf(change);
  return {
    files: state.files - added.files + removed.files,
    bytes: state.bytes - added.bytes + removed.bytes,
    rows: state.rows - added.rows + removed.rows,
  };
}

function removedOf({ removed, waiting }: Change): Sums {
  return {
    files: removed.files,
    bytes: waiting.bytes > 0 ? Number.NaN : removed.bytes,
    rows: waiting.rows > 0 ? Number.NaN : removed.rows,
  };
}

function toChange(change: Change): CommitChange {
  const { version, added, restated } = change;
  return { version, added: counts(added), removed: counts(removedOf(change)), restated };
}

function none(): Sums {
  return { files: 0, bytes: 0, rows: 0 };
}

function sumOf(actions: readonly FileAction[]): Sums {
  const sums = none();
  for (const { bytes, rows } of actions) {
    sums.files += 1;
    sums.bytes += bytes;
    sums.rows += rows;
  }
  return sums;
}

function counts({ files, bytes, rows }: Sums): FileCounts {
  return { files, bytes: known(bytes), rows: known(rows) };
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
