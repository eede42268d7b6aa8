import { useState } from 'preact/hooks';
import { TaskView } from '../components/task-view.tsx';
import { useTask } from '../components/use-task.ts';
import { session } from '../session.ts';
import type { FilesSummary } from '../worker/protocol-files.ts';
import { FilterBox } from './data/filter-box.tsx';
import { detailOf, type FilesView, viewOf } from './files/detail-link.ts';
import { ExplanationSection } from './files/explain.tsx';
import { FileDetailView } from './files/file-detail.tsx';
import { FileList } from './files/file-list.tsx';
import { PartitionList } from './files/partition-list.tsx';
import { SizesView } from './files/sizes.tsx';
import { Totals } from './files/totals.tsx';
import type { PanelProps } from './registry.tsx';

const VIEWS: readonly { kind: 'list' | 'partitions' | 'sizes'; title: string }[] = [
  { kind: 'list', title: 'List' },
  { kind: 'partitions', title: 'By partition' },
  { kind: 'sizes', title: 'Sizes' },
];

/** Every live file, and which of them a query reads. */
export function FilesPanel(props: PanelProps) {
  const { overview } = props;
  const task = useTask((each) => session.loadFiles(each), [overview.version]);
  return (
    <div class="files">
      <TaskView task={task} doing="Reading the list of files">
        {(summary) => <LoadedFiles {...props} summary={summary} />}
      </TaskView>
    </div>
  );
}

function LoadedFiles({ overview, shown, show, summary }: PanelProps & { summary: FilesSummary }) {
  const view = viewOf(shown.detail);
  const go = (next: FilesView) => show({ detail: detailOf(next) });
  // Of the list's verdicts: whose they are, and how often they have changed.
  const [verdicts, setVerdicts] = useState({ where: '', revision: 0 });
  const known = verdicts.where === shown.where ? shown.where : '';
  if (summary.files === 0) return <p class="empty">The table has no files at version {overview.version}.</p>;
  if (view.kind === 'file') {
    return (
      <FileDetailView
        path={view.path}
        where={shown.where}
        summary={summary}
        onBack={() => go({ kind: 'list' })}
        onClear={() => show({ where: '' })}
      />
    );
  }
  return (
    <>
      <Totals summary={summary} />
      <FilterBox
        overview={overview}
        where={shown.where}
        action="Explain"
        onFilter={(where) => show({ where })}
      />
      {shown.where !== '' && (
        <ExplanationSection
          where={shown.where}
          go={go}
          onVerdicts={() => setVerdicts(({ revision }) => ({ where: shown.where, revision: revision + 1 }))}
        />
      )}
      <fieldset class="views" aria-label="Ways to look at the files">
        {VIEWS.filter(({ kind }) => kind !== 'partitions' || summary.partitionColumns.length > 0).map(
          ({ kind, title }) => (
            <button key={kind} type="button" aria-pressed={view.kind === kind} onClick={() => go({ kind })}>
              {title}
            </button>
          ),
        )}
      </fieldset>
      {view.kind === 'list' && (
        <FileList summary={summary} where={known} revision={verdicts.revision} view={view} go={go} />
      )}
      {view.kind === 'partitions' && <PartitionList summary={summary} where={known} go={go} />}
      {view.kind === 'sizes' && <SizesView where={known} go={go} />}
    </>
  );
}
