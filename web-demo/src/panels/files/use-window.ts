import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Result } from '../../worker/protocol.ts';
import type { Window } from '../../worker/protocol-files.ts';

/** Rows that are kept here beyond the visible ones. */
const AROUND = 100;

interface Held<T> {
  key: string;
  window: Window<T>;
}

/**
 * The rows in view of a list that the worker holds; one request at a time, each for what is in view by then.
 * @param key what the list is: until a new one is there, the one before is given, and `isCurrent` is false.
 */
export function useWindow<T>(
  fetch: (start: number, end: number) => Promise<Result<Window<T>>>,
  key: string,
  first: number,
  last: number,
): { window: Window<T> | undefined; isCurrent: boolean; failure: Failure | undefined } {
  const [held, setHeld] = useState<Held<T>>();
  const [failed, setFailed] = useState<{ key: string; failure: Failure }>();
  const busy = useRef(false);
  const gone = useRef(false);
  useEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  const window = held?.window;
  const isCurrent = held?.key === key;
  useEffect(() => {
    const isHere =
      isCurrent &&
      window !== undefined &&
      first >= window.start &&
      Math.min(last, window.total) <= window.start + window.rows.length;
    if (busy.current || isHere || failed?.key === key) return;
    busy.current = true;
    // Another list is shown from its top.
    const [start, end] = isCurrent ? [Math.max(0, first - AROUND), last + AROUND] : [0, 2 * AROUND];
    fetch(start, end).then((result) => {
      busy.current = false;
      if (gone.current) return;
      if (result.ok) setHeld({ key, window: result.value });
      else setFailed({ key, failure: result.failure });
    });
  }, [key, first, last, held, failed]);
  return { window, isCurrent, failure: failed?.key === key ? failed.failure : undefined };
}
