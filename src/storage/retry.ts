/** Repeating what failed for a moment. */
import { isDeltaError } from '../errors.ts';
import type { FileMeta, StorageHandler } from '../kernel/engine.ts';
import { forward } from './forward.ts';
import { jitteredMs, type Pauses, sleepFor } from './pause.ts';

export interface RetryOptions extends Pauses {
  /** Tries in all. Default 4. */
  attempts?: number;
  /** Longest first pause; doubles with every try. Default 100. */
  baseMs?: number;
  /** Longest pause. Default 5,000. */
  maxMs?: number;
}

/**
 * A storage that repeats `IOError`s, with jittered pauses. Reads and listings go on where they broke off. Puts that
 * must not overwrite, and copies, are not repeated: after a lost answer a second try would report the first one's
 * file as somebody else's, so the committer, which can tell, decides.
 */
export function withRetries(inner: StorageHandler, options: RetryOptions = {}): StorageHandler {
  const { attempts = 4, baseMs = 100, maxMs = 5_000, random = Math.random, sleep = sleepFor } = options;

  /** Waits after the n-th failure in a row, or throws what is not to be repeated. */
  const pause = async (error: unknown, failures: number, signal: AbortSignal | undefined) => {
    if (signal?.aborted || !isDeltaError(error, 'IOError') || failures >= attempts) throw error;
    await sleep(jitteredMs(failures - 1, baseMs, maxMs, random), signal);
  };

  const repeated = async <T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    for (let failures = 1; ; failures++) {
      try {
        return await call();
      } catch (error) {
        await pause(error, failures, signal);
      }
    }
  };

  /** `open` is told how many items were given out, and the last of them. Progress ends a row of failures. */
  async function* resumed<T>(
    open: (count: number, last: T | undefined) => AsyncIterable<T>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<T, void, undefined> {
    let count = 0;
    let last: T | undefined;
    for (let failures = 0; ; ) {
      const items = open(count, last)[Symbol.asyncIterator]();
      try {
        for (let item = await items.next(); !item.done; item = await items.next()) {
          count++;
          last = item.value;
          failures = 0;
          yield last;
        }
        return;
      } catch (error) {
        await pause(error, ++failures, signal);
      } finally {
        await items.return?.();
      }
    }
  }

  return forward(inner, {
    listFrom: (path, call) =>
      resumed<FileMeta>((_, last) => inner.listFrom(last?.location ?? path, call), call?.signal),
    readFiles: (files, call) => resumed((count) => inner.readFiles(files.slice(count), call), call?.signal),
    head: (path, call) => repeated(() => inner.head(path, call), call?.signal),
    put: (path, data, call) =>
      call.overwrite ? repeated(() => inner.put(path, data, call), call.signal) : inner.put(path, data, call),
    delete: (path, call) => repeated(() => inner.delete!(path, call), call?.signal),
  });
}
