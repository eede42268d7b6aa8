import { useEffect, useRef } from 'preact/hooks';
import { decoded, placeOf } from '../places.ts';
import type { Loadable } from '../session.ts';
import type { Overview, Source } from '../worker/protocol.ts';
import { TimeTravel } from './time-travel.tsx';

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
  const name = tableName(source, table);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${name} · Delta table inspector`;
  }, [name]);
  // What opened the table is gone: by keyboard, one goes on from the table's name.
  useEffect(() => {
    if (document.activeElement === document.body) title.current?.focus();
  }, []);
  return (
    <header class="bar">
      <button type="button" class="quiet" onClick={onClose} aria-label="Close the table and open another one">
        ◂ Open
      </button>
      <div class="title">
        <h1 ref={title} tabIndex={-1}>
          {name}
        </h1>
        <p class="place" title={place(source)}>
          {place(source)}
        </p>
      </div>
      {/* After the title, which has the focus when a table opens. */}
      <button type="button" class="skip" onClick={() => document.getElementById('panel')?.focus()}>
        Skip to the table
      </button>
      <TimeTravel table={table} version={version} onTravel={onTravel} />
    </header>
  );
}

export function tableName(source: Source, table: Loadable<Overview>): string {
  if (table.state === 'done' && table.value.name !== null) return table.value.name;
  if (source.kind === 'unity' || source.kind === 'catalog') return source.table;
  const path = source.kind === 'opfs' ? source.path : place(source);
  const name = path.split('/').findLast((part) => part !== '') ?? path;
  return source.kind === 'url' || source.kind === 's3' ? decoded(name) : name;
}

function place(source: Source): string {
  const { url, catalog, table } = placeOf(source);
  if (source.kind === 'opfs') return `${source.path}, in this browser`;
  if (source.kind === 'catalog') return `${source.table}, in this browser's catalog`;
  if (table !== undefined) return `${table} · ${catalog}`;
  if (url !== undefined) return url;
  return source.kind === 'directory' ? source.handle.name : source.kind === 'files' ? source.name : '';
}
