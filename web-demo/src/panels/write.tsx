import { useEffect, useRef } from 'preact/hooks';
import { TaskView } from '../components/task-view.tsx';
import { useTask } from '../components/use-task.ts';
import { formatCount } from '../format.ts';
import { session } from '../session.ts';
import type { Outcome, WriteState } from '../worker/protocol-write.ts';
import type { PanelProps } from './registry.tsx';
import { Append } from './write/append.tsx';
import { Delete } from './write/delete.tsx';
import { NewTableLink } from './write/new-table-link.tsx';
import { keepOutcome, outcomeOf } from './write/outcome.ts';
import { Checkpoint, Publish } from './write/upkeep.tsx';
import { Vacuum } from './write/vacuum.tsx';

const ACTIONS = [
  ['append', 'Append rows'],
  ['delete', 'Delete rows'],
  ['publish', 'Publish'],
  ['checkpoint', 'Checkpoint'],
  ['vacuum', 'Vacuum'],
] as const;
type Action = (typeof ACTIONS)[number][0];

/** What is shown of a table that was just made. */
const FRESH = { version: undefined, tab: 'write', where: '', detail: '' } as const;

/** Changes of the table: each shows what it would write before it writes. */
export function WritePanel(props: PanelProps) {
  const { overview, show } = props;
  const state = useTask((task) => session.writeState(task), [overview.version]);
  if (!overview.writable) {
    return (
      <div class="write">
        <p class="empty">
          This table is open for reading only. Tables in this browser's own storage, in S3 with keys, in a
          catalog, and in folders that were chosen to be written to can be changed here.
        </p>
        <NewTableLink onOpen={(source) => show({ ...FRESH, source })} />
      </div>
    );
  }
  return (
    <div class="write">
      <TaskView task={state} doing="Reading the newest version">
        {(known) => <Actions {...props} state={known} />}
      </TaskView>
      <NewTableLink onOpen={(source) => show({ ...FRESH, source })} />
    </div>
  );
}

function Actions({ overview, shown, show, reload, state }: PanelProps & { state: WriteState }) {
  const offered = ACTIONS.filter(([name]) => name !== 'publish' || state.isCatalogManaged);
  const action: Action = offered.find(([name]) => name === shown.detail)?.[0] ?? 'append';
  const done = (outcome: Outcome) => {
    keepOutcome(outcome, overview.location);
    if (shown.version === undefined) reload();
    else show({ version: undefined });
  };
  return (
    <>
      <nav class="actions" aria-label="Changes">
        {offered.map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-current={name === action ? 'page' : undefined}
            onClick={() => {
              keepOutcome(undefined);
              show({ detail: name });
            }}
          >
            {title}
          </button>
        ))}
      </nav>
      {state.version !== overview.version && (
        <p class="notice">
          Version {formatCount(overview.version)} is shown, the newest one is {formatCount(state.version)}:
          changes go on top of that.
        </p>
      )}
      <Done outcome={outcomeOf(overview)} />
      <div class="action" key={action}>
        {action === 'append' && <Append onDone={done} />}
        {action === 'delete' && (
          <Delete overview={overview} where={shown.where} state={state} onDone={done} />
        )}
        {action === 'publish' && <Publish state={state} onDone={done} />}
        {action === 'checkpoint' && <Checkpoint state={state} onDone={done} />}
        {action === 'vacuum' && <Vacuum state={state} onDone={done} />}
      </div>
    </>
  );
}

/** What the last change did, where it led to the version that is shown. */
function Done({ outcome }: { outcome: Outcome | undefined }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), [outcome]);
  if (outcome === undefined) return null;
  const { what, version, rebasedFrom, warnings } = outcome;
  return (
    <section class="outcome" ref={box} tabIndex={-1} role="status">
      <p>
        <strong>{what}.</strong> The table is at version {formatCount(version)}.
      </p>
      {rebasedFrom !== undefined && (
        <p>
          Another writer had taken version {formatCount(rebasedFrom)}: both changes fit, and this one came
          after.
        </p>
      )}
      {warnings.length > 0 && (
        <ul>
          {warnings.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
