/** Where planning stands, as text that can wait anywhere: in a queue, a database, a URL's body. */
import { DeltaError } from '../../errors.ts';
import { type FileMeta, relativePath } from '../engine.ts';
import { joinPath } from '../paths.ts';
import type { FileKey } from './log-replay.ts';

const TOKEN_VERSION = 1;

/** A file of a checkpoint, and which rows of it are still to come. */
export interface PlanSource {
  readonly file: FileMeta;
  /** Whether it may name sidecars. */
  readonly isManifest: boolean;
  readonly firstRow: number;
  /** Rows from here on belong to another token. */
  readonly endRow?: number | undefined;
}

/** Planning of one version with one predicate. */
export interface PlanState {
  readonly version: number;
  /** The predicate as text: a token means nothing for another one. */
  readonly predicate: string | undefined;
  /** Commits of lower versions are still to come; 0 where all were read. */
  readonly commitsBelow: number;
  /** Files of the checkpoint that are still to come; undefined before the first was opened. */
  readonly sources: readonly PlanSource[] | undefined;
  /** Files that newer actions have decided. */
  readonly decided: readonly FileKey[];
}

type Json = Record<string, unknown>;

/** Locations in the log's directory are kept relative to it: the token holds no credentials of theirs. */
export function encodeToken(state: PlanState, logRoot: URL): string {
  const { sources, ...rest } = state;
  return JSON.stringify({
    token: TOKEN_VERSION,
    ...rest,
    sources: sources?.map(({ file, ...source }) => ({
      ...source,
      path: relativePath(logRoot, file.location) ?? null,
      url: relativePath(logRoot, file.location) === undefined ? file.location.href : undefined,
      size: file.size,
      lastModified: file.lastModified,
    })),
  });
}

/** Throws `InvalidOption` for text that is no token, or one of another version of this package. */
export function decodeToken(text: string, logRoot: URL): PlanState {
  const json = parseToken(text);
  const { version, predicate, commitsBelow, sources, decided } = json;
  const isState =
    isCount(version) &&
    (predicate === undefined || typeof predicate === 'string') &&
    isCount(commitsBelow) &&
    (sources === undefined || Array.isArray(sources)) &&
    Array.isArray(decided) &&
    decided.every((key) => typeof key === 'string');
  if (!isState) throw malformed();
  return {
    version,
    predicate,
    commitsBelow,
    decided,
    sources: (sources as Json[] | undefined)?.map((source) => decodeSource(source, logRoot)),
  };
}

function decodeSource(source: Json, logRoot: URL): PlanSource {
  const { path, url, size, lastModified, isManifest, firstRow, endRow } = source;
  const location =
    typeof path === 'string'
      ? joinPath(logRoot, path)
      : typeof url === 'string' && URL.canParse(url)
        ? new URL(url)
        : undefined;
  const isSource =
    location !== undefined &&
    isCount(size) &&
    isCount(lastModified) &&
    isCount(firstRow) &&
    typeof isManifest === 'boolean' &&
    (endRow === undefined || isCount(endRow));
  if (!isSource) throw malformed();
  return { file: { location, size, lastModified }, isManifest, firstRow, endRow };
}

function parseToken(text: string): Json {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new DeltaError('InvalidOption', 'the token is not one of a scan', { cause });
  }
  if (typeof json !== 'object' || json === null || (json as Json).token !== TOKEN_VERSION) throw malformed();
  return json as Json;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function malformed(): DeltaError {
  return new DeltaError(
    'InvalidOption',
    'the token is not one of a scan, or of another version of this package',
  );
}
