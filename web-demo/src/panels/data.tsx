import { useEffect, useState } from 'preact/hooks';
import { FailureBox } from '../components/failure.tsx';
import { Grid } from '../components/grid.tsx';
import { type Loadable, loaded, session } from '../session.ts';
import type { GridColumn, Overview } from '../worker/protocol.ts';
import type { PanelProps } from './registry.tsx';

interface FilterProps {
  overview: Overview;
  /** Empty for all rows. */
  where: string;
  onFilter: (where: string) => void;
}

/** Rows of the table, with a filter; they are read as far as one scrolls. */
export function DataPanel({ overview, shown: { where }, show }: PanelProps) {
  const [columns, setColumns] = useState<Loadable<GridColumn[]>>({ state: 'loading' });
  const [scan, setScan] = useState(0);
  useEffect(() => {
    let current = true;
    setColumns({ state: 'loading' });
    session.startRows(where === '' ? {} : { where }).then((result) => {
      if (!current) return;
      setColumns(loaded(result));
      setScan((before) => before + 1);
    });
    return () => {
      current = false;
    };
  }, [where, overview]);

  return (
    <div class="data">
      <FilterForm overview={overview} where={where} onFilter={(next) => show({ where: next })} />
      {columns.state === 'loading' && <p class="loading">Planning the scan…</p>}
      {columns.state === 'failed' && <FailureBox failure={columns.failure} />}
      {columns.state === 'done' && (
        <Grid key={scan} columns={columns.value} total={where === '' ? overview.numRecords : null} />
      )}
    </div>
  );
}

function FilterForm({ overview, where, onFilter }: FilterProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onFilter(String(new FormData(event.currentTarget as HTMLFormElement).get('where')).trim());
  };
  const example = overview.partitionColumns[0] ?? overview.schema.fields[0]?.name ?? 'column';
  return (
    <form class="filter" onSubmit={submit}>
      <label for="where">WHERE</label>
      <input
        id="where"
        name="where"
        defaultValue={where}
        key={where}
        placeholder={`${example} IS NOT NULL`}
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit">Apply</button>
      {where !== '' && (
        <button type="button" class="quiet" onClick={() => onFilter('')}>
          Clear
        </button>
      )}
    </form>
  );
}
