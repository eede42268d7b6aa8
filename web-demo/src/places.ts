/** Tables as the page's link and lists name them: where they are, never how to get in. */
import type { S3Settings, Source } from './worker/protocol.ts';

/** What a link says of a table; empty for folders, which no link can name. */
export type Place = Readonly<Record<string, string>>;

/** Names of all that {@link placeOf} may give. */
export const PLACE_KEYS = ['url', 'catalog', 'table', 'region', 'endpoint', 'style', 'access'] as const;

/** The catalog of this browser's own storage, where a link names a catalog's server. */
const BROWSER_CATALOG = 'opfs:';

export function placeOf(source: Source | undefined): Place {
  switch (source?.kind) {
    case 'url':
      return { url: withoutSecrets(source.url) };
    case 's3':
      return {
        url: withoutSecrets(source.url),
        ...settingsOf(source),
        ...(source.keys !== undefined || source.isLocked ? { access: 'keys' } : {}),
      };
    case 'unity':
      return {
        catalog: withoutSecrets(source.server),
        table: source.table,
        ...settingsOf(source),
        ...(source.token !== undefined || source.isLocked ? { access: 'token' } : {}),
      };
    case 'opfs':
      return { url: opfsUrl(source.path) };
    case 'catalog':
      return { catalog: BROWSER_CATALOG, table: source.table };
    default:
      return {};
  }
}

/** The table that a link names. What had keys or a token is locked until it gets them again. */
export function sourceOf(place: Place): Source | undefined {
  const { url, catalog, table, access } = place;
  if (catalog !== undefined && table !== undefined) {
    if (catalog === BROWSER_CATALOG) return { kind: 'catalog', table };
    const lock = access === 'token' ? { isLocked: true } : {};
    return { kind: 'unity', server: withoutSecrets(catalog), table, ...settingsFrom(place), ...lock };
  }
  if (url === undefined) return undefined;
  const source = sourceOfUrl(url);
  if (source.kind !== 's3') return source;
  return { ...source, ...settingsFrom(place), ...(access === 'keys' ? { isLocked: true } : {}) };
}

/** What a person may paste: `https://`, `s3://` or `opfs:///`. */
export function sourceOfUrl(text: string): Source {
  if (/^s3[an]?:/i.test(text)) return { kind: 's3', url: withoutSecrets(text) };
  const [, path] = /^opfs:\/\/\/(.*?)\/*$/s.exec(text) ?? [];
  return path === undefined ? { kind: 'url', url: text } : { kind: 'opfs', path: decoded(path) };
}

/** Of a path of names in this browser's own storage. */
export function opfsUrl(path: string): string {
  return `opfs:///${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** A stray % is part of the name. */
export function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A URL without user, password, query and fragment. */
export function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return text.replace(/[?#].*$/s, '').replace(/^.*@/s, '');
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

export function isSamePlace(one: Place, other: Place): boolean {
  return PLACE_KEYS.every((key) => one[key] === other[key]);
}

function settingsOf({ region, endpoint, style }: S3Settings): Place {
  return {
    ...(region && { region }),
    ...(endpoint && { endpoint: withoutSecrets(endpoint) }),
    ...(style && { style }),
  };
}

function settingsFrom({ region, endpoint, style }: Place): S3Settings {
  return {
    ...(region && { region }),
    ...(endpoint && { endpoint: withoutSecrets(endpoint) }),
    ...(style === 'path' || style === 'host' ? { style } : {}),
  };
}
