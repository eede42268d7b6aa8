/** Requests to one table: reading, making and publishing it. */
import { isDeltaError, rowsToNdjson, type ScanOptions, type TableScan, typeToString } from 'delta-kernel-web';
import { type Environment, numberOf } from './environment.ts';
import { asked, RequestError } from './failures.ts';
import { bodyOf } from './rows.ts';
import { type Tables, tablesOf } from './tables.ts';

const PATH = /^\/tables\/([^/]+)(?:\/(rows|publish))?$/;

export interface Route {
  readonly name: string;
  readonly part: string | undefined;
}

export function routeOf(request: Request): Route {
  const [, encoded, part] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (encoded === undefined) {
    throw new RequestError(
      404,
      'NotFound',
      'expected /tables/<name>, /tables/<name>/rows or /tables/<name>/publish',
    );
  }
  if (/^[\w-]{1,128}$/.test(encoded)) return { name: encoded, part };
  throw new RequestError(400, 'InvalidName', 'names of tables are of letters, digits, _ and -, at most 128');
}

export function tableNameOf(request: Request): string {
  return routeOf(request).name;
}

/** `PUT /tables/:name?partitionBy=…`, the body a Delta schema as JSON. */
export async function createTable(env: Environment, name: string, request: Request): Promise<Response> {
  const schema = await bodyOf(request, numberOf(env.MAX_BODY_BYTES, 'MAX_BODY_BYTES', 8 << 20, 1));
  const partitionBy = listOf(new URL(request.url).searchParams.get('partitionBy')) ?? [];
  const tables = await tablesOf(env);
  try {
    const table = await asked(() => tables.create(name, schema, { partitionBy }));
    return Response.json({ version: table.version }, { status: 201 });
  } catch (error) {
    if (isDeltaError(error, 'CatalogError') && (await isThere(tables, name))) {
      throw new RequestError(409, 'TableExists', `there is a table ${name} already`);
    }
    throw error;
  }
}

async function isThere(tables: Tables, name: string): Promise<boolean> {
  return tables.open(name).then(
    () => true,
    () => false,
  );
}

/** `GET /tables/:name` */
export async function describeTable(env: Environment, name: string): Promise<Response> {
  const { version, schema, metadata } = await (await tablesOf(env)).open(name);
  const columns = schema.fields.map((field) => ({
    name: field.name,
    type: typeToString(field.type),
    nullable: field.nullable,
  }));
  return Response.json({ version, columns, partitionBy: metadata.partitionColumns });
}

/** `GET /tables/:name/rows?where=…&columns=…&limit=…`: newline-delimited JSON. */
export async function readRows(env: Environment, name: string, request: Request): Promise<Response> {
  const options = await asked(() => scanOptions(new URL(request.url).searchParams));
  const table = await (await tablesOf(env)).open(name);
  const scan = await asked(() => table.scan(options));
  return new Response(await ndjsonStream(scan), {
    headers: {
      'Content-Type': 'application/x-ndjson',
      'Cache-Control': 'no-store',
      'Delta-Version': String(table.version),
    },
  });
}

/** `POST /tables/:name/publish`: commits that are only staged become part of the log. */
export async function publishTable(env: Environment, name: string): Promise<Response> {
  const table = await (await tablesOf(env)).open(name);
  return Response.json({ version: await table.publish() });
}

function scanOptions(query: URLSearchParams): ScanOptions {
  const columns = listOf(query.get('columns'));
  const limit = query.get('limit');
  return {
    where: query.get('where') ?? undefined,
    limit: limit === null ? undefined : numberOf(limit, 'limit', 0),
    ...(columns !== undefined && { columns }),
  };
}

/** Columns divided by commas; names with commas or dots stand in backticks. */
function listOf(text: string | null): string[] | undefined {
  if (text === null) return undefined;
  return text.match(/(?:`(?:[^`]|``)*`|[^`,])+/g)?.map((column) => column.trim());
}

/**
 * The first batch is read before the answer begins, so that most failures still have a status. A later one breaks the
 * transfer off: the client must not take what it got for all there is.
 */
async function ndjsonStream(scan: TableScan): Promise<ReadableStream<Uint8Array>> {
  const { schema } = scan;
  const batches = scan[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Awaited<ReturnType<typeof batches.next>> | undefined = await batches.next();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = next ?? (await batches.next());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(rowsToNdjson(value, schema)));
    },
    async cancel() {
      await batches.return();
    },
  });
}
