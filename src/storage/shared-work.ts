/** Work that several callers wait for. */
import { abortable } from './reading.ts';

/** Runs `work` once; a caller that aborts leaves, and the work stops only when every caller has left. */
export class SharedWork<T> {
  readonly #controller = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;
  #settled = false;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#controller.signal);
    const settle = () => {
      this.#settled = true;
    };
    this.#result.then(settle, settle);
  }

  /** The outcome, for one who watches but does not keep the work going. */
  watch(done: (value: T) => void, failed: () => void): void {
    this.#result.then(done, failed);
  }

  /** Whether nobody waits any more for what is not there yet. */
  get abandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  async join(signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    try {
      return await abortable(this.#result, signal);
    } finally {
      if (--this.#waiting === 0 && !this.#settled) this.#controller.abort();
    }
  }
}
