/** The Worker example in workerd: its bundle, its bindings, and requests to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { field, schemaToJson, types } from '../../src/index.ts';
import { dryRun, type Upload } from './worker-bundle.ts';

export const TOKEN = 'a-secret';

/** What tables of these tests are made with. */
export const SCHEMA = schemaToJson(
  types.struct([
    field('id', types.long, { nullable: false }),
    field('city', types.string),
    field('fare', types.double),
  ]),
);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the Worker answers
  readonly json: any;
}

export interface WorkerHost {
  readonly upload: Upload;
  readonly worker: Miniflare;
  /** @param token null for none. */
  call(method: string, path: string, body?: string, token?: string | null): Promise<Answer>;
  /** Starts it again with other variables. */
  rebind(bindings: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

const LIMITS = { BATCH_MS: '50', BATCH_ROWS: '200', MAX_BODY_BYTES: '100000' };

export async function startWorker(): Promise<WorkerHost> {
  const dir = await mkdtemp(join(tmpdir(), 'worker-example-'));
  const upload = await dryRun(dir);
  const options = (bindings: Readonly<Record<string, string>>) => ({
    modules: true as const,
    modulesRoot: dir,
    scriptPath: join(dir, 'index.js'),
    modulesRules: [{ type: 'CompiledWasm' as const, include: ['**/*.wasm'] }],
    compatibilityDate: '2026-01-01',
    r2Buckets: ['BUCKET'],
    durableObjects: { WRITERS: { className: 'TableWriter', useSQLite: true } },
    bindings: { API_TOKEN: TOKEN, ...LIMITS, ...bindings },
    cf: false,
  });
  const worker = new Miniflare(options({}));
  await worker.ready;
  return {
    upload,
    worker,
    call: (...request) => call(worker, ...request),
    rebind: (bindings) => worker.setOptions(options(bindings)),
    stop: async () => {
      await worker.dispose();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function call(
  worker: Miniflare,
  method: string,
  path: string,
  body?: string,
  token: string | null = TOKEN,
): Promise<Answer> {
  const response = await worker.dispatchFetch(`http://worker${path}`, {
    method,
    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('Content-Type') === 'application/json';
  const headers = new Headers([...response.headers]);
  return { status: response.status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Lines of an answer, in an order of their own. */
export function rowsOf({ text }: Answer): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}
