import { useMemo } from 'preact/hooks';
import { CallView } from '../../components/call-view.tsx';
import { Grid, type GridRows } from '../../components/grid.tsx';
import type { CallState } from '../../components/use-call.ts';
import { formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { Result } from '../../worker/protocol.ts';
import type { CellRange } from '../../worker/protocol-data.ts';
import type { SqlAnswer, SqlColumn, SqlLoad } from '../../worker/protocol-sql.ts';

/** DuckDB's rows in the grid, with what of the table they come from. */
export function SqlAnswerView({ now }: { now: CallState<SqlAnswer> }) {
  return (
    <CallView now={now} stopped="Stopped. DuckDB was ended; it starts anew with the next query.">
      {(answer) => (answer.kind === 'wrong' ? null : <Rows {...answer} />)}
    </CallView>
  );
}

type RowsProps = Extract<SqlAnswer, { kind: 'rows' }>;

function Rows({ columns, total, load, ms }: RowsProps) {
  const source = useMemo(() => gridRows(columns, total), [columns, total]);
  return (
    <>
      {load?.isCut && (
        <p class="notice" role="alert">
          Only the first {formatCount(load.rows)} rows were loaded: the table has more than this page hands to
          DuckDB, and the result is one of these rows alone. A narrower <code>WHERE</code> or fewer columns
          help.
        </p>
      )}
      <p class="hint" role="status">
        {load === undefined ? 'The query did not read the table.' : loadText(load)} {formatCount(ms)} ms.
      </p>
      <Grid source={source} label="Result" />
    </>
  );
}

function loadText(load: SqlLoad): string {
  const { rows, columns, ofColumns, files, ofFiles, where, wasThere } = load;
  if (columns.length === 0) return `Only the number of rows was needed: ${formatCount(rows)}.`;
  const what = `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'} of ${formatCount(columns.length)} of ${formatCount(ofColumns)} columns from ${formatCount(files)} of ${formatCount(ofFiles)} files`;
  return `${wasThere ? 'DuckDB had' : 'DuckDB got'} ${what}${where === '' ? '' : `, where ${where}`}.`;
}

function gridRows(columns: SqlColumn[], total: number): GridRows {
  return {
    columns: columns.map(({ name, type, numeric }) => ({
      name,
      type,
      numeric,
      sortable: false,
      // As DuckDB prints it.
      dataType: { kind: 'primitive', name: 'string' },
    })),
    rows: async (start, end) => {
      const result = await session.sqlRows(start, end);
      if (!result.ok) return result;
      const rows = result.value.map((cells) => cells.map(asJson));
      return { ok: true, value: { start, rows, known: total, isAll: true, isReading: false } };
    },
    copy: (_, range) => copied(columns, range),
  };
}

function asJson(cell: string | null): string | null {
  return cell === null ? null : JSON.stringify(cell);
}

/** As tab-separated text; what has tabs or line breaks stands between quotes. */
async function copied(
  columns: SqlColumn[],
  { start, end, columns: chosen, header }: CellRange,
): Promise<Result<string>> {
  const result = await session.sqlRows(start, end);
  if (!result.ok) return result;
  const lines = result.value.map((cells) => chosen.map((at) => tabText(cells[at] ?? '')).join('\t'));
  const names = header ? [chosen.map((at) => tabText(columns[at]?.name ?? '')).join('\t')] : [];
  return { ok: true, value: [...names, ...lines].join('\n') };
}

function tabText(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
