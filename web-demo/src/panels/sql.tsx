import { useEffect, useRef, useState } from 'preact/hooks';
import { TaskView } from '../components/task-view.tsx';
import { useCall } from '../components/use-call.ts';
import { useTask } from '../components/use-task.ts';
import { session } from '../session.ts';
import type { SqlAnswer, SqlStart } from '../worker/protocol-sql.ts';
import type { PanelProps } from './registry.tsx';
import { SqlAnswerView } from './sql/answer.tsx';
import { SqlEditorBox } from './sql/editor-box.tsx';

/** Queries by DuckDB, which loads when this opens and goes when it closes. */
export function SqlPanel(props: PanelProps) {
  const { overview } = props;
  const start = useTask((task) => session.startSql(task), [overview.location, overview.version]);
  useEffect(() => () => void session.stopSql(), []);
  return (
    <div class="sql">
      <TaskView task={start} doing="Loading DuckDB, about 34 MB once">
        {(ready) => <Console {...props} ready={ready} />}
      </TaskView>
    </div>
  );
}

function Console({ shown, show, ready }: PanelProps & { ready: SqlStart }) {
  const first = shown.detail === '' ? `SELECT * FROM t LIMIT 100` : shown.detail;
  const [text, setText] = useState(first);
  const [asked, setAsked] = useState(shown.detail);
  const call = useCall<SqlAnswer>();
  const latest = useRef(text);
  latest.current = text;
  const run = () => {
    const sql = latest.current;
    if (sql.trim() === '') return;
    setAsked(sql);
    // The same query again is the same link.
    if (sql !== shown.detail) show({ detail: sql });
    call.begin('Running the query', (task) => session.runSql(task, sql));
  };
  const runNow = useRef(run);
  runNow.current = run;
  useEffect(() => {
    if (shown.detail !== '') runNow.current();
  }, []);
  useEffect(() => {
    // A step back to another query shows and runs that one.
    if (shown.detail === '' || shown.detail === asked) return;
    latest.current = shown.detail;
    setText(shown.detail);
    runNow.current();
  }, [shown.detail]);
  const answer = call.now.state === 'done' && call.now.value.kind === 'wrong' ? call.now.value : undefined;
  return (
    <>
      <p class="hint">
        The table is <Names names={ready.tables} /> at the version that is shown; timestamps are UTC.{' '}
        {ready.engine}, in this tab.
      </p>
      <SqlEditorBox
        text={text}
        ready={ready}
        mistake={asked === text ? answer : undefined}
        isRunning={call.now.state === 'working'}
        onText={setText}
        onRun={() => runNow.current()}
      />
      <SqlAnswerView now={call.now} />
    </>
  );
}

function Names({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ' or '}
          <code>{/^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`}</code>
        </span>
      ))}
    </>
  );
}
