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
  /** The writer stops for good, before or after the request was served. */
  readonly crash: number;
}

/** What ends a simulated process: no code of ours may catch it and go on. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export function faultyStorage(
  inner: StorageHandler,
  scheduler: Scheduler,
  chance: Chance,
  rates: FaultRates,
): StorageHandler {
  const lost = (what: string) => new DeltaError('IOError', `simulated: ${what}`);
  const failing = async (what: string): Promise<void> => {
    await scheduler.step();
    if (chance.happens(rates.crash)) throw new Crash(what);
    if (chance.happens(rates.before)) throw lost(`${what} failed`);
  };
  const losing = async (what: string): Promise<void> => {
    await scheduler.step();
    if (chance.happens(rates.crash)) throw new Crash(what);
    if (chance.happens(rates.after)) throw lost(`the answer to ${what} got lost`);
  };
  return forward(inner, {
    async put(path, data, options) {
      await failing('put');
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
