/**
 * Whether a transaction may follow a commit that it did not know of. The checks, and their order, are those of Delta
 * Lake ("Concurrency control"): what would make the outcome differ from the commits made one after the other.
 */
import { DeltaError, type DeltaErrorCode, shownUrl } from '../../../errors.ts';
import type { Engine } from '../../engine.ts';
import { canonicalPath } from '../../paths.ts';
import { CLUSTERING_DOMAIN } from '../../snapshot/clustering.ts';
import type { SnapshotState } from '../../snapshot/state.ts';
import type { ResolvedChanges } from '../changes.ts';
import { ROW_TRACKING_DOMAIN } from '../row-tracking.ts';
import { isolationLevel } from './isolation.ts';
import { addsMatching, removesMatching } from './matching.ts';
import type { Winner } from './winner.ts';

/** Throws with the code of the first check that fails; its `version` is the winner's. */
export async function checkWinner(
  engine: Engine,
  winner: Winner,
  changes: ResolvedChanges,
  base: SnapshotState,
): Promise<void> {
  const check = new ConflictCheck(winner, changes, base);
  check.protocol();
  check.metadata();
  check.domains();
  check.transactions();
  await check.append(engine);
  await check.deleteRead(engine);
  check.deleteDelete();
}

class ConflictCheck {
  readonly #winner: Winner;
  readonly #changes: ResolvedChanges;
  readonly #base: SnapshotState;
  readonly #readsWholeTable: boolean;

  constructor(winner: Winner, changes: ResolvedChanges, base: SnapshotState) {
    this.#winner = winner;
    this.#changes = changes;
    this.#base = base;
    this.#readsWholeTable = changes.reads.isWholeTable(changes.blindAppend);
  }

  protocol(): void {
    if (this.#winner.hasProtocol)
      throw this.#conflict('ProtocolChanged', 'changed the protocol of the table');
  }

  metadata(): void {
    if (this.#winner.hasMetadata) {
      throw this.#conflict('MetadataChanged', 'changed the metadata of the table (schema or properties)');
    }
  }

  /** The high watermark of row ids is merged: ids are given anew after a rebase. */
  domains(): void {
    const { domains, systemDomains, adds } = this.#changes;
    const ours = new Set([...domains.keys(), ...systemDomains.map(({ domain }) => domain)]);
    for (const { domain } of this.#winner.domains) {
      const clustersOtherwise = domain === CLUSTERING_DOMAIN && adds.length > 0;
      if ((!ours.has(domain) && !clustersOtherwise) || domain === ROW_TRACKING_DOMAIN) continue;
      throw this.#conflict('ConcurrentDomainMetadata', `changed the domain ${domain}`);
    }
  }

  transactions(): void {
    const { transactionIds, reads } = this.#changes;
    for (const appId of this.#winner.appIds) {
      if (!transactionIds.has(appId) && !reads.appIds.has(appId)) continue;
      throw this.#conflict('ConcurrentTransaction', `recorded a transaction of the application ${appId}`);
    }
  }

  async append(engine: Engine): Promise<void> {
    if (this.#mayIgnoreAppends()) return;
    const { predicates } = this.#changes.reads;
    const path = await addsMatching(engine, this.#winner, this.#readsWholeTable, predicates);
    if (path !== undefined) {
      throw this.#conflict(
        'ConcurrentAppend',
        `added the file ${path}, whose rows this transaction would have read`,
      );
    }
  }

  async deleteRead(engine: Engine): Promise<void> {
    const { predicates, files } = this.#changes.reads;
    const whatWasRead = { wholeTable: this.#readsWholeTable, predicates, files };
    const path = await removesMatching(engine, this.#winner, whatWasRead);
    if (path === undefined) return;
    throw this.#conflict('ConcurrentDeleteRead', `removed the file ${path}, which this transaction read`);
  }

  deleteDelete(): void {
    const { removes, vectorUpdates } = this.#changes;
    const ours = new Set(
      [...removes, ...vectorUpdates.map(({ file }) => file)].map(({ path }) => canonicalPath(path)),
    );
    for (const batch of this.#winner.batches) {
      const paths = batch.column(['remove', 'path'])!;
      for (let row = 0; row < batch.length; row++) {
        const path = paths.getString(row);
        if (path === null || !ours.has(canonicalPath(path))) continue;
        throw this.#conflict(
          'ConcurrentDeleteDelete',
          `removed the file ${path}, which this transaction removes too`,
        );
      }
    }
  }

  #mayIgnoreAppends(): boolean {
    const level = isolationLevel(this.#changes, this.#base);
    if (level === 'SnapshotIsolation') return true;
    const changesMetadata = this.#changes.newMetadata !== undefined;
    return (
      level === 'WriteSerializable' && this.#winner.commitInfo?.isBlindAppend === true && !changesMetadata
    );
  }

  #conflict(code: DeltaErrorCode, what: string): DeltaError {
    const { version, commitInfo } = this.#winner;
    const operation = commitInfo?.operation === undefined ? '' : ` (${commitInfo.operation})`;
    return new DeltaError(
      code,
      `version ${version}${operation} ${what}: redo the operation on the newer version of the table`,
      { table: shownUrl(this.#base.tableRoot), version },
    );
  }
}
