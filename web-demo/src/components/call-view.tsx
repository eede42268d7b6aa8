import type { ComponentChildren } from 'preact';
import { FailureBox } from './failure.tsx';
import { Working } from './task-view.tsx';
import type { CallState } from './use-call.ts';

interface CallViewProps<T> {
  now: CallState<T>;
  /** What is said where it was stopped. */
  stopped?: string;
  /** Of what has been done; absent where that shows elsewhere. */
  children?: (value: T) => ComponentChildren;
}

/** How far a person's work is: nothing before it began. */
export function CallView<T>({ now, stopped = 'Stopped.', children }: CallViewProps<T>) {
  switch (now.state) {
    case 'idle':
      return null;
    case 'working':
      return <Working doing={now.doing} progress={now.progress} cancel={now.cancel} />;
    case 'failed':
      return now.failure.code === 'Cancelled' ? (
        <p class="empty" role="status">
          {stopped}
        </p>
      ) : (
        <FailureBox failure={now.failure} />
      );
    case 'done':
      return <>{children?.(now.value)}</>;
  }
}
