import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from '../../components/failure.tsx';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { endTask, newTask, session } from '../../session.ts';
import type { Failure } from '../../worker/protocol.ts';
import type { CommitLine, OpenedCommit } from '../../worker/protocol-history.ts';
import { JsonText } from './json-text.tsx';

/** Actions that are listed at first, and more each time. */
const STEP = 50;

/** The actions of a commit as they are written. */
export function RawActions({ version }: { version: number }) {
  const task = useTask((each) => session.openCommit(each, version), [version]);
  return (
    <div class="raw">
      <TaskView task={task} doing="Reading the commit">
        {(opened) => <Actions opened={opened} />}
      </TaskView>
    </div>
  );
}

function Actions({ opened }: { opened: OpenedCommit }) {
  const { version, lines, actions, isCut, bytes } = opened;
  const [action, setAction] = useState<string>();
  const [end, setEnd] = useState(STEP);
  const [found, setFound] = useState<CommitLine[]>([]);
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    let current = true;
    session.commitLines({ action, start: 0, end }).then((result) => {
      if (!current) return;
      if (result.ok) setFound(result.value);
      else setFailure(result.failure);
    });
    return () => {
      current = false;
    };
  }, [version, action, end]);
  const total = action === undefined ? lines : (actions.find(([name]) => name === action)?.[1] ?? 0);
  const choose = (name: string | undefined) => {
    setAction(name);
    setEnd(STEP);
  };
  if (failure !== undefined) return <FailureBox failure={failure} />;
  return (
    <>
      <div class="kinds">
        <Kind name="all" count={lines} isChosen={action === undefined} onChoose={() => choose(undefined)} />
        {actions.map(([name, count]) => (
          <Kind
            key={name}
            name={name}
            count={count}
            isChosen={action === name}
            onChoose={() => choose(name)}
          />
        ))}
        <Download version={version} />
      </div>
      {isCut && (
        <p class="soft">
          The file has {formatBytes(bytes)}: only its beginning is shown. The download has all of it.
        </p>
      )}
      {found.map((line, at) => (
        <Line key={`${action} ${at}`} line={line} isOpen={lines <= 3} />
      ))}
      {total > found.length && (
        <p class="more">
          <button type="button" onClick={() => setEnd(end + STEP)}>
            Show more
          </button>{' '}
          <span class="soft">
            {formatCount(found.length)} of {formatCount(total)}
          </span>
        </p>
      )}
    </>
  );
}

interface KindProps {
  name: string;
  count: number;
  isChosen: boolean;
  onChoose: () => void;
}

function Kind({ name, count, isChosen, onChoose }: KindProps) {
  return (
    <button type="button" class="kind" aria-pressed={isChosen} onClick={onChoose}>
      {name} <span class="soft">{formatCount(count)}</span>
    </button>
  );
}

/** One action; its text is laid out when it is opened. */
function Line({ line, isOpen }: { line: CommitLine; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const { action, about, text, length } = line;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{action}</code> <span class="about">{about}</span>
      </summary>
      {open && <JsonText text={text} />}
      {open && length > text.length && (
        <p class="soft">
          The first {formatCount(text.length)} of {formatCount(length)} characters. The download has all of
          them.
        </p>
      )}
    </details>
  );
}

/** Hands the file out as it is. */
function Download({ version }: { version: number }) {
  const [failure, setFailure] = useState<Failure>();
  const download = async () => {
    const task = newTask();
    const result = await session.commitFile(task, version);
    endTask(task);
    setFailure(result.ok ? undefined : result.failure);
    if (!result.ok) return;
    const url = URL.createObjectURL(new Blob([result.value.bytes], { type: 'application/json' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: result.value.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  return (
    <>
      <button type="button" onClick={() => void download()}>
        Download the file
      </button>
      {failure !== undefined && <FailureBox failure={failure} />}
    </>
  );
}
