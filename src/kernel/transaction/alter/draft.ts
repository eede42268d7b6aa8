/** A table's metadata and protocol while they are being changed, change by change. */
import { DeltaError } from '../../../errors.ts';
import type { DomainMetadata, Metadata, Protocol } from '../../actions/types.ts';
import type { Runtime } from '../../engine.ts';
import { parseSchema, schemaToJson } from '../../schema/schema-json.ts';
import type { StructType } from '../../schema/types.ts';
import { featureNamed } from '../../table-features/features.ts';
import { isFeatureSupported, supportedFeatures } from '../../table-features/protocol-support.ts';
import { type ColumnMappingMode, tableProperties } from '../../table-properties.ts';
import { protocolOf, withDependencies } from '../enable-features.ts';

export interface Draft {
  readonly protocol: Protocol;
  readonly schema: StructType;
  readonly partitionColumns: readonly string[];
  readonly configuration: Readonly<Record<string, string>>;
  readonly systemDomains: readonly DomainMetadata[];
  /** Whether every row must be as the change wants it, so that no other commit may add any meanwhile. */
  readonly readsWholeTable: boolean;
  /** Whether row tracking is turned on, so that every file needs row ids. */
  readonly startsRowTracking: boolean;
  /** Logical paths; undefined where the table is not clustered. */
  readonly clusteringColumns: readonly (readonly string[])[] | undefined;
  readonly runtime: Runtime;
}

export function mappingModeOf({ protocol, configuration }: Draft): ColumnMappingMode {
  return tableProperties(protocol, { configuration }).columnMappingMode;
}

/** Throws `Unsupported` where a feature that a change needs is not there. */
export function requireFeature({ protocol }: Draft, feature: string, what: string): void {
  if (isFeatureSupported(protocol, feature)) return;
  throw new DeltaError(
    'Unsupported',
    `${what} needs the feature ${feature}: set delta.feature.${feature} = supported, or the property that turns it on`,
    { feature },
  );
}

/**
 * The protocol with more features. What a table has by its legacy versions is listed from then on
 * (`PROTOCOL.md`, "Supported Features"); readers are asked for more only where a feature is theirs.
 */
export function withFeatures(protocol: Protocol, names: Iterable<string>): Protocol {
  const supported = supportedFeatures(protocol);
  const wanted = withDependencies(names);
  if ([...wanted].every((name) => supported.has(name))) return protocol;
  const all = protocolOf(new Set([...supported, ...wanted]));
  const forReaders = [...supported, ...wanted].some((name) => featureNamed(name)?.type === 'readerWriter');
  if (forReaders || protocol.minReaderVersion >= all.minReaderVersion) return all;
  const { readerFeatures: _none, ...rest } = all;
  return { ...rest, minReaderVersion: protocol.minReaderVersion };
}

/** The metadata that a draft makes of the table's. */
export function metadataOf(before: Metadata, { schema, partitionColumns, configuration }: Draft): Metadata {
  const stored = before.storedPartitionNames ?? {};
  const kept = Object.entries(stored).filter(([name]) => partitionColumns.includes(name));
  const { storedPartitionNames: _before, ...rest } = before;
  const schemaString = schemaToJson(schema);
  return {
    ...rest,
    // As it will be read.
    schema: parseSchema(schemaString),
    schemaString,
    partitionColumns,
    ...(kept.length > 0 && { storedPartitionNames: Object.fromEntries(kept) }),
    configuration,
  };
}
