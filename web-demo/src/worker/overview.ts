/** What a table is at one version. */
import type { DeltaTable, Protocol } from 'delta-kernel-web';
import type { Feature, Overview } from './protocol.ts';

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
