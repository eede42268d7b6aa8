import type { ComponentChildren } from 'preact';
import { formatBytes, formatCount } from '../../format.ts';
import type { HistoryChanges } from '../../worker/protocol-history.ts';
import { Scroll } from '../files/scroll.tsx';
import { Plot } from './plot.tsx';

/** Lines of the table; the plots show the rest. */
const MAX_LINES = 1000;

interface TrendProps {
  changes: HistoryChanges;
  onTravel: (version: number) => void;
}

/** Size, files and rows over versions. */
export function Trend({ changes, onTravel }: TrendProps) {
  const { trend, addsUp } = changes;
  const versions = trend.map(({ version }) => version);
  const plots = [
    { title: 'Size', values: trend.map(({ bytes }) => bytes), format: formatBytes, isBinary: true },
    { title: 'Files', values: trend.map(({ files }) => files), format: formatCount, isBinary: false },
    { title: 'Rows', values: trend.map(({ rows }) => rows), format: formatCount, isBinary: false },
  ];
  return (
    <section class="trend" aria-label="The table over versions">
      <div class="plots">
        {plots.map(({ title, values, format, isBinary }) => (
          <Plot
            key={title}
            title={title}
            versions={versions}
            values={values}
            format={format}
            isBinary={isBinary}
            onChoose={onTravel}
          />
        ))}
      </div>
      {!addsUp && (
        <p class="soft">
          The commits do not add up from nothing to what the table is now: figures of old versions are
          estimates.
        </p>
      )}
      <details>
        <summary>The same as a table</summary>
        <TrendTable trend={trend} onTravel={onTravel} />
      </details>
    </section>
  );
}

/** The room that the plots will take. */
export function TrendToCome({ isPlotted, children }: { isPlotted: boolean; children: ComponentChildren }) {
  if (!isPlotted) return <>{children}</>;
  return (
    <section class="trend to-come" aria-label="The table over versions">
      <div class="plots" aria-hidden="true">
        {['Size', 'Files', 'Rows'].map((title) => (
          <figure key={title} class="plot">
            <figcaption>{title}</figcaption>
            <div />
          </figure>
        ))}
      </div>
      {children}
    </section>
  );
}

function TrendTable({ trend, onTravel }: Pick<HistoryChanges, 'trend'> & Pick<TrendProps, 'onTravel'>) {
  return (
    <Scroll label="Size, files and rows by version">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col" class="numeric">
              Size
            </th>
            <th scope="col" class="numeric">
              Files
            </th>
            <th scope="col" class="numeric">
              Rows
            </th>
          </tr>
        </thead>
        <tbody>
          {trend
            .toReversed()
            .slice(0, MAX_LINES)
            .map(({ version, bytes, files, rows }) => (
              <tr key={version}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => onTravel(version)}>
                    {formatCount(version)}
                  </button>
                </th>
                <td class="numeric">{bytes === null ? 'unknown' : formatBytes(bytes)}</td>
                <td class="numeric">{formatCount(files)}</td>
                <td class="numeric">{formatCount(rows)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scroll>
  );
}
