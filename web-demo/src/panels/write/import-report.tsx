import { formatCount } from '../../format.ts';
import type { ImportCheck, ImportColumn } from '../../worker/protocol-write.ts';
import { SmallTable } from './small-table.tsx';

/** Whether what was given can be appended as it is. */
export function isFitting({ columns, numBadCells }: ImportCheck): boolean {
  return numBadCells === 0 && columns.every(({ problem }) => problem === undefined);
}

/** How rows fit the table: column by column, what does not, and the first of them. */
export function ImportReport({ check }: { check: ImportCheck }) {
  const hasTypes = check.columns.some(({ given }) => given !== undefined);
  return (
    <section class="report" aria-label="Check of the rows">
      <h2>
        {check.format}, {formatCount(check.rows)} {check.rows === 1 ? 'row' : 'rows'}
      </h2>
      <p role="status" class={isFitting(check) ? 'good' : 'problem'}>
        {verdict(check)}
      </p>
      <SmallTable
        label="Columns"
        columns={['column', "the table's type", ...(hasTypes ? ['given'] : []), 'check']}
        rows={check.columns.map((column) => columnCells(column, hasTypes))}
      />
      {check.badCells.length > 0 && (
        <>
          <h3>
            {check.badCells.length < check.numBadCells
              ? `The first ${check.badCells.length} of ${formatCount(check.numBadCells)} problems`
              : 'Problems'}
          </h3>
          <SmallTable
            label="Problems"
            columns={[check.format === 'JSON' ? 'row' : 'line', 'column', 'problem']}
            rows={check.badCells.map(({ line, column, problem }) => [formatCount(line), column, problem])}
            numeric={[0]}
          />
        </>
      )}
      <h3>The first rows</h3>
      <SmallTable label="The first rows" columns={check.previewColumns} rows={check.preview} />
    </section>
  );
}

function columnCells({ name, type, given, note, problem }: ImportColumn, hasTypes: boolean): string[] {
  return [name, type ?? '–', ...(hasTypes ? [given ?? '–'] : []), problem ?? note ?? 'fits'];
}

function verdict(check: ImportCheck): string {
  if (isFitting(check)) return 'Everything fits.';
  const extra = check.columns.filter(({ type }) => type === undefined).map(({ name }) => name);
  const parts = [
    extra.length > 0 && `The table has no column ${extra.join(', ')}.`,
    check.columns.some(({ type, problem }) => type !== undefined && problem !== undefined) &&
      'Some columns do not fit.',
    check.numBadCells > 0 &&
      `${formatCount(check.numBadCells)} ${check.numBadCells === 1 ? 'cell does' : 'cells do'} not fit.`,
  ];
  return `${parts.filter((part) => part !== false).join(' ')} Nothing can be appended until this is mended.`;
}
