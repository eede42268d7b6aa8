/**
 * A stand-in for the Unity Catalog server (OSS 0.6.0), which is in no registry: statuses, error shapes, validation,
 * limits and quirks of its HTTP API, and faults that a test asks for. Like the server it never looks at the storage.
 *
 * `fetch` answers in this process; `listen` serves the same over HTTP.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  codeError,
  deltaError,
  json,
  parseBody,
  type StubAnswer,
  StubError,
  type StubRequest,
  text,
  textOf,
} from './answers.ts';
import { type DeltaContext, deltaV1, type Vended } from './delta-v1.ts';
import { type CommitRow, StubState, type StubTable } from './state.ts';

export type { StubAnswer, StubRequest } from './answers.ts';

export interface StubOptions {
  /** Without a slash at its end. Default `memory:///uc`. */
  readonly storageRoot?: string;
  readonly now?: () => number;
  readonly uuid?: () => string;
  readonly generation?: '0.6.0' | 'head';
  readonly compareWithPublished?: DeltaContext['compareWithPublished'];
  readonly vend?: DeltaContext['vend'];
  /** Tokens and who they belong to: authorization is on. `admin` may do everything, others nothing. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** As the reverse proxy that a browser needs: CORS headers and answers to preflights. */
  readonly cors?: boolean;
  /** Entries of a page of a list. Default 100. */
  readonly pageSize?: number;
}

/** What a fault does instead: an answer, or a connection that breaks. */
export type Fault = StubAnswer | 'drop' | undefined;

const BASE = '/api/2.1/unity-catalog';

export class UcStub {
  readonly state = new StubState();
  /** `METHOD path?query` of every request, in order. */
  readonly requests: string[] = [];
  /** Asked before anything is done. */
  before: ((request: StubRequest) => Fault) | undefined;
  /** Asked when everything is done, before the answer. */
  after: ((request: StubRequest, answer: StubAnswer) => Fault) | undefined;
  readonly #options: StubOptions;
  readonly #context: Omit<DeltaContext, 'user'>;

  constructor(options: StubOptions = {}) {
    this.#options = options;
    this.#context = {
      state: this.state,
      now: options.now ?? Date.now,
      uuid: options.uuid ?? (() => crypto.randomUUID()),
      generation: options.generation ?? '0.6.0',
      compareWithPublished: options.compareWithPublished ?? (async () => 'unreadable' as const),
      storageRoot: options.storageRoot ?? 'memory:///uc',
      vend: options.vend ?? ((): Vended => ({ config: {}, expirationTimeMs: null })),
    };
  }

  /** A catalog with a schema, as an administrator makes them. */
  addSchema(catalog: string, schema: string): this {
    const { catalogs } = this.state;
    const found = catalogs.get(catalog) ?? { id: this.#context.uuid(), schemas: new Map() };
    found.schemas.set(schema, { id: this.#context.uuid(), tables: new Map() });
    catalogs.set(catalog, found);
    return this;
  }

  table(catalog: string, schema: string, name: string): StubTable {
    return this.state.table(catalog, schema, name);
  }

  /** Takes the place of `fetch`, for any host. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const { method, url, headers } = request;
    const answer = await this.answer(method, new URL(url), headers, await request.text());
    if (answer === 'drop') throw new TypeError('fetch failed');
    request.signal.throwIfAborted();
    const { status, body, contentType } = answer;
    const own = { ...(contentType !== undefined && { 'Content-Type': contentType }), ...answer.headers };
    const hasBody = method !== 'HEAD' && status !== 204 && body !== undefined;
    return new Response(hasBody ? body : null, { status, headers: own });
  };

  /** Serves on a free port of the loopback interface. */
  async listen(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const headers = new Headers(
        Object.entries(request.headers).map(([key, value]) => [key, String(value)]),
      );
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const answer = await this.answer(request.method ?? 'GET', url, headers, body);
      if (answer === 'drop') return request.socket.destroy();
      if (answer.contentType !== undefined) response.setHeader('Content-Type', answer.contentType);
      for (const [key, value] of Object.entries(answer.headers ?? {})) response.setHeader(key, value);
      response.writeHead(answer.status).end(request.method === 'HEAD' ? undefined : answer.body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: async () => {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      },
    };
  }

  async answer(method: string, url: URL, headers: Headers, body: string): Promise<StubAnswer | 'drop'> {
    this.requests.push(`${method} ${url.pathname.replace(BASE, '')}${url.search}`);
    const segments = url.pathname.replace(`${BASE}/`, '').split('/').map(decodeURIComponent);
    const request: StubRequest = { method, segments, query: url.searchParams, headers, text: body };
    const early = this.before?.(request);
    if (early !== undefined) return early;
    const answer = this.#withCors(request, await this.#answer(url, request));
    return this.after?.(request, answer) ?? answer;
  }

  async #answer(url: URL, request: StubRequest): Promise<StubAnswer> {
    const { segments, method, headers } = request;
    if (!url.pathname.startsWith(`${BASE}/`)) return text(404, 'Not Found');
    if (method === 'OPTIONS' && headers.has('origin')) {
      if (this.#options.cors) return { status: 204 };
      return text(this.#options.tokens ? 401 : 403, 'Forbidden');
    }
    const isDelta = segments[0] === 'delta' && segments[1] === 'v1';
    try {
      const user = this.#authorize(headers);
      if (isDelta) return await deltaV1(segments.slice(2), request, { ...this.#context, user });
      return this.#lists(request);
    } catch (error) {
      if (!(error instanceof StubError)) throw error;
      const { kind, message, oldCode } = error;
      const isAuth = kind === 'NotAuthorizedException' || kind === 'PermissionDeniedException';
      const newShape = isDelta && (!isAuth || this.#context.generation === 'head');
      return newShape ? deltaError(kind, message) : codeError(kind, message, oldCode);
    }
  }

  #authorize(headers: Headers): string {
    const { tokens } = this.#options;
    if (tokens === undefined) return 'anonymous';
    const header = headers.get('authorization');
    if (!header?.startsWith('Bearer ')) {
      throw new StubError('NotAuthorizedException', 'No authorization found.');
    }
    const user = tokens[header.slice('Bearer '.length)];
    if (user === undefined) throw new StubError('NotAuthorizedException', 'Invalid access token.');
    if (user !== 'admin') throw new StubError('PermissionDeniedException', 'Access denied.');
    return user;
  }

  #lists(request: StubRequest): StubAnswer {
    const { method, segments, query } = request;
    if (segments.length !== 1) return text(404, 'Not Found');
    switch (`${method} ${segments[0]}`) {
      case 'POST catalogs': {
        const name = textOf(parseBody(request).name, 'name');
        if (this.state.catalogs.has(name)) {
          throw new StubError(
            'AlreadyExistsException',
            `Catalog already exists: ${name}`,
            'CATALOG_ALREADY_EXISTS',
          );
        }
        this.state.catalogs.set(name, { id: this.#context.uuid(), schemas: new Map() });
        return json({ name, id: this.state.catalogs.get(name)!.id, created_at: this.#context.now() });
      }
      case 'POST schemas': {
        const body = parseBody(request);
        const [catalog, name] = [textOf(body.catalog_name, 'catalog_name'), textOf(body.name, 'name')];
        if (!this.state.catalogs.has(catalog)) {
          throw new StubError('NoSuchCatalogException', `Catalog not found: ${catalog}`);
        }
        this.addSchema(catalog, name);
        const id = this.state.schema(catalog, name).id;
        return json({ name, catalog_name: catalog, full_name: `${catalog}.${name}`, schema_id: id });
      }
      case 'GET catalogs':
        return this.#page(
          query,
          'catalogs',
          Array.from(this.state.catalogs, ([name, { id }]) => ({ name, id })),
        );
      case 'GET schemas': {
        const catalog = query.get('catalog_name') ?? '';
        const found = this.state.catalogs.get(catalog);
        if (found === undefined)
          throw new StubError('NoSuchCatalogException', `Catalog not found: ${catalog}`);
        const schemas = Array.from(found.schemas, ([name, { id }]) => {
          return { name, catalog_name: catalog, full_name: `${catalog}.${name}`, schema_id: id };
        });
        return this.#page(query, 'schemas', schemas);
      }
      case 'GET tables':
        return this.#tables(query);
      default:
        return text(404, 'Not Found');
    }
  }

  #tables(query: URLSearchParams): StubAnswer {
    const [catalog, schema] = [query.get('catalog_name') ?? '', query.get('schema_name') ?? ''];
    const tables = Array.from(this.state.schema(catalog, schema).tables.values(), (table) => ({
      name: table.name,
      catalog_name: catalog,
      schema_name: schema,
      table_type: 'MANAGED',
      data_source_format: 'DELTA',
      table_id: table.id,
      storage_location: table.location,
    }));
    return this.#page(query, 'tables', tables);
  }

  /** A page of a list, with a token where there is more. */
  #page(query: URLSearchParams, name: string, items: readonly unknown[]): StubAnswer {
    const start = Number(query.get('page_token') ?? 0);
    const end = start + Math.min(Number(query.get('max_results') ?? Infinity), this.#options.pageSize ?? 100);
    const token = end < items.length ? String(end) : null;
    return json({ [name]: items.slice(start, end), next_page_token: token });
  }

  #withCors(request: StubRequest, answer: StubAnswer): StubAnswer {
    if (!this.#options.cors) return answer;
    const origin = request.headers.get('origin') ?? '*';
    return {
      ...answer,
      headers: {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
        'Access-Control-Allow-Headers': 'authorization, content-type',
        ...answer.headers,
      },
    };
  }
}

export type { CommitRow, StubTable };
