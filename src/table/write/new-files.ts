/** The files that an operation writes, until it is known whether a commit has them. */
import { isDeltaError } from '../../errors.ts';
import type { CallOptions, StorageHandler } from '../../kernel/engine.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import { type WarningListener, warn } from './after-commit.ts';

/** Where the operation writes. */
type Table = Pick<Snapshot, 'tableRoot' | 'version'>;

export interface NewFilesOptions extends CallOptions {
  /** Is told of every file before it is written. */
  readonly newFiles: NewFiles;
}

export class NewFiles {
  /** A commit that names them may exist: they must stay. */
  mayBeCommitted = false;
  readonly #storage: StorageHandler;
  readonly #table: Table;
  #locations: URL[] = [];

  constructor(storage: StorageHandler, table: Table) {
    this.#storage = storage;
    this.#table = table;
  }

  /** To be called before the file is written: what fails may have been written all the same. */
  add(location: URL): void {
    this.#locations.push(location);
  }

  /**
   * After a failure: deletes the files that surely are in no commit, where the storage can. What stays, vacuum deletes.
   * Never throws.
   */
  async discard(onWarning: WarningListener | undefined): Promise<void> {
    if (this.mayBeCommitted) return;
    const locations = this.#locations;
    this.#locations = [];
    for (const location of locations) {
      try {
        await this.#storage.delete?.(location);
      } catch (error) {
        if (isDeltaError(error, 'FileNotFound')) continue;
        warn(onWarning, 'a file of a failed write stays behind until vacuum', this.#table, error);
      }
    }
  }
}
