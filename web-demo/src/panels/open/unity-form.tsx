import { useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { session } from '../../session.ts';
import type { Source } from '../../worker/protocol.ts';
import type { CatalogEntry, UnitySource } from '../../worker/protocol-open.ts';
import { addressOf, SecretField, TextField, textOf } from './fields.tsx';
import { settingsOf } from './s3-form.tsx';

type Catalog = Omit<UnitySource, 'kind' | 'table'>;

/** A table of a Unity Catalog: by its name, or by looking around. */
export function UnityForm({ onOpen }: { onOpen: (source: Source) => void }) {
  const [browsed, setBrowsed] = useState<{ catalog: Catalog; run: number }>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const [server, token, table] = [addressOf(form, 'server'), textOf(form, 'token'), textOf(form, 'name')];
    const catalog = { server: server ?? '', ...(token !== undefined && { token }), ...settingsOf(form) };
    if (table !== undefined) onOpen({ kind: 'unity', ...catalog, table });
    else setBrowsed((before) => ({ catalog, run: (before?.run ?? 0) + 1 }));
  };
  return (
    <>
      <form class="fields" onSubmit={submit}>
        <TextField label="Server" name="server" placeholder="https://catalog.example.com" required />
        <SecretField label="Token" name="token" hint="stays in this tab's memory" />
        <TextField label="Table" name="name" placeholder="catalog.schema.table" hint="empty to browse" />
        <details>
          <summary>Where its tables lie</summary>
          <div class="pair">
            <TextField label="Region" name="region" placeholder="us-east-1" />
            <TextField label="Endpoint" name="endpoint" hint="not for AWS" />
          </div>
        </details>
        <div class="row">
          <button type="submit" class="primary">
            Connect
          </button>
        </div>
      </form>
      {browsed !== undefined && (
        <Browser
          key={browsed.run}
          catalog={browsed.catalog}
          onTable={(table) => onOpen({ kind: 'unity', ...browsed.catalog, table })}
        />
      )}
    </>
  );
}

const LEVELS = ['catalogs', 'schemas', 'tables'] as const;

/** Catalogs, then a catalog's schemas, then a schema's tables. */
function Browser({ catalog, onTable }: { catalog: Catalog; onTable: (name: string) => void }) {
  const [path, setPath] = useState<string[]>([]);
  const level = LEVELS[path.length] ?? 'tables';
  const task = useTask<CatalogEntry[]>((task) => session.browseUnity(task, catalog, path), path);
  const choose = (name: string) => {
    if (path.length < 2) setPath([...path, name]);
    else onTable([...path, name].map(quoted).join('.'));
  };
  return (
    <section class="browser" aria-label={`Unity Catalog: ${level}`}>
      <nav aria-label="Path in the catalog">
        {['catalogs', ...path].map((name, depth) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-current={depth === path.length ? 'page' : undefined}
            onClick={() => setPath(path.slice(0, depth))}
          >
            {name}
          </button>
        ))}
      </nav>
      <TaskView task={task} doing={`Listing ${level}`}>
        {(entries) => <Entries entries={entries} level={level} onChoose={choose} />}
      </TaskView>
    </section>
  );
}

interface EntriesProps {
  entries: CatalogEntry[];
  level: string;
  onChoose: (name: string) => void;
}

function Entries({ entries, level, onChoose }: EntriesProps) {
  if (entries.length === 0) return <p class="empty">No {level} here that the token may see.</p>;
  return (
    <ul class="entries">
      {entries.map(({ name, format }) => (
        <li key={name}>
          <button
            type="button"
            disabled={format !== undefined && format !== 'DELTA'}
            onClick={() => onChoose(name)}
          >
            {name}
            {format !== undefined && format !== 'DELTA' && <small> {format}, no Delta table</small>}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Names with dots or backticks stand between backticks, as in SQL. */
function quoted(name: string): string {
  return /[.`]/.test(name) ? `\`${name.replaceAll('`', '``')}\`` : name;
}
