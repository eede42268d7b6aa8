/** Reading several sources in order while the next ones are already on their way. */

/** A source that is opened only when its turn nears. */
export interface Source<T> {
  readonly open: () => AsyncIterable<T>;
  /** What it may hold in memory, about. */
  readonly bytes?: number;
}

export interface PrefetchLimits {
  /** Sources open at a time, the current one among them. */
  readonly sources: number;
  /** Their bytes together; a source that is larger alone is opened all the same when its turn comes. */
  readonly bytes?: number;
}

/**
 * The items of every source, source by source in order. The first item of the next sources is requested ahead within
 * `limits`. When the consumer stops or a source fails, the others are closed.
 */
export async function* prefetchInOrder<T>(
  sources: readonly Source<T>[],
  limits: PrefetchLimits,
): AsyncGenerator<T, void, undefined> {
  const opened: Opened<T>[] = [];
  let next = 0;
  const fill = () => {
    while (next < sources.length && hasRoom(opened, sources[next]!, limits))
      opened.push(open(sources[next++]!));
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
  readonly bytes: number;
}

function hasRoom<T>(opened: readonly Opened<T>[], next: Source<T>, limits: PrefetchLimits): boolean {
  if (opened.length === 0) return true;
  if (opened.length >= limits.sources) return false;
  const bytes = opened.reduce((sum, source) => sum + source.bytes, next.bytes ?? 0);
  return bytes <= (limits.bytes ?? Number.POSITIVE_INFINITY);
}

function open<T>({ open, bytes = 0 }: Source<T>): Opened<T> {
  const iterator = open()[Symbol.asyncIterator]();
  const first = iterator.next();
  // A failure is seen when the source's turn comes; until then it must not count as unhandled.
  first.catch(() => undefined);
  return { iterator, first, bytes };
}

/**
 * Ends a source without waiting for the request that it may be in: a consumer that has seen enough need not wait
 * for what it will not look at, and what goes wrong there concerns nobody any more.
 */
function close<T>({ iterator }: Opened<T>): void {
  iterator.return?.().catch(() => undefined);
}
