/** What one call may use up. */
import { DeltaError } from '../../errors.ts';
import type { Runtime } from '../engine.ts';

export interface PlanBudget {
  /** Milliseconds of the snapshot's runtime clock. */
  readonly timeMs?: number | undefined;
  /**
   * Requests to storage. Without `meter` a commit counts as one, a file of a checkpoint as two, and each of its row
   * groups as one for 256 KiB of it, which is about the most that the default engine makes.
   */
  readonly requests?: number | undefined;
  /** Bytes read. Without `meter` commits count whole, rows of a checkpoint by a rule of thumb. */
  readonly bytes?: number | undefined;
  /** What was really used so far, by whoever counts it (a counting storage): live totals. */
  readonly meter?: (() => { readonly requests: number; readonly bytes: number }) | undefined;
}

export class Budget {
  readonly #limits: PlanBudget;
  readonly #runtime: Runtime;
  readonly #startTime: number;
  readonly #startMeter: { readonly requests: number; readonly bytes: number };
  #requests = 0;
  #bytes = 0;

  /** Throws `InvalidOption` for limits that are no positive numbers. */
  constructor(limits: PlanBudget, runtime: Runtime) {
    for (const name of ['timeMs', 'requests', 'bytes'] as const) {
      const limit = limits[name];
      if (limit === undefined || limit > 0) continue;
      throw new DeltaError('InvalidOption', `budget.${name} must be a positive number, not ${limit}`);
    }
    this.#limits = limits;
    this.#runtime = runtime;
    this.#startTime = runtime.now();
    this.#startMeter = limits.meter?.() ?? { requests: 0, bytes: 0 };
  }

  /** An estimate of what was just used; does not count where there is a meter. */
  spend(requests: number, bytes: number): void {
    this.#requests += requests;
    this.#bytes += bytes;
  }

  get isSpent(): boolean {
    const { requests } = this.#limits;
    return (requests !== undefined && this.#used().requests >= requests) || this.isSpentBesidesRequests;
  }

  /** In time or bytes. */
  get isSpentBesidesRequests(): boolean {
    const { bytes } = this.#limits;
    return (bytes !== undefined && this.#used().bytes >= bytes) || this.isTimeUp;
  }

  get isTimeUp(): boolean {
    const { timeMs } = this.#limits;
    return timeMs !== undefined && this.#runtime.now() - this.#startTime >= timeMs;
  }

  /** Whether requests or bytes are counted. */
  get isCounted(): boolean {
    return this.#limits.requests !== undefined || this.#limits.bytes !== undefined;
  }

  /** What may still be used; infinite where there is no limit. */
  get left(): { readonly requests: number; readonly bytes: number } {
    const { requests = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY } = this.#limits;
    const used = this.#used();
    return { requests: requests - used.requests, bytes: bytes - used.bytes };
  }

  #used(): { requests: number; bytes: number } {
    const measured = this.#limits.meter?.();
    if (measured === undefined) return { requests: this.#requests, bytes: this.#bytes };
    return {
      requests: measured.requests - this.#startMeter.requests,
      bytes: measured.bytes - this.#startMeter.bytes,
    };
  }
}
