import type { FunctionComponent } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import type { Tab } from '../location.ts';
import type { Overview, Source } from '../worker/protocol.ts';

/** What is shown of a table. */
export interface Shown {
  source: Source | undefined;
  /** Undefined for the latest. */
  version: number | undefined;
  tab: Tab;
  where: string;
  detail: string;
}

export interface PanelProps {
  overview: Overview;
  shown: Shown;
  /** Changes what is shown, and the page's link with it. */
  show: (change: Partial<Shown>) => void;
  /** Opens the table once more, such as after a commit. */
  reload: () => void;
}

/** Every tab's panel. They come when they are opened: the first one must not wait for the others. */
export const PANELS: Readonly<Record<Tab, { Panel: FunctionComponent<PanelProps> }>> = {
  overview: panel(async () => (await import('./overview.tsx')).OverviewPanel),
  data: panel(async () => (await import('./data.tsx')).DataPanel),
  history: panel(async () => (await import('./history.tsx')).HistoryPanel),
  files: panel(async () => (await import('./files.tsx')).FilesPanel),
  health: panel(async () => (await import('./health.tsx')).HealthPanel),
  changes: panel(async () => (await import('./changes.tsx')).ChangesPanel),
  sql: panel(async () => (await import('./sql.tsx')).SqlPanel),
  write: panel(async () => (await import('./write.tsx')).WritePanel),
};

function panel(load: () => Promise<FunctionComponent<PanelProps>>): { Panel: FunctionComponent<PanelProps> } {
  const Loaded = lazy(async () => ({ default: await load() }));
  return {
    Panel: (props) => (
      <Suspense fallback={<p class="loading">Loading…</p>}>
        <Loaded {...props} />
      </Suspense>
    ),
  };
}
