import { useState } from 'preact/hooks';
import { FailureBox } from '../../components/failure.tsx';
import type { TaskState } from '../../components/use-task.ts';
import { session } from '../../session.ts';
import type { Failure, Source } from '../../worker/protocol.ts';
import type { BrowserTable } from '../../worker/protocol-open.ts';

interface BrowserTablesProps {
  tables: TaskState<BrowserTable[]>;
  onOpen: (source: Source) => void;
}

/** The tables in this browser's own storage; nothing where there are none. */
export function BrowserTables({ tables, onOpen }: BrowserTablesProps) {
  const [failure, setFailure] = useState<Failure>();
  const { result, again } = tables;
  // Without this storage (a page that did not come over https) there is nothing to list, and nothing to tell.
  if (result.state !== 'done' || result.value.length === 0) return null;
  const remove = async (table: BrowserTable) => {
    const removed = await session.deleteBrowserTable(table);
    setFailure(removed.ok ? undefined : removed.failure);
    again();
  };
  return (
    <section aria-labelledby="browser-tables">
      <h2 id="browser-tables">In this browser</h2>
      {failure !== undefined && <FailureBox failure={failure} />}
      <ul class="tables">
        {result.value.map((table) => (
          <Row key={`${table.kind} ${nameOf(table)}`} table={table} onOpen={onOpen} onDelete={remove} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  table: BrowserTable;
  onOpen: (source: Source) => void;
  onDelete: (table: BrowserTable) => Promise<void>;
}

function Row({ table, onOpen, onDelete }: RowProps) {
  const [asking, setAsking] = useState(false);
  const name = nameOf(table);
  return (
    <li>
      <button
        type="button"
        class="name"
        onClick={() => onOpen(table)}
        aria-label={`Open ${name} of this browser`}
      >
        {name}
        {table.kind === 'catalog' && <small> in this browser's catalog</small>}
      </button>
      {asking ? (
        <span class="confirm">
          Delete it and all its files?
          <button type="button" class="danger" onClick={() => void onDelete(table)}>
            Delete {name}
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button type="button" class="quiet" onClick={() => setAsking(true)} aria-label={`Delete ${name}…`}>
          Delete…
        </button>
      )}
    </li>
  );
}

function nameOf(table: BrowserTable): string {
  return table.kind === 'opfs' ? table.path : table.table;
}
