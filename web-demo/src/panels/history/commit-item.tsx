import { useState } from 'preact/hooks';
import { formatBytes, formatCount, formatTime } from '../../format.ts';
import type { Commit, CommitChange, FileCounts } from '../../worker/protocol-history.ts';
import { diffDetail } from '../data/detail.ts';
import type { PanelProps } from '../registry.tsx';
import { RawActions } from './raw-actions.tsx';

interface CommitItemProps {
  commit: Commit;
  /** Undefined until it is added up. */
  change: CommitChange | undefined;
  /** Whether it is being added up. */
  isComing: boolean;
  /** The version that is open. */
  current: number;
  /** Whether its actions are shown. */
  isOpen: boolean;
  show: PanelProps['show'];
}

export function CommitItem({ commit, change, isComing, current, isOpen, show }: CommitItemProps) {
  const { version, timestamp, operation, isStaged } = commit;
  const isCurrent = version === current;
  return (
    <li class={isCurrent ? 'current' : ''} aria-current={isCurrent}>
      <button
        type="button"
        class="travel"
        title={`Open version ${version}`}
        onClick={() => show({ version, tab: 'data', detail: '' })}
      >
        <span class="number">{version}</span>
        <span class="operation">{operation}</span>
        {isStaged && <span class="badge strong">not published</span>}
        {timestamp !== null && (
          <time dateTime={new Date(timestamp).toISOString()}>{formatTime(timestamp)} UTC</time>
        )}
      </button>
      <Details commit={commit} change={change} isComing={isComing} />
      <Steps version={version} size={commit.size} isOpen={isOpen} show={show} />
      {isOpen && <RawActions version={version} />}
    </li>
  );
}

function Details({ commit, change, isComing }: Pick<CommitItemProps, 'commit' | 'change' | 'isComing'>) {
  const metrics = commit.metrics.filter(([, value]) => value !== '0');
  const by = [commit.user, commit.engine].filter((part) => part !== undefined).join(' · ');
  return (
    <div class="details">
      {change !== undefined && <p class="change">{changeText(change)}</p>}
      {change === undefined && isComing && <p class="by">…</p>}
      {metrics.length > 0 && <Facts facts={metrics.map(([key, value]) => [key, grouped(value)])} />}
      {commit.parameters.length > 0 && <Facts facts={commit.parameters} />}
      {by !== '' && <p class="by">{by}</p>}
    </div>
  );
}

/** `+2 files, 10 KiB, 400 rows · −1 file, 5 KiB` */
export function changeText({ added, removed, restated }: CommitChange): string {
  const parts = [
    added.files > 0 && `+${countsText(added)}`,
    removed.files > 0 && `−${countsText(removed)}`,
    restated > 0 && `${filesText(restated)} added once more, with other statistics or tags`,
  ].filter(Boolean);
  return parts.length === 0 ? 'no files added or removed' : parts.join(' · ');
}

function countsText({ files, bytes, rows }: FileCounts): string {
  return [
    filesText(files),
    bytes !== null && formatBytes(bytes),
    rows !== null && `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function filesText(files: number): string {
  return `${formatCount(files)} ${files === 1 ? 'file' : 'files'}`;
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

interface StepsProps {
  version: number;
  /** Bytes of the commit's file. */
  size: number;
  isOpen: boolean;
  show: PanelProps['show'];
}

/** Where one can go from a commit. */
function Steps({ version, size, isOpen, show }: StepsProps) {
  const [isComparing, setComparing] = useState(false);
  const compare = (other: number) => {
    const detail = diffDetail(Math.min(version, other), Math.max(version, other));
    show({ tab: 'data', version: undefined, detail });
  };
  return (
    <div class="steps">
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen}
        onClick={() => show({ detail: isOpen ? '' : `commit=${version}` })}
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'} </span>
        Actions<span class="hidden"> of version {version}</span> <span class="soft">{formatBytes(size)}</span>
      </button>
      <button
        type="button"
        class="quiet"
        aria-expanded={isComparing}
        onClick={() => setComparing(!isComparing)}
      >
        Compare<span class="hidden"> version {version}</span> with…
      </button>
      {isComparing && <CompareForm version={version} onCompare={compare} />}
    </div>
  );
}

function CompareForm({ version, onCompare }: { version: number; onCompare: (other: number) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const other = new FormData(event.currentTarget as HTMLFormElement).get('other');
    onCompare(Number(other));
  };
  return (
    <form class="compare" onSubmit={submit}>
      <label>
        <span>version</span>
        <input
          name="other"
          type="number"
          min={0}
          max={Number.MAX_SAFE_INTEGER}
          step={1}
          required
          defaultValue={String(Math.max(version - 1, 0))}
        />
      </label>
      <button type="submit">Compare</button>
    </form>
  );
}

/** Metrics are numbers, mostly in text. */
function grouped(value: string): string {
  return /^\d{1,15}$/.test(value) ? formatCount(Number(value)) : value;
}
