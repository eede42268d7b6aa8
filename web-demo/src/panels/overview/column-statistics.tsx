import { useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { Overview } from '../../worker/protocol.ts';
import type { BoundNote, ColumnSummary, TableStatistics } from '../../worker/protocol-overview.ts';
import { Scroll } from '../files/scroll.tsx';

/** Lines at first: a table may have thousands of columns. */
const FIRST = 100;

/** Minimum, maximum and nulls of every column, when a person asks. */
export function ColumnStatisticsSection({ overview }: { overview: Overview }) {
  const [isWanted, setWanted] = useState(false);
  const { numFiles, version } = overview;
  return (
    <section aria-labelledby="column-statistics" class="column-statistics">
      <h2 id="column-statistics">Values of columns</h2>
      {numFiles === 0 && <p class="empty">There are no files.</p>}
      {numFiles > 0 && !isWanted && (
        <p>
          <button type="button" onClick={() => setWanted(true)}>
            Add up the statistics
          </button>{' '}
          <span class="soft">
            of {formatCount(numFiles)} {numFiles === 1 ? 'file' : 'files'}: minimum, maximum and nulls
          </span>
        </p>
      )}
      {isWanted && <Statistics version={version} />}
    </section>
  );
}

function Statistics({ version }: { version: number }) {
  const task = useTask((each) => session.columnStatistics(each), [version]);
  return (
    <TaskView task={task} doing="Adding up the statistics of files">
      {(statistics) => <StatisticsTable statistics={statistics} />}
    </TaskView>
  );
}

function StatisticsTable({ statistics: { columns, files } }: { statistics: TableStatistics }) {
  const [shown, setShown] = useState(FIRST);
  return (
    <>
      <Scroll label="Minimum, maximum and nulls">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Minimum</th>
              <th scope="col">Maximum</th>
              <th scope="col" class="numeric">
                Nulls
              </th>
              <th scope="col" class="numeric">
                Files that say
              </th>
              <th scope="col">How exact</th>
            </tr>
          </thead>
          <tbody>
            {columns.slice(0, shown).map((column) => (
              <Line key={column.column} column={column} files={files} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {columns.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(columns.length)}>
            Show {formatCount(columns.length - shown)} more
          </button>
        </p>
      )}
    </>
  );
}

function Line({ column, files }: { column: ColumnSummary; files: number }) {
  const { min, max, nulls, bounded, counted } = column;
  return (
    <tr>
      <th scope="row" title={column.type}>
        {column.column}
      </th>
      <td>{min ?? <em>unknown</em>}</td>
      <td>{max ?? <em>unknown</em>}</td>
      <td class="numeric">{nullsText(nulls, counted, files)}</td>
      <td class="numeric">
        {bounded === files ? 'all' : `${formatCount(bounded)} of ${formatCount(files)}`}
      </td>
      <td>{exactness(column)}</td>
    </tr>
  );
}

function nullsText(nulls: number | undefined, counted: number, files: number): string {
  if (nulls === undefined) return 'unknown';
  return counted === files ? formatCount(nulls) : `at least ${formatCount(nulls)}`;
}

const NOTES: Readonly<Record<BoundNote, string>> = {
  cut: 'bounds: long text is cut',
  milliseconds: 'to the millisecond',
  deleted: 'bounds: rows with these values may be deleted',
  partial: 'of the files that say',
};

function exactness({ isPartition, values, notes, min }: ColumnSummary): string {
  if (isPartition) return `exact; ${formatCount(values ?? 0)} ${values === 1 ? 'value' : 'values'}`;
  if (min === undefined) return '';
  return notes.length === 0 ? 'exact' : notes.map((note) => NOTES[note]).join('; ');
}
