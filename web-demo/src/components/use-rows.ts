import { useEffect, useRef, useState } from 'preact/hooks';
import { session } from '../session.ts';
import type { Failure, RowWindow } from '../worker/protocol.ts';

/** Rows that are kept here beyond the visible ones. */
const AROUND = 200;
/** Rows that the worker has read beyond the visible ones: so many that their end is known for small tables. */
const AHEAD = 5000;

/** Rows `first` to before `last` and some around them; one request at a time, each for what is in view by then. */
export function useRows(first: number, last: number): { shown: RowWindow; failure: Failure | undefined } {
  const [shown, setShown] = useState<RowWindow>({ start: 0, rows: [], loaded: 0, end: 'open' });
  const [failure, setFailure] = useState<Failure>();
  const busy = useRef(false);
  const gone = useRef(false);

  useEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  useEffect(() => {
    const isMissing = first < shown.start || Math.min(last, shown.loaded) > shown.start + shown.rows.length;
    const isAtEdge = shown.end === 'open' && last + AHEAD > shown.loaded;
    if (busy.current || failure !== undefined || (!isMissing && !isAtEdge)) return;
    busy.current = true;
    // Rows in view do not wait for those ahead, which come batch by batch.
    const readTo = isMissing ? last : shown.loaded + 1;
    session.rows(Math.max(0, first - AROUND), last + AROUND, readTo).then((result) => {
      busy.current = false;
      if (gone.current) return;
      if (result.ok) setShown(result.value);
      else setFailure(result.failure);
    });
  }, [first, last, shown, failure]);
  return { shown, failure };
}
