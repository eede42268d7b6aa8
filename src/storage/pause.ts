/** Waiting before another try. */

/** Where waiting and chance come from, so that a test needs neither. */
export interface Pauses {
  /** In [0, 1). */
  random?: () => number;
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Full jitter: anywhere up to `baseMs` doubled `attempt` times, at most `maxMs`. */
export function jitteredMs(attempt: number, baseMs: number, maxMs: number, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** attempt);
}

/** Rejects with the signal's reason; leaves no timer or listener behind. */
export function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
