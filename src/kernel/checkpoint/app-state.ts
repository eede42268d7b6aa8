/** Application transactions and domains of a version, gathered while its log is replayed. */
import { domainMetadatas } from '../actions/domain-metadata.ts';
import { setTransactions } from '../actions/set-transaction.ts';
import type { DomainMetadata, SetTransaction } from '../actions/types.ts';
import { compareUtf8 } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';

export class AppState {
  readonly #transactions = new Map<string, SetTransaction>();
  readonly #domains = new Map<string, DomainMetadata>();

  /** Batches come newest first: what was said before stays. */
  collect(data: EngineData): void {
    for (const transaction of setTransactions(data)) {
      if (!this.#transactions.has(transaction.appId)) this.#transactions.set(transaction.appId, transaction);
    }
    for (const domain of domainMetadatas(data)) {
      if (!this.#domains.has(domain.domain)) this.#domains.set(domain.domain, domain);
    }
  }

  /** By application. */
  get transactions(): SetTransaction[] {
    return [...this.#transactions.values()].sort((a, b) => compareUtf8(a.appId, b.appId));
  }

  /** By name, without those that were removed. */
  get domains(): DomainMetadata[] {
    return this.allDomains.filter(({ removed }) => !removed);
  }

  /** By name, removals among them. */
  get allDomains(): DomainMetadata[] {
    return [...this.#domains.values()].sort((a, b) => compareUtf8(a.domain, b.domain));
  }
}
