import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from '../components/failure.tsx';
import { Grid } from '../components/grid.tsx';
import { type Loadable, loaded, session } from '../session.ts';
import type { GridColumn, Overview } from '../worker/protocol.ts';

/** Rows of the table, with a filter; they are read as far as one scrolls. */
export function DataPanel({ overview }: { overview: Overview }) {
  const [where, setWhere] = useState('');
  const [columns, setColumns] = useState<Loadable<GridColumn[]>>({ state: 'loading' });
  useEffect(() => {
    let current = true;
    setColumns({ state: 'loading' });
    session.startRows(where === '' ? {} : { where }).then((result) => {
      if (current) setColumns(loaded(result));
    });
    return () => {
      current = false;
    };
  }, [where, overview]);

  return (
    <div class="data">
      <FilterForm overview={overview} onFilter={setWhere} />
      {columns.state === 'loading' && <p class="loading">Planning the scan…</p>}
      {columns.state === 'failed' && <FailureBox failure={columns.failure} />}
      {columns.state === 'done' && <Grid key={where} columns={columns.value} />}
    </div>
  );
}

function FilterForm({ overview, onFilter }: { overview: Overview; onFilter: (where: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onFilter(String(new FormData(event.currentTarget as HTMLFormElement).get('where')).trim());
  };
  const example = overview.schema.fields[0]?.name ?? 'column';
  return (
    <form class="filter" onSubmit={submit}>
      <label for="where">WHERE</label>
      <input id="where" name="where" placeholder={`${example} IS NOT NULL`} autocomplete="off" spellcheck={false} />
      <button type="submit">Apply</button>
    </form>
  );
}
