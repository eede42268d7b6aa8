/** File names of `_delta_log` (`PROTOCOL.md`, "File Types"). Versions are numbers, checked to be safe integers. */
import { DeltaError } from '../../errors.ts';
import { type FileMeta, locationOf, pathOf } from '../engine.ts';
import { joinPath } from '../paths.ts';
import type { LogFile } from './types.ts';

const COMMIT = /^(\d{20})\.json$/;
const CHECKSUM = /^(\d{20})\.crc$/;
const CLASSIC_CHECKPOINT = /^(\d{20})\.checkpoint\.parquet$/;
const MULTIPART_CHECKPOINT = /^(\d{20})\.checkpoint\.(\d{10})\.(\d{10})\.parquet$/;
const UUID_CHECKPOINT = /^(\d{20})\.checkpoint\.[^./]{36}\.(?:json|parquet)$/;
const COMPACTED_COMMIT = /^(\d{20})\.(\d{20})\.compacted\.json$/;
const STAGED_COMMIT = /^(\d{20})\.[^./]{36}\.json$/;

export const LAST_CHECKPOINT_FILE_NAME = '_last_checkpoint';

/** A version as the 20 digits that file names start with. */
export function padVersion(version: number): string {
  return String(version).padStart(20, '0');
}

export const commitFileName = (version: number): string => `${padVersion(version)}.json`;
export const checksumFileName = (version: number): string => `${padVersion(version)}.crc`;
export const classicCheckpointFileName = (version: number): string =>
  `${padVersion(version)}.checkpoint.parquet`;
export const stagedCommitFileName = (version: number, uuid: string): string =>
  `${padVersion(version)}.${uuid}.json`;

/** `V.checkpoint.<part>.<numParts>.parquet`, 1 ≤ part ≤ numParts. */
export function multipartCheckpointFileName(version: number, part: number, numParts: number): string {
  const digits = (value: number) => String(value).padStart(10, '0');
  return `${padVersion(version)}.checkpoint.${digits(part)}.${digits(numParts)}.parquet`;
}

/** `_delta_log/` of a table, with the query (a signature) of the table's URL kept. */
export function logRootOf(tableRoot: URL): URL {
  return joinPath(tableRoot, '_delta_log/');
}

/** The last segment of a file's path. */
export function fileNameOf(location: URL): string {
  return location.pathname.slice(location.pathname.lastIndexOf('/') + 1);
}

/**
 * What a file that was listed in `_delta_log` is; undefined for every name that the protocol does not give a
 * meaning (side files, temporary files, numbers that are not 20 digits): those are ignored.
 * Throws `InvalidLogPath` for a log file whose version is beyond 2^53 − 1.
 */
export function parseLogFile(file: FileMeta): LogFile | undefined {
  const name = fileNameOf(file.location);
  const match = (pattern: RegExp) => pattern.exec(name);
  const version = (digits: string) => parseVersion(digits, name);

  let found = match(COMMIT);
  if (found) return { kind: 'commit', version: version(found[1]!), file };
  found = match(CHECKSUM);
  if (found) return { kind: 'checksum', version: version(found[1]!), file };
  found = match(CLASSIC_CHECKPOINT);
  if (found) return { kind: 'classicCheckpoint', version: version(found[1]!), file };
  found = match(UUID_CHECKPOINT);
  if (found) return { kind: 'uuidCheckpoint', version: version(found[1]!), file };
  found = match(MULTIPART_CHECKPOINT);
  if (found) {
    const [part, numParts] = [Number(found[2]), Number(found[3])];
    if (part < 1 || part > numParts) return undefined;
    return { kind: 'multipartCheckpoint', version: version(found[1]!), part, numParts, file };
  }
  found = match(COMPACTED_COMMIT);
  if (!found) return undefined;
  const [start, endVersion] = [version(found[1]!), version(found[2]!)];
  return start > endVersion ? undefined : { kind: 'compactedCommit', version: start, endVersion, file };
}

function parseVersion(digits: string, name: string): number {
  const version = Number(digits);
  if (Number.isSafeInteger(version)) return version;
  throw new DeltaError('InvalidLogPath', `the version of ${name} is beyond 2^53 - 1`, { path: name });
}

/**
 * A commit that a catalog names: an entry of a log tail (`PROTOCOL.md`, "Catalog-managed tables").
 *
 * @example
 * const logTail = [LogPath.stagedCommit(tableRoot, '00000000000000000007.<uuid>.json', lastModified, size)];
 * await Snapshot.load(engine, tableRoot, { logTail, maxCatalogVersion: 7 });
 */
export class LogPath implements LogFile {
  readonly kind: 'commit' | 'stagedCommit';
  readonly version: number;
  readonly file: FileMeta;

  private constructor(kind: 'commit' | 'stagedCommit', version: number, file: FileMeta) {
    this.kind = kind;
    this.version = version;
    this.file = file;
  }

  /**
   * A ratified commit that lies in `_delta_log/_staged_commits/`.
   *
   * @param tableRoot ends in `/`.
   * @param fileName `<20-digit version>.<uuid>.json`.
   * @param lastModified milliseconds since the Unix epoch.
   * @param size bytes.
   * Throws `InvalidLogPath`.
   */
  static stagedCommit(
    tableRoot: URL | string,
    fileName: string,
    lastModified: number,
    size: number,
  ): LogPath {
    const version = versionOf(STAGED_COMMIT, fileName, 'a staged commit is <20-digit version>.<uuid>.json');
    const location = joinPath(logRootOf(checkRoot(tableRoot)), `_staged_commits/${fileName}`);
    return new LogPath('stagedCommit', version, fileMeta(location, fileName, lastModified, size));
  }

  /**
   * A published commit, `_delta_log/<fileName>`, with `fileName` = `<20-digit version>.json`; otherwise as
   * {@link LogPath.stagedCommit}.
   */
  static commit(tableRoot: URL | string, fileName: string, lastModified: number, size: number): LogPath {
    const version = versionOf(COMMIT, fileName, 'a published commit is <20-digit version>.json');
    const location = joinPath(logRootOf(checkRoot(tableRoot)), fileName);
    return new LogPath('commit', version, fileMeta(location, fileName, lastModified, size));
  }
}

function versionOf(pattern: RegExp, fileName: string, rule: string): number {
  const found = pattern.exec(fileName);
  if (found) return parseVersion(found[1]!, fileName);
  throw new DeltaError('InvalidLogPath', `${JSON.stringify(fileName)} is not a commit's file name: ${rule}`, {
    path: fileName,
  });
}

function checkRoot(tableRoot: URL | string): URL {
  const url = parseUrl(tableRoot);
  const { pathname } = url;
  if (!pathname.endsWith('/')) {
    throw new DeltaError('InvalidLogPath', `the table root ${pathname} of a log path must end in "/"`);
  }
  if (pathname.split('/').includes('_delta_log')) {
    throw new DeltaError('InvalidLogPath', `the table root ${pathname} lies inside a _delta_log`);
  }
  return locationOf(url, pathOf(url));
}

function parseUrl(tableRoot: URL | string): URL {
  try {
    return new URL(tableRoot);
  } catch (cause) {
    throw new DeltaError('InvalidUrl', 'the table root of a log path is not an absolute URL', { cause });
  }
}

function fileMeta(location: URL, fileName: string, lastModified: number, size: number): FileMeta {
  if (!Number.isSafeInteger(size) || size < 0 || !Number.isSafeInteger(lastModified) || lastModified < 0) {
    throw new DeltaError(
      'InvalidLogPath',
      `size ${size} and modification time ${lastModified} of ${fileName} must be whole numbers ≥ 0`,
      { path: fileName },
    );
  }
  return { location, lastModified, size };
}
