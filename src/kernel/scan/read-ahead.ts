/** Reading items of a stream one after another, with the next ones already on their way. */

export interface ReadAheadLimits {
  /** Items open at a time, the current one among them. */
  readonly items: number;
  /** Their bytes together; one that is larger alone is opened all the same when its turn comes. */
  readonly bytes: number;
}

interface Opened<T> {
  readonly iterator: AsyncIterator<T>;
  readonly first: Promise<IteratorResult<T>>;
  readonly bytes: number;
}

/**
 * What `open` gives for each item, item by item in order. The first output of the next items is asked for ahead,
 * within `limits`. When the consumer stops or anything fails, all that is open is closed.
 */
export async function* readAhead<Item, T>(
  items: AsyncIterable<Item> | Iterable<Item>,
  open: (item: Item) => AsyncIterable<T>,
  bytesOf: (item: Item) => number,
  limits: ReadAheadLimits,
): AsyncGenerator<T, void, undefined> {
  const source = iteratorOf(items);
  const opened: Opened<T>[] = [];
  /** The item that did not fit yet, or is being asked for. Two may wait for it: the first to wake takes it. */
  let pending: Promise<IteratorResult<Item>> | undefined;
  const hasRoom = (bytes: number) =>
    opened.length === 0 ||
    (opened.length < limits.items && opened.reduce((sum, each) => sum + each.bytes, bytes) <= limits.bytes);
  const start = (item: Item) => {
    const iterator = open(item)[Symbol.asyncIterator]();
    const first = iterator.next();
    // Its failure is seen when its turn comes; until then it must not count as unhandled.
    first.catch(() => undefined);
    opened.push({ iterator, first, bytes: bytesOf(item) });
  };
  let filling: Promise<void> | undefined;
  const fill = async () => {
    while (opened.length < limits.items) {
      pending ??= source.next();
      const awaited = pending;
      const next = await awaited;
      if (pending !== awaited) continue;
      if (next.done || !hasRoom(bytesOf(next.value))) return;
      pending = undefined;
      start(next.value);
    }
  };
  const fillAhead = () => {
    filling ??= fill().finally(() => {
      filling = undefined;
    });
    // Failures of the source are seen when its next item is needed.
    filling.catch(() => undefined);
    return filling;
  };
  try {
    for (;;) {
      if (opened.length === 0) {
        pending ??= source.next();
        const awaited = pending;
        const next = await awaited;
        if (next.done) {
          if (opened.length === 0) return;
        } else if (pending === awaited) {
          pending = undefined;
          start(next.value);
        }
      }
      fillAhead();
      const { iterator, first } = opened[0]!;
      for (let item = await first; !item.done; item = await iterator.next()) yield item.value;
      opened.shift();
    }
  } finally {
    // Not awaited: whoever has seen enough need not wait for requests that are under way.
    for (const { iterator } of opened) iterator.return?.().catch(() => undefined);
    Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function iteratorOf<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> {
  if (Symbol.asyncIterator in items) return items[Symbol.asyncIterator]();
  const iterator = items[Symbol.iterator]();
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.() ?? { done: true, value: undefined },
  };
}
