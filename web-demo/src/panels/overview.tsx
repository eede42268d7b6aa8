import { formatBytes, formatCount, formatTime } from '../format.ts';
import type { Overview } from '../worker/protocol.ts';
import { ApplicationSection } from './overview/applications.tsx';
import { ColumnStatisticsSection } from './overview/column-statistics.tsx';
import { ConstraintsSection, LayoutSection } from './overview/layout.tsx';
import { PropertiesSection, ProtocolSection } from './overview/protocol.tsx';
import type { PanelProps } from './registry.tsx';
import { SchemaTree } from './schema-tree.tsx';

/** What the table is at this version. */
export function OverviewPanel({ overview, show }: PanelProps) {
  return (
    <div class="overview">
      <Figures overview={overview} show={show} />
      {overview.description !== null && <p class="description">{overview.description}</p>}
      <div class="main">
        <section aria-labelledby="schema">
          <h2 id="schema">Schema</h2>
          <SchemaTree schema={overview.schema} partitionColumns={overview.partitionColumns} />
        </section>
        <ColumnStatisticsSection overview={overview} />
      </div>
      <div class="side">
        <LayoutSection overview={overview} show={show} />
        <ProtocolSection overview={overview} show={show} />
        <ConstraintsSection overview={overview} />
        <PropertiesSection properties={overview.properties} />
        <ApplicationSection overview={overview} />
      </div>
    </div>
  );
}

type Show = PanelProps['show'];

/** Each figure leads to what it is made of. */
function Figures({ overview, show }: { overview: Overview; show: Show }) {
  const { version, timestamp, numRecords, numDeletedRecords, numFiles, sizeInBytes } = overview;
  return (
    <section class="facts" aria-label="Figures">
      <Fact name="Version" value={formatCount(version)} onGo={() => show({ tab: 'history', detail: '' })} />
      <Fact
        name="Committed (UTC)"
        value={formatTime(timestamp)}
        onGo={() => show({ tab: 'history', detail: `commit=${version}` })}
      />
      <Fact name="Rows" value={formatCount(numRecords)} onGo={() => show({ tab: 'data', detail: '' })} />
      {numDeletedRecords > 0 && (
        <Fact
          name="Deleted rows in files"
          value={formatCount(numDeletedRecords)}
          onGo={() => show({ tab: 'files', detail: '' })}
        />
      )}
      <Fact name="Files" value={formatCount(numFiles)} onGo={() => show({ tab: 'files', detail: '' })} />
      <Fact
        name="Size"
        value={formatBytes(sizeInBytes)}
        onGo={() => show({ tab: 'files', detail: 'sizes' })}
      />
    </section>
  );
}

function Fact({ name, value, onGo }: { name: string; value: string; onGo: () => void }) {
  return (
    <dl class="fact">
      <dt>{name}</dt>
      <dd>
        <button type="button" class="link" onClick={onGo}>
          {value}
        </button>
      </dd>
    </dl>
  );
}
