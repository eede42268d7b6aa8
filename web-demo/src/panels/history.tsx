import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from '../components/failure.tsx';
import { formatTime } from '../format.ts';
import { type Loadable, loaded, session } from '../session.ts';
import type { Commit } from '../worker/protocol.ts';

/** Commits, newest first; each opens the table as it was then. */
export function HistoryPanel(props: { current: number; onTravel: (version: number) => void }) {
  const [commits, setCommits] = useState<Loadable<Commit[]>>({ state: 'loading' });
  useEffect(() => {
    let current = true;
    session.history().then((result) => {
      if (current) setCommits(loaded(result));
    });
    return () => {
      current = false;
    };
  }, [props.current]);

  if (commits.state === 'loading') return <p class="loading">Reading commits…</p>;
  if (commits.state === 'failed') return <FailureBox failure={commits.failure} />;
  return (
    <ol class="history">
      {commits.value.map((commit) => (
        <li key={commit.version} class={commit.version === props.current ? 'current' : undefined}>
          <button type="button" onClick={() => props.onTravel(commit.version)}>
            <span class="number">{commit.version}</span>
            <span class="operation">{commit.operation}</span>
            <time dateTime={new Date(commit.timestamp).toISOString()}>{formatTime(commit.timestamp)}</time>
          </button>
          <Details commit={commit} />
        </li>
      ))}
    </ol>
  );
}

function Details({ commit }: { commit: Commit }) {
  const facts = [...commit.parameters, ...commit.metrics].filter(([, value]) => value !== '' && value !== '[]');
  const by = [commit.user, commit.engine].filter((part) => part !== undefined).join(' · ');
  return (
    <div class="details">
      {by !== '' && <p class="by">{by}</p>}
      <ul>
        {facts.map(([key, value]) => (
          <li key={key}>
            <span>{key}</span> {value}
          </li>
        ))}
      </ul>
    </div>
  );
}
