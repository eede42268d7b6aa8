import { useEffect, useRef, useState } from 'preact/hooks';
import { endTask, newTask, session } from '../session.ts';
import type { Failure, Progress, Result, Task } from '../worker/protocol.ts';

export type CallState<T> =
  | { state: 'idle' }
  | { state: 'working'; doing: string; progress: Progress | undefined; cancel: () => void }
  | { state: 'failed'; failure: Failure }
  | { state: 'done'; value: T };

export interface Call<T> {
  readonly now: CallState<T>;
  /** Begins; a call before it ends, and its answer is not heard any more. */
  readonly begin: (doing: string, call: (task: Task) => Promise<Result<T>>) => void;
  readonly reset: () => void;
}

/** Work that a person begins by a button, unlike that of `useTask`, which a panel begins. */
export function useCall<T>(): Call<T> {
  const [now, setNow] = useState<CallState<T>>({ state: 'idle' });
  const current = useRef<Task | undefined>(undefined);
  const end = () => {
    if (current.current !== undefined) endTask(current.current);
    current.current = undefined;
  };
  useEffect(() => end, []);
  return {
    now,
    begin: (doing, call) => {
      end();
      const task = newTask((progress) => {
        setNow((before) => (before.state === 'working' ? { ...before, progress } : before));
      });
      current.current = task;
      const cancel = () => void session.cancel(task.id);
      setNow({ state: 'working', doing, progress: undefined, cancel });
      call(task).then((result) => {
        if (current.current?.id !== task.id) return;
        end();
        setNow(
          result.ok ? { state: 'done', value: result.value } : { state: 'failed', failure: result.failure },
        );
      });
    },
    reset: () => {
      end();
      setNow({ state: 'idle' });
    },
  };
}
