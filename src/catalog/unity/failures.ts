/** What the server's refusals mean: by their type, in either of the two shapes that errors have. */
import type { DeltaErrorCode } from '../../errors.ts';
import { asString, isObject, parseJsonObject } from '../../kernel/log/json.ts';
import { UnityCatalogError } from './client.ts';

/** `error_code` of the older shape → `error.type` of `/delta/v1`. */
const TYPE_OF_CODE: Readonly<Record<string, string>> = {
  INVALID_ARGUMENT: 'InvalidParameterValueException',
  UNAUTHENTICATED: 'NotAuthorizedException',
  PERMISSION_DENIED: 'PermissionDeniedException',
  CATALOG_NOT_FOUND: 'NoSuchCatalogException',
  SCHEMA_NOT_FOUND: 'NoSuchSchemaException',
  TABLE_NOT_FOUND: 'NoSuchTableException',
  NOT_FOUND: 'NotFoundException',
  TABLE_ALREADY_EXISTS: 'AlreadyExistsException',
  ALREADY_EXISTS: 'AlreadyExistsException',
  COMMIT_VERSION_CONFLICT: 'CommitVersionConflictException',
  RESOURCE_EXHAUSTED: 'ResourceExhaustedException',
  INTERNAL: 'InternalServerErrorException',
};

const CODE_OF_TYPE: Readonly<Record<string, DeltaErrorCode>> = {
  NotAuthorizedException: 'Unauthorized',
  PermissionDeniedException: 'PermissionDenied',
  NotFoundException: 'TableNotFound',
  NoSuchCatalogException: 'TableNotFound',
  NoSuchSchemaException: 'TableNotFound',
  NoSuchTableException: 'TableNotFound',
  ResourceExhaustedException: 'TooManyUnpublishedCommits',
  TooManyRequestsException: 'IOError',
  CommitStateUnknownException: 'IOError',
  InternalServerErrorException: 'IOError',
  NotImplementedException: 'Unsupported',
  UnsupportedTableFormatException: 'Unsupported',
};

const MAX_MESSAGE = 500;

export interface Refusal {
  /** `POST /delta/v1/…`, for people. */
  readonly what: string;
  readonly status: number;
  readonly body: string;
  /** Never shown, should the server repeat it. */
  readonly secret: string | undefined;
}

/** The typed error for an answer that is no success. */
export function refusalError({ what, status, body, secret }: Refusal): UnityCatalogError {
  const { type, message } = reasonOf(body);
  const code = CODE_OF_TYPE[type ?? ''] ?? codeOfStatus(status);
  const shown = [status, type, hide(message, secret)].filter((part) => part !== undefined && part !== '');
  return new UnityCatalogError(type, code, `${what} answered ${shown.join(' ')}${adviceFor(code)}`, {
    status,
  });
}

function reasonOf(body: string): { type: string | undefined; message: string } {
  const answer = parseJsonObject(body);
  if (answer === undefined) return { type: undefined, message: '' };
  if (isObject(answer.error)) {
    return { type: asString(answer.error.type), message: asString(answer.error.message) ?? '' };
  }
  const code = asString(answer.error_code);
  const detail: unknown = Array.isArray(answer.details) ? answer.details[0] : undefined;
  const reason = isObject(detail) ? asString(detail.reason) : undefined;
  const type = TYPE_OF_CODE[code ?? ''] ?? TYPE_OF_CODE[reason ?? ''] ?? code;
  return { type, message: asString(answer.message) ?? '' };
}

function codeOfStatus(status: number): DeltaErrorCode {
  if (status === 401) return 'Unauthorized';
  if (status === 403) return 'PermissionDenied';
  if (status === 405 || status === 501) return 'Unsupported';
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500;
  return isTransient ? 'IOError' : 'CatalogError';
}

function adviceFor(code: DeltaErrorCode): string {
  return code === 'Unauthorized' ? '; check the token that the token provider gives' : '';
}

function hide(message: string, secret: string | undefined): string {
  const hidden = secret ? message.replaceAll(secret, '…') : message;
  return hidden.length > MAX_MESSAGE ? `${hidden.slice(0, MAX_MESSAGE)}…` : hidden;
}
