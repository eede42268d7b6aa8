/** Which table features properties and columns ask for, and the protocol that has them. */
import { DeltaError } from '../../errors.ts';
import type { Protocol } from '../actions/types.ts';
import { allFields } from '../schema/schema.ts';
import { type DataType, METADATA_KEYS, type StructType } from '../schema/types.ts';
import { featureNamed, TABLE_FEATURES } from '../table-features/features.ts';
import { MAX_READER_VERSION, MAX_WRITER_VERSION } from '../table-features/protocol-support.ts';

/** `delta.feature.<name>` = `supported` asks for these; they are signals and never stored. */
const SIGNALS = [
  'appendOnly',
  'catalogManaged',
  'changeDataFeed',
  'columnMapping',
  'deletionVectors',
  'domainMetadata',
  'inCommitTimestamp',
  'invariants',
  'materializePartitionColumns',
  'rowTracking',
  'timestampNtz',
  'typeWidening',
  'v2Checkpoint',
  'vacuumProtocolCheck',
  'variantType',
];
const SIGNAL_PREFIX = 'delta.feature.';

/** Properties of the protocol that may be set; anything else under `delta.` could mean what we do not do. */
const PROPERTIES = [
  'delta.appendOnly',
  'delta.autoOptimize.autoCompact',
  'delta.autoOptimize.optimizeWrite',
  'delta.checkpoint.writeStatsAsJson',
  'delta.checkpoint.writeStatsAsStruct',
  'delta.checkpointInterval',
  'delta.checkpointPolicy',
  'delta.columnMapping.mode',
  'delta.dataSkippingNumIndexedCols',
  'delta.dataSkippingStatsColumns',
  'delta.deletedFileRetentionDuration',
  'delta.enableChangeDataFeed',
  'delta.enableDeletionVectors',
  'delta.enableExpiredLogCleanup',
  'delta.enableInCommitTimestamps',
  'delta.enableRowTracking',
  'delta.enableTypeWidening',
  'delta.isolationLevel',
  'delta.logRetentionDuration',
  'delta.parquet.compression.codec',
  'delta.randomPrefixLength',
  'delta.randomizeFilePrefixes',
  'delta.setTransactionRetentionDuration',
  'delta.targetFileSize',
  'delta.tuneFileSizesForRewrites',
];
const CONSTRAINT_PREFIX = 'delta.constraints.';

export interface SortedProperties {
  /** What goes into `metaData.configuration`, under the protocol's spelling. */
  readonly stored: Readonly<Record<string, string>>;
  /** Features that were asked for by name. */
  readonly signals: readonly string[];
}

/** Throws `InvalidOption` for properties that cannot be set. */
export function sortProperties(properties: Readonly<Record<string, string>>): SortedProperties {
  const stored: Record<string, string> = {};
  const signals: string[] = [];
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value !== 'string') throw refuse(key, 'must be a text');
    if (key.toLowerCase().startsWith(SIGNAL_PREFIX)) signals.push(signalled(key, value));
    else if (!isProtocolVersion(key, value)) stored[spelled(key)] = value;
  }
  return { stored, signals };
}

function signalled(key: string, value: string): string {
  const name = featureNamed(key.slice(SIGNAL_PREFIX.length))?.name;
  if (value !== 'supported') throw refuse(key, `must be "supported", not ${JSON.stringify(value)}`);
  if (name !== undefined && SIGNALS.includes(name)) return name;
  throw refuse(key, 'asks for a feature that cannot be set by name here');
}

/** `delta.minReaderVersion` and `delta.minWriterVersion` are signals too: tables have versions 3 and 7. */
function isProtocolVersion(key: string, value: string): boolean {
  const versions: Readonly<Record<string, number>> = {
    'delta.minReaderVersion': MAX_READER_VERSION,
    'delta.minWriterVersion': MAX_WRITER_VERSION,
  };
  const version = versions[key];
  if (version === undefined) return false;
  if (value === String(version)) return true;
  throw refuse(key, `must be ${version}, the version with table features`);
}

function spelled(key: string): string {
  const lower = key.toLowerCase();
  if (!lower.startsWith('delta.')) return key;
  if (lower.startsWith(CONSTRAINT_PREFIX) && lower.length > CONSTRAINT_PREFIX.length) {
    return CONSTRAINT_PREFIX + key.slice(CONSTRAINT_PREFIX.length);
  }
  const known = PROPERTIES.find((name) => name.toLowerCase() === lower);
  if (known !== undefined) return known;
  throw refuse(key, 'cannot be set: names starting with "delta." are the protocol\'s');
}

function refuse(key: string, problem: string): DeltaError {
  return new DeltaError('InvalidOption', `the table property ${key} ${problem}`);
}

/** Features that stored properties ask for. */
export function featuresOfProperties(stored: Readonly<Record<string, string>>): string[] {
  const isTrue = (key: string | undefined) =>
    key !== undefined && stored[key]?.trim().toLowerCase() === 'true';
  const features = TABLE_FEATURES.filter(({ enabledBy }) => isTrue(enabledBy)).map(({ name }) => name);
  const mode = stored['delta.columnMapping.mode']?.trim().toLowerCase();
  if (mode !== undefined && mode !== 'none') features.push('columnMapping');
  if (stored['delta.checkpointPolicy']?.trim().toLowerCase() === 'v2') features.push('v2Checkpoint');
  if (Object.keys(stored).some((key) => key.startsWith(CONSTRAINT_PREFIX))) features.push('checkConstraints');
  return features;
}

/** Features that columns ask for, by type, nullability and annotations. */
export function featuresOfSchema(schema: StructType): string[] {
  const features = new Set<string>();
  for (const { field } of allFields(schema)) {
    for (const name of featuresOfType(field.type)) features.add(name);
    if (!field.nullable || METADATA_KEYS.invariants in field.metadata) features.add('invariants');
    if (METADATA_KEYS.generationExpression in field.metadata) features.add('generatedColumns');
    if (METADATA_KEYS.identityStart in field.metadata) features.add('identityColumns');
    if (METADATA_KEYS.currentDefault in field.metadata) features.add('allowColumnDefaults');
    if (METADATA_KEYS.typeChanges in field.metadata) features.add('typeWidening');
  }
  return [...features];
}

function featuresOfType(type: DataType): string[] {
  switch (type.kind) {
    case 'variant':
      return ['variantType'];
    case 'primitive':
      return type.name === 'timestamp_ntz' ? ['timestampNtz'] : [];
    case 'array':
      return featuresOfType(type.elementType);
    case 'map':
      return [...featuresOfType(type.keyType), ...featuresOfType(type.valueType)];
    default:
      return [];
  }
}

/** The features with all that they need. */
export function withDependencies(names: Iterable<string>): ReadonlySet<string> {
  const result = new Set<string>();
  const visit = (name: string): void => {
    if (result.has(name)) return;
    result.add(name);
    for (const needed of featureNamed(name)?.requires ?? []) visit(needed);
  };
  for (const name of names) visit(name);
  return result;
}

/** The protocol that lists features, in versions 3 and 7. */
export function protocolOf(features: ReadonlySet<string>): Protocol {
  const writerFeatures = [...features].sort();
  return {
    minReaderVersion: MAX_READER_VERSION,
    minWriterVersion: MAX_WRITER_VERSION,
    readerFeatures: writerFeatures.filter((name) => featureNamed(name)?.type === 'readerWriter'),
    writerFeatures,
  };
}
