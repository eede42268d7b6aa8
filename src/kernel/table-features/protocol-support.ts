/**
 * What a protocol asks of readers and writers (`PROTOCOL.md`, "Protocol Evolution"): which features a table has,
 * whether the protocol is valid at all, and whether this kernel may read or write.
 */
import { DeltaError } from '../../errors.ts';
import type { Protocol } from '../actions/types.ts';
import { featureNamed, TABLE_FEATURES, type TableFeature } from './features.ts';

export const MAX_READER_VERSION = 3;
export const MAX_WRITER_VERSION = 7;

/** Names in the protocol's spelling, older spellings replaced; unknown names as they are. */
export function supportedFeatures(protocol: Protocol): ReadonlySet<string> {
  const features = new Set<string>();
  for (const name of protocol.writerFeatures ?? []) {
    const feature = featureNamed(name);
    if (feature?.type !== 'readerWriter' || supportsForReaders(protocol, feature)) {
      features.add(feature?.name ?? name);
    }
  }
  for (const name of protocol.readerFeatures ?? []) features.add(featureNamed(name)?.name ?? name);
  for (const feature of TABLE_FEATURES) if (isLegacy(protocol, feature)) features.add(feature.name);
  return features;
}

/**
 * Whether a table has a feature, by listing it or by its legacy versions.
 * Column mapping that old Spark versions listed for writers only counts as well (`decisions.md`).
 */
export function isFeatureSupported(protocol: Protocol, name: string): boolean {
  return supportedFeatures(protocol).has(name);
}

/** Whether a table has a feature and its property, where it has one, turns it on. */
export function isFeatureEnabled(
  protocol: Protocol,
  configuration: Readonly<Record<string, string>>,
  name: string,
): boolean {
  if (!isFeatureSupported(protocol, name)) return false;
  const enabledBy = featureNamed(name)?.enabledBy;
  return enabledBy === undefined || configuration[enabledBy]?.toLowerCase() === 'true';
}

function supportsForReaders(protocol: Protocol, feature: TableFeature): boolean {
  if (feature.name === 'columnMapping') return protocol.minReaderVersion >= 2;
  return listed(protocol.readerFeatures).has(feature.name);
}

function isLegacy({ minReaderVersion, minWriterVersion }: Protocol, { legacy }: TableFeature): boolean {
  if (legacy === undefined || minWriterVersion >= MAX_WRITER_VERSION) return false;
  return minWriterVersion >= legacy.minWriterVersion && minReaderVersion >= (legacy.minReaderVersion ?? 1);
}

function listed(names: readonly string[] | undefined): ReadonlySet<string> {
  return new Set((names ?? []).map((name) => featureNamed(name)?.name ?? name));
}

/** Throws `InvalidProtocol`. Unknown names are no fault here: the support checks refuse them. */
export function checkProtocol(protocol: Protocol): void {
  const { minReaderVersion, minWriterVersion, readerFeatures, writerFeatures } = protocol;
  if (minReaderVersion < 1 || minWriterVersion < 1) {
    throw invalid(`versions ${minReaderVersion} and ${minWriterVersion} must be at least 1`);
  }
  checkList('reader', minReaderVersion, MAX_READER_VERSION, readerFeatures);
  checkList('writer', minWriterVersion, MAX_WRITER_VERSION, writerFeatures);
  if (readerFeatures === undefined) return;
  if (minWriterVersion !== MAX_WRITER_VERSION) throw invalid('minReaderVersion 3 needs minWriterVersion 7');
  checkLists(readerFeatures, writerFeatures ?? []);
}

function checkList(
  side: 'reader' | 'writer',
  version: number,
  withFeatures: number,
  features: readonly string[] | undefined,
): void {
  if (version > withFeatures) return;
  if (version === withFeatures && features === undefined) {
    throw invalid(`${side} version ${version} has no ${side}Features`);
  }
  if (version !== withFeatures && features !== undefined) {
    throw invalid(`${side}Features need ${side} version ${withFeatures}, not ${version}`);
  }
}

function checkLists(readerFeatures: readonly string[], writerFeatures: readonly string[]): void {
  const [readers, writers] = [listed(readerFeatures), listed(writerFeatures)];
  for (const name of readers) {
    if (featureNamed(name)?.type === 'writer')
      throw invalid(`${name} is a writer feature, not a reader feature`, name);
    if (!writers.has(name)) throw invalid(`${name} is in readerFeatures but not in writerFeatures`, name);
  }
  for (const name of writers) {
    if (featureNamed(name)?.type !== 'readerWriter' || name === 'columnMapping') continue;
    if (!readers.has(name)) throw invalid(`${name} is in writerFeatures but not in readerFeatures`, name);
  }
}

function invalid(message: string, feature?: string): DeltaError {
  return new DeltaError(
    'InvalidProtocol',
    `invalid protocol: ${message}`,
    feature === undefined ? {} : { feature },
  );
}

/** Throws `InvalidProtocol`, or `Unsupported` with the name of what this kernel cannot read. */
export function checkReadSupport(protocol: Protocol): void {
  const { minReaderVersion, readerFeatures = [] } = protocol;
  if (minReaderVersion > MAX_READER_VERSION) {
    throw new DeltaError(
      'Unsupported',
      `the table needs reader version ${minReaderVersion}; this kernel reads up to ${MAX_READER_VERSION}`,
    );
  }
  checkProtocol(protocol);
  const refused = readerFeatures.find((name) => !featureNamed(name)?.readable);
  if (refused === undefined) return;
  throw new DeltaError(
    'Unsupported',
    `the table needs the feature ${refused}, which this kernel cannot read`,
    {
      feature: refused,
    },
  );
}
