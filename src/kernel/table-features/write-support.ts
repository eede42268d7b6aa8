/**
 * Whether this kernel may write to a table. A feature that is listed but not used (no constraint, no generation
 * expression, no identity column, no invariant) does not stand in the way: tables of writer version 3 and above
 * list some for good. Where it is used, the writer must enforce it or refuse.
 */
import { DeltaError } from '../../errors.ts';
import type { Metadata, Protocol } from '../actions/types.ts';
import { type DataType, METADATA_KEYS, type StructField, type StructType } from '../schema/types.ts';
import { featureNamed } from './features.ts';
import {
  checkReadSupport,
  isFeatureEnabled,
  MAX_WRITER_VERSION,
  supportedFeatures,
} from './protocol-support.ts';

type Use = (protocol: Protocol, metadata: Metadata) => boolean;

/** Features that ask something of every write, and when they do. */
const USES: ReadonlyMap<string, Use> = new Map<string, Use>([
  [
    'invariants',
    (_, { schema }) => someField(schema, ({ metadata }) => METADATA_KEYS.invariants in metadata),
  ],
  ['checkConstraints', (_, { configuration }) => hasKey(configuration, 'delta.constraints.')],
  [
    'generatedColumns',
    (_, { schema }) => someField(schema, ({ metadata }) => METADATA_KEYS.generationExpression in metadata),
  ],
  [
    'identityColumns',
    (_, { schema }) => someField(schema, ({ metadata }) => METADATA_KEYS.identityStart in metadata),
  ],
  [
    'allowColumnDefaults',
    (_, { schema }) => someField(schema, ({ metadata }) => METADATA_KEYS.currentDefault in metadata),
  ],
  ['icebergCompatV1', enabled('icebergCompatV1')],
  ['icebergCompatV2', enabled('icebergCompatV2')],
  ['icebergCompatV3', enabled('icebergCompatV3')],
]);

export interface WriteSupportOptions {
  /** Features that the caller enforces itself. */
  enforced?: ReadonlySet<string>;
}

/** Throws `InvalidProtocol`, or `Unsupported` with the name of the feature that stands in the way. */
export function checkWriteSupport(
  protocol: Protocol,
  metadata: Metadata,
  { enforced = new Set() }: WriteSupportOptions = {},
): void {
  checkReadSupport(protocol);
  const { minWriterVersion } = protocol;
  if (minWriterVersion > MAX_WRITER_VERSION) {
    throw new DeltaError(
      'Unsupported',
      `the table needs writer version ${minWriterVersion}; this kernel writes up to ${MAX_WRITER_VERSION}`,
    );
  }
  const features = supportedFeatures(protocol);
  for (const name of features) {
    const feature = featureNamed(name);
    if (feature === undefined) throw refuse(name, 'which this kernel does not know');
    for (const needed of feature.requires ?? []) {
      if (!features.has(needed)) {
        throw new DeltaError('InvalidProtocol', `the feature ${name} needs ${needed}`, { feature: name });
      }
    }
    if (!enforced.has(name) && USES.get(name)?.(protocol, metadata)) {
      throw refuse(name, 'which is in use and which this kernel does not enforce');
    }
  }
}

function refuse(feature: string, why: string): DeltaError {
  return new DeltaError('Unsupported', `cannot write: the table has the feature ${feature}, ${why}`, {
    feature,
  });
}

function enabled(name: string): Use {
  return (protocol, { configuration }) => isFeatureEnabled(protocol, configuration, name);
}

function hasKey(configuration: Readonly<Record<string, string>>, prefix: string): boolean {
  return Object.keys(configuration).some((key) => key.startsWith(prefix));
}

/** Whether any field of a schema, at any depth, is as asked. */
function someField(schema: StructType, test: (field: StructField) => boolean): boolean {
  return schema.fields.some(
    (field) => test(field) || structsIn(field.type).some((inner) => someField(inner, test)),
  );
}

function structsIn(type: DataType): StructType[] {
  if (type.kind === 'struct') return [type];
  if (type.kind === 'array') return structsIn(type.elementType);
  if (type.kind === 'map') return [...structsIn(type.keyType), ...structsIn(type.valueType)];
  return [];
}
