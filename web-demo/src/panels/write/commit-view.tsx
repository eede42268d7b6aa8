import { useEffect, useRef } from 'preact/hooks';
import { formatBytes, formatCount } from '../../format.ts';
import type { CommitPlan, PlannedFile } from '../../worker/protocol-write.ts';
import { SmallTable } from './small-table.tsx';

/** A commit before it is made: what it does to files, and its actions as the log will have them. */
export function CommitView({ plan }: { plan: CommitPlan }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [plan]);
  return (
    <section class="commit" aria-label="The commit" ref={box}>
      <h2>
        The commit that this makes: version {formatCount(plan.version)}, {plan.operation}
      </h2>
      <p>
        {filesText(plan)} Nothing of it is written yet.
        {plan.isStaged && ' The catalog decides on it; then it is published.'}
      </p>
      {plan.metrics.length > 0 && (
        <dl class="metrics">
          {plan.metrics.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {plan.files.length > 0 && <Files files={plan.files} />}
      {plan.files.length < plan.numFiles && (
        <p class="hint">The first {formatCount(plan.files.length)} files are listed.</p>
      )}
      <details>
        <summary>
          {plan.numActions === 1 ? 'Its action' : `Its ${formatCount(plan.numActions)} actions`} as JSON
        </summary>
        <p class="place">{plan.path}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
        <pre tabIndex={0}>{plan.actions}</pre>
      </details>
    </section>
  );
}

function filesText({ numAdds, numRemoves, bytesAdded, bytesRemoved }: CommitPlan): string {
  const parts = [
    numAdds > 0 && `adds ${files(numAdds)} (${formatBytes(bytesAdded)})`,
    numRemoves > 0 && `removes ${files(numRemoves)} (${formatBytes(bytesRemoved)})`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'It touches no data file.' : `It ${parts.join(' and ')}.`;
}

function files(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'file' : 'files'}`;
}

/** Columns that say nothing of any file are left out. */
function Files({ files }: { files: PlannedFile[] }) {
  const columns = COLUMNS.filter(({ cell }) => files.some((file) => cell(file) !== ''));
  return (
    <SmallTable
      label="Files of the commit"
      columns={columns.map(({ name }) => name)}
      rows={files.map((file) => columns.map(({ cell }) => cell(file)))}
      numeric={columns.flatMap(({ isNumeric }, at) => (isNumeric ? [at] : []))}
    />
  );
}

interface FileColumn {
  name: string;
  isNumeric?: boolean;
  cell: (file: PlannedFile) => string;
}

const COLUMNS: readonly FileColumn[] = [
  { name: 'action', cell: ({ action }) => action },
  { name: 'path', cell: ({ path }) => path },
  {
    name: 'partition',
    cell: ({ partition }) => partition.map(([name, value]) => `${name}=${value ?? 'null'}`).join(' '),
  },
  { name: 'rows', isNumeric: true, cell: ({ rows }) => (rows === null ? '' : formatCount(rows)) },
  { name: 'size', isNumeric: true, cell: ({ size }) => (size === null ? '' : formatBytes(size)) },
  {
    name: 'deletion vector',
    cell: ({ deleted }) =>
      deleted === null ? '' : `hides ${formatCount(deleted)} ${deleted === 1 ? 'row' : 'rows'}`,
  },
];
