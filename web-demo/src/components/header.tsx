import { placeOf } from '../places.ts';
import type { Loadable } from '../session.ts';
import type { Overview, Source } from '../worker/protocol.ts';

interface HeaderProps {
  source: Source;
  table: Loadable<Overview>;
  /** Undefined for the latest. */
  version: number | undefined;
  onClose: () => void;
  onTravel: (version: number | undefined) => void;
}

/** Name and place of the open table, and the version that is shown. */
export function Header({ source, table, version, onClose, onTravel }: HeaderProps) {
  return (
    <header class="bar">
      <button type="button" class="quiet" onClick={onClose} aria-label="Close the table and open another one">
        ◂ Open
      </button>
      <div class="title">
        <h1>{tableName(source, table)}</h1>
        <p class="place" title={place(source)}>
          {place(source)}
        </p>
      </div>
      <VersionForm shown={table.state === 'done' ? table.value.version : version} onTravel={onTravel} />
      {version !== undefined && (
        <button type="button" onClick={() => onTravel(undefined)}>
          Go to latest
        </button>
      )}
    </header>
  );
}

/** Takes any version, by Enter or by the arrows; one that is not there is explained below. */
function VersionForm(props: { shown: number | undefined; onTravel: (version: number) => void }) {
  const travel = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    if (input.value !== '' && input.checkValidity()) props.onTravel(input.valueAsNumber);
  };
  return (
    <div class="version">
      <label for="version">version</label>
      <input
        id="version"
        type="number"
        min={0}
        max={Number.MAX_SAFE_INTEGER}
        step={1}
        value={props.shown ?? ''}
        onChange={travel}
      />
    </div>
  );
}

function tableName(source: Source, table: Loadable<Overview>): string {
  if (table.state === 'done' && table.value.name !== null) return table.value.name;
  if (source.kind === 'unity' || source.kind === 'catalog') return source.table;
  const path = place(source);
  const name = path.split('/').findLast((part) => part !== '') ?? path;
  return source.kind === 'url' || source.kind === 's3' ? decoded(name) : name;
}

function place(source: Source): string {
  const { url, catalog, table } = placeOf(source);
  if (table !== undefined) return catalog === 'opfs:' ? table : `${table} · ${catalog}`;
  if (url !== undefined) return url;
  return source.kind === 'directory' ? source.handle.name : source.kind === 'files' ? source.name : '';
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a stray % is part of the name
  }
}
