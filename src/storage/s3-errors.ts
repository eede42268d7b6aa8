/** What an S3 client's failures mean. */
import { DeltaError, type DeltaErrorCode, isDeltaError, shownUrl } from '../errors.ts';
import { fileAlreadyExists, fileNotFound } from './failures.ts';

const CREDENTIAL_ERRORS = new Set([
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]);

/** `409 ConditionalRequestConflict`: not written, and no verdict yet; the same put is to be sent again. */
export function isConditionalConflict(error: unknown): boolean {
  const { name, status } = summaryOf(error);
  return status === 409 && name !== 'BucketAlreadyExists' && name !== 'OperationAborted';
}

/** The typed error for a failed request. Not for aborted ones. */
export function s3Error(location: URL, what: string, error: unknown): unknown {
  if (isDeltaError(error)) return error;
  const { name, status, message } = summaryOf(error);
  if (status === 404 && name !== 'NoSuchBucket') return fileNotFound(location, error);
  if (status === 412) return fileAlreadyExists(location, error);
  const [code, advice] = meaningOf(name, status, error);
  const path = shownUrl(location);
  const answer = [status, name, message].filter((part) => part !== undefined && part !== '').join(' ');
  return new DeltaError(code, `${what} ${path} failed: ${answer}${advice}`, {
    path,
    cause: error,
    ...(status === undefined ? {} : { status }),
  });
}

function meaningOf(name: string, status: number | undefined, error: unknown): [DeltaErrorCode, string] {
  if (CREDENTIAL_ERRORS.has(name) || status === 401) {
    return ['Unauthorized', '; check the credentials of the S3 client'];
  }
  if (name === 'NoSuchBucket') return ['FileNotFound', '; there is no such bucket'];
  if (status === 301 || status === 307 || name === 'AuthorizationHeaderMalformed') {
    return [
      'InvalidOption',
      '; the bucket lies in another region: set the region (or endpoint) of the S3 client',
    ];
  }
  if (status === 403) {
    return [
      'PermissionDenied',
      '; S3 also answers so for a missing key where the credentials may not list the bucket',
    ];
  }
  if (status === 501) return ['Unsupported', '; this store lacks what the request needs'];
  if (status === 416) return ['IOError', '; the object is shorter than expected'];
  if (status === 408 || status === 409 || status === 429 || (status ?? 0) >= 500) return ['IOError', ''];
  if (status !== undefined && status >= 400) return ['Generic', ''];
  return [isNetworkFailure(name, error) ? 'IOError' : 'Generic', ''];
}

/** No answer, or one that broke off: a fetch's `TypeError`, a socket's `code`, a timeout, a garbled body. */
function isNetworkFailure(name: string, error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' || error instanceof TypeError) return true;
  return (
    /timeout|network|abort|premature/i.test(name) ||
    (error as { $metadata?: unknown }).$metadata !== undefined
  );
}

function summaryOf(error: unknown): { name: string; status: number | undefined; message: string } {
  const { name, message, $metadata } = (error ?? {}) as {
    name?: unknown;
    message?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  return { name: String(name ?? ''), status: $metadata?.httpStatusCode, message: String(message ?? '') };
}
