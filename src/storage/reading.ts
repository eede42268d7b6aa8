/** What reading has in common in every storage: slices checked, fetched ahead, given out in order. */
import { DeltaError, shownUrl } from '../errors.ts';
import type { CallOptions, FileSlice } from '../kernel/engine.ts';

/** How many slices are on their way at a time, where a storage does not say otherwise. */
export const READ_AHEAD = 6;

/** One typed array holds no more on some engines; a slice that large is also no sane request. */
const MAX_SLICE_BYTES = 2 ** 31 - 1;

/** Reads one slice whose range, if it has one, is not empty. */
export type ReadSlice = (slice: FileSlice, signal: AbortSignal) => Promise<Uint8Array>;

/**
 * The bytes of each slice, in order, with up to `ahead` of them being read at a time. Empty ranges are answered
 * without a request. When the consumer stops early, an error surfaces or the caller aborts, what is on its way is
 * aborted too.
 */
export async function* readAhead(
  slices: readonly FileSlice[],
  read: ReadSlice,
  { signal, ahead = READ_AHEAD }: CallOptions & { ahead?: number } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  signal?.throwIfAborted();
  for (const slice of slices) checkSlice(slice);
  const pending: PendingRead[] = [];
  const abortAll = () => {
    for (const { controller } of pending) controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abortAll, { once: true });
  try {
    let next = 0;
    while (next < slices.length || pending.length > 0) {
      while (pending.length < ahead && next < slices.length) pending.push(startRead(slices[next++]!, read));
      const bytes = await pending[0]!.bytes;
      signal?.throwIfAborted();
      pending.shift();
      yield bytes;
    }
  } finally {
    signal?.removeEventListener('abort', abortAll);
    abortAll();
  }
}

/** Each read has a signal of its own, since everything on its way listens to it. */
interface PendingRead {
  readonly bytes: Promise<Uint8Array>;
  readonly controller: AbortController;
}

function startRead(slice: FileSlice, read: ReadSlice): PendingRead {
  const controller = new AbortController();
  const bytes = readOne(slice, read, controller.signal);
  // A failure is seen when the slice's turn comes; until then it must not count as unhandled.
  bytes.catch(() => undefined);
  return { bytes, controller };
}

async function readOne(
  { location, range }: FileSlice,
  read: ReadSlice,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (range === undefined) return abortable(read({ location }, signal), signal);
  if (range.start === range.end) return new Uint8Array(0);
  const bytes = await abortable(read({ location, range }, signal), signal);
  if (bytes.byteLength !== range.end - range.start) throw shortRead(location, range, bytes.byteLength);
  return bytes;
}

function checkSlice({ location, range }: FileSlice): void {
  if (range === undefined) return;
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    const message = `bytes [${start}, ${end}) of ${shownUrl(location)} are no range`;
    throw new DeltaError('InvalidOption', message, { path: shownUrl(location) });
  }
  checkLength(location, end - start);
}

/** Refuses what one buffer cannot hold. */
export function checkLength(location: URL, length: number): void {
  if (length <= MAX_SLICE_BYTES) return;
  const message = `${length} bytes of ${shownUrl(location)} at once are more than a buffer holds`;
  throw new DeltaError('Unsupported', message, { path: shownUrl(location) });
}

/** The error for a file that gave fewer bytes of a range than it has. */
export function shortRead(location: URL, range: { start: number; end: number }, got: number): DeltaError {
  const message = `${shownUrl(location)} gave ${got} bytes of [${range.start}, ${range.end})`;
  return new DeltaError('IOError', message, { path: shownUrl(location) });
}

/** `promise`, or the signal's reason as soon as it aborts; for work that does not watch the signal itself. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The slice of a whole file that is at hand. */
export function sliceOf(bytes: Uint8Array, { location, range }: FileSlice): Uint8Array {
  if (range === undefined) return bytes.slice();
  if (bytes.byteLength < range.end) {
    throw shortRead(location, range, Math.max(0, bytes.byteLength - range.start));
  }
  return bytes.slice(range.start, range.end);
}
