/**
 * Version checksums (`PROTOCOL.md`, "Version Checksum File"): a summary of one version that saves reading its log.
 * One that cannot be read or is not as it must be counts as absent: everything in it can be had from the log.
 */
import { isDeltaError } from '../../errors.ts';
import { metadataFromJson } from '../actions/metadata.ts';
import { protocolFromJson } from '../actions/protocol.ts';
import type { DomainMetadata, Metadata, Protocol, SetTransaction } from '../actions/types.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { asSafeInteger, asString, isObject, type JsonObject, parseJsonObject } from './json.ts';
import { readTextIfExists } from './read-bytes.ts';
import type { LogFile } from './types.ts';

export interface Checksum {
  readonly version: number;
  readonly protocol: Protocol;
  readonly metadata: Metadata;
  readonly inCommitTimestamp?: number;
  readonly numFiles?: number;
  readonly tableSizeBytes?: number;
  /** All of the version's; undefined: unknown. */
  readonly setTransactions?: readonly SetTransaction[];
  /** All of the version's, without removed ones; undefined: unknown. */
  readonly domainMetadata?: readonly DomainMetadata[];
  /** The whole file; numbers keep their text. */
  readonly raw: JsonObject;
}

/** The checksum in a file, undefined where it cannot be used. */
export async function readChecksum(
  engine: Engine,
  { version, file }: LogFile,
  options: CallOptions,
): Promise<Checksum | undefined> {
  try {
    const text = await readTextIfExists(engine, file.location, options);
    return text === undefined ? undefined : parseChecksum(text, version);
  } catch (error) {
    if (isDeltaError(error)) return undefined;
    throw error;
  }
}

/** Throws where the metadata's schema is malformed. */
export function parseChecksum(text: string, version: number): Checksum | undefined {
  const raw = parseJsonObject(text);
  if (raw === undefined || !isObject(raw.protocol) || !isObject(raw.metadata)) return undefined;
  if (asSafeInteger(raw.numProtocol) !== 1 || asSafeInteger(raw.numMetadata) !== 1) return undefined;
  const protocol = protocolFromJson(raw.protocol);
  const metadata = metadataFromJson(raw.metadata);
  if (protocol === undefined || metadata === undefined) return undefined;
  const fields = {
    inCommitTimestamp: asSafeInteger(raw.inCommitTimestampOpt),
    numFiles: asSafeInteger(raw.numFiles),
    tableSizeBytes: asSafeInteger(raw.tableSizeBytes),
    setTransactions: listOf(raw.setTransactions, setTransaction),
    domainMetadata: listOf(raw.domainMetadata, domainMetadata),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { version, protocol, metadata, ...Object.fromEntries(known), raw };
}

/** A list of which every element is understood; otherwise the list is as good as unknown. */
function listOf<T>(value: unknown, parse: (json: JsonObject) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.flatMap((item) => (isObject(item) ? (parse(item) ?? []) : []));
  return items.length === value.length ? items : undefined;
}

function setTransaction(json: JsonObject): SetTransaction | undefined {
  const [appId, version, lastUpdated] = [
    asString(json.appId),
    asSafeInteger(json.version),
    asSafeInteger(json.lastUpdated),
  ];
  if (appId === undefined || version === undefined) return undefined;
  return { appId, version, ...(lastUpdated !== undefined && { lastUpdated }) };
}

function domainMetadata(json: JsonObject): DomainMetadata | undefined {
  const [domain, configuration] = [asString(json.domain), asString(json.configuration)];
  if (domain === undefined || configuration === undefined) return undefined;
  return { domain, configuration, removed: json.removed === true };
}
