import { useState } from 'preact/hooks';
import { CallView } from '../../components/call-view.tsx';
import { useCall } from '../../components/use-call.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { FilesPlan, Outcome } from '../../worker/protocol-write.ts';
import { SmallTable } from './small-table.tsx';
import { Prepare, Run, type UpkeepProps } from './upkeep-parts.tsx';

/** Files that no version within the retention needs. */
export function Vacuum({ state, onDone }: UpkeepProps) {
  const plan = useCall<FilesPlan>();
  const work = useCall<Outcome>();
  const [typed, setTyped] = useState('');
  if (state.isCatalogManaged)
    return <p class="empty">A catalog manages this table, and it alone may delete files of it.</p>;
  return (
    <>
      <p>
        Vacuum deletes data files that were removed from the table, or never committed, more than{' '}
        {formatCount(state.retainHours)} hours ago. Older versions that need them cannot be read then.
      </p>
      <Prepare plan={plan} doing="Looking for unused files" call={(task) => session.planVacuum(task)}>
        Look for unused files
      </Prepare>
      <CallView now={plan.now}>
        {(found) =>
          found.numFiles === 0 ? (
            <p class="empty" role="status">
              Every file is needed: there is nothing to delete.
            </p>
          ) : (
            <>
              <h2>
                {formatCount(found.numFiles)} {found.numFiles === 1 ? 'file' : 'files'},{' '}
                {formatBytes(found.bytes)}, would go for good
              </h2>
              <SmallTable
                label="Unused files"
                columns={['path']}
                rows={found.files.map(({ path }) => [path])}
              />
              {found.files.length < found.numFiles && (
                <p class="hint">The first {formatCount(found.files.length)} are listed.</p>
              )}
              <label class="confirm">
                Type <code>delete {found.numFiles}</code> to allow it{' '}
                <input
                  value={typed}
                  autocomplete="off"
                  onInput={({ currentTarget }) => setTyped(currentTarget.value)}
                />
              </label>
              <Run
                work={work}
                doing="Deleting"
                call={(task) => session.runVacuum(task)}
                onDone={onDone}
                disabled={typed.trim() !== `delete ${found.numFiles}`}
              >
                Delete the files
              </Run>
            </>
          )
        }
      </CallView>
    </>
  );
}
