import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from './components/failure.tsx';
import { Header, tableName } from './components/header.tsx';
import { Tabs } from './components/tabs.tsx';
import { Working } from './components/task-view.tsx';
import { UpdateNotice } from './components/update-notice.tsx';
import { linkOf, readView } from './location.ts';
import { keepSample } from './offline.ts';
import { Unlock } from './panels/open/unlock.tsx';
import { OpenPanel } from './panels/open.tsx';
import { PANELS, type Shown } from './panels/registry.tsx';
import { placeOf, sourceOf } from './places.ts';
import { recalled, remember } from './recall.ts';
import { addRecent } from './recent.ts';
import { sampleAt } from './samples.ts';
import { type OpenState, useTable } from './use-table.ts';
import type { Source } from './worker/protocol.ts';

const START: Shown = { source: undefined, version: undefined, tab: 'overview', where: '', detail: '' };

/** The whole page: what is shown is its state; everything else follows. */
export function App() {
  const [shown, setShown] = useState(() => fromLink(START));
  const { source, version, tab } = shown;
  const locked = source !== undefined && 'isLocked' in source && source.isLocked ? source : undefined;
  const opened = useTable(locked === undefined ? source : undefined, version);
  // Written where a person acts, not as an effect: that could come after the next step back and undo it.
  const show = (change: Partial<Shown>) => {
    const next = { ...shown, ...change };
    if (next.source !== undefined) remember(next.source);
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

  useEffect(() => {
    if (source === undefined || opened.table.state !== 'done') return;
    void addRecent(source, tableName(source, opened.table));
    const sample = source.kind === 'url' ? sampleAt(source.url) : undefined;
    if (sample !== undefined) void keepSample(sample);
  }, [source, opened.table.state]);

  const open = (next: Source) => show({ ...START, source: next });
  if (source === undefined) {
    return (
      <>
        <UpdateNotice />
        <OpenPanel onOpen={open} />
      </>
    );
  }
  return (
    <>
      <UpdateNotice />
      <Header
        source={source}
        table={opened.table}
        version={version}
        onClose={() => show(START)}
        onTravel={(to) => show({ version: to })}
      />
      <Tabs tab={tab} onTab={(to) => show({ tab: to, detail: '' })} />
      <main>
        <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
          {locked === undefined ? (
            <Panel shown={shown} opened={opened} show={show} onOpen={open} />
          ) : (
            <Unlock source={locked} onOpen={(next) => show({ source: next })} />
          )}
        </div>
      </main>
    </>
  );
}

function linkTo({ source, ...view }: Shown): string {
  return linkOf({ ...view, place: placeOf(source) });
}

/** What the page's link says. A link does not name folders, so that of `before` stays. */
function fromLink(before: Shown): Shown {
  const { place, ...view } = readView();
  const named = sourceOf(place);
  if (named !== undefined) return { ...view, source: recalled(named) };
  return { ...view, source: isNamed(before.source) ? undefined : before.source };
}

function isNamed(source: Source | undefined): boolean {
  return Object.keys(placeOf(source)).length > 0;
}

interface PanelProps {
  shown: Shown;
  opened: OpenState;
  show: (change: Partial<Shown>) => void;
  onOpen: (source: Source) => void;
}

function Panel({ shown, opened, show, onOpen }: PanelProps) {
  const { table, progress, cancel, again } = opened;
  if (table.state === 'loading')
    return <Working doing="Reading the log" progress={progress} cancel={cancel} />;
  if (table.state === 'failed') return <FailureBox failure={table.failure} onRetry={again} onOpen={onOpen} />;
  const { Panel: TabPanel } = PANELS[shown.tab];
  return <TabPanel key={shown.tab} overview={table.value} shown={shown} show={show} reload={again} />;
}
