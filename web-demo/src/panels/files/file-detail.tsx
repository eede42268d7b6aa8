import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount, formatTime } from '../../format.ts';
import { session } from '../../session.ts';
import type { FileDetail, FilesSummary } from '../../worker/protocol-files.ts';
import { ruleName } from './explain.tsx';
import { FileInside } from './file-inside.tsx';
import { verdictText } from './file-list.tsx';
import { Scroll } from './scroll.tsx';

interface FileDetailProps {
  path: string;
  where: string;
  summary: FilesSummary;
  onBack: () => void;
  /** Shows the file without the condition. */
  onClear: () => void;
}

/** One file: what the log says of it, and what it is made of. */
export function FileDetailView({ path, where, summary, onBack, onClear }: FileDetailProps) {
  const task = useTask((each) => session.file(each, path, where), [path, where]);
  return (
    <article class="file-detail">
      <p>
        <button type="button" class="quiet" onClick={onBack}>
          ◂ All files
        </button>
        {where !== '' && (
          <button type="button" class="quiet" onClick={onClear}>
            Without the condition
          </button>
        )}
      </p>
      <h2 class="path">{path}</h2>
      <TaskView task={task} doing="Looking the file up">
        {(detail) => (
          <>
            <Facts detail={detail} where={where} summary={summary} />
            <Statistics detail={detail} />
            <FileInside path={path} where={where} />
          </>
        )}
      </TaskView>
    </article>
  );
}

function Facts({
  detail,
  where,
  summary,
}: { detail: FileDetail } & Pick<FileDetailProps, 'where' | 'summary'>) {
  const { row, vector, facts } = detail;
  const all: [string, string][] = [
    ['Size', formatBytes(row.size)],
    ['Rows', row.rows === null ? 'not counted in its statistics' : formatCount(row.rows)],
    ['Added (UTC)', formatTime(row.time)],
    ...summary.partitionColumns.map((name, at): [string, string] => [name, row.partition[at] ?? 'null']),
    ...facts,
  ];
  if (vector !== null) {
    all.push(
      ['Deleted rows', formatCount(vector.rows)],
      ['Deletion vector', `${vector.kind}, ${formatBytes(vector.bytes)}: ${vector.where}`],
    );
  }
  if (where !== '') all.push([`WHERE ${where}`, whyText(row)]);
  return (
    <dl class="pairs">
      {all.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function whyText(row: FileDetail['row']): string {
  const why = row.verdict?.why;
  if (why === undefined) return verdictText(row);
  return `skipped: no row meets ${why.condition}, by ${ruleName(why.rule)}${why.values && `: ${why.values}`}`;
}

function Statistics({ detail: { statistics, hasStatistics, tightBounds } }: { detail: FileDetail }) {
  return (
    <section aria-labelledby="statistics">
      <h2 id="statistics">Statistics in the log</h2>
      {!hasStatistics && <p class="empty">None: no query can skip this file by its values.</p>}
      {hasStatistics && statistics.length === 0 && <p class="empty">Only the count of rows.</p>}
      {!tightBounds && (
        <p class="soft">Minima and maxima are bounds: rows that hold them may have been deleted since.</p>
      )}
      {statistics.length > 0 && (
        <Scroll label="Statistics of the file">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Column</th>
                <th scope="col">Minimum</th>
                <th scope="col">Maximum</th>
                <th scope="col" class="numeric">
                  Nulls
                </th>
              </tr>
            </thead>
            <tbody>
              {statistics.map(({ column, min, max, nulls }) => (
                <tr key={column}>
                  <th scope="row">{column}</th>
                  <td>{min ?? <em>none</em>}</td>
                  <td>{max ?? <em>none</em>}</td>
                  <td class="numeric">{nulls === undefined ? <em>none</em> : formatted(nulls)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function formatted(count: string): string {
  return /^\d{1,15}$/.test(count) ? formatCount(Number(count)) : count;
}
