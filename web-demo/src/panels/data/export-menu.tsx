import { useRef, useState } from 'preact/hooks';
import { Working } from '../../components/task-view.tsx';
import { formatBytes, formatCount } from '../../format.ts';
import { endTask, newTask, session } from '../../session.ts';
import type { Failure, Progress, Task } from '../../worker/protocol.ts';
import type { Exported, ExportFormat, RowQuery } from '../../worker/protocol-data.ts';

const FORMATS: readonly { format: ExportFormat; label: string; extension: string; hint: string }[] = [
  { format: 'csv', label: 'CSV', extension: 'csv', hint: 'null is nothing, empty text is ""; binary in hex' },
  { format: 'ndjson', label: 'NDJSON', extension: 'ndjson', hint: 'a JSON object per row, numbers exact' },
  {
    format: 'parquet',
    label: 'Parquet',
    extension: 'parquet',
    hint: 'Zstandard; held in memory until the end',
  },
  { format: 'arrow', label: 'Arrow IPC', extension: 'arrow', hint: 'the file format, types as they are' },
];

interface Running {
  readonly task: Task;
  readonly label: string;
  readonly progress: Progress | undefined;
}

type Outcome = { exported: Exported; name: string } | { failure: Failure };

interface SavePicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

/** All rows of a query as a file, made in the worker: into a place of the person's choice, or as a download. */
export function ExportMenu({ query, name }: { query: RowQuery; name: string }) {
  const popover = useRef<HTMLDivElement>(null);
  const [running, setRunning] = useState<Running>();
  const [outcome, setOutcome] = useState<Outcome>();

  const start = async (format: ExportFormat, label: string, extension: string) => {
    const file = await chosenFile(`${name}.${extension}`);
    if (file === 'none') return;
    const task = newTask((progress) => setRunning((before) => before && { ...before, progress }));
    setOutcome(undefined);
    setRunning({ task, label, progress: undefined });
    const result = await session.exportRows(task, query, format, file);
    endTask(task);
    setRunning(undefined);
    if (!result.ok) setOutcome({ failure: result.failure });
    else {
      if (result.value.blob !== undefined) download(result.value.blob, `${name}.${extension}`);
      setOutcome({ exported: result.value, name: file?.name ?? `${name}.${extension}` });
    }
  };
  return (
    <>
      <button type="button" class="small" popovertarget="export-menu">
        Export
      </button>
      <div
        id="export-menu"
        class="export-menu"
        popover="auto"
        ref={popover}
        role="dialog"
        aria-label="Export"
      >
        <p class="hint">All rows that the grid has, with the columns that are shown.</p>
        {running === undefined ? (
          <ul>
            {FORMATS.map(({ format, label, extension, hint }) => (
              <li key={format}>
                <button type="button" onClick={() => void start(format, label, extension)}>
                  {label}
                </button>{' '}
                <span class="hint">{hint}</span>
              </li>
            ))}
          </ul>
        ) : (
          <Working
            doing={`Writing ${running.label}`}
            progress={running.progress}
            cancel={() => void session.cancel(running.task.id)}
          />
        )}
        {outcome !== undefined && <p role="status">{outcomeText(outcome)}</p>}
      </div>
    </>
  );
}

function outcomeText(outcome: Outcome): string {
  if ('failure' in outcome) return outcome.failure.message;
  const { rows, bytes } = outcome.exported;
  return `${outcome.name}: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}, ${formatBytes(bytes)}`;
}

/** A file that the person picks; undefined for a download; `none` where they thought better of it. */
async function chosenFile(suggestedName: string): Promise<FileSystemFileHandle | undefined | 'none'> {
  const { showSaveFilePicker } = globalThis as SavePicker;
  if (showSaveFilePicker === undefined) return undefined;
  try {
    return await showSaveFilePicker({ suggestedName });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return 'none';
    // Pages in frames may not ask: then it is a download.
    if (error instanceof DOMException && error.name === 'SecurityError') return undefined;
    throw error;
  }
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
