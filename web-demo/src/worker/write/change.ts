/** A change that stops before its commit, shows it, and goes on when it is allowed to. */
import type { StorageHandler } from 'delta-kernel-web';
import { toFailure } from '../advice.ts';
import type { Work } from '../context.ts';
import type { ChangeStep, CommitPlan } from '../protocol-write.ts';
import { HeldStorage } from './held-storage.ts';
import { commitPlan, txnIdOf } from './plan.ts';

/** Attempts at one version after which a person decides whether to go on. */
const QUIET_TRIES = 3;

/** Where a change stops: like {@link ChangeStep}, with the change's own result. */
export type Stop<T> = Exclude<ChangeStep, { kind: 'done' | 'nothing' }> | { kind: 'end'; value: T };

/** Does the change in a storage that holds its writes back. */
export type Run<T> = (storage: StorageHandler, signal: AbortSignal) => Promise<T>;

let lastId = 0;

export class HeldChange<T> {
  readonly id: number;
  /** The version that was shown last, and the one of the newest attempt. */
  plannedVersion: number | undefined;
  readonly #abort = new AbortController();
  readonly #end: Promise<Stop<T>>;
  #stopped = deferred<Stop<T>>();
  #answer = deferred<void>();
  #allowed: string | undefined;
  #report: Work['report'] | undefined;
  #tries = { version: -1, count: 0 };

  constructor(inner: StorageHandler, run: Run<T>) {
    lastId += 1;
    this.id = lastId;
    const storage = new HeldStorage(
      inner,
      (location, bytes, failure) => this.#pass(location, bytes, failure),
      (done, total) => this.#report?.({ done, total, unit: 'files written' }),
    );
    this.#end = run(storage, this.#abort.signal).then((value) => ({ kind: 'end', value }));
    // Whoever asks for the next stop hears of it.
    this.#end.catch(() => undefined);
  }

  /** The next stop. Aborting gives the change up. */
  async next({ signal, report }: Pick<Work, 'signal' | 'report'>): Promise<Stop<T>> {
    this.#report = report;
    const give = () => this.#abort.abort(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener('abort', give);
    try {
      const stop = await Promise.race([this.#stopped.promise, this.#end]);
      this.#stopped = deferred();
      return stop;
    } finally {
      signal.removeEventListener('abort', give);
    }
  }

  /** Allows what the last stop showed. */
  goOn(): void {
    this.#answer.resolve();
  }

  discard(): void {
    this.#abort.abort(new DOMException('discarded', 'AbortError'));
  }

  /** A commit that was shown may be tried again, and on top of others' commits; any other is shown first. */
  async #pass(location: URL, bytes: Uint8Array, failure: unknown): Promise<void> {
    const text = new TextDecoder().decode(bytes);
    const plan = commitPlan(location, text);
    const id = txnIdOf(text);
    if (id !== this.#allowed) {
      await this.#ask({ kind: 'plan', change: this.id, plan, anew: this.#allowed !== undefined });
      this.#allowed = id;
      this.plannedVersion = plan.version;
      this.#tries = { version: plan.version, count: 1 };
      return;
    }
    await this.#passAgain(plan, failure);
  }

  async #passAgain({ version }: CommitPlan, failure: unknown): Promise<void> {
    const count = this.#tries.version === version ? this.#tries.count + 1 : 1;
    this.#tries = { version, count };
    if (count <= QUIET_TRIES) return;
    const unknown = new Error(`the attempts to commit version ${version} were not answered as they should`);
    await this.#ask({ kind: 'retry', change: this.id, failure: toFailure(failure ?? unknown) });
    this.#tries = { version, count: 1 };
  }

  async #ask(stop: Stop<T>): Promise<void> {
    const { signal } = this.#abort;
    signal.throwIfAborted();
    this.#answer = deferred();
    const { promise, reject } = this.#answer;
    const give = () => reject(signal.reason);
    signal.addEventListener('abort', give);
    this.#stopped.resolve(stop);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', give);
    }
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve'];
  let reject!: Deferred<T>['reject'];
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
