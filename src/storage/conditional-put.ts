/** Object stores that only seem to put if absent lose commits: before the first such put they are put to the test. */
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import { locationOf } from '../kernel/engine.ts';
import { listingStart } from './listing.ts';

/** How a store is asked: `putIfAbsent` throws `FileAlreadyExists`, `remove` is idempotent. */
export interface ConditionalPutProbe {
  putIfAbsent(location: URL): Promise<void>;
  remove(location: URL): Promise<void>;
}

/**
 * Tests each bucket once: a file is put twice, if absent, beside the file that is to be written; the second put must
 * be refused. A store that accepts it (or knows no conditions) is `Unsupported`.
 */
export class ConditionalPutTest {
  readonly #probe: ConditionalPutProbe;
  readonly #passed = new Map<string, Promise<void>>();

  constructor(probe: ConditionalPutProbe) {
    this.#probe = probe;
  }

  /** Resolves where `location`'s bucket passes. */
  async pass(location: URL): Promise<void> {
    const bucket = location.host;
    let passed = this.#passed.get(bucket);
    if (passed === undefined) {
      passed = this.#run(location);
      this.#passed.set(bucket, passed);
      passed.catch((error: unknown) => {
        // Only a verdict is kept; a failed request says nothing about the store.
        if (!isDeltaError(error, 'Unsupported')) this.#passed.delete(bucket);
      });
    }
    await passed;
  }

  async #run(location: URL): Promise<void> {
    const { directory } = listingStart(location);
    const name = `.delta-kernel-web-probe-${globalThis.crypto.randomUUID()}`;
    const probe = locationOf(location, directory + name);
    await this.#probe.putIfAbsent(probe);
    const verdict = await this.#probe.putIfAbsent(probe).then(
      () => 'overwritten' as const,
      (error: unknown) => error,
    );
    // A probe that may not be deleted stays as an ignored file; the verdict does not depend on it.
    await this.#probe.remove(probe).catch(() => undefined);
    if (isDeltaError(verdict, 'FileAlreadyExists')) return;
    if (verdict !== 'overwritten') throw verdict;
    throw new DeltaError(
      'Unsupported',
      `the store of ${shownUrl(location)} ignores "If-None-Match: *" and overwrites: commits of several writers ` +
        'would be lost there, so nothing is written',
      { path: shownUrl(location) },
    );
  }
}
