import { featureHint } from '../feature-hints.ts';
import { formatBytes, formatCount, formatTime } from '../format.ts';
import type { Overview } from '../worker/protocol.ts';
import type { PanelProps } from './registry.tsx';
import { SchemaTree } from './schema-tree.tsx';

/** What the table is at this version. */
export function OverviewPanel({ overview }: PanelProps) {
  return (
    <div class="overview">
      <section class="facts" aria-label="Figures">
        <Fact name="Version" value={formatCount(overview.version)} />
        <Fact name="Committed (UTC)" value={formatTime(overview.timestamp)} />
        <Fact name="Rows" value={formatCount(overview.numRecords)} />
        {overview.numDeletedRecords > 0 && (
          <Fact name="Deleted rows in files" value={formatCount(overview.numDeletedRecords)} />
        )}
        <Fact name="Files" value={formatCount(overview.numFiles)} />
        <Fact name="Size" value={formatBytes(overview.sizeInBytes)} />
      </section>
      {overview.description !== null && <p class="description">{overview.description}</p>}
      <section aria-labelledby="schema">
        <h2 id="schema">Schema</h2>
        <SchemaTree schema={overview.schema} partitionColumns={overview.partitionColumns} />
        {overview.clusteringColumns.length > 0 && <p>Clustered by {overview.clusteringColumns.join(', ')}</p>}
      </section>
      <div class="side">
        <ProtocolSection overview={overview} />
        <PropertiesSection properties={overview.properties} />
      </div>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <dl class="fact">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </dl>
  );
}

function ProtocolSection({ overview }: { overview: Overview }) {
  return (
    <section aria-labelledby="protocol">
      <h2 id="protocol">Protocol</h2>
      <p>
        reader version {overview.minReaderVersion}, writer version {overview.minWriterVersion}
      </p>
      {overview.features.length === 0 ? (
        <p class="empty">No table features are named: what the table needs follows from these versions.</p>
      ) : (
        <ul class="features">
          {overview.features.map((feature) => (
            <li key={feature.name}>
              <code>{feature.name}</code>
              <span>{featureHint(feature.name)}</span>
              <em>{feature.kind}</em>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function PropertiesSection({ properties }: { properties: [string, string][] }) {
  return (
    <section aria-labelledby="properties">
      <h2 id="properties">Properties</h2>
      {properties.length === 0 ? (
        <p class="empty">No properties are set.</p>
      ) : (
        <dl class="properties">
          {properties.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
