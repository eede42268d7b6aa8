import { useState } from 'preact/hooks';
import { CallView } from '../../components/call-view.tsx';
import { useCall } from '../../components/use-call.ts';
import { session } from '../../session.ts';
import type { ChangeStep, ImportCheck, ImportInput as Input, Outcome } from '../../worker/protocol-write.ts';
import { ChangeView } from './change-view.tsx';
import { ImportInput } from './import-input.tsx';
import { ImportReport, isFitting } from './import-report.tsx';

/** Rows from a file or from the clipboard, checked, shown, appended. */
export function Append({ onDone }: { onDone: (outcome: Outcome) => void }) {
  const [header, setHeader] = useState(true);
  const check = useCall<ImportCheck>();
  const change = useCall<ChangeStep>();
  const begin = (input: Input) => {
    change.reset();
    check.begin('Checking the rows', (task) => session.checkImport(task, input, { header }));
  };
  return (
    <>
      <p class="hint">
        Columns go by their names. An empty cell of CSV is null; a column that is missing becomes null. Values
        must be exactly of the column's type: nothing is rounded or guessed.
      </p>
      <ImportInput action="Check the rows" onInput={begin} />
      <label class="check">
        <input
          type="checkbox"
          checked={header}
          onChange={({ currentTarget }) => setHeader(currentTarget.checked)}
        />{' '}
        The first line of CSV names the columns
      </label>
      <CallView now={check.now}>
        {(found) => (
          <>
            <ImportReport check={found} />
            {isFitting(found) && change.now.state === 'idle' && (
              <div class="decision">
                <button
                  type="button"
                  class="primary"
                  onClick={() => change.begin('Preparing the commit', (task) => session.planAppend(task))}
                >
                  Prepare the commit
                </button>
              </div>
            )}
          </>
        )}
      </CallView>
      <ChangeView change={change} action="Append the rows" onDone={onDone} />
    </>
  );
}
