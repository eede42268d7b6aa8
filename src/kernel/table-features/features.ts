/** Table features as data (`PROTOCOL.md`, "Table Features" and "Valid Feature Names in Table Features"). */

export interface TableFeature {
  /** The protocol's spelling. */
  readonly name: string;
  /** Older spellings of the same feature. */
  readonly aliases?: readonly string[];
  /** `readerWriter`: listed in both arrays, and a reader must know it. */
  readonly type: 'writer' | 'readerWriter';
  /** Versions from which tables have the feature without listing it. */
  readonly legacy?: { readonly minReaderVersion?: number; readonly minWriterVersion: number };
  /** Boolean property that turns a supported feature on; without one it is on where supported. */
  readonly enabledBy?: string;
  readonly requires?: readonly string[];
  /** readerWriter only: whether this kernel reads tables that have it. */
  readonly readable?: boolean;
}

export const TABLE_FEATURES: readonly TableFeature[] = [
  { name: 'appendOnly', type: 'writer', legacy: { minWriterVersion: 2 }, enabledBy: 'delta.appendOnly' },
  { name: 'invariants', type: 'writer', legacy: { minWriterVersion: 2 } },
  { name: 'checkConstraints', type: 'writer', legacy: { minWriterVersion: 3 } },
  {
    name: 'changeDataFeed',
    type: 'writer',
    legacy: { minWriterVersion: 4 },
    enabledBy: 'delta.enableChangeDataFeed',
  },
  { name: 'generatedColumns', type: 'writer', legacy: { minWriterVersion: 4 } },
  {
    name: 'columnMapping',
    type: 'readerWriter',
    legacy: { minReaderVersion: 2, minWriterVersion: 5 },
    readable: true,
  },
  { name: 'identityColumns', type: 'writer', legacy: { minWriterVersion: 6 } },
  { name: 'inCommitTimestamp', type: 'writer', enabledBy: 'delta.enableInCommitTimestamps' },
  { name: 'domainMetadata', type: 'writer' },
  { name: 'rowTracking', type: 'writer', enabledBy: 'delta.enableRowTracking', requires: ['domainMetadata'] },
  { name: 'clustering', type: 'writer', requires: ['domainMetadata'] },
  {
    name: 'icebergCompatV1',
    type: 'writer',
    enabledBy: 'delta.enableIcebergCompatV1',
    requires: ['columnMapping'],
  },
  {
    name: 'icebergCompatV2',
    type: 'writer',
    enabledBy: 'delta.enableIcebergCompatV2',
    requires: ['columnMapping'],
  },
  {
    name: 'icebergCompatV3',
    type: 'writer',
    enabledBy: 'delta.enableIcebergCompatV3',
    requires: ['columnMapping', 'rowTracking'],
  },
  { name: 'materializePartitionColumns', type: 'writer' },
  { name: 'allowColumnDefaults', type: 'writer' },
  {
    name: 'catalogManaged',
    aliases: ['catalogOwned-preview'],
    type: 'readerWriter',
    requires: ['inCommitTimestamp'],
    readable: true,
  },
  { name: 'deletionVectors', type: 'readerWriter', enabledBy: 'delta.enableDeletionVectors', readable: true },
  { name: 'timestampNtz', aliases: ['timestampWithoutTimezone'], type: 'readerWriter', readable: true },
  {
    name: 'typeWidening',
    aliases: ['typeWidening-preview'],
    type: 'readerWriter',
    enabledBy: 'delta.enableTypeWidening',
    readable: true,
  },
  { name: 'v2Checkpoint', type: 'readerWriter', readable: true },
  { name: 'vacuumProtocolCheck', type: 'readerWriter', readable: true },
  { name: 'variantType', aliases: ['variantType-preview'], type: 'readerWriter', readable: true },
  {
    name: 'variantShredding',
    aliases: ['variantShredding-preview'],
    type: 'readerWriter',
    enabledBy: 'delta.enableVariantShredding',
    requires: ['variantType'],
    readable: true,
  },
  { name: 'geospatial', type: 'readerWriter', readable: false },
  { name: 'adaptiveMetadata-preview', type: 'readerWriter', readable: false },
];

const BY_NAME = new Map(
  TABLE_FEATURES.flatMap((feature) =>
    [feature.name, ...(feature.aliases ?? [])].map((name) => [name, feature] as const),
  ),
);

/** The feature of a name or of an older spelling, undefined for one that this version does not know. */
export function featureNamed(name: string): TableFeature | undefined {
  return BY_NAME.get(name);
}
