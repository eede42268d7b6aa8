/** What people type to name a table, as the URL of its root. */
import { DeltaError, shownUrl } from '../errors.ts';
import { locationOf, percentDecode, percentEncode } from '../kernel/engine.ts';

export interface TableUrlOptions {
  /** The `file:` URL of the directory that relative paths start from; without it paths are refused. */
  cwd?: URL | undefined;
}

const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]+):/;
const WINDOWS_PATH = /^(?:[a-zA-Z]:[\\/]|\\\\[^\\]+\\)/;

/**
 * The root of a table, with a `/` at its end: all of `https://h/t`, `https://h/t/`, `https://h/t//` are one.
 *
 * Text with a scheme is a URL: escapes are undone once, a `%` that begins none is itself, spaces are themselves. The
 * query of `http` URLs is kept (it may be a signature); elsewhere `?` and `#` are part of the name. Text without a
 * scheme is a path of this machine, taken literally, with `\` between directories on Windows only. `s3a:` and `s3n:`
 * are `s3:`. Anything else is `InvalidUrl`.
 */
export function tableUrl(input: string | URL, { cwd }: TableUrlOptions = {}): URL {
  if (input instanceof URL) return httpOrOther(input.href);
  const text = input.trim();
  if (text === '') throw invalid('the table has no address');
  if (!WINDOWS_PATH.test(text) && SCHEME.test(text)) return httpOrOther(text);
  return localPath(text, cwd);
}

function httpOrOther(text: string): URL {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase() ?? '';
  if (scheme === 'http' || scheme === 'https') return httpUrl(text);
  if (scheme === 'file') return fileUrl(text);
  return storeUrl(['s3a', 's3n'].includes(scheme) ? 's3' : scheme, text);
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid(`${withoutQuery(text)} is no URL`);
  const shown = shownUrl(url);
  if (url.hash !== '') throw invalid(`${shown} goes on with a "#": write %23 where it belongs to the name`);
  if (url.username !== '' || url.password !== '') {
    throw invalid(`${shown} has a user name in it: pass credentials in headers instead`);
  }
  return rootOf(url, decode(url.pathname, shown));
}

function fileUrl(text: string): URL {
  const [, host = '', path] = /^file:(?:\/\/([^/]*))?(\/.*)$/is.exec(text) ?? [];
  if (path === undefined) throw invalid(`${text} is no file URL: write file:///path`);
  const base = `file://${host}/`;
  if (!URL.canParse(base)) throw invalid(`${text} is no file URL: it names no host of a network`);
  return rootOf(new URL(base), withoutDots(decode(path.replace(/\/{2,}/g, '/'), text)));
}

/** `scheme://host/path`, where only the path needs care: these URLs have neither query nor fragment. */
function storeUrl(scheme: string, text: string): URL {
  const [, host = '', path = ''] = /^[^:]+:\/\/([^/]*)(.*)$/s.exec(text) ?? [];
  const base = `${scheme}://${host}/`;
  if (!/^[^:]+:\/\//.test(text) || !URL.canParse(base))
    throw invalid(`${text} is no URL of the form ${scheme}://…/…`);
  if (['s3', 'r2'].includes(scheme) && host === '')
    throw invalid(`${text} names no bucket: ${scheme}://bucket/path`);
  return rootOf(new URL(base), withoutDots(decode(path || '/', text)));
}

function localPath(text: string, cwd: URL | undefined): URL {
  if (WINDOWS_PATH.test(text)) {
    const path = text.replaceAll('\\', '/');
    const [, host, rest] = /^\/\/([^/]+)(\/.*)$/s.exec(path) ?? [undefined, '', `/${path}`];
    return rootOf(new URL(`file://${host ?? ''}/`), withoutDots((rest ?? '/').replace(/\/{2,}/g, '/')));
  }
  if (cwd === undefined) {
    throw invalid(`${text} is no URL: a table needs one here, such as https://host/path/to/table`);
  }
  const start = cwd.pathname.endsWith('/') ? cwd.pathname : `${cwd.pathname}/`;
  const path = text.startsWith('/') ? text : decode(start, cwd.href) + text;
  return rootOf(cwd, withoutDots(path.replace(/\/{2,}/g, '/')));
}

function rootOf(base: URL, path: string): URL {
  return locationOf(base, `${path.replace(/\/+$/, '')}/`);
}

function decode(path: string, shown: string): string {
  try {
    return percentDecode(path);
  } catch {
    throw invalid(`the path of ${shown} is not UTF-8 when decoded`);
  }
}

/** Dot segments resolved as URLs do: those that lead above the top stay at the top. */
function withoutDots(path: string): string {
  if (!/(^|\/)\.\.?(\/|$)/.test(path)) return path;
  const segments = path
    .split('/')
    .map((segment) => (/^\.\.?$/.test(segment) ? segment : percentEncode(segment)));
  return percentDecode(new URL(`x:${segments.join('/')}`).pathname);
}

function withoutQuery(text: string): string {
  return text.replace(/[?#].*$/s, '');
}

function invalid(message: string): DeltaError {
  return new DeltaError('InvalidUrl', message);
}
