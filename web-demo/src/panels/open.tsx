import { useEffect, useRef, useState } from 'preact/hooks';
import { useTask } from '../components/use-task.ts';
import { canWriteFolders, droppedSource, pickFolder } from '../folders.ts';
import { sourceOfUrl } from '../places.ts';
import { session } from '../session.ts';
import type { Source } from '../worker/protocol.ts';
import { BrowserTables } from './open/browser-tables.tsx';
import { RecentTables } from './open/recent-tables.tsx';
import { S3Form } from './open/s3-form.tsx';
import { Samples } from './open/samples.tsx';
import { UnityForm } from './open/unity-form.tsx';
import { NewTableLink } from './write/new-table-link.tsx';

type OnOpen = (source: Source) => void;

/** The start: all the ways to a table. */
export function OpenPanel({ onOpen }: { onOpen: OnOpen }) {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const tables = useTask((task) => session.browserTables(task), []);

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

  useEffect(() => {
    const enter = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const leave = () => setOver(false);
    document.addEventListener('dragover', enter);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', enter);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  });

  return (
    <main class={over ? 'open over' : 'open'}>
      <Title />
      <UrlForm onOpen={onOpen} />
      <section class="folder" aria-label="Folders">
        <button type="button" onClick={() => void take(pickFolder)}>
          Choose a folder
        </button>
        {canWriteFolders && (
          <button type="button" onClick={() => void take(() => pickFolder('readwrite'))}>
            Choose one to write to
          </button>
        )}
        <span>or drop the folder of a table anywhere on this page</span>
      </section>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div class="more">
        <details>
          <summary>S3 with keys, or with an endpoint of its own</summary>
          <S3Form onOpen={onOpen} />
        </details>
        <details>
          <summary>Unity Catalog</summary>
          <UnityForm onOpen={onOpen} />
        </details>
      </div>
      <NewTableLink onOpen={onOpen} />
      <RecentTables onOpen={onOpen} take={take} />
      <BrowserTables tables={tables} onOpen={onOpen} />
      <Samples onOpen={onOpen} onCopied={tables.again} />
    </main>
  );
}

/** Takes the focus when a table was closed, so that nobody by keyboard is left nowhere. */
function Title() {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = 'Delta table inspector';
    if (document.activeElement === document.body) title.current?.focus();
  }, []);
  return (
    <header>
      <h1 ref={title} tabIndex={-1}>
        <span class="mark" aria-hidden="true">
          ▲
        </span>{' '}
        Delta table inspector
      </h1>
      <p class="lead">
        See what a Delta Lake table is and how it got there. Everything runs in this tab: no server, no
        upload.
      </p>
    </header>
  );
}

function UrlForm({ onOpen }: { onOpen: OnOpen }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const url = String(new FormData(event.currentTarget as HTMLFormElement).get('url')).trim();
    if (url !== '') onOpen(sourceOfUrl(url));
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
          placeholder="https://host/path/to/table or s3://bucket/path"
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit" class="primary">
          Open
        </button>
      </div>
      <p class="hint">
        A signed link works too; its signature stays in this tab. Public buckets open as <code>s3://…</code>
      </p>
    </form>
  );
}
