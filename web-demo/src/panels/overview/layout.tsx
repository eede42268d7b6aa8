import type { StructType } from 'delta-kernel-web';
import { formatCount, formatTime } from '../../format.ts';
import type { Overview } from '../../worker/protocol.ts';
import type { PanelProps } from '../registry.tsx';
import { fieldRules } from '../schema-tree.tsx';

/** How rows are laid out over files, and what is kept of each. */
export function LayoutSection({ overview, show }: { overview: Overview; show: PanelProps['show'] }) {
  const { partitionColumns, clusteringColumns } = overview;
  const property = (key: string) => overview.properties.find(([name]) => name === key)?.[1];
  return (
    <section aria-labelledby="layout">
      <h2 id="layout">Layout</h2>
      <dl class="properties">
        <Line name="Partitioned by">
          {partitionColumns.length === 0 ? (
            'nothing'
          ) : (
            <button type="button" class="link" onClick={() => show({ tab: 'files', detail: 'partitions' })}>
              {partitionColumns.join(', ')}
            </button>
          )}
        </Line>
        {clusteringColumns.length > 0 && <Line name="Clustered by">{clusteringColumns.join(', ')}</Line>}
        <Line name="Column mapping">{property('delta.columnMapping.mode') ?? 'none'}</Line>
        <Line name="Row tracking">{rowTracking(property)}</Line>
        <Line name="Times of commits">{commitTimes(property)}</Line>
        <Line name="Statistics of">{statistics(property)}</Line>
      </dl>
    </section>
  );
}

type Property = (key: string) => string | undefined;

function Line({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function rowTracking(property: Property): string {
  if (property('delta.rowTrackingSuspended') === 'true') return 'suspended';
  if (property('delta.enableRowTracking') !== 'true') return 'off';
  const id = property('delta.rowTracking.materializedRowIdColumnName');
  return id === undefined ? 'on: every row has a stable id' : `on; moved rows keep their id in ${id}`;
}

/** `PROTOCOL.md`, "In-Commit Timestamps". */
function commitTimes(property: Property): string {
  if (property('delta.enableInCommitTimestamps') !== 'true') return 'those of the files in the log';
  const version = property('delta.inCommitTimestampEnablementVersion');
  const time = property('delta.inCommitTimestampEnablementTimestamp');
  if (version === undefined) return 'recorded in every commit';
  const since = time !== undefined && /^\d{1,15}$/.test(time) ? `, ${formatTime(Number(time))} UTC` : '';
  return `recorded in the commits from version ${version} on${since}`;
}

function statistics(property: Property): string {
  const columns = property('delta.dataSkippingStatsColumns');
  if (columns !== undefined) return columns;
  const count = property('delta.dataSkippingNumIndexedCols') ?? '32';
  if (count === '-1') return 'all columns';
  return /^\d{1,9}$/.test(count) ? `the first ${formatCount(Number(count))} columns` : count;
}

/** What rows must be like. */
export function ConstraintsSection({ overview }: { overview: Overview }) {
  const prefix = 'delta.constraints.';
  const checks = overview.properties
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]): [string, string] => [key.slice(prefix.length), value]);
  const all = [...checks, ...invariants(overview.schema)];
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="constraints">
      <h2 id="constraints">Constraints</h2>
      <dl class="properties">
        {all.map(([name, condition]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{condition}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Of top-level columns, which are the only ones that may have them. */
function invariants(schema: StructType): [string, string][] {
  return schema.fields.flatMap((field): [string, string][] => {
    const { invariant } = fieldRules(field);
    return invariant === undefined ? [] : [[`column ${field.name}`, invariant]];
  });
}
