import { useState } from 'preact/hooks';
import { useCall } from '../../components/use-call.ts';
import { formatCell, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { Overview } from '../../worker/protocol.ts';
import type { ChangeStep, DeletePreview, Outcome, WriteState } from '../../worker/protocol-write.ts';
import { FilterBox } from '../data/filter-box.tsx';
import { ChangeView } from './change-view.tsx';
import { SmallTable } from './small-table.tsx';

interface DeleteProps {
  overview: Overview;
  /** The filter of the other tabs, to begin with. */
  where: string;
  state: WriteState;
  onDone: (outcome: Outcome) => void;
}

/** Rows by a condition: those that go are shown, and the commit that does it. */
export function Delete({ overview, where, state, onDone }: DeleteProps) {
  const change = useCall<ChangeStep>();
  const [preview, setPreview] = useState<DeletePreview>();
  const begin = (condition: string) => {
    setPreview(undefined);
    if (condition === '') return change.reset();
    change.begin('Looking for the rows', async (task) => {
      const result = await session.planDelete(task, condition);
      if (!result.ok) return result;
      setPreview(result.value);
      return { ok: true, value: result.value.step };
    });
  };
  if (state.isAppendOnly)
    return <p class="empty">The table is append-only (delta.appendOnly): no row of it can be deleted.</p>;
  const isPlanned = change.now.state === 'done' && change.now.value.kind === 'plan';
  return (
    <>
      <p class="hint">
        {state.usesDeletionVectors
          ? 'Rows are marked in deletion vectors; their files stay, and files without any row left go.'
          : 'Files that hold such rows are written again without them; files with nothing else go.'}{' '}
        <code>TRUE</code> deletes all rows.
      </p>
      <FilterBox overview={overview} where={where} onFilter={begin} action="Preview" />
      {preview !== undefined && isPlanned && (
        <section aria-label="Rows that go">
          <h2>{deletedRows(preview)}</h2>
          <SmallTable
            label="The first rows that go"
            columns={preview.columns}
            rows={preview.rows.map((cells) => cells.map((cell) => (cell === null ? null : formatCell(cell))))}
          />
        </section>
      )}
      <ChangeView change={change} action="Delete the rows" onDone={onDone} />
    </>
  );
}

function deletedRows({ step }: DeletePreview): string {
  const metrics = step.kind === 'plan' ? new Map(step.plan.metrics) : new Map<string, string>();
  const count = Number(metrics.get('numDeletedRows') ?? 0);
  return `${formatCount(count)} ${count === 1 ? 'row goes' : 'rows go'}`;
}
