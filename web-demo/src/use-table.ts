/** The open table: opened anew whenever its source or version changes, with progress and a way to stop. */
import { useEffect, useState } from 'preact/hooks';
import { endTask, type Loadable, loaded, newTask, noWorker, session } from './session.ts';
import type { Overview, Progress, Source } from './worker/protocol.ts';

export interface OpenState {
  /** Loading until the answer for exactly this source and version is there. */
  readonly table: Loadable<Overview>;
  readonly progress: Progress | undefined;
  readonly cancel: () => void;
  /** Opens it once more. */
  readonly again: () => void;
}

interface Attempt {
  readonly table: Loadable<Overview>;
  readonly progress: Progress | undefined;
  readonly cancel: () => void;
}

const IDLE: Attempt = { table: { state: 'loading' }, progress: undefined, cancel: () => {} };

/** @param source undefined for none, and for one that waits for its keys. */
export function useTable(source: Source | undefined, version: number | undefined): OpenState {
  const [run, setRun] = useState(0);
  const [attempt, setAttempt] = useState<{ of: unknown[]; state: Attempt }>();
  const asked = [source, version, run];
  useEffect(() => {
    if (source === undefined) return undefined;
    let current = true;
    const tell = (change: Partial<Attempt>) => {
      if (current) setAttempt((before) => ({ of: asked, state: { ...(before?.state ?? IDLE), ...change } }));
    };
    const task = newTask((progress) => tell({ progress }));
    setAttempt({ of: asked, state: { ...IDLE, cancel: () => void session.cancel(task.id) } });
    Promise.race([session.open(task, source, version), noWorker]).then((result) =>
      tell({ table: loaded(result) }),
    );
    return () => {
      current = false;
      endTask(task);
      setAttempt(undefined);
    };
  }, asked);
  const isCurrent = attempt !== undefined && asked.every((part, index) => part === attempt.of[index]);
  return { ...(isCurrent ? attempt.state : IDLE), again: () => setRun((before) => before + 1) };
}
