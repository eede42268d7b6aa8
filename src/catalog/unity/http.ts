/** Requests to the server: the token goes to its origin and nowhere else, reads are repeated, nothing else is. */
import { stringify } from 'lossless-json';
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions } from '../../kernel/engine.ts';
import { type JsonObject, parseJsonObject } from '../../kernel/log/json.ts';
import { UnityCatalogError } from './client.ts';
import { refusalError } from './failures.ts';

export interface UnityHttpOptions {
  /** The server, or the full address of its API (`https://host/api/2.1/unity-catalog`). */
  readonly url: string | URL;
  /** A token, or where to get one: asked before every request. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Longest wait for an answer. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** For tests: chance in [0, 1), and waiting. */
  readonly random?: (() => number) | undefined;
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

export interface UnityRequest extends CallOptions {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Segments below the API's address, not encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonObject | undefined;
}

const API_PATH = '/api/2.1/unity-catalog';
const TIMEOUT_MS = 60_000;
const READ_ATTEMPTS = 4;
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
const MAX_REDIRECTS = 5;

export class UnityHttp {
  readonly #base: URL;
  readonly #options: UnityHttpOptions;

  constructor(options: UnityHttpOptions) {
    this.#options = options;
    this.#base = apiUrl(options.url);
  }

  /** The object of a successful answer; undefined where it has no content (HEAD, 204). */
  async request(request: UnityRequest): Promise<JsonObject | undefined> {
    const { method, signal } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const { random = Math.random, sleep = sleepFor } = this.#options;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await this.#attempt(request, isRead);
      } catch (error) {
        if (signal?.aborted || !isRead || !isDeltaError(error, 'IOError') || attempt === READ_ATTEMPTS)
          throw error;
      }
      await sleep(random() * Math.min(PAUSE_MS * attempt, MAX_PAUSE_MS), signal);
    }
  }

  async #attempt(request: UnityRequest, isRead: boolean): Promise<JsonObject | undefined> {
    const { method, path } = request;
    const what = `${method} ${this.#base.origin}/…/${path.map(encodeURIComponent).join('/')}`;
    const token = await this.#token();
    const response = await this.#send(request, what, token, isRead);
    const body = await textOf(response, what);
    if (!response.ok) throw refusalError({ what, status: response.status, body, secret: token });
    if (method === 'HEAD' || response.status === 204) return undefined;
    const object = parseJsonObject(body);
    if (object !== undefined) return object;
    // A page of a proxy, or an answer that broke off: whatever was asked for may or may not have been done.
    throw new UnityCatalogError(undefined, 'IOError', `${what} answered ${response.status} without JSON`, {
      status: response.status,
    });
  }

  async #token(): Promise<string | undefined> {
    const { token } = this.#options;
    const value = typeof token === 'function' ? await token() : token;
    if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
    throw new DeltaError(
      'Unauthorized',
      'the token for the catalog is empty or has characters that no token has',
    );
  }

  async #send(
    request: UnityRequest,
    what: string,
    token: string | undefined,
    isRead: boolean,
  ): Promise<Response> {
    let url = this.#urlOf(request);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.#fetch(
        request,
        url,
        url.origin === this.#base.origin ? token : undefined,
        what,
      );
      if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status > 399))
        return response;
      const target = response.headers.get('Location');
      await response.body?.cancel();
      if (!isRead || target === null || !URL.canParse(target, url.href)) {
        const message = `${what} redirects: use the address that it leads to`;
        throw new UnityCatalogError(undefined, 'CatalogError', message, { status: response.status });
      }
      url = new URL(target, url);
    }
    throw new UnityCatalogError(undefined, 'CatalogError', `${what} redirects without end`);
  }

  async #fetch(request: UnityRequest, url: URL, token: string | undefined, what: string): Promise<Response> {
    const { method, body, signal } = request;
    const { fetch: send = globalThis.fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    // What is not a read is not cancelled once it was sent: its outcome must be known.
    const isRead = method === 'GET' || method === 'HEAD';
    const timeout = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = {
      method,
      redirect: 'manual',
      signal: isRead && signal !== undefined ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: stringify(body) ?? '' }),
    };
    try {
      return await send(url, init);
    } catch (cause) {
      if (isRead && signal?.aborted) throw signal.reason;
      throw networkError(what, cause);
    }
  }

  #urlOf({ path, query }: UnityRequest): URL {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname}/${path.map(encodeSegment).join('/')}`;
    for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
    return url;
  }
}

/** Escapes dots of `.` and `..` too: an URL's parser would resolve them. */
function encodeSegment(segment: string): string {
  if (segment !== '' && segment !== '.' && segment !== '..') return encodeURIComponent(segment);
  throw new DeltaError(
    'InvalidOption',
    `${JSON.stringify(segment)} is no name of a catalog, schema or table`,
  );
}

function apiUrl(given: string | URL): URL {
  if (!URL.canParse(given.toString())) {
    throw new DeltaError('InvalidUrl', 'the url of the catalog is not an absolute URL');
  }
  const url = new URL(given);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new DeltaError(
      'InvalidUrl',
      `the url of the catalog, ${shownUrl(url)}, is neither https: nor http:`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    const message = `the url of the catalog, ${shownUrl(url)}, has a user name in it: pass a token instead`;
    throw new DeltaError('InvalidUrl', message);
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.includes('/api/') ? path : path + API_PATH;
  url.search = '';
  url.hash = '';
  return url;
}

async function textOf(response: Response, what: string): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw networkError(what, cause);
  }
}

function networkError(what: string, cause: unknown): UnityCatalogError {
  const detail = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  const message = `${what} failed: ${detail}. In a page, the catalog must be reached through an address that allows it`;
  return new UnityCatalogError(undefined, 'IOError', message, { cause });
}

function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
