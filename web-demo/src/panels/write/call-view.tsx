import type { ComponentChildren } from 'preact';
import { FailureBox } from '../../components/failure.tsx';
import { Working } from '../../components/task-view.tsx';
import type { CallState } from './use-call.ts';

interface CallViewProps<T> {
  now: CallState<T>;
  /** Of what has been done; absent where that shows elsewhere. */
  children?: (value: T) => ComponentChildren;
}

/** How far a person's work is: nothing before it began. */
export function CallView<T>({ now, children }: CallViewProps<T>) {
  switch (now.state) {
    case 'idle':
      return null;
    case 'working':
      return <Working doing={now.doing} progress={now.progress} cancel={now.cancel} />;
    case 'failed':
      return now.failure.code === 'Cancelled' ? (
        <p class="empty" role="status">
          Stopped. Nothing was committed.
        </p>
      ) : (
        <FailureBox failure={now.failure} />
      );
    case 'done':
      return <>{children?.(now.value)}</>;
  }
}
