import { FailureBox } from '../components/failure.tsx';
import { Grid } from '../components/grid.tsx';
import { TaskView } from '../components/task-view.tsx';
import { useTask } from '../components/use-task.ts';
import { useQuery } from '../row-source.ts';
import { session } from '../session.ts';
import { CHANGE_TYPES, type ChangeRange, type ChangeType } from '../worker/protocol-changes.ts';
import type { RowQuery } from '../worker/protocol-data.ts';
import { ChangeCounts } from './changes/counts.tsx';
import { type ChangesDetail, changesDetail, readChangesDetail } from './changes/detail.ts';
import { NoFeed } from './changes/no-feed.tsx';
import { ExportMenu } from './data/export-menu.tsx';
import type { PanelProps } from './registry.tsx';

/** Versions that are shown at first. */
const FIRST_VERSIONS = 10;

/** The change feed: rows that each version inserted, updated and deleted. */
export function ChangesPanel({ overview, shown, show }: PanelProps) {
  const range = useTask((each) => session.changeRange(each), [overview.location, overview.version]);
  return (
    <TaskView task={range} doing="Looking for versions with a change feed">
      {(found) => {
        const asked = readChangesDetail(shown.detail);
        if (found.start === null && asked.start === undefined) return <NoFeed overview={overview} />;
        const start = asked.start ?? Math.max(found.start ?? 0, found.end - FIRST_VERSIONS + 1);
        const detail = { start, end: asked.end ?? found.end, types: asked.types };
        const change = (next: Partial<ChangesDetail>) =>
          show({ detail: changesDetail({ ...detail, ...next }) });
        return <Changes range={found} {...detail} onChange={change} />;
      }}
    </TaskView>
  );
}

interface ChangesProps extends ChangesDetail {
  start: number;
  end: number;
  range: ChangeRange;
  onChange: (next: Partial<ChangesDetail>) => void;
}

function Changes({ range, start, end, types, onChange }: ChangesProps) {
  const query: RowQuery = { kind: 'changes', start, end, types: [...types] };
  const rows = useQuery(query);
  const counts = useTask((each) => session.countChanges(each, start, end), [start, end]);
  return (
    <div class="data changes">
      <RangeForm range={range} start={start} end={end} onChange={onChange} />
      <TypeFilter types={types} onChange={(next) => onChange({ types: next })} />
      {rows.state === 'failed' ? (
        <FailureBox failure={rows.failure} />
      ) : (
        <TaskView task={counts} doing="Counting changes">
          {(found) => (
            <ChangeCounts
              counts={found}
              onVersion={(version) => onChange({ start: version, end: version })}
            />
          )}
        </TaskView>
      )}
      {rows.state === 'loading' && <p class="loading">Reading commits…</p>}
      {rows.state === 'done' && (
        <Grid
          source={rows.value}
          label="Changed rows"
          markOf={(cells) => `change-${String(cells[0]).replaceAll('"', '')}`}
          tools={<ExportMenu query={query} name={`changes-v${start}-v${end}`} />}
        />
      )}
    </div>
  );
}

function RangeForm({
  range,
  start,
  end,
  onChange,
}: Pick<ChangesProps, 'range' | 'start' | 'end' | 'onChange'>) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    onChange({ start: Number(form.get('start')), end: Number(form.get('end')) });
  };
  const isWhole = range.start === start && range.end === end;
  return (
    <form class="range" onSubmit={submit} key={`${start}..${end}`}>
      <label>
        Versions <input name="start" type="number" min={0} step={1} required defaultValue={String(start)} />
      </label>
      <label>
        to <input name="end" type="number" min={0} step={1} required defaultValue={String(end)} />
      </label>
      <button type="submit">Show</button>
      {range.start !== null && !isWhole && (
        <button type="button" onClick={() => onChange({ start: range.start!, end: range.end })}>
          All with a feed: {range.start} to {range.end}
        </button>
      )}
      {range.reason !== undefined && (
        <p class="hint">Changes before are not read with these: {range.reason}.</p>
      )}
    </form>
  );
}

const LABELS: Readonly<Record<ChangeType, string>> = {
  insert: 'insert',
  update_preimage: 'update, before',
  update_postimage: 'update, after',
  delete: 'delete',
};

function TypeFilter({
  types,
  onChange,
}: {
  types: readonly ChangeType[];
  onChange: (types: ChangeType[]) => void;
}) {
  return (
    <fieldset class="change-types">
      <legend>Kinds</legend>
      {CHANGE_TYPES.map((type) => (
        <label key={type} class={`change-${type}`}>
          <input
            type="checkbox"
            checked={types.includes(type)}
            onChange={(event) => {
              const next = CHANGE_TYPES.filter((each) =>
                each === type ? event.currentTarget.checked : types.includes(each),
              );
              onChange(next);
            }}
          />
          {LABELS[type]}
        </label>
      ))}
    </fieldset>
  );
}
