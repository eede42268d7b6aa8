/** Work on a sequence, some items ahead of the consumer, with results in order. */

export interface PrefetchOptions<T> {
  signal?: AbortSignal | undefined;
  /** Items in work or waiting to be consumed, at most. */
  limit: number;
  /** Weight in work or waiting to be consumed, at most; one item is always let through. */
  budget?: number;
  weight?: (item: T) => number;
}

interface Entry<R> {
  readonly weight: number;
  readonly result: Promise<R>;
}

/**
 * The results of `run` over `source`, in its order, started ahead within the limits. An item counts until its
 * consumer asks for the next one. Where the consumer stops or an item fails, work that is under way is aborted.
 */
export async function* prefetchOrdered<T, R>(
  source: Iterable<T> | AsyncIterable<T>,
  options: PrefetchOptions<T>,
  run: (item: T, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const { limit, budget = Number.POSITIVE_INFINITY, weight = () => 0 } = options;
  const abort = linkedAbort(options.signal);
  const iterator = iterate(source);
  const queue: Entry<R>[] = [];
  let queued = 0;
  let ended = false;
  const enqueue = (item: T) => {
    const result = run(item, abort.signal);
    // A failure is seen when its turn comes; until then it must not count as unhandled.
    result.catch(() => undefined);
    const entry = { weight: weight(item), result };
    queued += entry.weight;
    queue.push(entry);
  };
  let failure: { error: unknown } | undefined;
  let filling = false;
  let wake = () => {};
  /** Fills the queue to its limits, waking the consumer with every item, at the end and on a failure of the source. */
  const fill = async () => {
    if (filling) return;
    filling = true;
    try {
      while (!ended && queue.length < limit && (queued < budget || queue.length === 0)) {
        const next = await iterator.next();
        abort.signal.throwIfAborted();
        if (next.done) ended = true;
        else enqueue(next.value);
        wake();
      }
    } catch (error) {
      failure = { error };
      ended = true;
      wake();
    } finally {
      filling = false;
    }
  };
  try {
    for (;;) {
      void fill();
      while (queue.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const entry = queue[0];
      if (!entry) break;
      yield await entry.result;
      queue.shift();
      queued -= entry.weight;
    }
    if (failure) throw failure.error;
  } finally {
    abort.abort();
    abort.unlink();
    await iterator.return?.();
  }
}

function iterate<T>(source: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/** A signal that follows another one and can also be aborted by itself; `unlink` lets go of the other. */
export function linkedAbort(outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    unlink: () => outer?.removeEventListener('abort', follow),
  };
}
