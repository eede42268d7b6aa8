/** One process of a simulated writer: operations as an application would do them, and what it believes of each. */
import { DeltaError, isDeltaError } from '../../src/errors.ts';
import type { Committer } from '../../src/kernel/committer/committer.ts';
import type { Engine, Runtime } from '../../src/kernel/engine.ts';
import type { ScanFile } from '../../src/kernel/scan/scan-files.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { Crash } from './faulty-storage.ts';
import { OPERATIONS, type Txn } from './operations.ts';
import type { Chance } from './scheduler.ts';
import { liveKeys } from './state-checks.ts';

/** What a writer knows at the end: `never` is as firm as `committed`; after `unknown` either may be. */
export interface Outcome {
  readonly txnId: string;
  readonly operation: string;
  readonly end: 'committed' | 'never' | 'unknown';
  readonly version?: number;
  /** Live files right after the commit, as the post-commit snapshot has them. */
  readonly live?: readonly string[];
}

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
/** As many requests in a row fail only where the storage is down. */
const MAX_READS = 50;

export interface WriterParts {
  readonly appId: string;
  /** The table through the writer's own storage, with faults. */
  readonly engine: Engine;
  /** The same table without faults, for what the writer does not do but the test asks. */
  readonly clean: Engine;
  readonly root: URL;
  readonly committer: Committer;
  readonly runtime: Runtime;
  readonly chance: Chance;
}

export class SimulatedWriter {
  readonly outcomes: Outcome[] = [];
  /** Operations that are over. */
  done = 0;
  readonly #parts: WriterParts;
  #snapshot: Snapshot | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** @returns whether all is done; false after a crash. */
  async run(operations: number): Promise<boolean> {
    try {
      for (; this.done < operations; this.done++) await this.#operate();
      return true;
    } catch (error) {
      if (isCrash(error)) return false;
      throw error;
    }
  }

  /** An operation, anew on a newer snapshot after a conflict; never anew while its outcome is unknown. */
  async #operate(): Promise<void> {
    const { engine, chance } = this.#parts;
    const [name, operation] = chance.pick(Object.entries(OPERATIONS));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const snapshot = await this.#newest();
      const live = await this.#patiently(async () => {
        const files: ScanFile[] = [];
        for await (const file of snapshot.scan().files(engine)) files.push(file);
        return files;
      });
      const transaction = await this.#patiently(async () => operation({ ...this.#parts, snapshot, live }));
      if (transaction === undefined) return;
      const end = await this.#commit(transaction, name);
      if (end instanceof Snapshot) await this.#maintain(end);
      if (end !== 'again') return;
    }
  }

  /** A new look at the table, or what is new since the last one. */
  #newest(): Promise<Snapshot> {
    const { engine, root, runtime, chance } = this.#parts;
    const known = chance.happens(0.5) ? this.#snapshot : undefined;
    return this.#patiently(async () => {
      this.#snapshot = await (known?.refresh(engine) ?? Snapshot.load(engine, root, { runtime }));
      return this.#snapshot;
    });
  }

  /** @returns the table after the commit; `again` after a conflict; `over` where it is given up, its outcome unknown. */
  async #commit(first: Txn, operation: string): Promise<Snapshot | 'again' | 'over'> {
    const { engine, clean } = this.#parts;
    const { txnId } = first;
    let transaction = first;
    let isUnknown = true;
    const end = (outcome: Pick<Outcome, 'end' | 'version' | 'live'>) => {
      this.outcomes.push({ txnId, operation, ...outcome });
    };
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        isUnknown = true;
        const result = await transaction.commit(engine);
        if (result.status === 'committed') {
          const { commitVersion: version, postCommitSnapshot } = result;
          end({ end: 'committed', version, live: await liveKeys(clean, postCommitSnapshot) });
          this.#snapshot = postCommitSnapshot;
          return postCommitSnapshot;
        }
        if (result.status === 'retryable') {
          transaction = result.transaction;
          continue;
        }
        isUnknown = false;
        transaction = await this.#patiently(() => result.rebase(engine));
      }
    } catch (error) {
      const isConflict = isDeltaError(error, ...CONFLICTS);
      end({ end: isConflict || !isUnknown ? 'never' : 'unknown' });
      if (isConflict) return 'again';
      throw error;
    }
    end({ end: isUnknown ? 'unknown' : 'never' });
    return 'over';
  }

  /** What follows a commit, now and then; the commit stands whatever becomes of it. */
  async #maintain(snapshot: Snapshot): Promise<void> {
    const { engine, chance } = this.#parts;
    try {
      let current = snapshot;
      if (chance.happens(0.6)) ({ snapshot: current } = await current.writeChecksum(engine));
      if (chance.happens(0.12)) {
        ({ snapshot: current } = await current.checkpoint(engine, { sidecarRows: 2 }));
      }
      this.#snapshot = current;
    } catch (error) {
      if (isCrash(error) || !isDeltaError(error, 'IOError')) throw error;
    }
  }

  /** Reads are repeated until they succeed; a storage that is down for ever is a crash. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < MAX_READS; tries++) {
      try {
        return await read();
      } catch (error) {
        if (isCrash(error) || !isDeltaError(error, 'IOError')) throw error;
      }
    }
    throw new Crash('the storage is down');
  }
}

function isCrash(error: unknown): boolean {
  if (error instanceof Crash) return true;
  return error instanceof DeltaError && error.cause !== undefined && isCrash(error.cause);
}
