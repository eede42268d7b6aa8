import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../../format.ts';
import { endTask, newTask } from '../../session.ts';
import type { FilesRead, GridColumn, Sort } from '../../worker/protocol-data.ts';
import type { GridRows } from '../grid.tsx';
import type { RowsShown } from '../use-rows.ts';
import type { Rectangle } from './selection.ts';

interface GridStatusProps {
  rows: RowsShown;
  sort: Sort | null;
  columns: GridColumn[];
  source: GridRows;
  box: Rectangle | undefined;
  zone: string;
  onUnsort: () => void;
  children: ComponentChildren;
}

/** How many rows there are, how far reading is, what the order is, and what can be done with the selection. */
export function GridStatus(props: GridStatusProps) {
  const { rows, sort, columns, onUnsort, children } = props;
  const { shown, isReading, isStopped, stop, goOn } = rows;
  return (
    <div class="grid-bar">
      <p class="count" aria-live="polite">
        {countText(rows)}
      </p>
      {shown.files !== undefined && <FilesLine files={shown.files} isAll={shown.isAll} />}
      {isReading && !shown.isAll && (
        <button type="button" class="small" onClick={stop}>
          Stop
        </button>
      )}
      {isStopped && (
        <button type="button" class="small" onClick={() => goOn(false)}>
          Read on
        </button>
      )}
      {!shown.isAll && !isReading && shown.known > 0 && (
        <button type="button" class="small" onClick={() => goOn(true)}>
          Count all
        </button>
      )}
      {shown.isMiscounted && (
        <p class="hint">The log counts other rows than the files have: they are counted as they are read.</p>
      )}
      {sort !== null && (
        <p class="sorted" role="status">
          Sorted by <b>{columns[sort.column]?.name}</b> within the {formatCount(shown.known)} rows that are
          loaded{' '}
          <button type="button" class="small" onClick={onUnsort}>
            {sort.descending ? 'Undo' : 'Reverse'}
          </button>
        </p>
      )}
      <div class="grid-tools">
        <CopyButton {...props} />
        {children}
      </div>
    </div>
  );
}

function FilesLine({
  files: { read, kept, skipped, isListed },
  isAll,
}: {
  files: FilesRead;
  isAll: boolean;
}) {
  if (!isListed) return <p class="hint files-read">{formatCount(kept + skipped)} files found…</p>;
  const all = kept + skipped;
  return (
    <p class="hint files-read" title={`${formatCount(skipped)} files are skipped by their statistics`}>
      {isAll || read === kept ? '' : `file ${formatCount(read)} of ${formatCount(kept)} · `}
      {formatCount(kept)} of {formatCount(all)} {all === 1 ? 'file' : 'files'} read
    </p>
  );
}

function countText({ shown, isReading, isStopped }: RowsShown): string {
  const rows = `${formatCount(shown.known)} ${shown.known === 1 ? 'row' : 'rows'}`;
  if (shown.isAll) return rows;
  if (isStopped) return `${rows} so far; stopped`;
  if (isReading) return shown.known === 0 ? 'Reading rows…' : `${rows} so far…`;
  return `${rows} so far; scroll for more`;
}

/** Copies what is selected as tab-separated text, with names where whole columns or more rows go. */
function CopyButton({ source, box, zone }: GridStatusProps) {
  const [said, setSaid] = useState<string>();
  const { copy } = source;
  if (copy === undefined || box === undefined) return null;
  const rows = box.bottom - box.top;
  const columns = Array.from({ length: box.right - box.left }, (_, at) => box.left + at);
  const press = async () => {
    const task = newTask();
    setSaid('Copying…');
    const range = { start: box.top, end: box.bottom, columns, header: rows > 1 && columns.length > 1, zone };
    const result = await copy(task, range);
    endTask(task);
    setSaid(result.ok ? await writeClipboard(result.value) : result.failure.message);
    setTimeout(() => setSaid(undefined), 4000);
  };
  const what = rows * columns.length === 1 ? 'cell' : `${formatCount(rows)} × ${formatCount(columns.length)}`;
  return (
    <>
      {said !== undefined && (
        <span class="hint" role="status">
          {said}
        </span>
      )}
      <button type="button" class="small copy" onClick={() => void press()}>
        Copy {what}
      </button>
    </>
  );
}

async function writeClipboard(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch (error) {
    return `The browser refused: ${error instanceof Error ? error.message : String(error)}`;
  }
}
