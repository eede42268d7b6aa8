import { withoutSecrets } from '../location.ts';
import type { Loadable } from '../session.ts';
import type { Overview, Source } from '../worker/protocol.ts';

interface HeaderProps {
  source: Source;
  table: Loadable<Overview>;
  version: number | undefined;
  onClose: () => void;
  onTravel: (version: number | undefined) => void;
}

/** Name and place of the open table, and the version that is shown. */
export function Header({ source, table, version, onClose, onTravel }: HeaderProps) {
  const shown = table.state === 'done' ? table.value.version : version;
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
      <div class="version">
        <span>version {shown ?? '…'}</span>
        {version !== undefined && (
          <button type="button" onClick={() => onTravel(undefined)}>
            Go to latest
          </button>
        )}
      </div>
    </header>
  );
}

function tableName(source: Source, table: Loadable<Overview>): string {
  if (table.state === 'done' && table.value.name !== undefined) return table.value.name;
  const parts = place(source).split('/').filter((part) => part !== '');
  return parts.at(-1) ?? place(source);
}

function place(source: Source): string {
  if (source.kind === 'url') return withoutSecrets(source.url);
  return source.kind === 'directory' ? `${source.handle.name}/ (folder)` : `${source.name}/ (folder)`;
}
