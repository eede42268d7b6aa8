import { describe, expect, it } from 'vitest';
import type { Metadata, Protocol } from '../../../src/kernel/actions/types.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import {
  checkProtocol,
  checkReadSupport,
  isFeatureEnabled,
  supportedFeatures,
} from '../../../src/kernel/table-features/protocol-support.ts';
import { checkWriteSupport } from '../../../src/kernel/table-features/write-support.ts';

const legacy = (minReaderVersion: number, minWriterVersion: number): Protocol => ({
  minReaderVersion,
  minWriterVersion,
});
const listed = (readerFeatures: string[], writerFeatures: string[] = readerFeatures): Protocol => ({
  minReaderVersion: 3,
  minWriterVersion: 7,
  readerFeatures,
  writerFeatures,
});
const writerOnly = (minReaderVersion: number, writerFeatures: string[]): Protocol => ({
  minReaderVersion,
  minWriterVersion: 7,
  writerFeatures,
});

describe('features of a protocol', () => {
  it.each([
    [legacy(1, 1), []],
    [legacy(1, 2), ['appendOnly', 'invariants']],
    [legacy(1, 3), ['appendOnly', 'invariants', 'checkConstraints']],
    [legacy(1, 4), ['appendOnly', 'invariants', 'checkConstraints', 'changeDataFeed', 'generatedColumns']],
    [legacy(1, 5), ['appendOnly', 'invariants', 'checkConstraints', 'changeDataFeed', 'generatedColumns']],
    [
      legacy(2, 5),
      ['appendOnly', 'invariants', 'checkConstraints', 'changeDataFeed', 'generatedColumns', 'columnMapping'],
    ],
    [
      legacy(2, 6),
      [
        'appendOnly',
        'invariants',
        'checkConstraints',
        'changeDataFeed',
        'generatedColumns',
        'columnMapping',
        'identityColumns',
      ],
    ],
    [listed([], []), []],
    [listed(['deletionVectors'], ['deletionVectors', 'appendOnly']), ['deletionVectors', 'appendOnly']],
    [listed(['timestampWithoutTimezone', 'catalogOwned-preview']), ['timestampNtz', 'catalogManaged']],
    [writerOnly(2, ['columnMapping']), ['columnMapping']],
    [writerOnly(1, ['columnMapping']), []],
  ])('%j', (protocol, expected) => {
    expect([...supportedFeatures(protocol)].sort()).toEqual([...expected].sort());
  });

  // LR-14
  it('counts column mapping that old Spark versions listed for writers only', () => {
    const protocol = listed([], ['columnMapping']);
    expect(() => checkReadSupport(protocol)).not.toThrow();
    expect(supportedFeatures(protocol).has('columnMapping')).toBe(true);
    expect(() => checkProtocol(listed(['columnMapping'], []))).toThrow(
      expect.objectContaining({ code: 'InvalidProtocol', feature: 'columnMapping' }),
    );
  });

  it('tells supported from enabled', () => {
    const protocol = listed(['deletionVectors', 'v2Checkpoint']);
    expect(isFeatureEnabled(protocol, {}, 'deletionVectors')).toBe(false);
    expect(isFeatureEnabled(protocol, { 'delta.enableDeletionVectors': 'TRUE' }, 'deletionVectors')).toBe(
      true,
    );
    expect(isFeatureEnabled(protocol, {}, 'v2Checkpoint')).toBe(true);
    expect(isFeatureEnabled(listed([]), { 'delta.enableDeletionVectors': 'true' }, 'deletionVectors')).toBe(
      false,
    );
  });
});

describe('validity', () => {
  it.each<[string, Protocol]>([
    ['reader version 0', legacy(0, 2)],
    ['writer version 0', legacy(1, 0)],
    ['reader 3 without readerFeatures', { minReaderVersion: 3, minWriterVersion: 7, writerFeatures: [] }],
    ['writer 7 without writerFeatures', legacy(1, 7)],
    ['readerFeatures with reader 2', { ...legacy(2, 7), readerFeatures: [], writerFeatures: [] }],
    ['writerFeatures with writer 6', { ...legacy(1, 6), writerFeatures: [] }],
    ['reader 3 with writer 6', { ...legacy(3, 6), readerFeatures: [] }],
    ['a writer feature for readers', listed(['appendOnly'])],
    ['a reader feature that writers lack', listed(['deletionVectors'], [])],
    ['an unknown reader feature that writers lack', listed(['unknown'], [])],
    ['a reader feature for writers only', listed([], ['deletionVectors'])],
  ])('%s is invalid', (_, protocol) => {
    expect(() => checkProtocol(protocol)).toThrow(expect.objectContaining({ code: 'InvalidProtocol' }));
  });

  it.each<[string, Protocol]>([
    ['unknown features', listed(['unknown'])],
    ['two spellings', listed(['timestampNtz'], ['timestampWithoutTimezone'])],
    ['no features', listed([])],
    ['features for writers only', writerOnly(1, ['appendOnly'])],
  ])('%s are no fault', (_, protocol) => {
    expect(() => checkProtocol(protocol)).not.toThrow();
  });
});

describe('reading', () => {
  it.each([
    'catalogManaged',
    'catalogOwned-preview',
    'columnMapping',
    'deletionVectors',
    'timestampNtz',
    'typeWidening',
    'typeWidening-preview',
    'v2Checkpoint',
    'vacuumProtocolCheck',
    'variantType',
    'variantType-preview',
    'variantShredding',
    'variantShredding-preview',
  ])('%s is read', (name) => {
    expect(() => checkReadSupport(listed([name]))).not.toThrow();
  });

  it.each(['geospatial', 'adaptiveMetadata-preview', 'fromTheFuture', 'toString'])(
    '%s is refused by name',
    (name) => {
      expect(() => checkReadSupport(listed(['deletionVectors', name]))).toThrow(
        expect.objectContaining({
          code: 'Unsupported',
          feature: name,
          message: expect.stringContaining(name),
        }),
      );
    },
  );

  it('does not care for writer features', () => {
    expect(() => checkReadSupport(listed([], ['collations', 'checkConstraints']))).not.toThrow();
    expect(() => checkReadSupport(legacy(1, 99))).not.toThrow();
  });

  it('refuses reader versions of the future', () => {
    expect(() => checkReadSupport(legacy(4, 7))).toThrow(expect.objectContaining({ code: 'Unsupported' }));
  });
});

describe('writing', () => {
  const metadataWith = (fieldMetadata: object = {}, configuration: Record<string, string> = {}): Metadata => {
    const inner = field('x', types.long, { metadata: { ...fieldMetadata } });
    const schema = types.struct([field('list', types.array(types.map(types.string, types.struct([inner]))))]);
    return {
      id: 'm',
      format: { provider: 'parquet', options: {} },
      schemaString: '',
      schema,
      partitionColumns: [],
      configuration,
    };
  };
  const plain = metadataWith();
  const refusal = (feature: string) => expect.objectContaining({ code: 'Unsupported', feature });

  it('is possible where features are listed and not used', () => {
    expect(() => checkWriteSupport(legacy(1, 6), plain)).not.toThrow();
    expect(() => checkWriteSupport(legacy(2, 6), plain)).not.toThrow();
  });

  it.each([
    ['invariants', { 'delta.invariants': '{}' }, {}],
    ['generatedColumns', { 'delta.generationExpression': 'x + 1' }, {}],
    ['identityColumns', { 'delta.identity.start': 1 }, {}],
    ['checkConstraints', {}, { 'delta.constraints.c': 'x > 0' }],
  ])('is refused where %s are used, unless the caller enforces them', (name, inSchema, configuration) => {
    const metadata = metadataWith(inSchema, configuration as Record<string, string>);
    expect(() => checkWriteSupport(legacy(1, 6), metadata)).toThrow(refusal(name));
    expect(() => checkWriteSupport(legacy(1, 6), metadata, { enforced: new Set([name]) })).not.toThrow();
  });

  it('is refused for unknown features and versions, and where reading is', () => {
    expect(() => checkWriteSupport(listed([], ['collations']), plain)).toThrow(refusal('collations'));
    expect(() => checkWriteSupport(legacy(1, 8), plain)).toThrow(
      expect.objectContaining({ code: 'Unsupported' }),
    );
    expect(() => checkWriteSupport(listed(['geospatial']), plain)).toThrow(refusal('geospatial'));
  });

  it('is refused where Iceberg compatibility is on', () => {
    const protocol = listed(['columnMapping'], ['columnMapping', 'icebergCompatV2']);
    expect(() => checkWriteSupport(protocol, plain)).not.toThrow();
    expect(() =>
      checkWriteSupport(protocol, metadataWith({}, { 'delta.enableIcebergCompatV2': 'true' })),
    ).toThrow(refusal('icebergCompatV2'));
  });

  it('needs the features that others build on', () => {
    expect(() => checkWriteSupport(listed([], ['rowTracking']), plain)).toThrow(
      expect.objectContaining({ code: 'InvalidProtocol', feature: 'rowTracking' }),
    );
  });
});
