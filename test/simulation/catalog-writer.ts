/** A writer of a catalog-managed table, and what it believes of each of its commits. */
import { isDeltaError } from '../../src/errors.ts';
import type { Committer } from '../../src/kernel/committer/committer.ts';
import type { Engine, Runtime } from '../../src/kernel/engine.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import type { Transaction } from '../../src/kernel/transaction/transaction.ts';
import type { CatalogState } from '../../src/table/write/commit.ts';
import { Crash } from './faulty-storage.ts';
import type { Chance } from './scheduler.ts';

/** A table as one writer sees it, through requests that fail. */
export interface CatalogSide {
  readonly root: URL;
  committer(): Committer;
  state(): Promise<Required<CatalogState>>;
}

export interface CatalogOutcome {
  readonly txnId: string;
  readonly end: 'committed' | 'never' | 'unknown';
  readonly version?: number;
}

const MAX_TRIES = 25;

export class CatalogWriter {
  readonly outcomes: CatalogOutcome[] = [];
  readonly #engine: Engine;
  readonly #side: CatalogSide;
  readonly #runtime: Runtime;
  readonly #chance: Chance;

  constructor(engine: Engine, side: CatalogSide, runtime: Runtime, chance: Chance) {
    this.#engine = engine;
    this.#side = side;
    this.#runtime = runtime;
    this.#chance = chance;
  }

  /** Until it is done or has crashed. */
  async run(commits: number): Promise<void> {
    try {
      for (let done = 0; done < commits; done++) await this.#operate();
    } catch (error) {
      if (!isCrash(error)) throw error;
    }
  }

  async #operate(): Promise<void> {
    const snapshot = await this.#patiently(() => this.#load());
    const transaction = snapshot
      .transaction(this.#side.committer())
      .withOperation('WRITE')
      .withBlindAppend()
      .addFiles([
        {
          path: `${this.#runtime.uuid()}.parquet`,
          partitionValues: {},
          size: 10,
          modificationTime: this.#runtime.now(),
          stats: '{"numRecords":1}',
        },
      ]);
    const after = await this.#commit(transaction);
    // Now and then somebody publishes, as far as it goes.
    if (after === undefined || !this.#chance.happens(0.4)) return;
    try {
      await after.publish(this.#engine, this.#side.committer());
    } catch (error) {
      if (!isDeltaError(error, 'IOError')) throw error;
      if (isCrash(error)) throw error;
    }
  }

  async #load(): Promise<Snapshot> {
    const { root } = this.#side;
    return Snapshot.load(this.#engine, root, { runtime: this.#runtime, ...(await this.#side.state()) });
  }

  async #commit(first: Transaction<Snapshot>): Promise<Snapshot | undefined> {
    const { txnId } = first;
    let transaction = first;
    let isUnknown = false;
    const end = (outcome: Omit<CatalogOutcome, 'txnId'>) => this.outcomes.push({ txnId, ...outcome });
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        isUnknown = true;
        const result = await transaction.commit(this.#engine);
        if (result.status === 'committed') {
          end({ end: 'committed', version: result.commitVersion });
          return result.postCommitSnapshot;
        }
        if (result.status === 'retryable') {
          if (isCrash(result.error)) throw result.error;
          transaction = result.transaction;
          continue;
        }
        isUnknown = false;
        transaction = await this.#patiently(async () => {
          return result.rebase(this.#engine, await this.#side.state());
        });
      }
    } catch (error) {
      // Full, although all that was listed is published: others were faster. Nothing was done.
      const isFull = isDeltaError(error, 'TooManyUnpublishedCommits');
      end({ end: isUnknown && !isFull ? 'unknown' : 'never' });
      if (isFull) return undefined;
      throw error;
    }
    end({ end: isUnknown ? 'unknown' : 'never' });
    return undefined;
  }

  /** Reads are repeated until they succeed. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 60; tries++) {
      try {
        return await read();
      } catch (error) {
        if (isCrash(error) || !isDeltaError(error, 'IOError')) throw error;
      }
    }
    throw new Crash('everything is down');
  }
}

export function isCrash(error: unknown): boolean {
  if (error instanceof Crash) return true;
  return isDeltaError(error) && error.cause !== undefined && isCrash(error.cause);
}
