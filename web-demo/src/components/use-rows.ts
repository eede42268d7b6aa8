import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Result } from '../worker/protocol.ts';
import type { RowWindow } from '../worker/protocol-data.ts';

/** Rows that are kept here beyond the visible ones. */
const AROUND = 200;
/** Rows that the worker has read beyond the visible ones: so many that their end is known for small tables. */
const AHEAD = 5000;

const NOTHING: RowWindow = { start: 0, rows: [], known: 0, isAll: false, isReading: true };

export type AskRows = (start: number, end: number, readTo: number) => Promise<Result<RowWindow>>;

export interface RowsShown {
  readonly shown: RowWindow;
  readonly failure: Failure | undefined;
  /** Whether rows are on their way. */
  readonly isReading: boolean;
  /** Whether reading was stopped before its end. */
  readonly isStopped: boolean;
  readonly stop: () => void;
  /** Reads on: to the end, or only as far as one looks. */
  readonly goOn: (toTheEnd: boolean) => void;
}

type Mode = 'looking' | 'all' | 'stopped';

/**
 * Rows `first` to before `last` and some around them; one request at a time, each for what is in view by then. Another
 * `ask` begins anew, `state` asks again for what may have changed.
 */
export function useRows(ask: AskRows, state: unknown, first: number, last: number): RowsShown {
  const [answer, setAnswer] = useState<{ ask: AskRows; state: unknown; window: RowWindow }>();
  const [failure, setFailure] = useState<Failure>();
  const [mode, setMode] = useState<Mode>('looking');
  const [turn, setTurn] = useState(0);
  const busy = useRef(false);
  const current = useRef({ ask, state });
  if (current.current.ask !== ask || current.current.state !== state) {
    current.current = { ask, state };
  }
  const isCurrent = answer?.ask === ask && answer.state === state;
  // Rows of another order are not shown, but the height stays until theirs is known.
  const shown = isCurrent ? answer.window : { ...NOTHING, known: answer?.window.known ?? 0 };

  useEffect(() => {
    setMode('looking');
    setFailure(undefined);
  }, [ask]);
  useEffect(
    () => () => {
      current.current = { ask: () => Promise.reject(new Error('gone')), state: undefined };
    },
    [],
  );
  useEffect(() => {
    const held = shown.start + shown.rows.length;
    const isMissing = first < shown.start || Math.min(last, shown.known) > held;
    const isAtEdge = !shown.isAll && (mode === 'all' || last + AHEAD > shown.known);
    const isNeeded = !isCurrent || shown.isReading || isMissing || isAtEdge;
    if (busy.current || failure !== undefined || mode === 'stopped' || !isNeeded) return;
    busy.current = true;
    const readTo = mode === 'all' ? Number.MAX_SAFE_INTEGER : last + AHEAD;
    ask(Math.max(0, first - AROUND), last + AROUND, readTo).then((result) => {
      busy.current = false;
      const { ask: now, state: stateNow } = current.current;
      if (now === ask && stateNow === state) {
        if (result.ok) setAnswer({ ask, state, window: result.value });
        // Other rows were begun: they are on their way.
        else if (result.failure.code !== 'Cancelled') setFailure(result.failure);
      } else setTurn((before) => before + 1);
    });
  }, [ask, state, first, last, answer, failure, mode, turn]);

  return {
    shown,
    failure,
    isReading: failure === undefined && mode !== 'stopped' && (!isCurrent || shown.isReading),
    isStopped: mode === 'stopped',
    stop: () => setMode('stopped'),
    goOn: (toTheEnd) => {
      setFailure(undefined);
      setMode(toTheEnd ? 'all' : 'looking');
    },
  };
}
