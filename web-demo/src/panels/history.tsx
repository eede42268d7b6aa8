import { TaskView } from '../components/task-view.tsx';
import { useTask } from '../components/use-task.ts';
import { formatCount, formatTime } from '../format.ts';
import { session } from '../session.ts';
import type { Commit, History } from '../worker/protocol.ts';
import type { PanelProps } from './registry.tsx';

/** Commits, newest first; each opens the table as it was then. */
export function HistoryPanel({ overview, show }: PanelProps) {
  const task = useTask((each) => session.history(each), []);
  return (
    <TaskView task={task} doing="Reading commits">
      {(history) => <Commits history={history} overview={overview} show={show} />}
    </TaskView>
  );
}

function Commits({ history, overview, show }: { history: History } & Omit<PanelProps, 'shown' | 'reload'>) {
  const { commits, isCut } = history;
  if (commits.length === 0) return <p class="empty">The log has no commits any more, only a checkpoint.</p>;
  return (
    <>
      <ol class="history" reversed>
        {commits.map((commit) => (
          <CommitItem
            key={commit.version}
            commit={commit}
            current={overview.version}
            onTravel={(version) => show({ version, tab: 'data' })}
          />
        ))}
      </ol>
      {isCut && <p class="empty">Only the newest {formatCount(commits.length)} commits are listed.</p>}
    </>
  );
}

function CommitItem(props: { commit: Commit; current: number; onTravel: (version: number) => void }) {
  const { commit, current, onTravel } = props;
  const { version, timestamp, operation } = commit;
  const metrics = commit.metrics.filter(([, value]) => value !== '0');
  const by = [commit.user, commit.engine].filter((part) => part !== undefined).join(' · ');
  return (
    <li class={version === current ? 'current' : ''} aria-current={version === current}>
      <button type="button" title={`Open version ${version}`} onClick={() => onTravel(version)}>
        <span class="number">{version}</span>
        <span class="operation">{operation}</span>
        {timestamp !== null && (
          <time dateTime={new Date(timestamp).toISOString()}>{formatTime(timestamp)} UTC</time>
        )}
      </button>
      <div class="details">
        {metrics.length > 0 && <Facts facts={metrics.map(([key, value]) => [key, grouped(value)])} />}
        {commit.parameters.length > 0 && <Facts facts={commit.parameters} />}
        {by !== '' && <p class="by">{by}</p>}
      </div>
    </li>
  );
}

function Facts({ facts }: { facts: [string, string][] }) {
  return (
    <dl>
      {facts.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt> <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Metrics are numbers, mostly in text. */
function grouped(value: string): string {
  return /^\d{1,15}$/.test(value) ? formatCount(Number(value)) : value;
}
