/** What a table is at one version. */
import type { DeltaTable, Protocol } from 'delta-kernel-web';
import type { Work, WorkerContext } from './context.ts';
import { readColumnStatistics } from './overview/column-statistics.ts';
import type { Feature, Overview } from './protocol.ts';
import type { ApplicationFacts, OverviewCalls } from './protocol-overview.ts';

/** Characters of a domain's configuration, and applications that are listed. */
const MAX_CONFIGURATION = 20_000;
const MAX_APPLICATIONS = 500;

export function overviewCalls(context: WorkerContext): OverviewCalls {
  return {
    columnStatistics: (task) => context.run(task, readColumnStatistics),
    applicationState: (task) => context.run(task, readApplicationState),
  };
}

async function readApplicationState({ table, signal }: Work): Promise<ApplicationFacts> {
  const state = await table.snapshot.applicationState(table.engine, { signal });
  return {
    transactions: state.setTransactions
      .slice(0, MAX_APPLICATIONS)
      .map(({ appId, version, lastUpdated }) => ({ appId, version, lastUpdated })),
    numTransactions: state.setTransactions.length,
    domains: state.domainMetadata.map(({ domain, configuration }) => ({
      domain,
      configuration: configuration.slice(0, MAX_CONFIGURATION),
    })),
  };
}

export async function readOverview(
  table: DeltaTable,
  signal: AbortSignal,
): Promise<Omit<Overview, 'writable'>> {
  const { protocol, properties, clusteringColumns, partitionColumns, ...detail } = await table.detail({
    signal,
  });
  return {
    location: detail.location,
    version: detail.version,
    timestamp: detail.timestamp,
    name: detail.name,
    description: detail.description,
    numFiles: detail.numFiles,
    sizeInBytes: detail.sizeInBytes,
    numRecords: detail.numRecords,
    numDeletedRecords: detail.numDeletedRecords,
    minReaderVersion: protocol.minReaderVersion,
    minWriterVersion: protocol.minWriterVersion,
    features: featuresOf(protocol),
    schema: detail.schema,
    partitionColumns: [...partitionColumns],
    clusteringColumns: (clusteringColumns ?? []).map((path) => path.join('.')),
    properties: Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

/** A feature that readers must know is listed for writers as well; the others concern writers only. */
function featuresOf({ readerFeatures = [], writerFeatures = [] }: Protocol): Feature[] {
  const names = [...new Set([...readerFeatures, ...writerFeatures])].sort();
  return names.map((name) => ({
    name,
    kind: readerFeatures.includes(name) ? 'reader and writer' : 'writer',
  }));
}
