import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { session } from '../../session.ts';
import type { Overview } from '../../worker/protocol.ts';
import type { FilterProblem } from '../../worker/protocol-data.ts';
import type { FilterEditor } from './filter-editor.ts';

interface FilterBoxProps {
  overview: Overview;
  /** Empty for all rows. */
  where: string;
  onFilter: (where: string) => void;
  /** On the button. */
  action?: string;
}

const HINT = 'Conditions as in SQL. Enter applies, Alt+↓ completes.';

/** After so many milliseconds without a key a filter is checked. */
const PAUSE = 150;

/** A condition that Enter applies: a plain input, until an editor with completion has loaded. */
export function FilterBox({ overview, where, onFilter, action = 'Apply' }: FilterBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<FilterEditor>(null);
  const [isLoading, setLoading] = useState(false);
  const [hasEditor, setHasEditor] = useState(false);
  const [text, setText] = useState(where);
  const problem = useProblem(text, overview);
  const apply = (next: string) => onFilter(next.trim());
  const takesFocus = useRef(false);
  const applyNow = useRef(apply);
  applyNow.current = apply;

  useEffect(() => {
    setText(where);
    editor.current?.setText(where);
  }, [where]);
  useEffect(() => editor.current?.setProblem(problem), [problem]);
  useLayoutEffect(() => {
    if (hasEditor && takesFocus.current) editor.current?.focus();
  }, [hasEditor]);
  useEffect(() => () => editor.current?.destroy(), []);

  const load = async () => {
    if (isLoading) return;
    setLoading(true);
    const [{ createFilterEditor }, terms] = await Promise.all([
      import('./filter-editor.ts'),
      session.filterTerms(),
    ]);
    const plain = input.current;
    if (plain === null || place.current === null) return;
    editor.current = createFilterEditor(place.current, {
      text: plain.value,
      selection: [plain.selectionStart ?? 0, plain.selectionEnd ?? 0],
      labelledBy: 'where-label',
      placeholder: plain.placeholder,
      terms: terms.ok ? terms.value : [],
      onChange: setText,
      onEnter: (value) => applyNow.current(value),
    });
    takesFocus.current = document.activeElement === plain;
    setHasEditor(true);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    apply(editor.current?.text ?? input.current?.value ?? '');
  };
  const example = overview.partitionColumns[0] ?? overview.schema.fields[0]?.name ?? 'column';
  return (
    <form class="filter" onSubmit={submit}>
      <label id="where-label" for="where">
        WHERE
      </label>
      <div class={`filter-editor ${hasEditor ? '' : 'absent'}`} ref={place} />
      {!hasEditor && (
        <input
          id="where"
          ref={input}
          value={text}
          placeholder={`${example} IS NOT NULL`}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="where-problem"
          aria-invalid={problem !== undefined}
          onFocus={() => void load()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <button type="submit">{action}</button>
      {where !== '' && (
        <button type="button" class="quiet" onClick={() => onFilter('')}>
          Clear
        </button>
      )}
      <p id="where-problem" class={problem === undefined ? 'hint' : 'problem'} role="status">
        {problem?.message ?? HINT}
      </p>
    </form>
  );
}

/** What is wrong with a filter that is being typed, once typing pauses. */
function useProblem(text: string, overview: Overview): FilterProblem | undefined {
  const [found, setFound] = useState<{ text: string; problem: FilterProblem | undefined }>();
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const result = await session.checkFilter(text);
      if (current && result.ok) setFound({ text, problem: result.value });
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, overview]);
  return found?.text === text ? found.problem : undefined;
}
