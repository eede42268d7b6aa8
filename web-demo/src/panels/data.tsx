import { useState } from 'preact/hooks';
import { FailureBox } from '../components/failure.tsx';
import { ColumnPicker } from '../components/grid/column-picker.tsx';
import { Grid } from '../components/grid.tsx';
import { useQuery } from '../row-source.ts';
import type { RowQuery } from '../worker/protocol-data.ts';
import { columnsDetail, diffDetail, readDetail } from './data/detail.ts';
import { DiffView } from './data/diff-view.tsx';
import { ExportMenu } from './data/export-menu.tsx';
import { FilterBox } from './data/filter-box.tsx';
import type { PanelProps } from './registry.tsx';

/** Rows of the table with a filter, read as far as one scrolls; or what differs between two versions. */
export function DataPanel(props: PanelProps) {
  const { diff } = readDetail(props.shown.detail);
  return diff === undefined ? <Rows {...props} /> : <DiffView {...props} from={diff[0]} to={diff[1]} />;
}

function Rows({ overview, shown: { where, detail }, show }: PanelProps) {
  const fields = overview.schema.fields;
  const { columns } = readDetail(detail);
  const known = columns?.filter((name) => fields.some((each) => each.name === name));
  const query: RowQuery = {
    kind: 'table',
    ...(where !== '' && { where }),
    ...(known !== undefined && known.length > 0 && { columns: known }),
  };
  const rows = useQuery(query, overview);
  const [goTo, setGoTo] = useState<{ column: string; request: number }>();
  const choose = (names: string[]) => {
    show({ detail: columnsDetail(names.length === fields.length ? undefined : names) });
  };
  const tools = (
    <>
      <ColumnPicker
        all={rows.state === 'done' ? rows.value.available : []}
        shown={known ?? fields.map(({ name }) => name)}
        onShow={choose}
        onGoTo={(column) => setGoTo((before) => ({ column, request: (before?.request ?? 0) + 1 }))}
      />
      <ExportMenu query={query} name={fileName(overview.name ?? overview.location, overview.version)} />
      {overview.version > 0 && (
        <button
          type="button"
          class="small"
          onClick={() => show({ detail: diffDetail(overview.version - 1, overview.version) })}
        >
          Compare versions
        </button>
      )}
    </>
  );
  return (
    <div class="data">
      <FilterBox overview={overview} where={where} onFilter={(next) => show({ where: next })} />
      {rows.state === 'loading' && <p class="loading">Planning the scan…</p>}
      {rows.state === 'failed' && <FailureBox failure={rows.failure} />}
      {rows.state === 'done' && <Grid source={rows.value} goTo={goTo} tools={tools} />}
    </div>
  );
}

/** The table's name as the name of a file. */
function fileName(name: string, version: number): string {
  const last = name.split(/[/\\]/).findLast((part) => part !== '') ?? 'table';
  return `${last.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80)}-v${version}`;
}
