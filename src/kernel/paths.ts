/**
 * Paths of the log: what `add.path`, `remove.path`, sidecars and deletion vectors say, and the files that they mean.
 *
 * `PROTOCOL.md`, "Add File and Remove File": a path is an RFC 2396 URI, relative to the table's root or absolute. It
 * is decoded exactly once, here; every storage sees locations made by `locationOf`.
 */
import { DeltaError, shownUrl } from '../errors.ts';
import { directoryPath, locationOf, percentDecode, percentEncode, relativePath } from './engine.ts';

export { relativePath } from './engine.ts';

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/**
 * The location that a path of the log means.
 *
 * Relative paths lie below the root: `..` in any spelling that leads out of it is `InvalidPath`. In them a `?`, a `#`
 * and a `%` that begins no escape, which other writers have left unencoded, are part of the name. A path that starts
 * with `/` is absolute on the root's host; a URI with a scheme is taken as it is. The root's query (a signature) goes
 * along to whatever lies below the root, and nowhere else.
 */
export function resolvePath(tableRoot: URL, logPath: string): URL {
  const location = locate(tableRoot, logPath);
  if (location.search === '' && relativePath(tableRoot, location) !== undefined) {
    location.search = tableRoot.search;
  }
  return location;
}

function locate(tableRoot: URL, logPath: string): URL {
  if (SCHEME.test(logPath)) return absoluteUri(tableRoot, logPath);
  const path = decode(tableRoot, logPath);
  const unsigned = withoutQuery(tableRoot);
  if (path.startsWith('/')) return locationOf(unsigned, `/${normalize(path.slice(1), tableRoot, logPath)}`);
  const inside = normalize(path, tableRoot, logPath);
  if (inside === '') throw invalid(tableRoot, logPath, 'names no file');
  return locationOf(unsigned, directoryPath(tableRoot) + inside);
}

function absoluteUri(tableRoot: URL, logPath: string): URL {
  const location = URL.canParse(logPath) ? new URL(logPath) : undefined;
  if (location === undefined || !location.pathname.startsWith('/')) {
    throw invalid(tableRoot, logPath, 'is neither a relative path nor a URI with a path');
  }
  return location;
}

/**
 * The location of a name (not encoded, may hold `/`) below `root`, whose query goes along. A last segment that ends
 * in `/` makes a directory.
 */
export function joinPath(root: URL, ...segments: string[]): URL {
  const path = segments.map((segment, index) =>
    index < segments.length - 1 ? `${trimSlash(segment)}/` : segment,
  );
  return locationOf(root, directoryPath(root) + path.join(''));
}

/**
 * The one spelling under which add and remove of a file meet: decoded, without dot segments, and for local files the
 * bare path, so `file:/a`, `file:///a` and `/a` are equal (as in Spark). Not a path to read from: see
 * {@link resolvePath}.
 */
export function canonicalPath(logPath: string): string {
  // Nearly every path: nothing to decode, to resolve or to strip.
  if (!/[%:]|^[/.]|\/\./.test(logPath)) return logPath;
  const scheme = SCHEME.exec(logPath)?.[0];
  const decoded = decodeOrKeep(logPath);
  if (scheme === undefined) {
    // A relative name that only looks like a URI once decoded must not meet that URI.
    const path = withoutDots(decoded).join('/');
    return SCHEME.test(path) ? `./${path}` : path;
  }
  const { authority = '', path = '' } =
    /^[^:]*:(?:\/\/(?<authority>[^/]*))?(?<path>.*)$/s.exec(decoded)?.groups ?? {};
  const isLocal = scheme.toLowerCase() === 'file:' && (authority === '' || authority === 'localhost');
  const prefix = isLocal ? '' : `${scheme.toLowerCase()}//${authority}`;
  return prefix + withoutDots(path).join('/');
}

/**
 * A path relative to the table's root (not encoded) as the log stores it: the characters that Spark encodes are
 * escaped once; `/`, `=`, `+` and the like stay.
 */
export function encodeLogPath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is escaped
  const encoded = path.replace(/[\u0000-\u0020"#%<>?[\\\]^`{|}\u007f]|[^\u0000-\u007f]+/g, percentEncode);
  const [first = ''] = encoded.split('/', 1);
  return SCHEME.test(first) ? first.replaceAll(':', '%3A') + encoded.slice(first.length) : encoded;
}

function trimSlash(segment: string): string {
  return segment.endsWith('/') ? segment.slice(0, -1) : segment;
}

function withoutQuery(root: URL): URL {
  const url = new URL(root);
  url.search = '';
  return url;
}

function decode(tableRoot: URL, logPath: string): string {
  try {
    return percentDecode(logPath);
  } catch {
    throw invalid(tableRoot, logPath, 'is not UTF-8 when decoded');
  }
}

/** Undecodable paths still identify their file; reading it is what fails, with its path. */
function decodeOrKeep(logPath: string): string {
  try {
    return percentDecode(logPath);
  } catch {
    return logPath;
  }
}

function normalize(path: string, tableRoot: URL, logPath: string): string {
  const segments = withoutDots(path);
  if (segments[0] === '..') throw invalid(tableRoot, logPath, 'leads out of the table');
  return segments.join('/');
}

/** The segments with `.` and `x/..` resolved; `..` that lead out stay in front. */
function withoutDots(path: string): string[] {
  const result: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '.') continue;
    const last = result.at(-1);
    const hasParent = last !== undefined && last !== '..' && !(result.length === 1 && last === '');
    if (segment === '..' && hasParent) result.pop();
    else result.push(segment);
  }
  return result;
}

function invalid(tableRoot: URL, logPath: string, problem: string): DeltaError {
  const path = SCHEME.test(logPath) ? logPath.replace(/[?#].*$/s, '') : logPath;
  return new DeltaError('InvalidPath', `the path ${JSON.stringify(path)} in the log ${problem}`, {
    table: shownUrl(tableRoot),
    path,
  });
}
