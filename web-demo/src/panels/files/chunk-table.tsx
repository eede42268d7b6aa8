import { useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { ChunkRow } from '../../worker/protocol-files.ts';
import { Scroll } from './scroll.tsx';

/** Pages that are listed; a column may have tens of thousands. */
const MAX_PAGES = 500;

interface ChunkTableProps {
  path: string;
  rowGroup: number;
}

/** The column chunks of a row group. */
export function ChunkTable({ path, rowGroup }: ChunkTableProps) {
  const task = useTask((each) => session.rowGroup(each, path, rowGroup), [path, rowGroup]);
  const [paged, setPaged] = useState<string[]>();
  return (
    <TaskView task={task} doing="Reading the footer">
      {(chunks) => (
        <>
          <Scroll label="Column chunks">
            <table class="plain">
              <caption>Column chunks of row group {formatCount(rowGroup)}</caption>
              <Head />
              <tbody>
                {chunks.map((chunk) => (
                  <Chunk key={chunk.path.join('.')} chunk={chunk} onPages={() => setPaged(chunk.path)} />
                ))}
              </tbody>
            </table>
          </Scroll>
          {paged !== undefined && <Pages path={path} rowGroup={rowGroup} column={paged} />}
        </>
      )}
    </TaskView>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col">Column</th>
        <th scope="col" class="numeric">
          Values
        </th>
        <th scope="col" class="numeric">
          Nulls
        </th>
        <th scope="col">Minimum</th>
        <th scope="col">Maximum</th>
        <th scope="col" class="numeric">
          Size
        </th>
        <th scope="col">Codec</th>
        <th scope="col">Encodings</th>
        <th scope="col" class="numeric">
          At byte
        </th>
        <th scope="col">Indexes</th>
      </tr>
    </thead>
  );
}

function Chunk({ chunk, onPages }: { chunk: ChunkRow; onPages: () => void }) {
  const {
    path,
    name,
    values,
    nulls,
    min,
    max,
    compressed,
    codecs,
    encodings,
    start,
    pageIndex,
    bloomFilter,
  } = chunk;
  return (
    <tr>
      <th scope="row" title={path.join('.')}>
        {name}
      </th>
      <td class="numeric">{formatCount(values)}</td>
      <td class="numeric">{nulls === undefined ? '' : formatCount(nulls)}</td>
      <td>{min ?? ''}</td>
      <td>{max ?? ''}</td>
      <td class="numeric">{formatBytes(compressed)}</td>
      <td>{codecs.join(', ')}</td>
      <td>{encodings.join(', ')}</td>
      <td class="numeric">{formatCount(start)}</td>
      <td>
        {pageIndex && (
          <button type="button" class="link" onClick={onPages}>
            pages
          </button>
        )}{' '}
        {bloomFilter && 'Bloom filter'}
      </td>
    </tr>
  );
}

function Pages({ path, rowGroup, column }: ChunkTableProps & { column: string[] }) {
  const task = useTask((each) => session.rowGroup(each, path, rowGroup, column), [path, rowGroup, column]);
  const key = column.join('.');
  return (
    <TaskView task={task} doing="Reading the page index">
      {(chunks) => {
        const { name = key, pages } = chunks.find((chunk) => chunk.path.join('.') === key) ?? {};
        if (pages === undefined)
          return <p class="empty">The page index of {name} says nothing that can be used.</p>;
        return <PageTable name={name} pages={pages} />;
      }}
    </TaskView>
  );
}

function PageTable({ name, pages }: { name: string; pages: NonNullable<ChunkRow['pages']> }) {
  return (
    <Scroll label="Pages">
      <table class="plain">
        <caption>
          {formatCount(pages.length)} pages of {name}
          {pages.length > MAX_PAGES && `, of which the first ${formatCount(MAX_PAGES)} are listed`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Rows of the row group</th>
            <th scope="col">Minimum</th>
            <th scope="col">Maximum</th>
          </tr>
        </thead>
        <tbody>
          {pages.slice(0, MAX_PAGES).map(({ start, end, min, max }) => (
            <tr key={start}>
              <th scope="row">
                {formatCount(start)} – {formatCount(end - 1)}
              </th>
              <td>{min ?? ''}</td>
              <td>{max ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
