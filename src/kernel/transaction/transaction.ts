/**
 * A change of a table that becomes visible whole or not at all.
 *
 * @example
 * const transaction = snapshot.transaction(new FileSystemCommitter()).withOperation('WRITE').withBlindAppend();
 * const context = transaction.unpartitionedWriteContext();
 * …                                        // write a data file to context.newFile().location
 * transaction.addFiles([file]);
 * const result = await transaction.commit(engine);
 */
import { DeltaError, isDeltaError, shownUrl, withContext } from '../../errors.ts';
import type { DomainMetadata, Metadata, Protocol } from '../actions/types.ts';
import type { CommitType, Committer } from '../committer/committer.ts';
import { checkPairing, isCatalogManaged } from '../committer/pairing.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import type { SnapshotFactory, SnapshotState } from '../snapshot/state.ts';
import { checkWriteSupport } from '../table-features/write-support.ts';
import { actionBatches } from './action-batches.ts';
import { type Attempt, type Backfill, prepareAttempt } from './attempt.ts';
import { Changes, type ResolvedChanges } from './changes.ts';
import { rebase } from './conflict/rebase.ts';
import { addFilesOf, cdcFilesOf } from './file-actions.ts';
import { whoseCommit } from './landed.ts';
import { commitFile, extendSegment, postCommitStats } from './post-commit.ts';
import type { CommitResult, CommittedTransaction, ConflictedTransaction } from './results.ts';
import { TransactionBuilder } from './transaction-builder.ts';
import { validateChanges } from './validate.ts';

export interface TransactionOptions {
  /** Features that the caller enforces itself (`checkConstraints`, `invariants`, …): the kernel refuses them else. */
  readonly enforcedFeatures?: ReadonlySet<string> | undefined;
}

/** What a transaction is made of. For the kernel itself. */
export interface TransactionParts<S extends SnapshotState> extends TransactionOptions {
  /** The version that is read; version −1 for a new table. */
  readonly base: S;
  readonly committer: Committer;
  readonly makeSnapshot: SnapshotFactory<S>;
  readonly newProtocol?: Protocol | undefined;
  readonly newMetadata?: Metadata | undefined;
  readonly systemDomains?: readonly DomainMetadata[] | undefined;
}

/** Commits that are published from the start, so that the log tells whose they are. */
const PUBLISHED_AT_ONCE: readonly CommitType[] = [
  'pathBasedWrite',
  'pathBasedCreate',
  'catalogManagedCreate',
];

/** Attempts at one version while a storage says both that it is taken and that it is not there. */
const MAX_CONTRADICTIONS = 3;

/**
 * - `open`: may be changed, and committed.
 * - `tried`: what it does is fixed, since a commit with it may exist; may be committed again.
 * - `spent`: committed, or in conflict.
 */
type State = 'open' | 'committing' | 'tried' | 'spent';

export class Transaction<S extends SnapshotState = SnapshotState> extends TransactionBuilder<S> {
  /** `commitInfo.txnId`: what tells this transaction's commit from all others, through retries and rebases. */
  readonly txnId: string;
  readonly #parts: TransactionParts<S>;
  readonly #backfill: Backfill;
  #changes = new Changes();
  #state: State = 'open';
  #resolved: ResolvedChanges | undefined;
  #attempt: Attempt | undefined;
  #landed: FileMeta | undefined;
  #mayBeCommitted = false;

  /** Throws `InvalidProtocol`, and `Unsupported` where this kernel may not write to the table. */
  constructor(parts: TransactionParts<S>, previous?: { of: Transaction<S>; base: S; backfill: Backfill }) {
    super(previous?.base ?? parts.base);
    this.#parts = parts;
    this.#backfill = previous?.backfill ?? new Map();
    this.txnId = previous?.of.txnId ?? parts.base.runtime.uuid();
    if (previous === undefined) {
      const { protocol, metadata, tableRoot } = parts.base;
      try {
        checkWriteSupport(protocol, metadata, { enforced: parts.enforcedFeatures ?? new Set() });
      } catch (error) {
        throw withContext(error, { table: shownUrl(tableRoot) });
      }
      this.#changes.newProtocol = parts.newProtocol;
      this.#changes.newMetadata = parts.newMetadata;
      this.#changes.systemDomains.push(...(parts.systemDomains ?? []));
    } else {
      this.#changes = previous.of.#changes;
      this.#resolved = previous.of.#resolved;
      this.#state = 'tried';
    }
  }

  /** Whether a commit of it exists, or may: an attempt was made, and none was found to have lost to another commit. */
  get mayBeCommitted(): boolean {
    return this.#mayBeCommitted;
  }

  /**
   * Checks everything, then commits. Errors other than `IOError` are thrown: the rules that the changes break
   * (`InvalidTransactionState`, `Unsupported`, `Schema`, `InvalidPartitionValues`, `StatsValidation`, …, before
   * anything is written), `CommitterMismatch`, and what the committer throws. Once the commit is made, it is
   * `committed`, whatever else fails.
   */
  async commit(engine: Engine, options: CallOptions = {}): Promise<CommitResult<S, Transaction<S>>> {
    const before = this.#state;
    if (before === 'spent' || before === 'committing') {
      throw this.invalid(
        before === 'spent' ? 'it has been committed or is in conflict' : 'it is being committed',
      );
    }
    this.#state = 'committing';
    let after: State = before;
    try {
      const attempt = await this.#prepare(engine, options);
      after = 'tried';
      const result = await this.#tryCommit(engine, attempt, options);
      if (result.status !== 'retryable') after = 'spent';
      return result;
    } catch (error) {
      const failure = withContext(error, { table: shownUrl(this.base.tableRoot) });
      // Of reading what the attempt needs to know: nothing has been tried.
      if (after === before && isDeltaError(failure, 'IOError')) return this.#unknown(failure, options.signal);
      throw failure;
    } finally {
      this.#state = after;
      if (after === 'open') this.#resolved = undefined;
    }
  }

  async #prepare(engine: Engine, options: CallOptions): Promise<Attempt> {
    const { enforcedFeatures = new Set(), committer } = this.#parts;
    const changes = await this.#resolve(engine);
    const { protocol, metadata } = this.base;
    const after = this.#parts.makeSnapshot({
      ...this.base,
      protocol: changes.newProtocol ?? protocol,
      metadata: changes.newMetadata ?? metadata,
    });
    const managed = isCatalogManaged(protocol) || isCatalogManaged(after.protocol);
    checkPairing(committer, managed, this.base.tableRoot);
    // The same attempt for every try of one version: it may have been made already.
    if (this.#attempt !== undefined) return this.#attempt;
    validateChanges(changes, this.base, after, enforcedFeatures);
    const input = { changes, base: this.base, after, txnId: this.txnId, backfill: this.#backfill };
    this.#attempt = await prepareAttempt(engine, input, options);
    return this.#attempt;
  }

  async #resolve(engine: Engine): Promise<ResolvedChanges> {
    if (this.#resolved !== undefined) return this.#resolved;
    const { addBatches, cdcBatches } = this.#changes;
    const adds = (await Promise.all(addBatches.map((batch) => addFilesOf(engine, batch)))).flat();
    this.#changes.reads.touch(adds.map(({ path }) => path));
    this.#resolved = { ...this.#changes, adds, cdc: cdcBatches.flatMap(cdcFilesOf) };
    return this.#resolved;
  }

  async #tryCommit(
    engine: Engine,
    attempt: Attempt,
    { signal }: CallOptions,
  ): Promise<CommitResult<S, Transaction<S>>> {
    if (this.#landed !== undefined) return this.#committed(attempt, this.#landed);
    const { version } = attempt.metadata;
    this.#mayBeCommitted = true;
    for (let contradictions = 0; contradictions < MAX_CONTRADICTIONS; contradictions++) {
      let failure: unknown;
      try {
        const actions = actionBatches(engine, attempt.actions);
        const response = await this.#parts.committer.commit(engine, actions, attempt.metadata, { signal });
        if (response.kind === 'committed') return this.#committed(attempt, response.fileMeta);
      } catch (error) {
        if (!isDeltaError(error, 'IOError') && !signal?.aborted) throw error;
        failure = error;
      }
      const outcome = await this.#findOut(engine, attempt, failure);
      if (outcome !== 'absent') return outcome;
      if (failure !== undefined) return this.#unknown(failure, signal);
    }
    const message = `version ${version} is said to exist, but it is not there`;
    return this.#unknown(new DeltaError('IOError', message, { version }), signal);
  }

  /**
   * What became of an attempt whose answer was a conflict, or got lost. A catalog's committer has asked its catalog;
   * everywhere else the log tells. The answer must not be missed, so a cancelled call still asks.
   */
  async #findOut(
    engine: Engine,
    attempt: Attempt,
    failure: unknown,
  ): Promise<CommitResult<S, Transaction<S>> | 'absent'> {
    const { version, commitType, tableRoot } = attempt.metadata;
    if (!PUBLISHED_AT_ONCE.includes(commitType)) {
      return failure === undefined ? this.#conflicted(version) : 'absent';
    }
    try {
      const landing = await whoseCommit(engine, tableRoot, version, this.txnId, {});
      if (landing.kind === 'ours') return this.#committed(attempt, landing.fileMeta);
      return landing.kind === 'absent' ? 'absent' : this.#conflicted(version);
    } catch (error) {
      if (!isDeltaError(error, 'IOError')) throw error;
      return failure === undefined ? { status: 'retryable', error, transaction: this } : 'absent';
    }
  }

  #unknown(error: unknown, signal: AbortSignal | undefined): CommitResult<S, Transaction<S>> {
    if (signal?.aborted) throw error;
    return { status: 'retryable', error, transaction: this };
  }

  #committed(attempt: Attempt, fileMeta: FileMeta): CommittedTransaction<S> {
    const { version } = attempt.metadata;
    const { runtime } = this.base;
    const logSegment = extendSegment(this.base.logSegment, [commitFile(version, fileMeta)]);
    const { inCommitTimestamp } = attempt.times;
    const { protocol, metadata } = attempt.after;
    return {
      status: 'committed',
      commitVersion: version,
      postCommitSnapshot: this.#parts.makeSnapshot({
        logSegment,
        protocol,
        metadata,
        runtime,
        inCommitTimestamp,
      }),
      postCommitStats: postCommitStats(logSegment),
    };
  }

  #conflicted(conflictVersion: number): ConflictedTransaction<Transaction<S>> {
    this.#mayBeCommitted = false;
    return {
      status: 'conflicted',
      conflictVersion,
      rebase: async (engine, options = {}) => {
        const { makeSnapshot } = this.#parts;
        const changes = this.#resolved!;
        const input = {
          base: this.base,
          changes,
          txnId: this.txnId,
          backfill: this.#backfill,
          makeSnapshot,
        };
        const result = await rebase(engine, input, options);
        const onto = result.kind === 'onto' ? result : { base: this.base, backfill: this.#backfill };
        const next = new Transaction(this.#parts, { of: this, ...onto });
        if (result.kind !== 'onto') next.#attempt = this.#attempt;
        if (result.kind === 'ours') {
          next.#landed = result.fileMeta;
          next.#mayBeCommitted = true;
        }
        return next;
      },
    };
  }

  protected open(): Changes {
    if (this.#state === 'open') return this.#changes;
    throw this.invalid('it has been committed or tried to, so what it does can no longer change');
  }
}
