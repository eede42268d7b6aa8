/** A storage whose requests are late, fail, get lost or arrive twice: before their effect, or after it. */
import { DeltaError } from '../../src/errors.ts';
import type { StorageHandler } from '../../src/kernel/engine.ts';
import { forward } from '../../src/storage/forward.ts';
import type { Chance, Scheduler } from './scheduler.ts';

export interface FaultRates {
  /** The request fails, nothing has happened. */
  readonly before: number;
  /** The request was served, its answer got lost. */
  readonly after: number;
  /** A PUT was served twice; the answer is the second one's. */
  readonly twice: number;
  /** A PUT is given up by its sender, and served all the same, some steps later. */
  readonly late?: number;
  /** The writer stops for good, before or after the request was served. */
  readonly crash: number;
}

/** What ends a simulated process: no code of ours may catch it and go on. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** Whether a simulated process still runs: once it has crashed, none of its requests goes out. */
export class Life {
  #isOver = false;

  end(what: string): never {
    this.#isOver = true;
    throw new Crash(what);
  }

  check(): void {
    if (this.#isOver) throw new Crash('the process has ended');
  }
}

/** Steps after which a request that was given up is served, at most. */
const LATE_STEPS = 25;

/** @param life of the process whose storage it is, where a crash ends all of it. */
export function faultyStorage(
  inner: StorageHandler,
  scheduler: Scheduler,
  chance: Chance,
  rates: FaultRates,
  life?: Life,
): StorageHandler {
  const lost = (what: string) => new DeltaError('IOError', `simulated: ${what}`);
  const step = async (what: string): Promise<void> => {
    life?.check();
    await scheduler.step();
    life?.check();
    if (!chance.happens(rates.crash)) return;
    if (life) life.end(what);
    throw new Crash(what);
  };
  const failing = async (what: string): Promise<void> => {
    await step(what);
    if (chance.happens(rates.before)) throw lost(`${what} failed`);
  };
  const losing = async (what: string): Promise<void> => {
    await step(what);
    if (chance.happens(rates.after)) throw lost(`the answer to ${what} got lost`);
  };
  const serveLate = async (serve: () => Promise<void>): Promise<void> => {
    for (let steps = 1 + chance.whole(LATE_STEPS); steps > 0; steps -= 1) await scheduler.step();
    // Nobody waits for the answer.
    await serve().catch(() => undefined);
  };
  return forward(inner, {
    async put(path, data, options) {
      await failing('put');
      if (rates.late !== undefined && chance.happens(rates.late)) {
        void serveLate(() => inner.put(path, data, options));
        throw lost('put took too long');
      }
      await inner.put(path, data, options);
      if (chance.happens(rates.twice)) {
        await scheduler.step();
        await inner.put(path, data, options);
      }
      await losing('put');
    },
    async head(path, options) {
      await failing('head');
      const meta = await inner.head(path, options);
      await losing('head');
      return meta;
    },
    async *listFrom(path, options) {
      await failing('list');
      yield* inner.listFrom(path, options);
    },
    async *readFiles(files, options) {
      await failing('read');
      yield* inner.readFiles(files, options);
    },
  });
}
