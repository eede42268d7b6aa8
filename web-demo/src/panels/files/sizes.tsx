import { FailureBox } from '../../components/failure.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { FileSizes, SizeGroup } from '../../worker/protocol-files.ts';
import type { FilesView } from './detail-link.ts';
import { percent } from './partition-list.tsx';
import { Scroll } from './scroll.tsx';
import { Treemap } from './treemap.tsx';

interface SizesProps {
  /** The predicate whose verdicts colour the files; empty for none. */
  where: string;
  go: (view: FilesView) => void;
}

/** Where the bytes are. */
export function SizesView({ where, go }: SizesProps) {
  const { result } = useTask(() => session.fileSizes(where), [where]);
  if (result.state === 'loading') return <p class="loading">Adding up…</p>;
  if (result.state === 'failed') return <FailureBox failure={result.failure} />;
  const { histogram, groups } = result.value;
  return (
    <div class="sizes">
      <Histogram histogram={histogram} />
      <section aria-labelledby="treemap">
        <h2 id="treemap">Area by size</h2>
        <Treemap groups={groups} hasVerdicts={where !== ''} go={go} />
        <details>
          <summary>The same as a table</summary>
          <GroupTable groups={groups} go={go} />
        </details>
      </section>
    </div>
  );
}

function Histogram({ histogram }: Pick<FileSizes, 'histogram'>) {
  const most = Math.max(...histogram.map(({ files }) => files), 1);
  const all = histogram.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section aria-labelledby="histogram">
      <h2 id="histogram">Files by size</h2>
      <Scroll label="Counts of files by size">
        <table class="plain histogram">
          <thead>
            <tr>
              <th scope="col">Size of a file</th>
              <th scope="col">Files</th>
              <th scope="col" class="numeric">
                Together
              </th>
              <th scope="col" class="numeric">
                Of all bytes
              </th>
            </tr>
          </thead>
          <tbody>
            {histogram.map(({ from, to, files, bytes }) => (
              <tr key={from}>
                <th scope="row">
                  {formatBytes(from)} – {to === null ? '' : formatBytes(to)}
                </th>
                <td>
                  <span class="bar-cell" style={{ '--share': files / most }}>
                    {formatCount(files)}
                  </span>
                </td>
                <td class="numeric">{formatBytes(bytes)}</td>
                <td class="numeric">{percent(bytes, all)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function GroupTable({ groups, go }: { groups: SizeGroup[]; go: SizesProps['go'] }) {
  const all = groups.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <Scroll label="Sizes by partition">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Partition</th>
            <th scope="col" class="numeric">
              Files
            </th>
            <th scope="col" class="numeric">
              Size
            </th>
            <th scope="col" class="numeric">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, partition, files, bytes }) => (
            <tr key={name}>
              <td>
                {partition === undefined || name === '' ? (
                  name || 'the whole table'
                ) : (
                  <button type="button" class="link" onClick={() => go({ kind: 'list', partition })}>
                    {name}
                  </button>
                )}
              </td>
              <td class="numeric">{formatCount(files)}</td>
              <td class="numeric">{formatBytes(bytes)}</td>
              <td class="numeric">{percent(bytes, all)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
