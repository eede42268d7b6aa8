/** What the data tab keeps in the page's link: the versions that are compared, or the columns that are shown. */

export interface DataDetail {
  /** Versions, older first as a rule. */
  readonly diff?: readonly [from: number, to: number];
  /** Columns shown; absent for all. */
  readonly columns?: readonly string[];
}

const DIFF = /^diff=(\d{1,15})\.\.(\d{1,15})$/;
const COLUMNS = 'columns=';

export function readDetail(detail: string): DataDetail {
  const [, from, to] = DIFF.exec(detail) ?? [];
  if (from !== undefined && to !== undefined) return { diff: [Number(from), Number(to)] };
  if (!detail.startsWith(COLUMNS)) return {};
  return { columns: detail.slice(COLUMNS.length).split(',').map(decodeURIComponent) };
}

export function diffDetail(from: number, to: number): string {
  return `diff=${from}..${to}`;
}

export function columnsDetail(columns: readonly string[] | undefined): string {
  return columns === undefined ? '' : `${COLUMNS}${columns.map(encodeURIComponent).join(',')}`;
}
