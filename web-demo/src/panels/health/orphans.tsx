import { useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { Orphans } from '../../worker/protocol-health.ts';

/** Files that nothing refers to. To find them all folders are listed, so only when asked. */
export function OrphansSection() {
  const [isAsked, setAsked] = useState(false);
  return (
    <section class="orphans" aria-labelledby="orphans">
      <h2 id="orphans">Files that nothing refers to</h2>
      {isAsked ? (
        <Search />
      ) : (
        <>
          <p>
            Failed writes and old versions leave files behind. To find them, every folder of the table is
            listed; nothing is deleted.
          </p>
          <button type="button" onClick={() => setAsked(true)}>
            Look for them
          </button>
        </>
      )}
    </section>
  );
}

function Search() {
  const task = useTask((each) => session.findOrphans(each), []);
  return (
    <TaskView task={task} doing="Listing the table">
      {(orphans) => <Found orphans={orphans} />}
    </TaskView>
  );
}

function Found({ orphans: { files, sizeInBytes, examples, retainHours } }: { orphans: Orphans }) {
  if (files === 0) {
    return (
      <p class="empty">None that is older than {formatCount(retainHours)} hours: vacuum has nothing to do.</p>
    );
  }
  return (
    <>
      <p>
        <strong>
          {formatCount(files)} {files === 1 ? 'file' : 'files'}, {formatBytes(sizeInBytes)}
        </strong>{' '}
        older than {formatCount(retainHours)} hours. Vacuum would delete them.
      </p>
      <ul class="paths">
        {examples.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      {files > examples.length && <p class="empty">and {formatCount(files - examples.length)} more</p>}
    </>
  );
}
