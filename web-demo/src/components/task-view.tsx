import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatBytes, formatCount } from '../format.ts';
import type { Progress } from '../worker/protocol.ts';
import { FailureBox } from './failure.tsx';
import type { TaskState } from './use-task.ts';

interface TaskViewProps<T> {
  task: TaskState<T>;
  /** What is going on, such as `Reading commits`. */
  doing: string;
  children: (value: T) => ComponentChildren;
}

/** Progress with a way to stop it, then the result or why there is none. */
export function TaskView<T>({ task, doing, children }: TaskViewProps<T>) {
  const { result, progress, cancel, again } = task;
  if (result.state === 'loading') return <Working doing={doing} progress={progress} cancel={cancel} />;
  if (result.state === 'done') return <>{children(result.value)}</>;
  if (result.failure.code === 'Cancelled') {
    return (
      <p class="empty">
        Stopped.{' '}
        <button type="button" onClick={again}>
          Go on again
        </button>
      </p>
    );
  }
  return <FailureBox failure={result.failure} />;
}

/** A line of progress with its Cancel button, which Escape presses too. */
export function Working(props: { doing: string; progress: Progress | undefined; cancel: () => void }) {
  const { doing, progress, cancel } = props;
  useEffect(() => {
    const stop = (event: KeyboardEvent) => {
      // Where a dialog is open, it is what Escape closes.
      const isTaken = event.defaultPrevented || document.querySelector('dialog[open]') !== null;
      if (event.key === 'Escape' && !isTaken) cancel();
    };
    document.addEventListener('keydown', stop);
    return () => document.removeEventListener('keydown', stop);
  }, [cancel]);
  return (
    <div class="working" role="status">
      <progress
        value={progress?.total === undefined ? undefined : progress.done / progress.total}
        aria-label={doing}
      />
      <span>
        {doing}…{progress !== undefined && ` ${progressText(progress)}`}
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

function progressText({ done, total, unit }: Progress): string {
  if (unit === 'bytes') return [done, ...(total === undefined ? [] : [total])].map(formatBytes).join(' of ');
  return total === undefined
    ? `${formatCount(done)} ${unit}`
    : `${formatCount(done)} of ${formatCount(total)} ${unit}`;
}
