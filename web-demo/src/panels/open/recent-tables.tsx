import { useEffect, useState } from 'preact/hooks';
import { openFolder } from '../../folders.ts';
import { linkOf } from '../../location.ts';
import { sourceOf } from '../../places.ts';
import { recalled } from '../../recall.ts';
import { clearRecent, type RecentFolder, recentFolders, recentTables } from '../../recent.ts';
import type { Source } from '../../worker/protocol.ts';

interface RecentProps {
  onOpen: (source: Source) => void;
  /** Opens what the given work finds, and shows why it does not. */
  take: (find: () => Promise<Source | undefined>) => Promise<void>;
}

/** Tables that were open before in this browser. */
export function RecentTables({ onOpen, take }: RecentProps) {
  const [tables, setTables] = useState(recentTables);
  const [folders, setFolders] = useState<RecentFolder[]>([]);
  useEffect(() => {
    void recentFolders().then(setFolders);
  }, []);
  if (tables.length + folders.length === 0) return null;
  const clear = async () => {
    await clearRecent();
    setTables([]);
    setFolders([]);
  };
  return (
    <section aria-labelledby="recent">
      <div class="heading">
        <h2 id="recent">Recent</h2>
        <button type="button" class="quiet" onClick={() => void clear()} aria-label="Clear the recent tables">
          Clear
        </button>
      </div>
      <ul class="tables">
        {folders.map(({ id, name, handle }) => (
          <li key={id}>
            <button type="button" class="name" onClick={() => void take(() => openFolder(handle))}>
              {name} <small>folder</small>
            </button>
          </li>
        ))}
        {tables.map(({ name, place }) => (
          <li key={JSON.stringify(place)}>
            <a
              class="name"
              href={linkOf({ place, version: undefined, tab: 'overview', where: '', detail: '' })}
              onClick={(event) => {
                const source = sourceOf(place);
                if (source === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                onOpen(recalled(source));
              }}
            >
              {name} <small>{place.url ?? place.catalog}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
