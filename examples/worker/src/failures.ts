/** Errors as JSON with an HTTP status: `{"error":{"code","message",…place}}`. */
import { type DeltaErrorCode, isDeltaError } from 'delta-kernel-web';

/** A request that is wrong as a request, before any table is asked. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const STATUSES: Partial<Record<DeltaErrorCode, number>> = {
  TableNotFound: 404,
  FileAlreadyExists: 409,
  PermissionDenied: 403,
  // Of the storage or the catalog: the caller's own token was right.
  Unauthorized: 502,
  CatalogError: 502,
  ConcurrentAppend: 409,
  ConcurrentDeleteRead: 409,
  ConcurrentDeleteDelete: 409,
  ConcurrentTransaction: 409,
  ConcurrentDomainMetadata: 409,
  MetadataChanged: 409,
  ProtocolChanged: 409,
  Unsupported: 501,
  IOError: 503,
  TooManyUnpublishedCommits: 503,
  OutOfMemory: 503,
};

/** What is wrong with what the caller asked: of a query or a schema. */
const OF_OPTIONS: readonly DeltaErrorCode[] = [
  'InvalidExpression',
  'InvalidOption',
  'InvalidPartitionValues',
  'ParseError',
  'Schema',
];

/** Why rows were refused: they do not fit the table. */
const OF_ROWS: readonly DeltaErrorCode[] = ['Schema', 'ConstraintViolation', 'InvalidPartitionValues'];

export function isRowError(error: unknown): boolean {
  return isDeltaError(error, ...OF_ROWS);
}

/** Runs what checks a caller's options: what fails there is the caller's mistake, not the table's. */
export async function asked<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isDeltaError(error, ...OF_OPTIONS)) throw error;
    throw new RequestError(400, error.code, error.message);
  }
}

export function errorResponse(error: unknown): Response {
  if (error instanceof RequestError) {
    const { status, code, message, headers } = error;
    return Response.json({ error: { code, message } }, { status, headers });
  }
  if (!isDeltaError(error)) {
    console.error(error);
    if (isPassing(error))
      return errorResponse(new RequestError(503, 'Busy', 'try again', { 'Retry-After': '1' }));
    return Response.json(
      { error: { code: 'Internal', message: 'see the log of the Worker' } },
      { status: 500 },
    );
  }
  const { code, message, table, version, path, line, column, feature } = error;
  const status = isRowError(error) ? 422 : (STATUSES[code] ?? 500);
  if (status >= 500) console.error(`${code}: ${message}`);
  return Response.json(
    { error: { code, message, table, version, path, line, column, feature } },
    { status, headers: status === 503 ? { 'Retry-After': '1' } : {} },
  );
}

/** Of the platform: the Durable Object was moved, or has too much to do. */
function isPassing(error: unknown): boolean {
  const { retryable, overloaded } = (error ?? {}) as { retryable?: unknown; overloaded?: unknown };
  return retryable === true || overloaded === true;
}
