import { featureHint } from '../../feature-hints.ts';
import type { Tab } from '../../location.ts';
import type { Overview } from '../../worker/protocol.ts';
import type { PanelProps } from '../registry.tsx';

/** Where one sees what a feature does. */
const SHOWN_IN: Readonly<Record<string, Tab>> = {
  changeDataFeed: 'changes',
  deletionVectors: 'files',
  clustering: 'files',
  inCommitTimestamp: 'history',
  catalogManaged: 'history',
  v2Checkpoint: 'health',
  vacuumProtocolCheck: 'health',
};

export function ProtocolSection({ overview, show }: { overview: Overview; show: PanelProps['show'] }) {
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
          {overview.features.map(({ name, kind }) => (
            <li key={name}>
              <FeatureName name={name} show={show} />
              <span>{featureHint(name)}</span>
              <em>{kind}</em>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function FeatureName({ name, show }: { name: string; show: PanelProps['show'] }) {
  const tab = SHOWN_IN[name.replace(/-preview$/, '')];
  if (tab === undefined) return <code>{name}</code>;
  return (
    <button type="button" class="link" title={`See ${tab}`} onClick={() => show({ tab, detail: '' })}>
      <code>{name}</code>
    </button>
  );
}

export function PropertiesSection({ properties }: { properties: [string, string][] }) {
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
