/**
 * The page without a network: its own files, and the samples that were opened. Nothing else is ever answered from here
 * or kept: no other host, no address with a query, no request with credentials, no table beside the page.
 */
import { answerWith } from './ranges.ts';

/** Written by the build (`scripts/lib/service-worker.mjs`). */
declare const BUILD: {
  /** Hash of the page's files. */
  version: string;
  /** Hash of the samples. */
  samples: string;
  /** What the first view needs, what tabs load later, and what is kept only once it was loaded; relative to this script. */
  first: string[];
  later: string[];
  large: string[];
};

/** The part of `ServiceWorkerGlobalScope` that is used: its types exclude those of pages. */
interface Scope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void;
  addEventListener(type: 'message', listener: (event: Extendable & { data: unknown }) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}

interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends Extendable {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as Scope;
const base = new URL('./', globalThis.location.href);
// Pages in other folders of this host have caches of their own.
const OWN = `delta-table-inspector ${base.pathname}`;
const PAGE = `${OWN} page ${BUILD.version}`;
const SAMPLES = `${OWN} samples ${BUILD.samples}`;
const FILES = new Set([...BUILD.first, ...BUILD.later, ...BUILD.large]);

worker.addEventListener('install', (event) => event.waitUntil(keep(PAGE, BUILD.first)));
worker.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([removeOld(), worker.clients.claim()]));
});
worker.addEventListener('message', (event) => {
  const { type, name } = (event.data ?? {}) as { type?: string; name?: string };
  if (type === 'update') event.waitUntil(worker.skipWaiting());
  if (type === 'complete') event.waitUntil(keep(PAGE, BUILD.later));
  if (type === 'sample' && name !== undefined) event.waitUntil(keepSample(name));
});
worker.addEventListener('fetch', (event) => {
  const path = pathOf(event.request);
  if (path === undefined) return;
  if (FILES.has(path)) event.respondWith(pageFile(path, event.request));
  else if (path.startsWith('samples/')) event.respondWith(sampleFile(path, event.request));
});

/** Below this page's folder; undefined for all that is none of this worker's business. */
function pathOf(request: Request): string | undefined {
  const url = new URL(request.url);
  const isOurs = url.origin === base.origin && url.pathname.startsWith(base.pathname);
  if (!isOurs || request.method !== 'GET' || url.search !== '') return undefined;
  if (request.headers.has('Authorization')) return undefined;
  return url.pathname.slice(base.pathname.length) || 'index.html';
}

/** From this version's files, whatever the server has by now: files of two versions do not fit each other. */
async function pageFile(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(PAGE);
  const kept = await cache.match(urlOf(path));
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.status === 200) await cache.put(urlOf(path), response.clone());
  return response;
}

/** A sample that is kept is kept whole: what it lacks does not exist, as the reader of its log needs to be told. */
async function sampleFile(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(SAMPLES);
  const kept = await cache.match(urlOf(path));
  if (kept !== undefined) return answerWith(kept, request.headers.get('Range'));
  const [, name = ''] = /^samples\/([^/]+)\//.exec(path) ?? [];
  if ((await cache.match(markOf(name))) !== undefined) return new Response(null, { status: 404 });
  return fetch(request);
}

async function keepSample(name: string): Promise<void> {
  const cache = await caches.open(SAMPLES);
  if ((await cache.match(markOf(name))) !== undefined) return;
  const list = await fetch(urlOf('samples/files.json'));
  const paths = ((await list.json()) as Record<string, string[]>)[name] ?? [];
  await keep(SAMPLES, ['samples/files.json', ...paths.map((path) => `samples/${name}/${path}`)]);
  await cache.put(markOf(name), new Response());
}

/** All or none of those that are not there yet. */
async function keep(cacheName: string, paths: readonly string[]): Promise<void> {
  const cache = await caches.open(cacheName);
  const missing: string[] = [];
  for (const path of paths) if ((await cache.match(urlOf(path))) === undefined) missing.push(urlOf(path));
  // Not from the browser's own cache, which may hold files of another version.
  await cache.addAll(missing.map((url) => new Request(url, { cache: 'no-cache' })));
}

async function removeOld(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(`${OWN} `) && name !== PAGE && name !== SAMPLES);
  await Promise.all(old.map((name) => caches.delete(name)));
}

function urlOf(path: string): string {
  return new URL(path, base).href;
}

/** Says that a sample is there as a whole. */
function markOf(name: string): string {
  return urlOf(`samples/${name}/`);
}
