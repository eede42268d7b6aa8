import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from './components/failure.tsx';
import { Header } from './components/header.tsx';
import { readView, type Tab, TABS, writeView } from './location.ts';
import { DataPanel } from './panels/data.tsx';
import { HistoryPanel } from './panels/history.tsx';
import { OpenPanel } from './panels/open.tsx';
import { OverviewPanel } from './panels/overview.tsx';
import { type Loadable, loaded, session } from './session.ts';
import type { Overview, Source } from './worker/protocol.ts';

/** The whole page: the table's source, the version and the tab are its state; everything else follows. */
export function App() {
  const [initial] = useState(readView);
  const [source, setSource] = useState<Source | undefined>(
    initial.url === undefined ? undefined : { kind: 'url', url: initial.url },
  );
  const [version, setVersion] = useState(initial.version);
  const [tab, setTab] = useState<Tab>(initial.tab);
  const table = useTable(source, version);

  useEffect(() => {
    writeView({ url: source?.kind === 'url' ? source.url : undefined, version, tab });
  }, [source, version, tab]);

  const open = (next: Source | undefined) => {
    setSource(next);
    setVersion(undefined);
    setTab('overview');
  };
  const travel = (to: number | undefined) => {
    setVersion(to);
    setTab('data');
  };

  if (source === undefined) return <OpenPanel onOpen={open} />;
  return (
    <>
      <Header source={source} table={table} version={version} onClose={() => open(undefined)} onTravel={setVersion} />
      <Tabs tab={tab} onTab={setTab} />
      <main id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Panel tab={tab} table={table} onTravel={travel} />
      </main>
    </>
  );
}

/** Opens the table whenever its source or version changes; an answer that comes too late is dropped. */
function useTable(source: Source | undefined, version: number | undefined): Loadable<Overview> {
  const [table, setTable] = useState<Loadable<Overview>>({ state: 'loading' });
  useEffect(() => {
    if (source === undefined) return undefined;
    let current = true;
    setTable({ state: 'loading' });
    session.open(source, version).then((result) => {
      if (current) setTable(loaded(result));
    });
    return () => {
      current = false;
    };
  }, [source, version]);
  return table;
}

function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] as Tab;
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
          {name}
        </button>
      ))}
    </div>
  );
}

function Panel(props: { tab: Tab; table: Loadable<Overview>; onTravel: (version: number) => void }) {
  const { tab, table, onTravel } = props;
  if (table.state === 'loading') return <p class="loading">Reading the log…</p>;
  if (table.state === 'failed') return <FailureBox failure={table.failure} />;
  if (tab === 'data') return <DataPanel key={table.value.version} overview={table.value} />;
  if (tab === 'history') return <HistoryPanel current={table.value.version} onTravel={onTravel} />;
  return <OverviewPanel overview={table.value} />;
}
