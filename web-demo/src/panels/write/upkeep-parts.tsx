import type { ComponentChildren } from 'preact';
import { CallView } from '../../components/call-view.tsx';
import type { Call } from '../../components/use-call.ts';
import type { FilesPlan, Outcome, WriteState } from '../../worker/protocol-write.ts';

export interface UpkeepProps {
  state: WriteState;
  onDone: (outcome: Outcome) => void;
}

type Begin<T> = Parameters<Call<T>['begin']>[1];

interface PrepareProps {
  plan: Call<FilesPlan>;
  doing: string;
  call: Begin<FilesPlan>;
  children: ComponentChildren;
}

/** The button that looks what there is to do. */
export function Prepare({ plan, doing, call, children }: PrepareProps) {
  if (plan.now.state === 'working' || plan.now.state === 'done') return null;
  return (
    <div class="decision">
      <button type="button" onClick={() => plan.begin(doing, call)}>
        {children}
      </button>
    </div>
  );
}

interface RunProps {
  work: Call<Outcome>;
  doing: string;
  call: Begin<Outcome>;
  onDone: (outcome: Outcome) => void;
  disabled?: boolean;
  children: ComponentChildren;
}

/** The button that does it. */
export function Run({ work, doing, call, onDone, disabled, children }: RunProps) {
  const start = () =>
    work.begin(doing, async (task) => {
      const result = await call(task);
      if (result.ok) onDone(result.value);
      return result;
    });
  return (
    <>
      {work.now.state !== 'working' && work.now.state !== 'done' && (
        <div class="decision">
          <button type="button" class="primary" disabled={disabled} onClick={start}>
            {children}
          </button>
        </div>
      )}
      <CallView now={work.now}>{() => <p class="loading">Reading the table again…</p>}</CallView>
    </>
  );
}
