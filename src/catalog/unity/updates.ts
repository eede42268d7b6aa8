/** What a commit changes beyond data, as the API's update actions: they go in the same request as the commit. */
import { isLosslessNumber } from 'lossless-json';
import { DeltaError } from '../../errors.ts';
import type { CommitMetadata } from '../../kernel/committer/commit-metadata.ts';
import { asStrings, parseJsonObject } from '../../kernel/log/json.ts';
import type { DomainUpdates, Metadata, TableUpdate } from './client.ts';

const CLUSTERING = 'delta.clustering';
const ROW_TRACKING = 'delta.rowTracking';

/** Properties that the server makes up: no client may write them. */
const SYNTHETIC =
  /^delta\.(feature\..*|minReaderVersion|minWriterVersion|clusteringColumns|rowTracking\.rowIdHighWaterMark|lastUpdateVersion|lastCommitTimestamp)$/;

export function withoutSynthetic(properties: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !SYNTHETIC.test(key)));
}

type Domains = CommitMetadata['domainMetadataChanges'];

/** The two domains that the server keeps. Throws `CatalogError` where one is not as the protocol has it. */
export function domainUpdates(domains: Domains): DomainUpdates {
  const set = new Map(
    domains.filter(({ removed }) => !removed).map((each) => [each.domain, each.configuration]),
  );
  const clustering = set.get(CLUSTERING);
  const tracking = set.get(ROW_TRACKING);
  return {
    ...(clustering !== undefined && { clusteringColumns: clusteringColumns(clustering) }),
    ...(tracking !== undefined && { rowIdHighWaterMark: highWaterMark(tracking) }),
  };
}

function clusteringColumns(configuration: string): string[][] {
  const columns = parseJsonObject(configuration)?.clusteringColumns;
  const paths = Array.isArray(columns) ? columns.map(asStrings) : [undefined];
  if (paths.every((path) => path !== undefined)) return paths;
  throw malformed(CLUSTERING, configuration);
}

function highWaterMark(configuration: string): bigint {
  const value = parseJsonObject(configuration)?.rowIdHighWaterMark;
  if (isLosslessNumber(value) && /^-?\d+$/.test(value.value)) return BigInt(value.value);
  throw malformed(ROW_TRACKING, configuration);
}

function malformed(domain: string, configuration: string): DeltaError {
  return new DeltaError(
    'CatalogError',
    `the domain metadata ${domain} is ${configuration}, which is none of its`,
  );
}

/** At most one of each kind. */
export function metadataUpdates(metadata: CommitMetadata): TableUpdate[] {
  const { newProtocol, newMetadata, readMetadata, domainMetadataChanges } = metadata;
  const updates: TableUpdate[] = [];
  if (newProtocol !== undefined) updates.push({ action: 'set-protocol', protocol: newProtocol });
  if (newMetadata !== undefined && readMetadata !== undefined) {
    updates.push(...columnUpdates(readMetadata, newMetadata), ...propertyUpdates(readMetadata, newMetadata));
  }
  const set = domainUpdates(domainMetadataChanges);
  if (Object.keys(set).length > 0) updates.push({ action: 'set-domain-metadata', updates: set });
  const removed = domainMetadataChanges
    .filter((each) => each.removed && (each.domain === CLUSTERING || each.domain === ROW_TRACKING))
    .map(({ domain }) => domain);
  if (removed.length > 0) updates.push({ action: 'remove-domain-metadata', domains: removed });
  return updates;
}

function columnUpdates(before: Metadata, after: Metadata): TableUpdate[] {
  const updates: TableUpdate[] = [];
  if (before.schemaString !== after.schemaString) {
    updates.push({ action: 'set-columns', columns: after.schema });
  }
  if (before.partitionColumns.join('\0') !== after.partitionColumns.join('\0')) {
    updates.push({ action: 'set-partition-columns', partitionColumns: after.partitionColumns });
  }
  if (after.description !== undefined && before.description !== after.description) {
    updates.push({ action: 'set-table-comment', comment: after.description });
  }
  return updates;
}

function propertyUpdates(before: Metadata, after: Metadata): TableUpdate[] {
  const [old, now] = [withoutSynthetic(before.configuration), withoutSynthetic(after.configuration)];
  const changed = Object.entries(now).filter(([key, value]) => old[key] !== value);
  const removals = Object.keys(old).filter((key) => now[key] === undefined);
  const updates: TableUpdate[] = [];
  if (changed.length > 0) updates.push({ action: 'set-properties', updates: Object.fromEntries(changed) });
  if (removals.length > 0) updates.push({ action: 'remove-properties', removals });
  return updates;
}
