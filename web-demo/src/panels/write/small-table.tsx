interface SmallTableProps {
  /** Name for assistive technology. */
  label: string;
  columns: string[];
  rows: (string | null)[][];
  /** Positions of columns of numbers. */
  numeric?: readonly number[];
}

/** A few rows, all of them elements. */
export function SmallTable({ label, columns, rows, numeric = [] }: SmallTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="small-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name, at) => (
              <th key={name} scope="col" class={numeric.includes(at) ? 'numeric' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {columns.map((name, at) => (
                <Cell key={name} text={cells[at] ?? null} numeric={numeric.includes(at)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ text, numeric }: { text: string | null; numeric: boolean }) {
  const side = numeric ? 'numeric' : '';
  return text === null ? <td class={`null ${side}`}>null</td> : <td class={side}>{text}</td>;
}
