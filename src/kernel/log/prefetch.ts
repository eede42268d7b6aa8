/** Reading several sources in order while the next ones are already on their way. */

/** A source that is opened only when its turn nears. */
export type Source<T> = () => AsyncIterable<T>;

/**
 * The items of every source, source by source in order. The first item of up to `window` sources (the current one
 * among them) is requested ahead. When the consumer stops or a source fails, the others are closed.
 */
export async function* prefetchInOrder<T>(
  sources: readonly Source<T>[],
  window: number,
): AsyncGenerator<T, void, undefined> {
  const opened: Opened<T>[] = [];
  let next = 0;
  const fill = () => {
    while (opened.length < window && next < sources.length) opened.push(open(sources[next++]!));
  };
  try {
    for (fill(); opened.length > 0; fill()) {
      const { iterator, first } = opened[0]!;
      for (let item = await first; !item.done; item = await iterator.next()) yield item.value;
      opened.shift();
    }
  } finally {
    for (const source of opened) close(source);
  }
}

interface Opened<T> {
  readonly iterator: AsyncIterator<T>;
  readonly first: Promise<IteratorResult<T>>;
}

function open<T>(source: Source<T>): Opened<T> {
  const iterator = source()[Symbol.asyncIterator]();
  const first = iterator.next();
  // A failure is seen when the source's turn comes; until then it must not count as unhandled.
  first.catch(() => undefined);
  return { iterator, first };
}

/**
 * Ends a source without waiting for the request that it may be in: a consumer that has seen enough need not wait
 * for what it will not look at, and what goes wrong there concerns nobody any more.
 */
function close<T>({ iterator }: Opened<T>): void {
  iterator.return?.().catch(() => undefined);
}
