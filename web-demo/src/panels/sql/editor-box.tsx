import { useEffect, useRef, useState } from 'preact/hooks';
import { session } from '../../session.ts';
import type { SqlMistake, SqlStart } from '../../worker/protocol-sql.ts';
import type { SqlEditor } from './editor.ts';

interface SqlEditorBoxProps {
  text: string;
  ready: SqlStart;
  /** Of the query that was run, while it is the one that is shown. */
  mistake: SqlMistake | undefined;
  isRunning: boolean;
  onText: (text: string) => void;
  onRun: () => void;
}

/** After so many milliseconds without a key a query is checked. */
const PAUSE = 400;

/** A query: a plain text area, until the editor has loaded. */
export function SqlEditorBox({ text, ready, mistake, isRunning, onText, onRun }: SqlEditorBoxProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<SqlEditor>(null);
  const [hasEditor, setHasEditor] = useState(false);
  const handlers = useRef({ text, onText, onRun });
  handlers.current = { text, onText, onRun };
  const found = useMistake(text, isRunning);
  const shown = mistake ?? found;

  useEffect(() => {
    let current = true;
    import('./editor.ts').then(({ createSqlEditor }) => {
      if (!current || place.current === null) return;
      editor.current = createSqlEditor(place.current, {
        text: handlers.current.text,
        ready,
        onText: (next) => handlers.current.onText(next),
        onRun: () => handlers.current.onRun(),
      });
      setHasEditor(true);
    });
    return () => {
      current = false;
      editor.current?.destroy();
    };
  }, []);
  useEffect(() => editor.current?.setText(text), [text]);
  useEffect(() => editor.current?.setMistake(shown), [shown, hasEditor]);

  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  };
  return (
    <div class="sql-query">
      <div class={`sql-editor ${hasEditor ? '' : 'absent'}`} ref={place} />
      {!hasEditor && (
        <textarea
          aria-label="SQL"
          value={text}
          rows={4}
          spellcheck={false}
          onKeyDown={press}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
      <div class="sql-run">
        <button type="button" class="primary" disabled={isRunning || text.trim() === ''} onClick={onRun}>
          Run
        </button>
        <span class="hint">Ctrl+Enter</span>
        <p id="sql-problem" class="problem" role="status">
          {shown?.message ?? ''}
        </p>
      </div>
    </div>
  );
}

/** What is wrong with a query that is being typed, once typing pauses. */
function useMistake(text: string, isRunning: boolean): SqlMistake | undefined {
  const [found, setFound] = useState<{ text: string; mistake: SqlMistake | undefined }>();
  useEffect(() => {
    if (isRunning) return undefined;
    let current = true;
    const timer = setTimeout(async () => {
      const result = await session.checkSql(text);
      if (current && result.ok) setFound({ text, mistake: result.value });
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, isRunning]);
  return found?.text === text ? found.mistake : undefined;
}
