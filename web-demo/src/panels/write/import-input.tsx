import { useId, useState } from 'preact/hooks';
import type { ImportInput as Input } from '../../worker/protocol-write.ts';

interface ImportInputProps {
  /** On the button for what was pasted. */
  action: string;
  onInput: (input: Input) => void;
}

/** A file, chosen or dropped, or text that is pasted. */
export function ImportInput({ action, onInput }: ImportInputProps) {
  const [text, setText] = useState('');
  const [over, setOver] = useState(false);
  const id = useId();
  const take = (file: File | undefined) => {
    if (file !== undefined) onInput({ kind: 'file', file });
  };
  // Around it, at the start, folders are dropped to be opened.
  const keep = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  const drop = (event: DragEvent) => {
    keep(event);
    setOver(false);
    take(event.dataTransfer?.files[0]);
  };
  return (
    <section
      class={over ? 'import over' : 'import'}
      aria-label="Rows to import"
      onDragOver={(event) => {
        keep(event);
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div class="from-file">
        <label class="button" for={`${id}-file`}>
          Choose a file
        </label>
        <input
          id={`${id}-file`}
          class="unseen"
          type="file"
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.parquet"
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
        <span class="hint">or drop one here: CSV, NDJSON, a JSON list, or Parquet</span>
      </div>
      <label for={`${id}-text`}>Or paste CSV or JSON</label>
      <textarea
        id={`${id}-text`}
        rows={5}
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="row">
        <button type="button" disabled={text.trim() === ''} onClick={() => onInput({ kind: 'text', text })}>
          {action}
        </button>
      </div>
    </section>
  );
}
