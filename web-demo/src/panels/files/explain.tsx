import { useEffect, useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { Explanation, RowGroupTotals, Totals } from '../../worker/protocol-files.ts';
import type { FilesView } from './detail-link.ts';
import { percent } from './partition-list.tsx';
import { Scroll } from './scroll.tsx';

interface ExplanationProps {
  where: string;
  go: (view: FilesView) => void;
  /** Called whenever the worker knows more of the files. */
  onVerdicts: () => void;
}

/** What is read, what is not, and why. */
export function ExplanationSection(props: ExplanationProps) {
  const { where } = props;
  const task = useTask((each) => session.explainFiles(each, where), [where]);
  return (
    <section class="explanation" aria-label="Which files the query reads">
      <TaskView task={task} doing="Deciding file by file">
        {(explanation) => <Answer {...props} explanation={explanation} />}
      </TaskView>
    </section>
  );
}

function Answer({ explanation, where, go, onVerdicts }: ExplanationProps & { explanation: Explanation }) {
  useEffect(onVerdicts, []);
  const { read, skipped, reasons } = explanation;
  const all = read.bytes + skipped.bytes;
  return (
    <>
      <p class="answer">
        <strong>
          Reads {formatCount(read.files)} of {formatCount(read.files + skipped.files)} files
        </strong>
        {`, ${formatBytes(read.bytes)} of ${formatBytes(all)}${rowsText(read, skipped)}.`}{' '}
        {skipped.files === 0
          ? 'Every file may hold rows that match.'
          : `Skipping saves ${formatBytes(skipped.bytes)} (${percent(skipped.bytes, all)}).`}
      </p>
      <div
        class="share"
        role="img"
        aria-label={`${percent(read.bytes, all)} of the bytes are read`}
        style={{ '--share': all === 0 ? 0 : read.bytes / all }}
      />
      {reasons.length > 0 && <Reasons reasons={reasons} go={go} />}
      <p class="follow">
        {read.files > 0 && (
          <button type="button" onClick={() => go({ kind: 'list', verdict: 'read' })}>
            Show the files that are read
          </button>
        )}
        {skipped.files > 0 && (
          <button type="button" onClick={() => go({ kind: 'list', verdict: 'skipped' })}>
            Show the files that are skipped
          </button>
        )}
      </p>
      {read.files > 0 && <RowGroups where={where} files={read.files} onVerdicts={onVerdicts} key={where} />}
    </>
  );
}

function rowsText(read: Totals, skipped: Totals): string {
  if (read.rows === null || skipped.rows === null) return '';
  return `, ${formatCount(read.rows)} of ${formatCount(read.rows + skipped.rows)} rows`;
}

const RULES: Readonly<Record<string, string>> = {
  partitionValues: 'the partition value',
  minMax: 'minimum and maximum',
  nullCount: 'the count of nulls',
  bloomFilter: 'a Bloom filter',
  unknown: 'the condition itself',
};

/** What tells that no row of a file meets a condition. */
export function ruleName(rule: string): string {
  return RULES[rule] ?? rule;
}

function Reasons({ reasons, go }: { reasons: Explanation['reasons']; go: ExplanationProps['go'] }) {
  return (
    <Scroll label="Why files are skipped">
      <table class="plain">
        <caption>Why files are skipped</caption>
        <thead>
          <tr>
            <th scope="col">Condition that no row meets</th>
            <th scope="col">Known by</th>
            <th scope="col" class="numeric">
              Files
            </th>
            <th scope="col" class="numeric">
              Saves
            </th>
            <th scope="col" class="numeric">
              Rows
            </th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ id, rule, condition, files, bytes, rows }) => (
            <tr key={id}>
              <td>
                <button
                  type="button"
                  class="link"
                  title="Show these files"
                  onClick={() => go({ kind: 'list', reason: condition })}
                >
                  <code>{condition}</code>
                </button>
              </td>
              <td>{ruleName(rule)}</td>
              <td class="numeric">{formatCount(files)}</td>
              <td class="numeric">{formatBytes(bytes)}</td>
              <td class="numeric">{formatCount(rows)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Within the files that are read: their footers say more, at the cost of a request each. */
function RowGroups(props: Pick<ExplanationProps, 'where' | 'onVerdicts'> & { files: number }) {
  const { files } = props;
  const [isWanted, setWanted] = useState(false);
  if (!isWanted) {
    return (
      <p class="follow">
        <button type="button" onClick={() => setWanted(true)}>
          Look into the row groups
        </button>
        <span class="soft">
          reads the {files === 1 ? 'footer' : 'footers'} of {formatCount(files)}{' '}
          {files === 1 ? 'file' : 'files'}
        </span>
      </p>
    );
  }
  return <RowGroupAnswer {...props} />;
}

function RowGroupAnswer({ where, onVerdicts }: Pick<ExplanationProps, 'where' | 'onVerdicts'>) {
  const task = useTask((each) => session.explainRowGroups(each, where), [where]);
  return (
    <TaskView task={task} doing="Reading footers">
      {(totals) => <RowGroupSums totals={totals} onVerdicts={onVerdicts} />}
    </TaskView>
  );
}

function RowGroupSums({ totals, onVerdicts }: { totals: RowGroupTotals; onVerdicts: () => void }) {
  useEffect(onVerdicts, []);
  return <p class="row-groups">{rowGroupText(totals)}</p>;
}

function rowGroupText({ read, skipped, missing }: RowGroupTotals): string {
  const all = read.rowGroups + skipped.rowGroups;
  const text =
    `${formatCount(read.rowGroups)} of ${formatCount(all)} row ${all === 1 ? 'group' : 'groups'} in these files ` +
    `${read.rowGroups === 1 ? 'is' : 'are'} decoded: ` +
    `${formatCount(read.rows)} of ${formatCount(read.rows + skipped.rows)} rows, ` +
    `${formatBytes(read.bytes)} of ${formatBytes(read.bytes + skipped.bytes)} before compression.`;
  return missing === 0 ? text : `${text} ${formatCount(missing)} files are missing.`;
}
