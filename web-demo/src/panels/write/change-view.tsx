import { useEffect, useRef } from 'preact/hooks';
import { CallView } from '../../components/call-view.tsx';
import { FailureBox } from '../../components/failure.tsx';
import type { Call } from '../../components/use-call.ts';
import { session } from '../../session.ts';
import type { ChangeStep, Outcome } from '../../worker/protocol-write.ts';
import { CommitView } from './commit-view.tsx';

interface ChangeViewProps {
  change: Call<ChangeStep>;
  /** On the button that commits. */
  action: string;
  onDone: (outcome: Outcome) => void;
}

const STOPPED_COMMIT =
  'Stopped. The commit may have been made all the same: open the table again, and see which version it has.';

/** A change on its way to its commit: shown, then allowed, then made. It is forgotten when the panel goes. */
export function ChangeView({ change, action, onDone }: ChangeViewProps) {
  const waiting = useRef<number>(undefined);
  const isCommitting = useRef(false);
  const { now } = change;
  if (now.state === 'done') {
    waiting.current = 'change' in now.value ? now.value.change : undefined;
    isCommitting.current = false;
  }
  const forget = () => {
    if (waiting.current !== undefined) void session.discardChange(waiting.current);
  };
  useEffect(() => forget, []);
  const goOn = () => {
    const id = waiting.current;
    if (id === undefined) return;
    isCommitting.current = true;
    change.begin('Committing', (task) => session.goOn(task, id));
  };
  const discard = () => {
    forget();
    change.reset();
  };
  return (
    <CallView now={now} stopped={isCommitting.current ? STOPPED_COMMIT : 'Stopped. Nothing was committed.'}>
      {(step) => <Step step={step} action={action} onGoOn={goOn} onDiscard={discard} onDone={onDone} />}
    </CallView>
  );
}

interface StepProps {
  step: ChangeStep;
  action: string;
  onGoOn: () => void;
  onDiscard: () => void;
  onDone: (outcome: Outcome) => void;
}

function Step({ step, action, onGoOn, onDiscard, onDone }: StepProps) {
  useEffect(() => {
    if (step.kind === 'done') onDone(step.done);
  }, [step]);
  switch (step.kind) {
    case 'nothing':
      return (
        <p class="empty" role="status">
          No row is concerned: there is nothing to commit.
        </p>
      );
    case 'plan':
      return (
        <>
          {step.anew && (
            <p role="alert" class="notice">
              Another writer has changed what this change had read. It was worked out again on the newest
              version: look at it once more.
            </p>
          )}
          <CommitView plan={step.plan} />
          <Decision action={action} onGoOn={onGoOn} onDiscard={onDiscard} />
        </>
      );
    case 'retry':
      return (
        <>
          <FailureBox failure={step.failure} />
          <p>
            The commit may or may not have been made. Trying the same one again finds out, and makes it if it
            was not.
          </p>
          <Decision action="Try the same commit again" onGoOn={onGoOn} onDiscard={onDiscard} />
        </>
      );
    case 'done':
      return <p class="loading">Reading the new version…</p>;
  }
}

function Decision(props: { action: string; onGoOn: () => void; onDiscard: () => void }) {
  return (
    <div class="decision">
      <button type="button" class="primary" onClick={props.onGoOn}>
        {props.action}
      </button>
      <button type="button" onClick={props.onDiscard}>
        Discard
      </button>
    </div>
  );
}
