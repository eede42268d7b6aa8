import { useEffect } from 'preact/hooks';
import { TABS, type Tab } from '../location.ts';

/** The views of a table. Arrow keys move between them, as in any tab list. */
export function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  // On a narrow page not all fit.
  useEffect(() => {
    document.getElementById(`tab-${tab}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  const move = (event: KeyboardEvent) => {
    const next = destination(tab, event.key);
    if (next === undefined) return;
    event.preventDefault();
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views of the table" onKeyDown={move}>
      {TABS.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === tab}
          aria-controls="panel"
          tabIndex={name === tab ? 0 : -1}
          onClick={() => onTab(name)}
        >
          {name === 'sql' ? 'SQL' : name}
        </button>
      ))}
    </div>
  );
}

function destination(tab: Tab, key: string): Tab | undefined {
  if (key === 'Home') return TABS[0];
  if (key === 'End') return TABS.at(-1);
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  return step === 0 ? undefined : TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length];
}
