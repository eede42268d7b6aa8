/** One writer of a simulated table: operations as an application would do them, and what it believes of each. */
import { DeltaError, isDeltaError } from '../../src/errors.ts';
import { FileSystemCommitter } from '../../src/kernel/committer/file-system-committer.ts';
import type { Engine, Runtime } from '../../src/kernel/engine.ts';
import type { ScanFile } from '../../src/kernel/scan/scan-files.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import type { AddFile } from '../../src/kernel/transaction/file-actions.ts';
import type { Transaction } from '../../src/kernel/transaction/transaction.ts';
import { Crash } from './faulty-storage.ts';
import type { Chance } from './scheduler.ts';

/** What a writer knows at the end: `never` is as firm as `committed`; after `unknown` either may be. */
export interface Outcome {
  readonly txnId: string;
  readonly operation: string;
  readonly end: 'committed' | 'never' | 'unknown';
  readonly version?: number;
  /** Live files right after the commit, as the post-commit snapshot has them. */
  readonly live?: readonly string[];
}

type Txn = Transaction<Snapshot>;
type Operation = (transaction: Txn, live: readonly ScanFile[]) => Txn | undefined;

const CONFLICTS = [
  'ConcurrentAppend',
  'ConcurrentDeleteRead',
  'ConcurrentDeleteDelete',
  'ConcurrentTransaction',
  'MetadataChanged',
  'ProtocolChanged',
  'ConcurrentDomainMetadata',
] as const;

const MAX_TRIES = 6;

export class SimulatedWriter {
  readonly outcomes: Outcome[] = [];
  readonly #id: number;
  readonly #engine: Engine;
  readonly #clean: Engine;
  readonly #root: URL;
  readonly #runtime: Runtime;
  readonly #chance: Chance;
  #appVersion = 0;

  /** @param clean the same table without faults, for what the writer does not do but the test asks. */
  constructor(id: number, engine: Engine, clean: Engine, root: URL, runtime: Runtime, chance: Chance) {
    this.#id = id;
    this.#engine = engine;
    this.#clean = clean;
    this.#root = root;
    this.#runtime = runtime;
    this.#chance = chance;
  }

  /** Until it is done or has crashed. */
  async run(operations: number): Promise<void> {
    try {
      for (let done = 0; done < operations; done++) await this.#operate();
    } catch (error) {
      if (!isCrash(error)) throw error;
    }
  }

  /** An operation, anew on a newer snapshot after a conflict; never anew while its outcome is unknown. */
  async #operate(): Promise<void> {
    const [name, operation] = this.#chance.pick(Object.entries(this.#operations()));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const snapshot = await this.#patiently(() => {
        return Snapshot.load(this.#engine, this.#root, { runtime: this.#runtime });
      });
      const live = await this.#patiently(async () => {
        const files: ScanFile[] = [];
        for await (const file of snapshot.scan().files(this.#engine)) files.push(file);
        return files;
      });
      const started = snapshot.transaction(new FileSystemCommitter()).withOperation(name);
      const transaction = operation(started, live);
      if (transaction === undefined) return;
      if (await this.#commit(transaction, name)) return;
    }
  }

  #operations(): Readonly<Record<string, Operation>> {
    return {
      blindAppend: (t) => t.withBlindAppend().addFiles(this.#files(1 + this.#chance.whole(2))),
      idempotentAppend: (t) => {
        return t
          .withBlindAppend()
          .withTransactionId(`app-${this.#id}`, this.#appVersion++)
          .addFiles(this.#files(1));
      },
      readAll: (t, live) => {
        return t
          .withReadWholeTable()
          .withCommitInfo({ read: live.map(({ path }) => path).sort() })
          .addFiles(this.#files(1));
      },
      remove: (t, live) => {
        if (live.length === 0) return undefined;
        const file = this.#chance.pick(live);
        return t.withReadFiles([file.path]).removeFiles([file]);
      },
      compact: (t, live) => {
        const files = live.slice(0, 2);
        if (files.length < 2) return undefined;
        return t
          .withDataChange(false)
          .withIsolationLevel('SnapshotIsolation')
          .withReadFiles(files.map(({ path }) => path))
          .removeFiles(files)
          .addFiles(this.#files(1));
      },
    };
  }

  #files(count: number): AddFile[] {
    return Array.from({ length: count }, () => ({
      path: `${this.#runtime.uuid()}.parquet`,
      partitionValues: {},
      size: 1 + this.#chance.whole(1000),
      modificationTime: this.#runtime.now(),
      stats: JSON.stringify({ numRecords: 1 + this.#chance.whole(5) }),
    }));
  }

  /** Whether the operation is over: committed, or given up with an unknown outcome. */
  async #commit(first: Txn, operation: string): Promise<boolean> {
    const { txnId } = first;
    let transaction = first;
    let isUnknown = true;
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        isUnknown = true;
        const result = await transaction.commit(this.#engine);
        if (result.status === 'committed') {
          const { commitVersion: version, postCommitSnapshot } = result;
          const live: string[] = [];
          for await (const { path } of postCommitSnapshot.scan().files(this.#clean)) live.push(path);
          this.outcomes.push({ txnId, operation, end: 'committed', version, live: live.sort() });
          return true;
        }
        if (result.status === 'retryable') {
          transaction = result.transaction;
          continue;
        }
        isUnknown = false;
        transaction = await this.#patiently(() => result.rebase(this.#engine));
      }
    } catch (error) {
      const isConflict = isDeltaError(error, ...CONFLICTS);
      this.outcomes.push({ txnId, operation, end: isConflict || !isUnknown ? 'never' : 'unknown' });
      if (isConflict) return false;
      throw error;
    }
    this.outcomes.push({ txnId, operation, end: isUnknown ? 'unknown' : 'never' });
    return true;
  }

  /** Reads are repeated until they succeed; a storage that is down for ever is a crash. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 50; tries++) {
      try {
        return await read();
      } catch (error) {
        if (!isDeltaError(error, 'IOError')) throw error;
      }
    }
    throw new Crash('the storage is down');
  }
}

function isCrash(error: unknown): boolean {
  if (error instanceof Crash) return true;
  return error instanceof DeltaError && error.cause !== undefined && isCrash(error.cause);
}
