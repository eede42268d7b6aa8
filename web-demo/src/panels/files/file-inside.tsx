import { useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { InsideColumn, ParquetInside, RowGroupRow } from '../../worker/protocol-files.ts';
import { ChunkTable } from './chunk-table.tsx';
import { percent } from './partition-list.tsx';
import { Scroll } from './scroll.tsx';

/** Lines of a table at first: a file may have thousands of columns or row groups. */
const FIRST = 100;

/** What the Parquet file is made of: its footer is read. */
export function FileInside({ path, where }: { path: string; where: string }) {
  const task = useTask((each) => session.fileInside(each, path, where), [path, where]);
  return (
    <section aria-labelledby="inside">
      <h2 id="inside">Inside the Parquet file</h2>
      <TaskView task={task} doing="Reading the footer">
        {(inside) => <Inside inside={inside} path={path} />}
      </TaskView>
    </section>
  );
}

function Inside({ inside, path }: { inside: ParquetInside; path: string }) {
  const { rowGroups, columns, compressed, uncompressed, createdBy, rows, metadata } = inside;
  return (
    <>
      <p class="soft">
        {createdBy !== undefined && <>Written by {createdBy}. </>}
        {formatCount(rows)} rows in {formatCount(rowGroups.length)}{' '}
        {rowGroups.length === 1 ? 'row group' : 'row groups'}; {formatBytes(compressed)}, uncompressed{' '}
        {formatBytes(uncompressed)}.
      </p>
      <Columns columns={columns} all={compressed} />
      <RowGroupTable rowGroups={rowGroups} path={path} />
      <Metadata metadata={metadata} />
    </>
  );
}

function Columns({ columns, all }: { columns: InsideColumn[]; all: number }) {
  const [shown, setShown] = useState(FIRST);
  return (
    <Scroll label="Columns of the file">
      <table class="plain">
        <caption>Columns, over all row groups</caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
            <th scope="col">Codec</th>
            <th scope="col">Encodings</th>
            <th scope="col" class="numeric">
              Size
            </th>
            <th scope="col" class="numeric">
              Uncompressed
            </th>
            <th scope="col">Share</th>
            <th scope="col">Indexes</th>
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, shown).map((column) => (
            <tr key={column.path.join('.')}>
              <th scope="row" title={column.path.join('.')}>
                {column.name}
              </th>
              <td>{column.type}</td>
              <td>{column.codecs.join(', ')}</td>
              <td>{column.encodings.join(', ')}</td>
              <td class="numeric">{formatBytes(column.compressed)}</td>
              <td class="numeric">{formatBytes(column.uncompressed)}</td>
              <td>
                <span class="bar-cell" style={{ '--share': all === 0 ? 0 : column.compressed / all }}>
                  {percent(column.compressed, all)}
                </span>
              </td>
              <td>{indexesText(column)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {columns.length > shown && (
        <More left={columns.length - shown} onMore={() => setShown(columns.length)} />
      )}
    </Scroll>
  );
}

export function indexesText({
  pageIndex,
  bloomFilter,
}: Pick<InsideColumn, 'pageIndex' | 'bloomFilter'>): string {
  return [pageIndex && 'pages', bloomFilter && 'Bloom filter'].filter(Boolean).join(', ');
}

function More({ left, onMore }: { left: number; onMore: () => void }) {
  return (
    <p>
      <button type="button" onClick={onMore}>
        Show {formatCount(left)} more
      </button>
    </p>
  );
}

function RowGroupTable({ rowGroups, path }: { rowGroups: RowGroupRow[]; path: string }) {
  const [shown, setShown] = useState(FIRST);
  const [open, setOpen] = useState<number | undefined>();
  const hasVerdicts = rowGroups.some(({ read }) => read !== undefined);
  return (
    <>
      <Scroll label="Row groups of the file">
        <table class="plain">
          <caption>Row groups</caption>
          <thead>
            <tr>
              <th scope="col">Row group</th>
              <th scope="col" class="numeric">
                Rows
              </th>
              <th scope="col" class="numeric">
                Size
              </th>
              <th scope="col" class="numeric">
                Uncompressed
              </th>
              {hasVerdicts && <th scope="col">Read by the query</th>}
            </tr>
          </thead>
          <tbody>
            {rowGroups.slice(0, shown).map((group, at) => (
              <tr key={at} class={open === at ? 'chosen' : ''}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    aria-label={`${formatCount(at)}, column chunks`}
                    aria-expanded={open === at}
                    onClick={() => setOpen(open === at ? undefined : at)}
                  >
                    {formatCount(at)} {open === at ? '▾' : '▸'}
                  </button>
                </th>
                <td class="numeric">{formatCount(group.rows)}</td>
                <td class="numeric">{formatBytes(group.compressed)}</td>
                <td class="numeric">{formatBytes(group.uncompressed)}</td>
                {hasVerdicts && (
                  <td class="why">{group.read ? 'read' : `skipped${group.why ? `: ${group.why}` : ''}`}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {rowGroups.length > shown && (
          <More left={rowGroups.length - shown} onMore={() => setShown(rowGroups.length)} />
        )}
      </Scroll>
      {open !== undefined && <ChunkTable path={path} rowGroup={open} key={open} />}
    </>
  );
}

function Metadata({ metadata }: Pick<ParquetInside, 'metadata'>) {
  if (metadata.length === 0) return <p class="empty">No key-value metadata.</p>;
  return (
    <>
      <h3>Key-value metadata</h3>
      {metadata.map(({ key, value, length }) => (
        <details key={key}>
          <summary>
            <code>{key}</code> <span class="soft">{formatCount(length)} characters</span>
          </summary>
          <pre class="text">{value}</pre>
        </details>
      ))}
    </>
  );
}
