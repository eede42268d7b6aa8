import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from './components/failure.tsx';
import { Header } from './components/header.tsx';
import { Tabs } from './components/tabs.tsx';
import { linkOf, readView, withoutSecrets } from './location.ts';
import { OpenPanel } from './panels/open.tsx';
import { PANELS, type Shown } from './panels/registry.tsx';
import { type Loadable, loaded, session } from './session.ts';
import type { Overview, Source } from './worker/protocol.ts';

const START: Shown = { source: undefined, version: undefined, tab: 'overview', where: '', detail: '' };

/** The whole page: what is shown is its state; everything else follows. */
export function App() {
  const [shown, setShown] = useState(() => fromLink(START));
  const { source, version, tab } = shown;
  const table = useTable(source, version);
  // Written where a person acts, not as an effect: that could come after the next step back and undo it.
  const show = (change: Partial<Shown>) => {
    const next = { ...shown, ...change };
    history.pushState(null, '', linkTo(next));
    setShown(next);
  };

  useEffect(() => {
    // What a link should not say, such as a signature, goes from the address and from the browser's history.
    history.replaceState(null, '', linkTo(shown));
    const follow = () => setShown(fromLink);
    globalThis.addEventListener('popstate', follow);
    return () => globalThis.removeEventListener('popstate', follow);
  }, []);

  if (source === undefined) return <OpenPanel onOpen={(next) => show({ ...START, source: next })} />;
  return (
    <>
      <Header
        source={source}
        table={table}
        version={version}
        onClose={() => show(START)}
        onTravel={(to) => show({ version: to })}
      />
      <Tabs tab={tab} onTab={(to) => show({ tab: to, detail: '' })} />
      <main>
        <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <Panel shown={shown} table={table} show={show} />
        </div>
      </main>
    </>
  );
}

function linkTo({ source, ...view }: Shown): string {
  return linkOf({ ...view, url: source?.kind === 'url' ? source.url : undefined });
}

/** What the page's link says. A link names neither folders nor signatures, so those of `before` stay where they fit. */
function fromLink(before: Shown): Shown {
  const { url, ...view } = readView();
  if (url === undefined)
    return { ...view, source: before.source?.kind === 'url' ? undefined : before.source };
  const isSame = before.source?.kind === 'url' && withoutSecrets(before.source.url) === url;
  return { ...view, source: isSame ? before.source : { kind: 'url', url } };
}

/** Opens the table whenever its source or version changes; until then it is loading, whatever was there before. */
function useTable(source: Source | undefined, version: number | undefined): Loadable<Overview> {
  const [answer, setAnswer] = useState<{
    source: Source;
    version: number | undefined;
    table: Loadable<Overview>;
  }>();
  useEffect(() => {
    if (source === undefined) return undefined;
    let current = true;
    session.open(source, version).then((result) => {
      if (current) setAnswer({ source, version, table: loaded(result) });
    });
    return () => {
      current = false;
      setAnswer(undefined);
    };
  }, [source, version]);
  const isCurrent = answer?.source === source && answer?.version === version;
  return isCurrent && answer !== undefined ? answer.table : { state: 'loading' };
}

interface PanelProps {
  shown: Shown;
  table: Loadable<Overview>;
  show: (change: Partial<Shown>) => void;
}

function Panel({ shown, table, show }: PanelProps) {
  if (table.state === 'loading') return <p class="loading">Reading the log…</p>;
  if (table.state === 'failed') return <FailureBox failure={table.failure} />;
  const { Panel: TabPanel } = PANELS[shown.tab];
  return <TabPanel key={shown.tab} overview={table.value} shown={shown} show={show} />;
}
