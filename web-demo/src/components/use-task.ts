import { useEffect, useState } from 'preact/hooks';
import { endTask, type Loadable, loaded, newTask, session } from '../session.ts';
import type { Progress, Result, Task } from '../worker/protocol.ts';

export interface TaskState<T> {
  readonly result: Loadable<T>;
  readonly progress: Progress | undefined;
  /** Ends the work; the state is then a failure of code `Cancelled`. */
  readonly cancel: () => void;
  /** Does the work once more. */
  readonly again: () => void;
}

/**
 * Work of the worker while a panel shows it: begun anew when `deps` change, ended when the panel goes. Changing deps show
 * as loading at once, so that nobody sees the answer to another question.
 */
export function useTask<T>(work: (task: Task) => Promise<Result<T>>, deps: readonly unknown[]): TaskState<T> {
  const [run, setRun] = useState(0);
  const key = JSON.stringify([...deps, run]);
  const [answer, setAnswer] = useState<{ key: string; result: Loadable<T> }>();
  const [progress, setProgress] = useState<{ key: string; progress: Progress }>();
  const [cancel, setCancel] = useState(() => () => {});
  useEffect(() => {
    let current = true;
    const task = newTask((latest) => current && setProgress({ key, progress: latest }));
    setCancel(() => () => void session.cancel(task.id));
    work(task).then((result) => {
      if (current) setAnswer({ key, result: loaded(result) });
    });
    return () => {
      current = false;
      endTask(task);
    };
  }, [key]);
  return {
    result: answer?.key === key ? answer.result : { state: 'loading' },
    progress: progress?.key === key ? progress.progress : undefined,
    cancel,
    again: () => setRun((before) => before + 1),
  };
}
