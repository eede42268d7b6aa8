import { useRef, useState } from 'preact/hooks';
import { formatCount } from '../../format.ts';

interface ColumnPickerProps {
  /** All there are, in order. */
  all: readonly { name: string; type: string }[];
  shown: readonly string[];
  onShow: (names: string[]) => void;
  onGoTo: (name: string) => void;
}

/** Chooses columns, finds them by name, and leads to them. */
export function ColumnPicker({ all, shown, onShow, onGoTo }: ColumnPickerProps) {
  const [search, setSearch] = useState('');
  const popover = useRef<HTMLDivElement>(null);
  const set = new Set(shown);
  const found = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const choose = (names: Set<string>) =>
    onShow(all.map(({ name }) => name).filter((name) => names.has(name)));
  const toggle = (name: string, isShown: boolean) => {
    const next = new Set(set);
    if (isShown) next.add(name);
    else next.delete(name);
    if (next.size > 0) choose(next);
  };
  const label =
    shown.length === all.length
      ? 'Columns'
      : `Columns ${formatCount(shown.length)}/${formatCount(all.length)}`;
  return (
    <>
      <button type="button" class="small" popovertarget="column-picker">
        {label}
      </button>
      <div
        id="column-picker"
        class="column-picker"
        popover="auto"
        ref={popover}
        role="dialog"
        aria-label="Columns"
      >
        <input
          type="search"
          placeholder="Search columns"
          aria-label="Search columns"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <div class="row">
          <button
            type="button"
            class="small"
            onClick={() => choose(new Set([...set, ...found.map(({ name }) => name)]))}
          >
            Show {search === '' ? 'all' : 'found'}
          </button>
          <button
            type="button"
            class="small"
            disabled={found.length === 0}
            onClick={() => choose(new Set(found.map(({ name }) => name)))}
          >
            Only {search === '' ? 'these' : 'found'}
          </button>
        </div>
        <ul>
          {found.slice(0, MAX_LISTED).map(({ name, type }) => (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={set.has(name)}
                  disabled={set.has(name) && set.size === 1}
                  onChange={(event) => toggle(name, event.currentTarget.checked)}
                />
                <span>{name}</span> <small>{type}</small>
              </label>
              {set.has(name) && (
                <button
                  type="button"
                  class="quiet small"
                  aria-label={`Go to ${name}`}
                  onClick={() => {
                    popover.current?.hidePopover();
                    onGoTo(name);
                  }}
                >
                  Go to
                </button>
              )}
            </li>
          ))}
        </ul>
        {found.length > MAX_LISTED && (
          <p class="hint">{formatCount(found.length - MAX_LISTED)} more: search for them.</p>
        )}
        {found.length === 0 && <p class="hint">No column has this in its name.</p>}
      </div>
    </>
  );
}

/** Columns that are listed at once. */
const MAX_LISTED = 300;
