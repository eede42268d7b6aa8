/** Answers and errors of the stub, in the two shapes that the server has. */
import { LosslessNumber, parse, stringify } from 'lossless-json';

export type Json = Readonly<Record<string, unknown>>;

export interface StubRequest {
  readonly method: string;
  /** Below `/api/2.1/unity-catalog`, segments decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly text: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `error.type` → status and `error_code` of the other shape. */
const KINDS = {
  InvalidParameterValueException: [400, 'INVALID_ARGUMENT'],
  FailedPrecondition: [400, 'FAILED_PRECONDITION'],
  NotAuthorizedException: [401, 'UNAUTHENTICATED'],
  PermissionDeniedException: [403, 'PERMISSION_DENIED'],
  NoSuchCatalogException: [404, 'CATALOG_NOT_FOUND'],
  NoSuchSchemaException: [404, 'SCHEMA_NOT_FOUND'],
  NoSuchTableException: [404, 'TABLE_NOT_FOUND'],
  AlreadyExistsException: [409, 'TABLE_ALREADY_EXISTS'],
  CommitVersionConflictException: [409, 'COMMIT_VERSION_CONFLICT'],
  UpdateRequirementConflictException: [409, 'ABORTED'],
  ResourceExhaustedException: [429, 'RESOURCE_EXHAUSTED'],
  TooManyRequestsException: [429, 'TOO_MANY_REQUESTS'],
  CommitStateUnknownException: [500, 'INTERNAL'],
  InternalServerErrorException: [500, 'INTERNAL'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorKind = keyof typeof KINDS;

export class StubError extends Error {
  readonly kind: ErrorKind;
  readonly oldCode: string | undefined;

  constructor(kind: ErrorKind, message: string, oldCode?: string) {
    super(message);
    this.kind = kind;
    this.oldCode = oldCode;
  }
}

export const invalid = (message: string) => new StubError('InvalidParameterValueException', message);

export function json(body: unknown, status = 200): StubAnswer {
  return { status, contentType: 'application/json', body: stringify(body) ?? '' };
}

export const text = (status: number, body: string): StubAnswer => ({
  status,
  contentType: 'text/plain',
  body,
});

/** The shape of `/delta/v1`. */
export function deltaError(kind: ErrorKind, message: string): StubAnswer {
  const [code] = KINDS[kind];
  return json({ error: { message, type: kind, code, stack: null } }, code);
}

/** The shape of everything else, and of 401 and 403 of server 0.6.0 everywhere. */
export function codeError(kind: ErrorKind, message: string, oldCode: string = KINDS[kind][1]): StubAnswer {
  const status = kind === 'AlreadyExistsException' ? 400 : KINDS[kind][0];
  const details = [{ reason: oldCode, '@type': 'google.rpc.ErrorInfo' }];
  return json({ error_code: oldCode, details, message }, status);
}

/** Whole numbers that a `number` holds as such, everything else by its digits. */
export function parseBody(request: StubRequest): Json {
  if (!/^application\/json\b/.test(request.headers.get('content-type') ?? '')) {
    throw invalid('failed to parse a JSON document: the content type is not application/json');
  }
  let value: unknown;
  try {
    value = parse(request.text, undefined, (digits) => {
      const number = Number(digits);
      return Number.isSafeInteger(number) && String(number) === digits ? number : new LosslessNumber(digits);
    });
  } catch (error) {
    throw invalid(`failed to parse a JSON document: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw invalid('failed to parse a JSON document: not an object');
}

/** Refuses fields that the server does not know. */
export function onlyFields(value: Json, names: readonly string[]): void {
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      throw invalid(`failed to parse a JSON document: Unrecognized field "${name}"`);
    }
  }
}

export function objectOf(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw invalid(`${what} is required.`);
}

export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(`${what} is required.`);
}

export function textsOf(value: unknown, what: string): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
  throw invalid(`${what} must be a list of strings.`);
}

export function positiveOf(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalid(`${what} must be a number greater than 0.`);
}

export function propertiesOf(value: unknown, what: string): Map<string, string> {
  const entries = Object.entries(objectOf(value, what));
  for (const [key, item] of entries)
    if (typeof item !== 'string') throw invalid(`${what}: ${key} is no string.`);
  return new Map(entries as [string, string][]);
}
