import { useState } from 'preact/hooks';
import { droppedSource, pickFolder } from '../folders.ts';
import { SAMPLES, sampleUrl } from '../samples.ts';
import type { Source } from '../worker/protocol.ts';

/** The start: a link, a folder, or a sample. */
export function OpenPanel({ onOpen }: { onOpen: (source: Source) => void }) {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();

  const take = async (find: () => Promise<Source | undefined>) => {
    setProblem(undefined);
    try {
      const source = await find();
      if (source !== undefined) onOpen(source);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const { dataTransfer } = event;
    if (dataTransfer !== null) void take(() => droppedSource(dataTransfer));
  };

  return (
    <main
      class={over ? 'open over' : 'open'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h1>
        <span class="mark" aria-hidden="true">
          ▲
        </span>{' '}
        Delta table inspector
      </h1>
      <p class="lead">
        See what a Delta Lake table is and how it got there. Everything runs in this tab: no server, no
        upload.
      </p>
      <UrlForm onOpen={onOpen} />
      <section class="folder">
        <button type="button" onClick={() => void take(pickFolder)}>
          Choose a folder
        </button>
        <span>or drop the folder of a table anywhere on this page</span>
      </section>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <section aria-labelledby="samples">
        <h2 id="samples">Samples</h2>
        <ul class="samples">
          {SAMPLES.map((sample) => (
            <li key={sample.name}>
              <button type="button" onClick={() => onOpen({ kind: 'url', url: sampleUrl(sample.name) })}>
                <strong>{sample.title}</strong>
                <span>{sample.what}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}

function UrlForm({ onOpen }: { onOpen: (source: Source) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const url = String(new FormData(event.currentTarget as HTMLFormElement).get('url')).trim();
    if (url !== '') onOpen({ kind: 'url', url });
  };
  return (
    <form class="url" onSubmit={submit}>
      <label for="url">Link to a table</label>
      <div class="row">
        <input
          id="url"
          name="url"
          type="text"
          inputMode="url"
          placeholder="https://host/path/to/table"
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit" class="primary">
          Open
        </button>
      </div>
      <p class="hint">A signed link works too; its signature stays in this tab.</p>
    </form>
  );
}
