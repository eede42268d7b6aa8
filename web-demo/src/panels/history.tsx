import { useState } from 'preact/hooks';
import { TaskView, Working } from '../components/task-view.tsx';
import { useTask } from '../components/use-task.ts';
import { formatBytes, formatCount } from '../format.ts';
import { session } from '../session.ts';
import type { Commit, HistoryChanges } from '../worker/protocol-history.ts';
import { CommitItem } from './history/commit-item.tsx';
import { RawActions } from './history/raw-actions.tsx';
import { Trend, TrendToCome } from './history/trend.tsx';
import { type Commits, useCommits } from './history/use-commits.ts';
import type { PanelProps } from './registry.tsx';

/** Commits are read as a whole for what they did to files; more bytes than this only when a person asks. */
const MAX_UNASKED = 64 * 2 ** 20;

/** Commits, newest first, with what each did; each opens the table as it was then. */
export function HistoryPanel(props: PanelProps) {
  const commits = useCommits();
  const { first } = commits;
  return (
    <div class="history-tab">
      <TaskView task={first} doing="Reading commits">
        {() => <Timeline {...props} commits={commits} />}
      </TaskView>
    </div>
  );
}

function Timeline({ overview, shown, show, commits }: PanelProps & { commits: Commits }) {
  const { listed, older, next } = commits;
  const [, open] = /^commit=(\d{1,15})$/.exec(shown.detail) ?? [];
  const opened = open === undefined ? undefined : Number(open);
  if (listed.length === 0) {
    return (
      <p class="empty">
        The log has no commits any more, only a checkpoint of version {formatCount(overview.version)}: how the
        table got there is not recorded.
      </p>
    );
  }
  const isListed = listed.some(({ version }) => version === opened);
  return (
    <WithChanges listed={listed}>
      {(changes, isComing) => (
        <>
          {changes !== undefined && changes.trend.length > 1 && (
            <Trend changes={changes} onTravel={(version) => show({ version, tab: 'data', detail: '' })} />
          )}
          {opened !== undefined && !isListed && (
            <section class="lone" aria-label={`Commit ${opened}`}>
              <h2>Version {formatCount(opened)}</h2>
              <RawActions version={opened} />
            </section>
          )}
          <ol class="history" reversed>
            {listed.map((commit) => (
              <CommitItem
                key={commit.version}
                commit={commit}
                change={changes?.changes.find(({ version }) => version === commit.version)}
                isComing={isComing}
                current={overview.version}
                isOpen={commit.version === opened}
                show={show}
              />
            ))}
          </ol>
          <End listed={listed} older={older} next={next} onMore={commits.more} />
        </>
      )}
    </WithChanges>
  );
}

interface EndProps extends Pick<Commits, 'listed' | 'older' | 'next'> {
  onMore: () => void;
}

/** What lies before the oldest commit that is listed. */
function End({ listed, older, next, onMore }: EndProps) {
  const oldest = listed.at(-1)!.version;
  if (older !== undefined) {
    return (
      <TaskView task={older} doing="Reading older commits">
        {() => null}
      </TaskView>
    );
  }
  if (next !== undefined) {
    return (
      <p class="more">
        <button type="button" onClick={onMore}>
          Older commits
        </button>{' '}
        <span class="soft">
          {formatCount(listed.length)} are listed, down to version {formatCount(oldest)}
        </span>
      </p>
    );
  }
  return oldest === 0 ? null : (
    <p class="empty">
      The log begins with version {formatCount(oldest)}: older commits have been cleaned up behind a
      checkpoint.
    </p>
  );
}

interface WithChangesProps {
  listed: Commit[];
  children: (changes: HistoryChanges | undefined, isComing: boolean) => preact.ComponentChildren;
}

/** The commits first, and what they did to files when that is read as well. */
function WithChanges({ listed, children }: WithChangesProps) {
  const bytes = listed.reduce((sum, { size }) => sum + size, 0);
  const [isAllowed, setAllowed] = useState(false);
  const isWanted = isAllowed || bytes <= MAX_UNASKED;
  if (isWanted) return <Reading listed={listed}>{children}</Reading>;
  return (
    <>
      <p class="more">
        <button type="button" onClick={() => setAllowed(true)}>
          Add up what the commits did
        </button>{' '}
        <span class="soft">reads them as a whole, {formatBytes(bytes)}</span>
      </p>
      {children(undefined, false)}
    </>
  );
}

function Reading({ listed, children }: WithChangesProps) {
  const { result, progress, cancel } = useTask(
    (task) => session.commitChanges(task),
    [listed.length, listed[0]?.version],
  );
  // Of fewer commits, until those of more are there.
  const [last, setLast] = useState<HistoryChanges>();
  if (result.state === 'done' && result.value !== last) setLast(result.value);
  const isComing = result.state === 'loading' && last === undefined;
  return (
    <>
      {isComing && (
        <TrendToCome isPlotted={listed.length > 1}>
          <Working doing="Adding up what the commits did" progress={progress} cancel={cancel} />
        </TrendToCome>
      )}
      {result.state === 'failed' && result.failure.code !== 'Cancelled' && (
        <p class="empty">What the commits did to files could not be added up: {result.failure.message}</p>
      )}
      {children(last, isComing)}
    </>
  );
}
