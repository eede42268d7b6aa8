/** The protocol and the metadata of a version, from a checksum or from as little of the log as possible. */
import { DeltaError, shownUrl } from '../../errors.ts';
import { findMetadata } from '../actions/metadata.ts';
import { findProtocol } from '../actions/protocol.ts';
import { actionsSchema } from '../actions/schemas.ts';
import type { Metadata, Protocol } from '../actions/types.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { type Checksum, readChecksum } from './checksum.ts';
import { inFile } from './place.ts';
import { readActions } from './read-actions.ts';
import type { LogSegment } from './types.ts';

export interface ProtocolAndMetadata {
  readonly protocol: Protocol;
  readonly metadata: Metadata;
  /** The checksum of exactly this version, where there is a usable one. */
  readonly checksum?: Checksum;
}

/** What was known of an earlier version. */
export interface KnownState {
  readonly version: number;
  readonly protocol: Protocol;
  readonly metadata: Metadata;
}

export interface LoadOptions extends CallOptions {
  /** Of a version at or before the segment's: only later commits are read then. */
  known?: KnownState | undefined;
}

/** Throws `MissingProtocol`, `MissingMetadata` or `MissingMetadataAndProtocol` where the log has none. */
export async function loadProtocolAndMetadata(
  engine: Engine,
  segment: LogSegment,
  { known, signal }: LoadOptions,
): Promise<ProtocolAndMetadata> {
  const checksum = await usableChecksum(engine, segment, known, { signal });
  if (checksum?.version === segment.version) {
    return { protocol: checksum.protocol, metadata: checksum.metadata, checksum };
  }
  const before = checksum ?? known;
  const found = await replay(engine, segment, before?.version, { signal });
  const protocol = found.protocol ?? before?.protocol;
  const metadata = found.metadata ?? before?.metadata;
  if (protocol !== undefined && metadata !== undefined) return { protocol, metadata };
  throw missing(segment, protocol, metadata);
}

async function usableChecksum(
  engine: Engine,
  { checksum, version }: LogSegment,
  known: KnownState | undefined,
  options: CallOptions,
): Promise<Checksum | undefined> {
  if (checksum === undefined) return undefined;
  // What is already known saves the request, except that a checksum of the very version says more.
  if (known !== undefined && checksum.version !== version && checksum.version <= known.version)
    return undefined;
  return readChecksum(engine, checksum, options);
}

interface Found {
  protocol?: Protocol | undefined;
  metadata?: Metadata | undefined;
}

async function replay(
  engine: Engine,
  segment: LogSegment,
  afterVersion: number | undefined,
  { signal }: CallOptions,
): Promise<Found> {
  const found: Found = {};
  const schema = actionsSchema('protocol', 'metaData');
  let version: number | undefined;
  for await (const batch of readActions(engine, segment, schema, { afterVersion, signal })) {
    // A commit is seen to its end, so that one that is illegal is refused whatever its order.
    if (version !== batch.version && isComplete(found)) break;
    version = batch.version;
    try {
      found.protocol ??= findProtocol(batch.data);
      found.metadata ??= findMetadata(batch.data);
    } catch (error) {
      throw inFile(error, segment, batch.file, batch.version);
    }
    if (batch.source === 'checkpoint' && isComplete(found)) break;
  }
  return found;
}

function isComplete({ protocol, metadata }: Found): boolean {
  return protocol !== undefined && metadata !== undefined;
}

function missing(
  { tableRoot, version }: LogSegment,
  protocol: Protocol | undefined,
  metadata: Metadata | undefined,
): DeltaError {
  const place = { table: shownUrl(tableRoot), version };
  if (protocol !== undefined)
    return new DeltaError('MissingMetadata', 'the log has no metaData action', place);
  if (metadata !== undefined)
    return new DeltaError('MissingProtocol', 'the log has no protocol action', place);
  const message = 'the log has neither a protocol nor a metaData action';
  return new DeltaError('MissingMetadataAndProtocol', message, place);
}
