/** Delta tables behind HTTP, in a Cloudflare Worker: see README.md. */
import type { Environment } from './environment.ts';
import { errorResponse, RequestError } from './failures.ts';
import { createTable, describeTable, publishTable, readRows, routeOf } from './routes.ts';

export { TableWriter } from './table-writer.ts';

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    try {
      await authorize(request, env);
      return await answer(request, env);
    } catch (error) {
      return errorResponse(error);
    }
  },
};

async function answer(request: Request, env: Environment): Promise<Response> {
  const { name, part = '' } = routeOf(request);
  switch (`${request.method} ${part}`) {
    case 'PUT ':
      return createTable(env, name, request);
    case 'GET ':
      return describeTable(env, name);
    case 'GET rows':
      return readRows(env, name, request);
    case 'POST rows':
      return env.WRITERS.get(env.WRITERS.idFromName(name)).fetch(request);
    case 'POST publish':
      return publishTable(env, name);
    default: {
      const Allow = { '': 'GET, PUT', rows: 'GET, POST', publish: 'POST' }[part] ?? '';
      throw new RequestError(405, 'MethodNotAllowed', `only ${Allow} here`, { Allow });
    }
  }
}

/** Without `API_TOKEN` everybody may do everything. */
async function authorize({ headers }: Request, { API_TOKEN }: Environment): Promise<void> {
  if (!API_TOKEN) return;
  const [, given = ''] = /^Bearer (.+)$/i.exec(headers.get('Authorization') ?? '') ?? [];
  if (await isSame(given, API_TOKEN)) return;
  throw new RequestError(401, 'Unauthorized', 'a bearer token is needed', { 'WWW-Authenticate': 'Bearer' });
}

/** Compares hashes to the end, so that the time that it takes tells nothing of the secret. */
async function isSame(given: string, secret: string): Promise<boolean> {
  const hash = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const [a, b] = await Promise.all([hash(given), hash(secret)]);
  return a.reduce((difference, byte, index) => difference | (byte ^ b[index]!), 0) === 0;
}
