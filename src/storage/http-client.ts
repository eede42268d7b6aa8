/** Requests to web servers: credentials go where they belong and nowhere else, failures become typed errors. */
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import { relativePath } from '../kernel/engine.ts';
import { checkScheme, fileNotFound } from './failures.ts';

/** What to send to the files below a root. */
export interface HttpAccess {
  /** A table's root (or any directory). Its query, a signature, goes to every location below that has none. */
  root: URL | string;
  /** Sent to this origin only, never after a redirect to another; a function is asked before each request. */
  headers?: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>);
}

export interface HttpClientOptions {
  /** Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
  access?: readonly HttpAccess[] | undefined;
  /**
   * Take 403 for "does not exist". S3 answers so for missing keys where listing is not allowed; but then a table
   * whose access ends halfway also looks complete, so it is off by default and 403 is `PermissionDenied`.
   */
  forbiddenIsMissing?: boolean | undefined;
}

export interface HttpAnswer {
  readonly response: Response;
  readonly redirected: boolean;
}

const MAX_REDIRECTS = 10;
/** The browser's cache sends ranges of one URL one after the other. Where `cache` is not implemented it throws. */
const NO_STORE: RequestInit = 'cache' in Request.prototype ? { cache: 'no-store' } : {};
/** Names that are never pages. */
const TABLE_FILE = /(\.(json|parquet|crc|bin)|\/_last_checkpoint)$/;

export class HttpClient {
  readonly #fetch: typeof fetch;
  readonly #access: readonly { readonly root: URL; readonly headers: HttpAccess['headers'] }[];
  readonly #forbiddenIsMissing: boolean;

  constructor(options: HttpClientOptions) {
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#access = (options.access ?? []).map(({ root, headers }) => ({ root: new URL(root), headers }));
    this.#forbiddenIsMissing = options.forbiddenIsMissing ?? false;
  }

  /** GET; the answer is 200, 206 or 416, everything else is thrown. `range` as in the header. */
  async get(location: URL, range: string | undefined, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    signal?.throwIfAborted();
    checkScheme(location, 'http:', 'https:');
    if (location.username !== '' || location.password !== '') {
      const message = `${shownUrl(location)} has a user name in it: pass it in a header instead`;
      throw new DeltaError('InvalidUrl', message, { path: shownUrl(location) });
    }
    const answer = await this.#follow(location, range === undefined ? {} : { Range: range }, signal);
    try {
      this.#check(location, answer, range !== undefined);
    } catch (error) {
      discard(answer.response);
      throw error;
    }
    return answer;
  }

  async #follow(
    location: URL,
    plain: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const access = this.#access.find(({ root }) => relativePath(root, location) !== undefined);
    const secret = typeof access?.headers === 'function' ? await access.headers() : access?.headers;
    let url = new URL(location);
    url.hash = '';
    if (url.search === '' && access !== undefined) url.search = access.root.search;
    const init = { ...NO_STORE, ...(signal === undefined ? {} : { signal }) };
    if (secret === undefined) {
      const response = await this.#send(location, url, { ...init, headers: plain }, plain);
      return { response, redirected: response.redirected };
    }
    let headers = { ...plain, ...secret };
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.#send(location, url, { ...init, headers, redirect: 'manual' }, headers);
      const target = redirectTarget(location, url, response);
      if (target === undefined) return { response, redirected: hop > 0 };
      discard(response);
      if (target.origin !== url.origin) headers = { ...plain } as typeof headers;
      url = target;
    }
    throw new DeltaError('Generic', `${shownUrl(location)} redirects without end`, {
      path: shownUrl(location),
    });
  }

  async #send(
    location: URL,
    url: URL,
    init: RequestInit,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      throw networkError(location, error, Object.keys(headers));
    }
  }

  #check(location: URL, { response, redirected }: HttpAnswer, isRanged: boolean): void {
    const { status } = response;
    if (isRanged && status === 416) return;
    if (status !== 200 && !(isRanged && status === 206))
      throw statusError(location, response, this.#forbiddenIsMissing);
    // Servers of single-page applications answer every path with a page; so do login screens.
    if (
      !TABLE_FILE.test(location.pathname) ||
      !/^text\/html\b/.test(response.headers.get('Content-Type') ?? '')
    )
      return;
    if (!redirected) throw fileNotFound(location);
    const message = `${shownUrl(location)} leads to a page (to log in?) instead of the file`;
    throw new DeltaError('Unauthorized', message, { path: shownUrl(location), status });
  }
}

/** Gives up a body that nobody will read; what goes wrong there concerns nobody any more. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

/** Undefined where the answer is no redirect. */
function redirectTarget(location: URL, url: URL, response: Response): URL | undefined {
  const path = shownUrl(location);
  if (response.type === 'opaqueredirect') {
    const message = `${path} redirects, which a page cannot follow with credentials: use the address that it leads to`;
    throw new DeltaError('Unsupported', message, { path });
  }
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const target = response.headers.get('Location');
  if (target !== null && URL.canParse(target, url.href)) return new URL(target, url);
  throw new DeltaError('Generic', `${path} redirects to nowhere`, { path, status: response.status });
}

function statusError(location: URL, response: Response, forbiddenIsMissing: boolean): DeltaError {
  const { status } = response;
  const path = shownUrl(location);
  if (status === 404 || status === 410 || (status === 403 && forbiddenIsMissing))
    return fileNotFound(location);
  const fail = (code: 'Unauthorized' | 'PermissionDenied' | 'IOError' | 'Generic', advice: string) =>
    new DeltaError(code, `${path} answered ${status} ${response.statusText}`.trimEnd() + advice, {
      path,
      status,
    });
  if (status === 401) return fail('Unauthorized', '; check the credentials');
  if (status === 403) {
    return fail('PermissionDenied', '; the credentials or the signature do not allow it, or have expired');
  }
  const transient = status >= 500 || status === 408 || status === 425 || status === 429;
  return fail(transient ? 'IOError' : 'Generic', '');
}

/** A request without an answer, or a body that broke off. In a page the cause may be a rule that it cannot see. */
export function networkError(location: URL, cause: unknown, headerNames: readonly string[] = []): unknown {
  if (isDeltaError(cause)) return cause;
  const path = shownUrl(location);
  const detail = cause instanceof Error ? cause.message : String(cause);
  const reason = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  const message = `the request for ${path} failed: ${detail}${reason}${corsAdvice(location, headerNames)}`;
  return new DeltaError('IOError', message, { path, cause });
}

/** Whether this is a page or its worker, where rules that scripts cannot see decide about requests. */
export function isPage(): boolean {
  return (globalThis as { location?: { origin?: string } }).location?.origin !== undefined;
}

function corsAdvice(location: URL, headerNames: readonly string[]): string {
  const page = (globalThis as { location?: { origin?: string; protocol?: string } }).location;
  if (page?.origin === undefined || page.origin === location.origin) return '';
  if (page.protocol === 'https:' && location.protocol === 'http:') {
    return `. A page loaded over https may not read http addresses: use https`;
  }
  const rule = {
    AllowedOrigins: [page.origin],
    AllowedMethods: ['GET', 'HEAD'],
    // Later requests have ranges, whatever this one had.
    AllowedHeaders: [...new Set(['Range', ...headerNames])],
    ExposeHeaders: ['Content-Range', 'Content-Length', 'Content-Encoding', 'ETag', 'Last-Modified'],
  };
  return (
    `. If the address opens in a new tab, then ${location.origin} does not allow ${page.origin} to read it: ` +
    `its CORS rule must be ${JSON.stringify(rule)}`
  );
}
