import { formatCount, formatTime } from '../../format.ts';
import { CHANGE_TYPES, type ChangeCount } from '../../worker/protocol-changes.ts';

/** Rows by version and kind: a version leads to its changes alone. */
export function ChangeCounts({
  counts,
  onVersion,
}: {
  counts: ChangeCount[];
  onVersion: (version: number) => void;
}) {
  if (counts.length === 0) return <p class="empty">No rows were changed in these versions.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="change-counts" aria-label="Changes by version" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Time (UTC)</th>
            {CHANGE_TYPES.map((type) => (
              <th key={type} scope="col" class="numeric">
                {type.replace('_', ' ')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counts.toReversed().map(({ version, timestamp, rows }) => (
            <tr key={version}>
              <th scope="row">
                <button type="button" class="quiet small" onClick={() => onVersion(version)}>
                  {formatCount(version)}
                </button>
              </th>
              <td>{formatTime(timestamp)}</td>
              {CHANGE_TYPES.map((type) => (
                <td key={type} class="numeric">
                  {rows[type] === 0 ? '' : formatCount(rows[type])}
                </td>
              ))}
            </tr>
          ))}
          {counts.length > 1 && (
            <tr class="sum">
              <th scope="row">All</th>
              <td />
              {CHANGE_TYPES.map((type) => (
                <td key={type} class="numeric">
                  {formatCount(counts.reduce((sum, { rows }) => sum + rows[type], 0))}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
