import { FailureBox } from '../../components/failure.tsx';
import { Grid } from '../../components/grid.tsx';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { useQuery } from '../../row-source.ts';
import { session } from '../../session.ts';
import type { ColumnDiff, FileGroup, VersionDiff } from '../../worker/protocol-data.ts';
import type { PanelProps } from '../registry.tsx';
import { diffDetail } from './detail.ts';
import { ExportMenu } from './export-menu.tsx';

type DiffProps = PanelProps & { from: number; to: number };

/** What differs between two versions: schema, properties, files, rows. */
export function DiffView({ overview, show, from, to }: DiffProps) {
  const task = useTask((each) => session.diffVersions(each, from, to), [from, to, overview.location]);
  return (
    <div class="diff">
      <DiffForm from={from} to={to} show={show} />
      <TaskView task={task} doing="Comparing versions">
        {(diff) => (
          <>
            <Summary diff={diff} />
            <RowDifferences diff={diff} show={show} />
          </>
        )}
      </TaskView>
    </div>
  );
}

function DiffForm({ from, to, show }: Pick<DiffProps, 'from' | 'to' | 'show'>) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    show({ detail: diffDetail(Number(form.get('from')), Number(form.get('to'))) });
  };
  return (
    <form class="diff-form" onSubmit={submit} key={`${from}..${to}`}>
      <button type="button" class="quiet" onClick={() => show({ detail: '' })}>
        ◂ Rows
      </button>
      <h2>Compare</h2>
      <label>
        version <input name="from" type="number" min={0} step={1} required defaultValue={String(from)} />
      </label>
      <label>
        with <input name="to" type="number" min={0} step={1} required defaultValue={String(to)} />
      </label>
      <button type="submit">Compare</button>
    </form>
  );
}

function Summary({ diff }: { diff: VersionDiff }) {
  const { columns, properties, protocol, partitionColumns, files } = diff;
  const changes = [
    ...columns.map((each) => ({ what: `column ${each.column}`, ...columnChange(each) })),
    ...properties.map(({ key, from, to }) => ({ what: key, from, to })),
    ...(protocol === null ? [] : [{ what: 'protocol', ...protocol }]),
    ...(partitionColumns === null ? [] : [{ what: 'partition columns', ...partitionColumns }]),
  ];
  return (
    <>
      <dl class="diff-figures">
        <Figure name="Rows" value={signed(diff.rows, formatCount)} />
        <Figure name="Bytes" value={signed(diff.bytes, formatBytes)} />
        <Figure name="Files added" value={groupText(files.added)} />
        <Figure name="Files removed" value={groupText(files.removed)} />
        <Figure name="Files with other deleted rows" value={groupText(files.updated)} />
      </dl>
      {changes.length === 0 ? (
        <p class="empty">Schema, properties and protocol are the same.</p>
      ) : (
        <table class="diff-changes">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Version {diff.from}</th>
              <th scope="col">Version {diff.to}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ what, from, to }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{from ?? <em>absent</em>}</td>
                <td>{to ?? <em>absent</em>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <FileList title="Files added" group={files.added} />
      <FileList title="Files removed" group={files.removed} />
      <FileList title="Files with other deleted rows" group={files.updated} />
    </>
  );
}

function columnChange({ kind, column, from, to }: ColumnDiff): { from: string | null; to: string | null } {
  return kind === 'renamed' ? { from: `named ${from}`, to: `named ${column}` } : { from, to };
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function signed(value: number | null, format: (size: number) => string): string {
  if (value === null) return 'unknown';
  return `${value > 0 ? '+' : value < 0 ? '−' : '±'}${format(Math.abs(value))}`;
}

function groupText({ count, bytes, rows }: FileGroup): string {
  if (count === 0) return '0';
  return `${formatCount(count)} (${rows === null ? '' : `${formatCount(rows)} rows, `}${formatBytes(bytes)})`;
}

function FileList({ title, group }: { title: string; group: FileGroup }) {
  if (group.count === 0) return null;
  return (
    <details class="diff-files">
      <summary>
        {title}: {formatCount(group.count)}
      </summary>
      <ul>
        {group.paths.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      {group.count > group.paths.length && (
        <p class="hint">and {formatCount(group.count - group.paths.length)} more</p>
      )}
    </details>
  );
}

/** Rows that only one of the versions has; of columns that both have. */
function RowDifferences({ diff, show }: { diff: VersionDiff } & Pick<DiffProps, 'show'>) {
  const { from, to, files, hasFeed } = diff;
  const isSame = files.added.count + files.removed.count + files.updated.count === 0;
  const rows = useQuery(isSame ? undefined : { kind: 'diff', from, to });
  if (isSame) return <p class="empty">The versions have the same files, so the same rows.</p>;
  return (
    <section class="data" aria-label="Rows that differ">
      <h2>Rows that differ</h2>
      <p class="hint">
        Rows of files that only one version has, without those that are in both. A changed row is removed and
        added.
        {hasFeed && from < to && (
          <>
            {' '}
            <button
              type="button"
              class="small"
              onClick={() => show({ tab: 'changes', detail: `versions=${from + 1}..${to}` })}
            >
              See each change in between
            </button>
          </>
        )}
      </p>
      {rows.state === 'loading' && <p class="loading">Comparing rows…</p>}
      {rows.state === 'failed' && <FailureBox failure={rows.failure} />}
      {rows.state === 'done' && (
        <Grid
          source={rows.value}
          label="Rows that differ"
          tools={<ExportMenu query={{ kind: 'diff', from, to }} name={`diff-v${from}-v${to}`} />}
          markOf={(cells) => (cells[0] === '"removed"' ? 'change-delete' : 'change-insert')}
        />
      )}
    </section>
  );
}
