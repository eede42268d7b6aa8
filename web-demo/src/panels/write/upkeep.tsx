import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CallView } from '../../components/call-view.tsx';
import { useCall } from '../../components/use-call.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { FilesPlan, Outcome, WriteState } from '../../worker/protocol-write.ts';
import { SmallTable } from './small-table.tsx';

interface UpkeepProps {
  state: WriteState;
  onDone: (outcome: Outcome) => void;
}

/** Commits that only the catalog knows become files of the log. */
export function Publish({ state, onDone }: UpkeepProps) {
  const work = useCall<Outcome>();
  const { unpublished, version } = state;
  if (unpublished.length === 0)
    return <p class="empty">All commits up to version {formatCount(version)} are published.</p>;
  return (
    <>
      <p>
        Publishing copies these commits, which the catalog has ratified, to their places in the log. Readers
        without the catalog see them then.
      </p>
      <SmallTable
        label="Commits to publish"
        columns={['version', 'staged', 'becomes', 'size']}
        rows={unpublished.map(({ version: each, staged, published, size }) => [
          formatCount(each),
          staged,
          published,
          formatBytes(size),
        ])}
        numeric={[0, 3]}
      />
      <Run work={work} doing="Publishing" call={(task) => session.publish(task)} onDone={onDone}>
        Publish {formatCount(unpublished.length)} {unpublished.length === 1 ? 'commit' : 'commits'}
      </Run>
    </>
  );
}

/** The newest version's state in one file. */
export function Checkpoint({ state, onDone }: UpkeepProps) {
  const plan = useCall<FilesPlan>();
  const work = useCall<Outcome>();
  const { version, checkpointVersion } = state;
  return (
    <>
      <p>
        A checkpoint holds the state of a version, so that readers need not read all commits before it.{' '}
        {checkpointVersion === undefined
          ? 'The table has none.'
          : `The newest one is of version ${formatCount(checkpointVersion)}, the table is at version ${formatCount(version)}.`}
      </p>
      {checkpointVersion === version ? (
        <p class="empty">There is nothing to write.</p>
      ) : (
        <Prepare plan={plan} doing="Making the checkpoint" call={(task) => session.planCheckpoint(task)}>
          Prepare the checkpoint
        </Prepare>
      )}
      <CallView now={plan.now}>
        {(found) =>
          found.numFiles === 0 ? (
            <p class="empty">Another writer has made it: there is nothing to write.</p>
          ) : (
            <>
              <h2>These files are written</h2>
              <FileList plan={found} />
              <Run work={work} doing="Writing" call={(task) => session.writeCheckpoint(task)} onDone={onDone}>
                Write the checkpoint
              </Run>
            </>
          )
        }
      </CallView>
    </>
  );
}

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

function FileList({ plan }: { plan: FilesPlan }) {
  return (
    <SmallTable
      label="Files"
      columns={['path', 'size']}
      rows={plan.files.map(({ path, size }) => [path, formatBytes(size)])}
      numeric={[1]}
    />
  );
}

type Begin<T> = Parameters<ReturnType<typeof useCall<T>>['begin']>[1];

interface PrepareProps {
  plan: ReturnType<typeof useCall<FilesPlan>>;
  doing: string;
  call: Begin<FilesPlan>;
  children: ComponentChildren;
}

function Prepare({ plan, doing, call, children }: PrepareProps) {
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
  work: ReturnType<typeof useCall<Outcome>>;
  doing: string;
  call: Begin<Outcome>;
  onDone: (outcome: Outcome) => void;
  disabled?: boolean;
  children: ComponentChildren;
}

function Run({ work, doing, call, onDone, disabled, children }: RunProps) {
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
